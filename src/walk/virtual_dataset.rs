//! The mappings of a virtual dataset.

use std::sync::Arc;

use super::Storage;
use super::global_heap::Collection;
use crate::bytes::Addr;
use crate::error::{Result, Structure};
use crate::format::reference::HeapPlace;
use crate::format::virtual_mapping::VirtualMappings;

/// Reads the mappings at a place of the global heap.
pub(crate) fn mappings(storage: &Storage, place: HeapPlace) -> Result<Arc<VirtualMappings>> {
    let collection = Collection::read(storage, place.collection)?;
    let block = collection.object(place.index)?;
    // Addresses of heap objects are unique, so that they serve as keys.
    let key = Addr(block.at());
    storage
        .memo(key, Structure::VirtualMapping, || Ok((VirtualMappings::decode(block)?, 8 * block.bytes().len() as u64)))
}

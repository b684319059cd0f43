//! The mappings of a virtual dataset.

use std::sync::Arc;

use super::global_heap::Collection;
use super::{Held, Storage};
use crate::bytes::Addr;
use crate::error::{Result, Structure};
use crate::format::reference::HeapPlace;
use crate::format::virtual_mapping::VirtualMappings;

/// Reads the mappings at a place of the global heap, of the dataset whose layout message is at a position.
pub(crate) fn mappings(storage: &Storage, place: HeapPlace, layout: u64) -> Result<Arc<VirtualMappings>> {
    let collection = Collection::read(storage, place.collection)?;
    let block = collection.object(place.index)?;
    Held::by(Structure::VirtualMapping, layout).add(storage, block.bytes().len() as u64)?;
    // Addresses of heap objects are unique, so that they serve as keys.
    let key = Addr(block.at());
    storage
        .memo(key, Structure::VirtualMapping, || Ok((VirtualMappings::decode(block)?, 8 * block.bytes().len() as u64)))
}

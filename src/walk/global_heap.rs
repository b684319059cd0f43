//! Global heap collections: objects by their numbers.

use std::sync::Arc;

use super::Storage;
use crate::bytes::{Addr, Block, Widths};
use crate::error::{Result, Structure};
use crate::format::global_heap::GlobalHeap;
use crate::format::reference::HeapPlace;

/// A collection, read as a whole.
#[derive(Debug)]
pub(crate) struct Collection {
    pub(crate) heap: GlobalHeap,
    bytes: Vec<u8>,
    at: u64,
    widths: Widths,
}

/// Bytes of the collections that libhdf5 mostly writes.
const USUAL: u64 = 4096;

impl Collection {
    /// The collection at an address.
    pub(crate) fn read(storage: &Storage, address: Addr) -> Result<Arc<Self>> {
        const S: Structure = Structure::GlobalHeap;
        storage.memo(address, S, || {
            let run = storage.read_up_to(address, USUAL, S)?;
            let size = GlobalHeap::decode_size(run.block())?;
            let run = if size == run.block().bytes().len() as u64 { run } else { storage.read(address, size, S)? };
            let heap = GlobalHeap::decode(run.block())?;
            let (at, widths) = (run.block().at(), storage.widths());
            let cost = size + 32 * heap.objects.len() as u64;
            Ok((Self { heap, bytes: run.into_bytes(), at, widths }, cost))
        })
    }

    /// The bytes of an object.
    ///
    /// # Errors
    /// No object of that number.
    pub(crate) fn object(&self, index: u32) -> Result<Block<'_>> {
        match self.heap.object(index) {
            Some(range) => {
                let at = self.at + range.start as u64;
                Ok(Block::new(&self.bytes[range], at, self.widths))
            }
            None => Err(GlobalHeap::no_object(self.at, index).into()),
        }
    }
}

/// Says that the collections of these places will be read.
pub(crate) fn prefetch(storage: &Storage, places: impl IntoIterator<Item = HeapPlace>) -> Result<()> {
    let mut addresses: Vec<Addr> = places.into_iter().map(|place| place.collection).collect();
    addresses.sort_unstable();
    addresses.dedup();
    storage.prefetch(addresses.into_iter().map(|address| (address, USUAL)))
}

//! Global heap collections: objects by their numbers.

use std::ops::Range;
use std::sync::Arc;

use super::{Run, Storage};
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
        storage.memo(address, Structure::GlobalHeap, || {
            let run = whole(storage, address)?;
            let size = run.block().bytes().len() as u64;
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

/// A collection to take many objects out of: where each stands is known by its number.
#[derive(Debug)]
pub(crate) struct Objects<'a> {
    run: Run<'a>,
    places: Vec<Range<usize>>,
    /// The objects of an unusual collection, which has no places.
    unusual: Option<GlobalHeap>,
}

impl<'a> Objects<'a> {
    /// The collection at an address.
    pub(crate) fn read(storage: &'a Storage, address: Addr) -> Result<Self> {
        let run = whole(storage, address)?;
        match GlobalHeap::places(run.block()) {
            Some(places) => Ok(Self { run, places, unusual: None }),
            None => {
                let unusual = Some(GlobalHeap::decode(run.block())?);
                Ok(Self { run, places: Vec::new(), unusual })
            }
        }
    }

    /// The same from the memo.
    pub(crate) fn kept(storage: &Storage, address: Addr) -> Result<Arc<Objects<'static>>> {
        storage.memo(address, Structure::GlobalHeap, || {
            let Objects { run, places, unusual } = Objects::read(storage, address)?;
            let count = places.len() + 2 * unusual.as_ref().map_or(0, |heap| heap.objects.len());
            let cost = run.block().bytes().len() + count * size_of::<Range<usize>>();
            Ok((Objects { run: run.into_owned(), places, unusual }, cost as u64))
        })
    }

    /// The bytes of an object.
    ///
    /// # Errors
    /// No object of that number.
    pub(crate) fn object(&self, index: u32) -> Result<Block<'_>> {
        let block = self.run.block();
        let found = match self.places.get(index as usize) {
            Some(place) if place.start > 0 => Some(place.clone()),
            _ => self.unusual.as_ref().and_then(|heap| heap.object(index)),
        };
        match found {
            Some(range) => {
                let at = block.at() + range.start as u64;
                Ok(Block::new(&block.bytes()[range], at, block.widths()))
            }
            None => Err(GlobalHeap::no_object(block.at(), index).into()),
        }
    }
}

/// The bytes of a whole collection.
fn whole(storage: &Storage, address: Addr) -> Result<Run<'_>> {
    const S: Structure = Structure::GlobalHeap;
    let run = storage.read_up_to(address, USUAL, S)?;
    let size = GlobalHeap::decode_size(run.block())?;
    if size == run.block().bytes().len() as u64 { Ok(run) } else { storage.read(address, size, S) }
}

/// Says that the collections of these places will be read.
pub(crate) fn prefetch(storage: &Storage, places: impl IntoIterator<Item = HeapPlace>) -> Result<()> {
    let mut addresses: Vec<Addr> = Vec::new();
    for place in places {
        // Mostly the one after is in the same collection.
        if addresses.last() != Some(&place.collection) {
            addresses.push(place.collection);
        }
    }
    addresses.sort_unstable();
    addresses.dedup();
    storage.prefetch(addresses.into_iter().map(|address| (address, USUAL)))
}

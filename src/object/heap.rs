use std::cell::Cell;

use crate::bytes::{Block, Widths};
use crate::element::Heap;
use crate::error::{Error, Result};
use crate::format::reference::HeapPlace;
use crate::walk::Storage;
use crate::walk::global_heap::{self, Collection};

/// The global heap of a file, for one read.
pub(crate) struct FileHeap<'s> {
    storage: &'s Storage,
    /// Bytes that the read may take out of it.
    most: u64,
    /// Those that it took.
    taken: Cell<u64>,
}

/// What a small file may let a read take out of the heap. Sequences of sequences can lead to the same object again
/// and again, and so to more than any file holds.
const LEAST: u64 = 128 << 20;

/// The same for a large file, in whole files.
const FILES: u64 = 64;

/// What finding an object costs, in bytes.
const OBJECT: u64 = 64;

impl<'s> FileHeap<'s> {
    pub(crate) fn new(storage: &'s Storage) -> Self {
        let most = storage.source().len().saturating_mul(FILES).saturating_add(LEAST);
        Self { storage, most: most.min(storage.limits().read_bytes), taken: Cell::new(0) }
    }
}

impl Heap for FileHeap<'_> {
    fn widths(&self) -> Widths {
        self.storage.widths()
    }

    fn prefetch(&self, places: &mut dyn Iterator<Item = HeapPlace>) -> Result<()> {
        global_heap::prefetch(self.storage, places)
    }

    fn object(&self, place: HeapPlace, with: &mut dyn FnMut(Block<'_>) -> Result<()>) -> Result<()> {
        let collection = Collection::read(self.storage, place.collection)?;
        let object = collection.object(place.index)?;
        let taken = self.taken.get().saturating_add(OBJECT + object.bytes().len() as u64);
        if taken > self.most {
            return Err(Error::limit("bytes from the global heap", taken, self.most));
        }
        self.taken.set(taken);
        with(object)
    }
}

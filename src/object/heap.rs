use std::cell::Cell;
use std::sync::Arc;

use crate::bytes::{Addr, Block, Widths};
use crate::element::Heap;
use crate::error::{Error, Result};
use crate::format::reference::HeapPlace;
use crate::walk::Storage;
use crate::walk::global_heap::{self, Objects};

/// The global heap of a file, for one read.
pub(crate) struct FileHeap<'s> {
    storage: &'s Storage,
    /// Bytes that the read may take out of it.
    most: u64,
    /// Those that it took.
    taken: Cell<u64>,
    /// The collection that was used last: mostly the next object is in it too.
    last: Cell<Option<(Addr, Arc<Objects<'s>>)>>,
    /// The highest address of a collection so far, and how many were opened.
    opened: Cell<(Addr, u32)>,
}

/// Collections that are kept in any case. Those after them are kept unless they come in the order of the file, in which
/// none is needed twice.
const KEPT: u32 = 4;

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
        Self {
            storage,
            most: most.min(storage.limits().read_bytes),
            taken: Cell::new(0),
            last: Cell::default(),
            opened: Cell::default(),
        }
    }

    fn open(&self, address: Addr) -> Result<Arc<Objects<'s>>> {
        let (highest, opened) = self.opened.get();
        self.opened.set((highest.max(address), opened.saturating_add(1)));
        if opened >= KEPT && address > highest {
            return Objects::read(self.storage, address).map(Arc::new);
        }
        Objects::kept(self.storage, address)
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
        // Taken out while it is used, since `with` may ask for other objects.
        let (address, objects) = match self.last.take().filter(|(address, _)| *address == place.collection) {
            Some(last) => last,
            None => (place.collection, self.open(place.collection)?),
        };
        let used = objects.object(place.index).and_then(|object| {
            let taken = self.taken.get().saturating_add(OBJECT + object.bytes().len() as u64);
            if taken > self.most {
                return Err(Error::limit("bytes from the global heap", taken, self.most));
            }
            self.taken.set(taken);
            with(object)
        });
        self.last.set(Some((address, objects)));
        used
    }
}

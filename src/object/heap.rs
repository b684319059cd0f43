use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use crate::bytes::{Addr, Block, Widths};
use crate::element::Heap;
use crate::error::{Error, Result};
use crate::format::reference::HeapPlace;
use crate::walk::Storage;
use crate::walk::global_heap::{Objects, View, Window, prefetch};

/// The global heap of a file, for one read.
pub(crate) struct FileHeap<'s> {
    storage: &'s Storage,
    /// Bytes that the read may take out of it, with what they become in memory, and the limit that says so.
    most: (u64, &'static str),
    /// Those that it took.
    taken: Cell<u64>,
    /// The collection that was used last: mostly the next object is in it too.
    last: Cell<Option<Last<'s>>>,
    /// The two windows that were used last, the later first: some strings stand in the collection before. The one that is
    /// in use is not here.
    windows: Cell<(Window, Window)>,
    /// What will be read, as [`prefetch`] gives it.
    planned: RefCell<Vec<Range<u64>>>,
    /// The highest address of a collection so far.
    highest: Cell<Addr>,
    /// The collections that were opened, up to [`MOST_SEEN`].
    seen: RefCell<HashSet<Addr>>,
}

/// A collection that objects are taken out of.
enum Last<'s> {
    Kept(Addr, Arc<Objects<'s>>),
    /// The one that the window is turned to.
    Window(Addr, Window),
}

impl Last<'_> {
    fn address(&self) -> Addr {
        match self {
            Self::Kept(address, _) | Self::Window(address, _) => *address,
        }
    }

    fn view(&self) -> View<'_> {
        match self {
            Self::Kept(_, objects) => objects.view(),
            Self::Window(_, window) => window.view(),
        }
    }
}

/// Collections that are kept in any case. Those after them are kept where they are opened again: in most files strings come
/// collection by collection, and none is needed twice.
const KEPT: usize = 4;

/// Collections that are remembered. After so many, those are not kept that come in the order of the file.
const MOST_SEEN: usize = 1 << 16;

/// What any file may let a read take out of the heap. Sequences of sequences can lead to the same object again
/// and again, and so to more than any file holds.
const FREE: u64 = 16 << 20;

/// What finding an object costs, in bytes.
const OBJECT: u64 = 64;

impl<'s> FileHeap<'s> {
    pub(crate) fn new(storage: &'s Storage) -> Self {
        let (limits, length) = (storage.limits(), storage.source().len());
        let most = length.saturating_mul(limits.heap_expansion).saturating_add(FREE).min(limits.read_bytes);
        let left = storage.heap_left();
        Self {
            storage,
            most: if left < most { (left, "heap_total") } else { (most, "heap_expansion") },
            taken: Cell::new(0),
            last: Cell::default(),
            windows: Cell::default(),
            planned: RefCell::default(),
            highest: Cell::default(),
            seen: RefCell::default(),
        }
    }

    fn open(&self, address: Addr) -> Result<Last<'s>> {
        let (later, earlier) = self.windows.take();
        let (mut window, other) = if later.is_at(address) { (later, earlier) } else { (earlier, later) };
        let mut used = window.is_at(address);
        if !used && self.is_new(address) {
            used = window.turn(self.storage, address, &self.planned.borrow());
            if !used {
                self.windows.set((other, window));
                return Ok(Last::Kept(address, Arc::new(Objects::read(self.storage, address)?)));
            }
        }
        if used {
            self.windows.set((Window::default(), other));
            return Ok(Last::Window(address, window));
        }
        self.windows.set((other, window));
        Ok(Last::Kept(address, Objects::kept(self.storage, address)?))
    }

    /// Notes that a collection is opened; true where it will hardly be needed again.
    fn is_new(&self, address: Addr) -> bool {
        let highest = self.highest.get();
        self.highest.set(highest.max(address));
        let mut seen = self.seen.borrow_mut();
        let many = seen.len() >= KEPT;
        let new = if seen.len() < MOST_SEEN { seen.insert(address) } else { address > highest };
        many && new
    }

    /// Leaves a collection for the next object, or its memory for the next collections.
    fn leave(&self, collection: Option<Last<'s>>) {
        if let Some(Last::Window(_, window)) = collection {
            let (_, other) = self.windows.take();
            self.windows.set((window, other));
        }
    }

    /// Takes the bytes of an object out of a collection.
    #[inline]
    fn take<'c>(&self, collection: &View<'c>, index: u32) -> Result<Block<'c>> {
        let object = collection.object(index)?;
        self.count(OBJECT + object.bytes().len() as u64)?;
        Ok(object)
    }

    #[inline]
    fn count(&self, bytes: u64) -> Result<()> {
        let taken = self.taken.get().saturating_add(bytes);
        let (most, limit) = self.most;
        if taken > most {
            return Err(Error::limit(limit, taken, most));
        }
        self.taken.set(taken);
        Ok(())
    }
}

impl Drop for FileHeap<'_> {
    fn drop(&mut self) {
        self.storage.count_heap(self.taken.get());
    }
}

impl Heap for FileHeap<'_> {
    fn widths(&self) -> Widths {
        self.storage.widths()
    }

    fn becomes(&self, bytes: u64) -> Result<()> {
        self.count(bytes)
    }

    fn prefetch(&self, places: &mut dyn Iterator<Item = HeapPlace>) -> Result<()> {
        *self.planned.borrow_mut() = prefetch(self.storage, places)?;
        Ok(())
    }

    fn object(&self, place: HeapPlace, with: &mut dyn FnMut(Block<'_>) -> Result<()>) -> Result<()> {
        self.objects(place, &mut |object| with(object).map(|()| None))
    }

    fn objects(&self, place: HeapPlace, with: &mut dyn FnMut(Block<'_>) -> Result<Option<u32>>) -> Result<()> {
        // Taken out while it is used, since `with` may ask for other objects.
        let last = match self.last.take() {
            Some(last) if last.address() == place.collection => last,
            other => {
                self.leave(other);
                self.open(place.collection)?
            }
        };
        let view = last.view();
        let mut used = Ok(Some(place.index));
        while let Ok(Some(index)) = used {
            used = match self.take(&view, index) {
                Ok(object) => with(object),
                Err(e) => Err(e),
            };
        }
        self.leave(self.last.replace(Some(last)));
        used.map(drop)
    }
}

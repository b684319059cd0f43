use crate::bytes::{Block, Widths};
use crate::element::Heap;
use crate::error::Result;
use crate::format::reference::HeapPlace;
use crate::walk::Storage;
use crate::walk::global_heap::{self, Collection};

/// The global heap of a file.
pub(crate) struct FileHeap<'s>(pub(crate) &'s Storage);

impl Heap for FileHeap<'_> {
    fn widths(&self) -> Widths {
        self.0.widths()
    }

    fn prefetch(&self, places: &mut dyn Iterator<Item = HeapPlace>) -> Result<()> {
        global_heap::prefetch(self.0, places)
    }

    fn object(&self, place: HeapPlace, with: &mut dyn FnMut(Block<'_>) -> Result<()>) -> Result<()> {
        let collection = Collection::read(self.0, place.collection)?;
        with(collection.object(place.index)?)
    }
}

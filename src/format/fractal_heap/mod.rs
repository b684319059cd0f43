//! The fractal heap (III.G): links and attributes of large objects, shared messages.

mod block;
mod header;
mod id;
mod table;

pub use block::{DirectBlock, IndirectBlock, IndirectEntry};
pub use header::{FilteredRoot, FractalHeap};
pub use id::HeapId;
pub use table::DoublingTable;

//! What all reads of a file together took out of it.

use std::sync::atomic::{AtomicU64, Ordering};

use super::{Run, Storage};
use crate::error::{Error, Result};

/// Bytes counted while a file is open.
#[derive(Debug, Default)]
pub(super) struct Totals {
    elements: AtomicU64,
    heap: AtomicU64,
}

/// Bytes of elements that all reads of any file may return.
const ELEMENTS: u64 = 1 << 30;

/// Bytes that all reads of any file may take out of global heaps.
const HEAP: u64 = 256 << 20;

/// What an element costs at least, in bytes: small ones take as long.
const ELEMENT: u64 = 2;

impl Storage {
    /// Counts elements, each of so many bytes, that will be read.
    ///
    /// # Errors
    /// `read_total` is hit.
    pub(crate) fn count_elements(&self, elements: u64, size: u64) -> Result<()> {
        let bytes = elements.saturating_mul(size.max(ELEMENT));
        let most = self.source().len().saturating_mul(self.limits().read_total).saturating_add(ELEMENTS);
        let total = self.totals.elements.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes);
        if total > most { Err(Error::limit("read_total", total, most)) } else { Ok(()) }
    }

    /// What `read` gives of what many objects may have in common, counted as elements are.
    ///
    /// # Errors
    /// Also where so much was read before that `read_total` is hit.
    pub(crate) fn counting<'r>(&self, read: impl FnOnce() -> Result<Run<'r>>) -> Result<Run<'r>> {
        self.count_elements(0, 0)?;
        let run = read()?;
        self.count_elements(1, run.block().bytes().len() as u64)?;
        Ok(run)
    }

    /// Counts bytes that a read took out of global heaps, with what they became in memory.
    pub(crate) fn count_heap(&self, bytes: u64) {
        self.totals.heap.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Bytes that reads may still take out of global heaps: `heap_total` bounds them.
    pub(crate) fn heap_left(&self) -> u64 {
        let most = self.source().len().saturating_mul(self.limits().heap_total).saturating_add(HEAP);
        most.saturating_sub(self.totals.heap.load(Ordering::Relaxed))
    }
}

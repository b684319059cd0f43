use std::borrow::Cow;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use super::{Kind, Source};
use crate::error::Result;

/// A source that remembers what was read.
#[derive(Debug)]
pub struct Traced {
    inner: Arc<dyn Source>,
    log: Mutex<Vec<Range<u64>>>,
}

impl Traced {
    /// Watches `inner`.
    #[must_use]
    pub fn new(inner: Arc<dyn Source>) -> Self {
        Self { inner, log: Mutex::default() }
    }

    /// The ranges read since the last call, in order.
    #[must_use]
    pub fn take_log(&self) -> Vec<Range<u64>> {
        std::mem::take(&mut self.log.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn note(&self, range: Range<u64>) {
        self.log.lock().unwrap_or_else(PoisonError::into_inner).push(range);
    }
}

impl Source for Traced {
    fn len(&self) -> u64 {
        self.inner.len()
    }

    fn available(&self, at: u64) -> u64 {
        self.inner.available(at)
    }

    fn read(&self, range: Range<u64>) -> Result<Cow<'_, [u8]>> {
        self.note(range.clone());
        self.inner.read(range)
    }

    fn read_into(&self, at: u64, buffer: &mut [u8]) -> Result<()> {
        self.note(at..at.saturating_add(buffer.len() as u64));
        self.inner.read_into(at, buffer)
    }

    fn refresh(&self) -> Result<()> {
        self.inner.refresh()
    }

    fn keep_nothing(&self) {
        self.inner.keep_nothing();
    }

    fn is_far(&self) -> bool {
        self.inner.is_far()
    }

    fn waiting(&self, read: &mut dyn FnMut() -> Result<()>) -> Result<()> {
        self.inner.waiting(read)
    }

    fn prefetch(&self, ranges: &[Range<u64>], kind: Kind) -> Result<()> {
        self.inner.prefetch(ranges, kind)
    }
}

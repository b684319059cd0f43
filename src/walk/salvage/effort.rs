use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::source::{Kind, Source};

/// Bytes that may be read in any case.
const FREE: u64 = 64 << 20;

/// A source that a search may read only so much of: whatever bytes look like headers, the search ends.
#[derive(Debug)]
pub(super) struct Effort {
    inner: Arc<dyn Source>,
    read: AtomicU64,
    allowed: u64,
}

impl Effort {
    pub(super) fn new(inner: Arc<dyn Source>, limits: &Limits) -> Self {
        let allowed = inner.len().saturating_mul(limits.salvage_expansion).max(FREE);
        Self { inner, read: AtomicU64::new(0), allowed }
    }

    /// What is wrong where more was asked for than is allowed.
    pub(super) fn exhausted(&self) -> Option<Error> {
        let read = self.read.load(Ordering::Relaxed);
        (read > self.allowed).then(|| Error::limit("salvage_expansion", read, self.allowed))
    }

    fn spend(&self, bytes: u64) -> Result<()> {
        // Nobody reads so much that this wraps.
        self.read.fetch_add(bytes, Ordering::Relaxed);
        self.exhausted().map_or(Ok(()), Err)
    }
}

impl Source for Effort {
    fn len(&self) -> u64 {
        self.inner.len()
    }

    fn available(&self, at: u64) -> u64 {
        self.inner.available(at)
    }

    fn read(&self, range: Range<u64>) -> Result<Cow<'_, [u8]>> {
        self.spend(range.end.saturating_sub(range.start))?;
        self.inner.read(range)
    }

    fn prefetch(&self, ranges: &[Range<u64>], kind: Kind) -> Result<()> {
        self.inner.prefetch(ranges, kind)
    }
}

#[cfg(test)]
#[test]
fn it_ends_and_says_why() {
    let limits = Limits { salvage_expansion: 1, ..Limits::default() };
    let effort = Effort::new(Arc::new(crate::source::Memory::new(vec![0; 1 << 20])), &limits);
    for _ in 0..64 {
        effort.read(0..1 << 20).expect("as much as is allowed in any case");
    }
    assert!(effort.exhausted().is_none());
    let error = effort.read(0..1).expect_err("one byte more");
    assert!(error.to_string().contains("limit `salvage_expansion`"), "{error}");
    assert!(effort.exhausted().is_some());
}

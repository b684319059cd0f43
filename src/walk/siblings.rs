use super::Storage;
use crate::error::{Error, Result};

/// The links of a group or the attributes of an object, each on its own: one that is damaged does not hide the others.
#[derive(Debug)]
pub(crate) struct Siblings<T> {
    found: Vec<Result<T>>,
    /// Bytes of those found.
    bytes: u64,
}

impl<T> Siblings<T> {
    pub(crate) fn new() -> Self {
        Self { found: Vec::new(), bytes: 0 }
    }

    /// Keeps one, or what is wrong with it. `bytes` says how many bytes one has: a file can lead to the same ones again and
    /// again, and so to more than it has itself.
    ///
    /// # Errors
    /// Only what the source lacks, and limits that are hit.
    pub(crate) fn keep(&mut self, storage: &Storage, one: Result<T>, bytes: impl FnOnce(&T) -> usize) -> Result<()> {
        let limits = storage.limits();
        match &one {
            Err(e) if e.is_missing() => return one.map(drop),
            Err(_) => {}
            Ok(one) => self.bytes = self.bytes.saturating_add(bytes(one) as u64),
        }
        let allowed = storage.end().saturating_add(limits.metadata_bytes);
        if self.bytes > allowed {
            return Err(Error::limit("metadata_bytes", self.bytes, allowed));
        }
        self.found.push(one);
        let n = self.found.len() as u64;
        if n > limits.siblings { Err(Error::limit("siblings", n, limits.siblings)) } else { Ok(()) }
    }

    pub(crate) fn into_found(self) -> Vec<Result<T>> {
        self.found
    }
}

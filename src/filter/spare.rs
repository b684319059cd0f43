use std::borrow::Cow;

/// Memory that the decoding of one chunk leaves to that of the next.
///
/// Fresh memory costs the system more than most filters cost: each of its pages has to be found and cleared.
#[derive(Debug, Default)]
pub struct Spare(Vec<Vec<u8>>);

/// Buffers that are kept: as many as a pipeline has in use at once.
const MOST: usize = 3;

impl Spare {
    /// No memory yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Leaves the memory of these bytes to what is decoded next.
    pub fn give(&mut self, bytes: Cow<'_, [u8]>) {
        if let Cow::Owned(buffer) = bytes
            && self.0.len() < MOST
            && buffer.capacity() > 0
        {
            self.0.push(buffer);
        }
    }

    /// A buffer with anything in it.
    pub(super) fn take(&mut self) -> Vec<u8> {
        self.0.pop().unwrap_or_default()
    }

    /// Bytes of memory that are kept.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.0.iter().map(Vec::capacity).sum()
    }
}

//! Where bytes come from. Nothing here knows HDF5.
//!
//! | source | bytes are in | a read gives |
//! |---|---|---|
//! | [`Memory`] | memory | a borrow |
//! | [`Mapped`] | a mapped file | a borrow |
//! | [`FileSource`] | a file, read at positions, short reads by pages | a copy |
//! | [`Extents`] | ranges that somebody fetched | a copy, or *missing* |
//! | [`Family`], [`Multi`] | several files shown as one | what the member gives |
//! | [`Traced`] | another source | what that gives, and a log of it |
//!
//! Of a file that grows, [`refresh`](Source::refresh) shows what was appended where the file is read at positions. A map has
//! the length that the file had when it was mapped, and fetched ranges are those of the file of that length: both are opened
//! anew.

use std::borrow::Cow;
use std::fmt::Debug;
use std::ops::Range;

use crate::error::{Error, Result};

mod extents;
mod file;
#[cfg(feature = "mmap")]
mod mapped;
mod pages;
mod parts;
mod traced;

pub use extents::{Extents, Fetching, Kind, Request, Turn};
pub use file::FileSource;
#[cfg(feature = "mmap")]
pub use mapped::Mapped;
pub use parts::{Family, Multi};
pub use traced::Traced;

/// Bytes that can be read at any position, from many threads at once.
pub trait Source: Debug + Send + Sync {
    /// Length in bytes.
    fn len(&self) -> u64;

    /// True without a byte.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes that follow one another from a position on: up to the end, or up to a hole.
    fn available(&self, at: u64) -> u64 {
        self.len().saturating_sub(at)
    }

    /// The bytes of `range`, all of them.
    ///
    /// # Errors
    /// `Io` where the range leaves the source or the system fails; an error for which
    /// [`is_missing`](Error::is_missing) holds where the range has not been fetched.
    fn read(&self, range: Range<u64>) -> Result<Cow<'_, [u8]>>;

    /// The bytes of `range`, all of them, where they are in memory already; `None` where they have to be read, or
    /// cannot be.
    fn borrow(&self, range: Range<u64>) -> Option<&[u8]> {
        let _ = range;
        None
    }

    /// Fills `buffer` with the bytes from `at` on.
    ///
    /// # Errors
    /// As for [`read`](Self::read).
    fn read_into(&self, at: u64, buffer: &mut [u8]) -> Result<()> {
        let bytes = self.read(at..at.saturating_add(buffer.len() as u64))?;
        buffer.copy_from_slice(&bytes);
        Ok(())
    }

    /// Lets go of copies of the bytes, and asks for the length again: what is read from now on is as it is from now on.
    /// Sources that read anew each time, and those that cannot, do nothing.
    ///
    /// # Errors
    /// What the system says.
    fn refresh(&self) -> Result<()> {
        Ok(())
    }

    /// Says that somebody writes to the bytes meanwhile, in an order that readers rely on: what is read later must not be
    /// older than what was read before. A source that keeps copies keeps none from now on.
    fn keep_nothing(&self) {}

    /// True where what is not here yet takes a while: it is worth asking for much at once.
    fn is_far(&self) -> bool {
        false
    }

    /// Calls `read`, and where the source can fetch what that misses, calls it again until nothing is missing. Reads inside
    /// need not wait each on its own, so that what they all miss is fetched at once.
    ///
    /// # Errors
    /// What `read` says, and what fetching says.
    fn waiting(&self, read: &mut dyn FnMut() -> Result<()>) -> Result<()> {
        read()
    }

    /// Says which ranges of a kind will be read next, so that a source that fetches them can do it at once.
    ///
    /// # Errors
    /// Missing, as for [`read`](Self::read), where some have to be fetched first.
    fn prefetch(&self, ranges: &[Range<u64>], kind: Kind) -> Result<()> {
        let _ = (ranges, kind);
        Ok(())
    }
}

/// Bytes in memory.
#[derive(Debug)]
pub struct Memory(Vec<u8>);

impl Memory {
    /// A source of these bytes.
    #[must_use]
    pub fn new(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }
}

impl Source for Memory {
    fn len(&self) -> u64 {
        self.0.len() as u64
    }

    fn read(&self, range: Range<u64>) -> Result<Cow<'_, [u8]>> {
        slice(&self.0, &range).map(Cow::Borrowed)
    }

    fn borrow(&self, range: Range<u64>) -> Option<&[u8]> {
        slice(&self.0, &range).ok()
    }
}

/// The bytes of a range of something that is in memory.
fn slice<'a>(bytes: &'a [u8], range: &Range<u64>) -> Result<&'a [u8]> {
    let inside = usize::try_from(range.start).ok().zip(usize::try_from(range.end).ok());
    inside.and_then(|(start, end)| bytes.get(start..end)).ok_or_else(|| past_end(range, bytes.len() as u64))
}

fn past_end(range: &Range<u64>, length: u64) -> Error {
    Error::io(
        format!("{} bytes at {:#x} of {length}", range.end.saturating_sub(range.start), range.start),
        std::io::ErrorKind::UnexpectedEof.into(),
    )
}

#[cfg(test)]
mod tests;

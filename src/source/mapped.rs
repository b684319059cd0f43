use std::borrow::Cow;
use std::fs::File;
use std::ops::Range;
use std::path::Path;

use memmap2::Mmap;

use super::{Source, slice};
use crate::error::{Error, Result};

/// A file mapped into memory, with the length that it had then: what was appended later is not seen, also not by
/// [`refresh`](Source::refresh).
#[derive(Debug)]
pub struct Mapped(Mmap);

impl Mapped {
    /// Maps a file.
    ///
    /// # Safety
    /// The file must not be changed or truncated by anyone, this process included, while the source lives.
    ///
    /// # Errors
    /// What the system says.
    #[allow(unsafe_code)]
    pub unsafe fn open(path: &Path) -> Result<Self> {
        // SAFETY: that nobody changes the file is what the caller promises.
        let map = File::open(path).and_then(|file| unsafe { Mmap::map(&file) });
        map.map(Self).map_err(|e| Error::io(path.display().to_string(), e))
    }
}

impl Source for Mapped {
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

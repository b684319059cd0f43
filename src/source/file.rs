use std::borrow::Cow;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::Path;

use super::pages::Pages;
use super::{Source, past_end};
use crate::error::{Error, Result};

/// A file that is read at positions; its own cursor is not used.
///
/// Short reads are answered from pages, of which up to 4 MiB are kept: a file that is changed while it is open may be
/// seen as it was or as it is.
#[derive(Debug)]
pub struct FileSource {
    file: File,
    length: u64,
    name: String,
    pages: Pages,
}

impl FileSource {
    /// Opens a file for reading.
    ///
    /// # Errors
    /// What the system says.
    pub fn open(path: &Path) -> Result<Self> {
        let name = path.display().to_string();
        let opened = File::open(path).and_then(|file| {
            let metadata = file.metadata()?;
            if metadata.is_dir() { Err(io::ErrorKind::IsADirectory.into()) } else { Ok((file, metadata.len())) }
        });
        match opened {
            Ok((file, length)) => Ok(Self { file, length, name, pages: Pages::default() }),
            Err(e) => Err(Error::io(name, e)),
        }
    }
}

impl Source for FileSource {
    fn len(&self) -> u64 {
        self.length
    }

    fn read(&self, range: Range<u64>) -> Result<Cow<'_, [u8]>> {
        if range.start > range.end || range.end > self.length {
            return Err(past_end(&range, self.length));
        }
        let length = usize::try_from(range.end - range.start).map_err(|_| past_end(&range, self.length))?;
        let mut bytes = vec![0; length];
        self.read_into(range.start, &mut bytes)?;
        Ok(Cow::Owned(bytes))
    }

    fn read_into(&self, at: u64, buffer: &mut [u8]) -> Result<()> {
        let fetch = |at, bytes: &mut [u8]| read_exact_at(&self.file, bytes, at);
        let inside = at.checked_add(buffer.len() as u64).is_some_and(|end| end <= self.length);
        let read = if inside && buffer.len() <= Pages::LONGEST {
            self.pages.read(at, buffer, self.length, fetch)
        } else {
            fetch(at, buffer)
        };
        read.map_err(|e| Error::io(self.name.clone(), e))
    }
}

#[cfg(unix)]
fn read_exact_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, buffer, at)
}

#[cfg(windows)]
fn read_exact_at(file: &File, mut buffer: &mut [u8], mut at: u64) -> io::Result<()> {
    while !buffer.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, buffer, at)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            n => {
                buffer = &mut buffer[n..];
                at += n as u64;
            }
        }
    }
    Ok(())
}

#[cfg(not(any(unix, windows)))]
fn read_exact_at(_: &File, _: &mut [u8], _: u64) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

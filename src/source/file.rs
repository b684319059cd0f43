use std::borrow::Cow;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::pages::Pages;
use super::{Source, past_end};
use crate::error::{Error, Result};

/// A file that is read at positions; its own cursor is not used.
///
/// Short reads are answered from pages, of which up to 4 MiB are kept: a file that is changed while it is open may be
/// seen as it was or as it is, until [`refresh`](Source::refresh).
#[derive(Debug)]
pub struct FileSource {
    file: File,
    length: AtomicU64,
    name: String,
    pages: Pages,
    /// Nothing is kept: each read is one of the file.
    keeps_nothing: AtomicBool,
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
            Ok((file, length)) => Ok(Self {
                file,
                length: length.into(),
                name,
                pages: Pages::default(),
                keeps_nothing: AtomicBool::new(false),
            }),
            Err(e) => Err(Error::io(name, e)),
        }
    }
}

impl Source for FileSource {
    fn len(&self) -> u64 {
        self.length.load(Ordering::Relaxed)
    }

    fn refresh(&self) -> Result<()> {
        let metadata = self.file.metadata().map_err(|e| Error::io(self.name.clone(), e))?;
        self.pages.clear();
        self.length.store(metadata.len(), Ordering::Relaxed);
        Ok(())
    }

    fn keep_nothing(&self) {
        self.keeps_nothing.store(true, Ordering::Relaxed);
        self.pages.clear();
    }

    fn read(&self, range: Range<u64>) -> Result<Cow<'_, [u8]>> {
        let end = self.len();
        if range.start > range.end || range.end > end {
            return Err(past_end(&range, end));
        }
        let length = usize::try_from(range.end - range.start).map_err(|_| past_end(&range, end))?;
        let mut bytes = vec![0; length];
        self.read_into(range.start, &mut bytes)?;
        Ok(Cow::Owned(bytes))
    }

    fn read_into(&self, at: u64, buffer: &mut [u8]) -> Result<()> {
        let fetch = |at, bytes: &mut [u8]| read_exact_at(&self.file, bytes, at);
        let length = self.len();
        let inside = at.checked_add(buffer.len() as u64).is_some_and(|end| end <= length);
        let kept = inside && buffer.len() <= Pages::LONGEST && !self.keeps_nothing.load(Ordering::Relaxed);
        let read = if kept { self.pages.read(at, buffer, length, fetch) } else { fetch(at, buffer) };
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

use std::any::Any;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::ops::Range;
use std::sync::Arc;

use super::attempts::{Attempts, NOBODY_WAITS};
use super::holdings::Holdings;
use super::memo::Memo;
use super::totals::Totals;
use crate::bytes::{Addr, Block, Widths};
use crate::error::{Cause, Corrupt, Error, Fault, Result, Structure};
use crate::format::message::btree_k::BTreeK;
use crate::format::shared_message_table::SharedMessageTable;
use crate::limits::Limits;
use crate::source::{Kind, Source};

/// Bytes of one structure together with where they stand.
#[derive(Clone, Debug)]
pub(crate) struct Run<'a> {
    bytes: Cow<'a, [u8]>,
    at: u64,
    widths: Widths,
}

impl<'a> Run<'a> {
    pub(crate) fn new(bytes: Cow<'a, [u8]>, at: u64, widths: Widths) -> Self {
        Self { bytes, at, widths }
    }

    /// The bytes for a decoder.
    pub(crate) fn block(&self) -> Block<'_> {
        Block::new(&self.bytes, self.at, self.widths)
    }

    pub(crate) fn into_owned(self) -> Run<'static> {
        Run { bytes: Cow::Owned(self.bytes.into_owned()), at: self.at, widths: self.widths }
    }

    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.bytes.into_owned()
    }

    /// The first `length` bytes, or all there are.
    pub(crate) fn into_first(self, length: usize) -> Vec<u8> {
        match self.bytes {
            Cow::Borrowed(bytes) => bytes[..length.min(bytes.len())].to_vec(),
            Cow::Owned(mut bytes) => {
                bytes.truncate(length);
                bytes
            }
        }
    }
}

impl<'a> From<Block<'a>> for Run<'a> {
    fn from(block: Block<'a>) -> Self {
        Self { bytes: Cow::Borrowed(block.bytes()), at: block.at(), widths: block.widths() }
    }
}

/// A file as walks see it: bytes by address, and what the superblock says of all structures.
#[derive(Debug)]
pub(crate) struct Storage {
    source: Arc<dyn Source>,
    /// Position of address 0.
    base: u64,
    widths: Widths,
    limits: Limits,
    /// Newer bytes than the source's, by position: the metadata cache image.
    overlay: BTreeMap<u64, Vec<u8>>,
    memo: Memo,
    pub(super) holdings: Holdings,
    pub(super) totals: Totals,
    attempts: Attempts,
    pub(super) k: BTreeK,
    pub(super) shared: Option<SharedMessageTable>,
    /// Bytes of the superblock, which stands at the first address.
    pub(super) superblock: u64,
    /// True where object headers are read even if their checksums are wrong, and those of groups as far as they go.
    pub(super) forgiving: bool,
}

impl Storage {
    pub(super) fn new(source: Arc<dyn Source>, base: u64, widths: Widths, limits: Limits, attempts: Attempts) -> Self {
        let memo = Memo::new(limits.cache_bytes);
        let (overlay, k) = (BTreeMap::new(), BTreeK::default());
        Self {
            source,
            base,
            widths,
            limits,
            overlay,
            memo,
            holdings: Holdings::default(),
            totals: Totals::default(),
            attempts,
            k,
            shared: None,
            superblock: 0,
            forgiving: false,
        }
    }

    /// Lets go of all that was read: the file may have changed.
    pub(crate) fn refresh(&self) -> Result<()> {
        self.attempts.begin();
        self.renew()
    }

    /// What `read` gives. Where a file is being written, and what is read of it breaks the format, it is read again: it may
    /// have been half written.
    pub(crate) fn retrying<T>(&self, mut read: impl FnMut() -> Result<T>) -> Result<T> {
        self.attempts.retrying(|| self.renew(), || self.waiting(&mut read))
    }

    /// What `read` gives, once all that it misses has been fetched, where the source can do that.
    pub(crate) fn waiting<T>(&self, read: &mut impl FnMut() -> Result<T>) -> Result<T> {
        if NOBODY_WAITS || !self.source.is_far() {
            return read();
        }
        let mut value = Err(Error::missing());
        let waited = self.source.waiting(&mut || {
            value = read();
            // Other errors are nothing to wait for.
            if matches!(&value, Err(e) if e.is_missing()) { Err(Error::missing()) } else { Ok(()) }
        });
        waited.and(value)
    }

    fn renew(&self) -> Result<()> {
        self.source.refresh()?;
        self.memo.clear();
        self.holdings.clear();
        Ok(())
    }

    /// Lays newer bytes over the file.
    pub(super) fn lay_over(&mut self, address: Addr, bytes: Vec<u8>) {
        self.overlay.insert(self.position(address), bytes);
        self.memo = Memo::new(self.limits.cache_bytes);
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    pub(crate) fn widths(&self) -> Widths {
        self.widths
    }

    pub(crate) fn source(&self) -> &Arc<dyn Source> {
        &self.source
    }

    /// Never in the JavaScript package, which has no salvage.
    pub(super) fn forgives(&self) -> bool {
        !cfg!(feature = "wasm") && self.forgiving
    }

    pub(crate) fn k(&self) -> BTreeK {
        self.k
    }

    pub(crate) fn shared_table(&self) -> Option<&SharedMessageTable> {
        self.shared.as_ref()
    }

    /// The position of an address in the file.
    pub(crate) fn position(&self, address: Addr) -> u64 {
        self.base.saturating_add(address.0)
    }

    /// Where the bytes end, those of the overlay included.
    pub(crate) fn end(&self) -> u64 {
        let overlay = self.overlay.last_key_value().map_or(0, |(at, bytes)| at + bytes.len() as u64);
        self.source.len().max(overlay)
    }

    /// Metadata of a known length.
    pub(crate) fn read(&self, address: Addr, length: u64, structure: Structure) -> Result<Run<'_>> {
        let range = self.range(address, length, structure)?;
        self.fetch(range, structure)
    }

    /// Metadata of a length that is not known yet: as much of `length` as the file has.
    pub(crate) fn read_up_to(&self, address: Addr, length: u64, structure: Structure) -> Result<Run<'_>> {
        let at = self.position(address);
        let overlaid = self.end().saturating_sub(at).saturating_sub(self.source.len().saturating_sub(at));
        let left = self.source.available(at).saturating_add(overlaid).min(length);
        let range = self.range(address, left.max(1), structure)?;
        self.fetch(range, structure)
    }

    /// Raw data.
    pub(crate) fn read_raw(&self, address: Addr, length: u64, structure: Structure) -> Result<Cow<'_, [u8]>> {
        let range = self.raw_range(address, length, structure)?;
        self.source.read(range.clone()).map_err(|e| self.ended(e, &range, structure))
    }

    /// Raw data that the source has in memory; `None` where it has to be read.
    pub(crate) fn borrow_raw(&self, address: Addr, length: u64) -> Result<Option<&[u8]>> {
        Ok(self.source.borrow(self.raw_range(address, length, Structure::RawData)?))
    }

    /// Raw data: borrowed from the source where it can be, else read into `buffer`.
    pub(crate) fn read_raw_with<'b>(
        &'b self,
        address: Addr,
        length: u64,
        structure: Structure,
        buffer: &'b mut Vec<u8>,
    ) -> Result<&'b [u8]> {
        let range = self.raw_range(address, length, structure)?;
        if let Some(bytes) = self.source.borrow(range.clone()) {
            return Ok(bytes);
        }
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        if buffer.len() < length {
            let out_of_memory = |_| Error::io(format!("{length} bytes of memory"), ErrorKind::OutOfMemory.into());
            buffer.try_reserve(length - buffer.len()).map_err(out_of_memory)?;
            buffer.resize(length, 0);
        }
        let bytes = &mut buffer[..length];
        self.source.read_into(range.start, bytes).map_err(|e| self.ended(e, &range, structure))?;
        Ok(bytes)
    }

    /// Metadata into a buffer that may be longer, of which the first `done` bytes are there.
    ///
    /// # Errors
    /// Also where there are newer bytes than the source's.
    pub(crate) fn read_over(&self, address: Addr, length: u64, buffer: &mut Vec<u8>, done: usize) -> Result<()> {
        let range = self.raw_range(address, length, Structure::RawData)?;
        if !self.overlay.is_empty() {
            return Err(Error::io("newer bytes", ErrorKind::Unsupported.into()));
        }
        // The source has all of it, and so it can be in memory.
        let length = length as usize;
        if buffer.len() < length {
            buffer.resize(length, 0);
        }
        self.source.read_into(range.start + done as u64, &mut buffer[done..length])
    }

    /// Raw data into a buffer.
    pub(crate) fn read_raw_into(&self, address: Addr, buffer: &mut [u8]) -> Result<()> {
        let structure = Structure::RawData;
        let range = self.raw_range(address, buffer.len() as u64, structure)?;
        self.source.read_into(range.start, buffer).map_err(|e| self.ended(e, &range, structure))
    }

    /// Says that these stretches of raw data, or of blocks that are used whole, will be read next.
    pub(crate) fn prefetch(&self, stretches: impl IntoIterator<Item = (Addr, u64)>) -> Result<()> {
        self.prefetch_kind(stretches, Kind::Data)
    }

    /// Says that these structures will be read next; what is near them may be fetched too.
    pub(crate) fn prefetch_structures(&self, stretches: impl IntoIterator<Item = (Addr, u64)>) -> Result<()> {
        self.prefetch_kind(stretches, Kind::Structure)
    }

    fn prefetch_kind(&self, stretches: impl IntoIterator<Item = (Addr, u64)>, kind: Kind) -> Result<()> {
        let ranges: Vec<_> = stretches
            .into_iter()
            .map(|(address, length)| {
                let at = self.position(address);
                at..at.saturating_add(length)
            })
            .collect();
        self.source.prefetch(&ranges, kind)
    }

    /// A decoded structure, from the memo where it is there.
    pub(crate) fn memo<T: Any + Send + Sync>(
        &self,
        address: Addr,
        structure: Structure,
        decode: impl FnOnce() -> Result<(T, u64)>,
    ) -> Result<Arc<T>> {
        self.memo_some(address, structure, || decode().map(|(value, bytes)| (value, Some(bytes))))
    }

    /// The same for structures that are not always kept: `decode` gives no bytes for those.
    pub(crate) fn memo_some<T: Any + Send + Sync>(
        &self,
        address: Addr,
        structure: Structure,
        decode: impl FnOnce() -> Result<(T, Option<u64>)>,
    ) -> Result<Arc<T>> {
        if self.attempts.several() {
            // What is kept may be older than what leads to it by now, and lack what that tells of.
            return decode().map(|(value, _)| Arc::new(value));
        }
        self.memo.get(address, structure, decode)
    }

    /// The range of the file, if it is one, and not that of the superblock.
    pub(crate) fn raw_range(&self, address: Addr, length: u64, structure: Structure) -> Result<Range<u64>> {
        if address.0 < self.superblock && length > 0 {
            let fault = Fault::Overlap { other: Structure::Superblock, at: self.base };
            return Err(Corrupt::new(structure, "address", self.position(address), fault).into());
        }
        self.range_inside(&|| self.source.len(), address, length, structure)
    }

    fn range(&self, address: Addr, length: u64, structure: Structure) -> Result<Range<u64>> {
        // What cannot be there at all is the file's fault rather than a matter of limits.
        let range = self.range_inside(&|| self.end(), address, length, structure)?;
        if length > self.limits.metadata_bytes {
            return Err(Error::limit("metadata_bytes", length, self.limits.metadata_bytes));
        }
        Ok(range)
    }

    /// The range, if it ends where the bytes do or before. A file that is being written may have grown since it was asked.
    fn range_inside(
        &self,
        end: &dyn Fn() -> u64,
        address: Addr,
        length: u64,
        structure: Structure,
    ) -> Result<Range<u64>> {
        match self.range_before(end(), address, length, structure) {
            Err(_) if self.attempts.several() => {
                self.source.refresh()?;
                self.range_before(end(), address, length, structure)
            }
            range => range,
        }
    }

    fn range_before(&self, end: u64, address: Addr, length: u64, structure: Structure) -> Result<Range<u64>> {
        let inside = self.base.checked_add(address.0).zip(address.0.checked_add(length));
        let range = inside.and_then(|(at, _)| Some(at..at.checked_add(length)?)).filter(|range| range.end <= end);
        range.ok_or_else(|| {
            Corrupt::new(structure, "address", self.position(address), Fault::PastEnd { length, end }).into()
        })
    }

    /// A file that turns out shorter than it said is the file's fault.
    fn ended(&self, error: Error, range: &Range<u64>, structure: Structure) -> Error {
        match error.cause() {
            Cause::Io { error: e, .. } if e.kind() == std::io::ErrorKind::UnexpectedEof => {
                let fault = Fault::PastEnd { length: range.end - range.start, end: self.source.len() };
                Corrupt::new(structure, "address", range.start, fault).into()
            }
            _ => error,
        }
    }

    fn fetch(&self, range: Range<u64>, structure: Structure) -> Result<Run<'_>> {
        let at = range.start;
        if self.overlay.is_empty() {
            let bytes = self.source.read(range.clone()).map_err(|e| self.ended(e, &range, structure))?;
            return Ok(Run { bytes, at, widths: self.widths });
        }
        let over = self.overlay.range(..range.end).rev().take_while(|(start, bytes)| {
            // Entries do not overlap one another, so that one that ends too early ends the search.
            *start + bytes.len() as u64 > range.start
        });
        let over: Vec<_> = over.collect();
        let bytes = if over.is_empty() {
            self.source.read(range.clone()).map_err(|e| self.ended(e, &range, structure))?
        } else {
            let stored = range.start.min(self.source.len())..range.end.min(self.source.len());
            let mut bytes = self.source.read(stored)?.into_owned();
            bytes.resize((range.end - range.start) as usize, 0);
            for (start, newer) in over {
                let from = start.saturating_sub(range.start) as usize;
                let skip = range.start.saturating_sub(*start) as usize;
                let n = (newer.len() - skip).min(bytes.len() - from);
                bytes[from..from + n].copy_from_slice(&newer[skip..skip + n]);
            }
            Cow::Owned(bytes)
        };
        Ok(Run { bytes, at, widths: self.widths })
    }
}

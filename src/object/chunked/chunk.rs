//! One chunk: its bytes in the file, with the filters undone.

use std::borrow::Cow;
use std::mem;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use crate::bytes::Addr;
use crate::error::{Corrupt, Error, Fault, Result, Structure};
use crate::filter::{self, Spare};
use crate::object::raw::RawData;
use crate::walk::chunks::{ChunkEntry, ChunkGrid};

/// Memory that chunks are read and decoded in.
#[derive(Debug, Default)]
struct Workspace {
    /// Bytes of a chunk as they are stored, where the source gives copies.
    stored: Vec<u8>,
    /// The chunk that was decoded last.
    decoded: Vec<u8>,
    spare: Spare,
}

impl Workspace {
    fn capacity(&self) -> usize {
        self.stored.capacity() + self.decoded.capacity() + self.spare.capacity()
    }
}

/// Workspaces that reads leave to later reads of the same file.
#[derive(Debug)]
pub(in crate::object) struct Workspaces {
    /// Most bytes that are kept.
    budget: usize,
    idle: Mutex<Vec<Workspace>>,
}

impl Workspaces {
    pub(in crate::object) fn new(budget: u64) -> Self {
        Self { budget: usize::try_from(budget).unwrap_or(usize::MAX), idle: Mutex::default() }
    }

    fn take(&self) -> Workspace {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }

    fn give(&self, workspace: Workspace) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let kept: usize = idle.iter().map(Workspace::capacity).sum();
        if kept.saturating_add(workspace.capacity()) <= self.budget {
            idle.push(workspace);
        }
    }
}

/// Reads chunks of one dataset, one after the other.
pub(in crate::object) struct ChunkReader<'r> {
    chunks: Chunks<'r>,
    workspace: Workspace,
    /// That of the cache as the read began.
    generation: u64,
}

/// The chunks of one dataset.
#[derive(Clone, Copy)]
struct Chunks<'r> {
    raw: &'r RawData,
    grid: &'r ChunkGrid,
}

/// True where the bytes of the chunk are in the file as they are, so that no more of them are read than are wanted.
fn is_plain(raw: &RawData, entry: ChunkEntry, expected: u64) -> bool {
    raw.steps.is_empty() && entry.size == expected
}

/// Where the bytes `stretch` of such a chunk are in the file.
fn plain_stretch(entry: ChunkEntry, stretch: &Range<usize>) -> (Addr, u64) {
    (entry.address.plus(stretch.start as u64), stretch.len() as u64)
}

/// Says which bytes of the file will be read for stretches of chunks.
pub(super) fn prefetch(
    raw: &RawData,
    grid: &ChunkGrid,
    stretches: impl Iterator<Item = (ChunkEntry, Range<usize>)>,
) -> Result<()> {
    let expected = grid.chunk_bytes()?;
    raw.file.storage().prefetch(stretches.map(|(entry, stretch)| {
        if is_plain(raw, entry, expected) { plain_stretch(entry, &stretch) } else { (entry.address, entry.size) }
    }))
}

/// Bytes of a chunk.
pub(super) enum Part<'p> {
    /// A stretch that begins so many bytes into the chunk.
    Stretch(&'p [u8], usize),
    Kept(Arc<Vec<u8>>),
}

impl Part<'_> {
    pub(super) fn bytes(&self) -> &[u8] {
        match self {
            Self::Stretch(bytes, _) => bytes,
            Self::Kept(bytes) => bytes,
        }
    }

    /// Bytes of the chunk that are before these.
    pub(super) fn skipped(&self) -> usize {
        if let Self::Stretch(_, skipped) = self { *skipped } else { 0 }
    }
}

impl<'r> ChunkReader<'r> {
    pub(in crate::object) fn new(raw: &'r RawData, grid: &'r ChunkGrid) -> Self {
        let generation = raw.file.chunk_cache().generation();
        Self { chunks: Chunks { raw, grid }, workspace: raw.file.workspaces().take(), generation }
    }

    /// The bytes `stretch` of a chunk, and perhaps others. A chunk that is not read as a `whole` may be kept for the
    /// next read.
    pub(super) fn part(
        &mut self,
        scaled: &[u64],
        entry: ChunkEntry,
        stretch: &Range<usize>,
        whole: bool,
    ) -> Result<Part<'_>> {
        let Chunks { raw, grid } = self.chunks;
        let Workspace { stored, decoded, spare } = &mut self.workspace;
        let expected = grid.chunk_bytes()?;
        if is_plain(raw, entry, expected) {
            let storage = raw.file.storage();
            // All of the chunk must be there, whatever is wanted of it.
            storage.raw_range(entry.address, expected, Structure::Chunk)?;
            let (address, length) = plain_stretch(entry, stretch);
            let bytes = storage.read_raw_with(address, length, Structure::Chunk, stored)?;
            return Ok(Part::Stretch(bytes, stretch.start));
        }
        let cache = raw.file.chunk_cache();
        let key = (self.generation, raw.at, entry.address);
        if let Some(kept) = cache.get(key) {
            return Ok(Part::Kept(kept));
        }
        spare.give(Cow::Owned(mem::take(decoded)));
        match self.chunks.undo_filters(scaled, entry, stored, spare)? {
            Cow::Borrowed(bytes) => Ok(Part::Stretch(bytes, 0)),
            Cow::Owned(bytes) if whole || !cache.takes(expected) => {
                *decoded = bytes;
                Ok(Part::Stretch(decoded, 0))
            }
            Cow::Owned(bytes) => {
                let bytes = Arc::new(bytes);
                if let Some(memory) = cache.keep(key, bytes.clone()) {
                    spare.give(Cow::Owned(memory));
                }
                Ok(Part::Kept(bytes))
            }
        }
    }

    /// The bytes of a chunk with its filters undone: a whole chunk, also at the edges.
    pub(in crate::object) fn whole(&mut self, scaled: &[u64], entry: ChunkEntry) -> Result<Vec<u8>> {
        let Workspace { stored, spare, .. } = &mut self.workspace;
        self.chunks.undo_filters(scaled, entry, stored, spare).map(Cow::into_owned)
    }
}

impl Chunks<'_> {
    fn undo_filters<'b>(
        &'b self,
        scaled: &[u64],
        entry: ChunkEntry,
        stored: &'b mut Vec<u8>,
        spare: &mut Spare,
    ) -> Result<Cow<'b, [u8]>> {
        const S: Structure = Structure::Chunk;
        let Self { raw, grid } = self;
        let storage = raw.file.storage();
        let (expected, limits) = (grid.chunk_bytes()?, storage.limits());
        if entry.size > limits.chunk_bytes {
            return Err(Error::limit("chunk_bytes", entry.size, limits.chunk_bytes));
        }
        limits.check_expansion(expected, entry.size)?;
        storage.hold_chunk(grid.at, scaled, (entry.address, entry.size), expected)?;
        let bytes = storage.read_raw_with(entry.address, entry.size, S, stored)?;
        let chunk = grid.layout.chunk();
        let sticks_out = || (0..chunk.len()).any(|d| (scaled[d] + 1).saturating_mul(chunk[d]) > raw.dims[d]);
        let mask = if grid.layout.edges_unfiltered() && sticks_out() { u32::MAX } else { entry.mask };
        let plain = filter::decode_with(&raw.steps, mask, bytes.into(), expected as usize, limits, spare);
        plain.map_err(|failed| {
            let at = storage.position(entry.address);
            let fault = match failed.id {
                // No filter was at work: the chunk has another length than it should.
                0 => Fault::Mismatch { found: entry.size, expected },
                id => Fault::Filter { id, fault: failed.fault },
            };
            Corrupt::new(S, "filtered bytes", at, fault).into()
        })
    }
}

impl Drop for ChunkReader<'_> {
    fn drop(&mut self) {
        self.chunks.raw.file.workspaces().give(mem::take(&mut self.workspace));
    }
}

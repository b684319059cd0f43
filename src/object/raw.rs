//! The raw data of a dataset: the bytes of selected elements in the file's datatype.

use std::sync::Arc;

use super::chunked;
use super::file::File;
use super::past_damage::Damage;
use super::virtual_read::{self, Nesting};
use super::workers;
use crate::bytes::Addr;
use crate::error::{Corrupt, Error, Fault, Result, Structure};
use crate::filter::Step;
use crate::format::message::datatype::Datatype;
use crate::format::message::external_data_files::ExternalDataFiles;
use crate::format::virtual_mapping::VirtualMappings;
use crate::selection::{Resolved, RowRun};
use crate::source::Source;
use crate::walk::chunks::ChunkGrid;
use crate::walk::each;
use crate::walk::local_heap::Names;

/// Where the elements of a dataset are.
#[derive(Clone, Debug)]
pub(super) enum Store {
    /// Nowhere: nothing was ever written.
    Nowhere,
    /// In the object header.
    Compact(Vec<u8>),
    /// In one piece.
    Contiguous(Addr),
    /// In other files that hold nothing else.
    External(ExternalDataFiles),
    Chunked(ChunkGrid),
    Virtual(Arc<VirtualMappings>),
}

/// What never-written elements give.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FillPattern {
    Zeros,
    Element(Vec<u8>),
}

impl FillPattern {
    pub(super) fn fill(&self, bytes: &mut [u8]) {
        match self {
            Self::Zeros => bytes.fill(0),
            Self::Element(element) if element.len() == 1 => bytes.fill(element[0]),
            Self::Element(element) => {
                // What is filled already is copied, twice as much each time.
                let mut done = element.len().min(bytes.len());
                bytes[..done].copy_from_slice(&element[..done]);
                while done < bytes.len() {
                    let n = done.min(bytes.len() - done);
                    bytes.copy_within(..n, done);
                    done += n;
                }
            }
        }
    }
}

/// A dataset as something to read bytes from.
#[derive(Clone, Debug)]
pub(super) struct RawData {
    pub(super) file: File,
    pub(super) store: Store,
    /// Elements of each dimension; none for a scalar.
    pub(super) dims: Vec<u64>,
    pub(super) datatype: Arc<Datatype>,
    pub(super) steps: Vec<Step>,
    pub(super) fill: FillPattern,
    /// Position of the object header, for errors.
    pub(super) at: u64,
    /// For the source of a virtual dataset: how deep it is.
    pub(super) nesting: Nesting,
    /// Where damaged chunks are noted by a read that goes on past them.
    pub(super) damage: Option<Arc<Damage>>,
}

/// Runs shorter than this are read together with what lies between them.
const SMALL_RUN: u64 = 64 << 10;
/// Most bytes that are read at once for the sake of small runs.
const WINDOW: u64 = 1 << 20;

/// A piece of a run: bytes in the dataset, and where they go in the result.
#[derive(Clone, Copy)]
struct Move {
    from: u64,
    to: usize,
    length: usize,
}

impl RawData {
    pub(super) fn element_size(&self) -> usize {
        self.datatype.size as usize
    }

    /// Where damaged chunks are noted. The JavaScript package has no reads that go on past damage, nor the code for them.
    pub(super) fn noted(&self) -> Option<&Damage> {
        if cfg!(feature = "wasm") { None } else { self.damage.as_deref() }
    }

    /// What was read of the chunk at some offset; `None` where it is damaged and the read goes on past that.
    pub(super) fn past_damage<T>(&self, read: Result<T>, offset: impl FnOnce() -> Vec<u64>) -> Result<Option<T>> {
        match (read, self.noted()) {
            (Err(e), Some(damage)) => damage.note(offset(), e).map(|()| None),
            (read, _) => read.map(Some),
        }
    }

    /// Refuses bytes that are more than those of the file may become. Where other files hold elements too, there may be any
    /// number.
    pub(super) fn check_expansion(&self, bytes: u64) -> Result<()> {
        match self.store {
            Store::External(_) | Store::Virtual(_) => Ok(()),
            _ => self.file.limits().check_expansion(bytes, self.file.source().len()),
        }
    }

    /// Bytes of `elements` elements, where that is allowed.
    pub(super) fn bytes_of(&self, elements: u64) -> Result<usize> {
        let bytes = elements.saturating_mul(self.datatype.size.into());
        let allowed = self.file.limits().read_bytes;
        self.check_expansion(bytes)?;
        match usize::try_from(bytes) {
            Ok(bytes) if bytes as u64 <= allowed => Ok(bytes),
            _ => Err(Error::limit("read_bytes", bytes, allowed)),
        }
    }

    /// Refuses elements that cannot be in the file, before room for them is made.
    pub(super) fn check_stored(&self, selected: &Resolved) -> Result<()> {
        let bytes = selected.end(&self.dims).saturating_mul(self.datatype.size.into());
        match &self.store {
            Store::Contiguous(address) => {
                self.file.storage().raw_range(*address, bytes, Structure::RawData).map(|_| ())
            }
            Store::Compact(data) if (data.len() as u64) < bytes => {
                let fault = Fault::Truncated { needed: bytes - data.len() as u64 };
                Err(Corrupt::new(Structure::DataLayout, "raw data", self.at, fault).into())
            }
            _ => Ok(()),
        }
    }

    /// Where elements that follow one another stand in one piece with no filter applied.
    pub(super) fn address_of(&self, run: RowRun) -> Result<Option<Addr>> {
        match &self.store {
            Store::Contiguous(address) => Ok(Some(address.plus(run.start * self.element_size() as u64))),
            Store::Chunked(grid) if self.steps.is_empty() && self.dims.len() == 1 => {
                chunked::address_of(self, grid, run)
            }
            _ => Ok(None),
        }
    }

    /// Fills `target` with the selected elements. Chunks of a file that is being written may be torn as well.
    pub(super) fn read(&self, selected: &Resolved, target: &mut [u8]) -> Result<()> {
        self.file.storage().retrying(|| self.read_now(selected, target))
    }

    fn read_now(&self, selected: &Resolved, target: &mut [u8]) -> Result<()> {
        if target.is_empty() {
            return Ok(());
        }
        self.check_stored(selected)?;
        match &self.store {
            Store::Nowhere => {
                self.fill.fill(target);
                Ok(())
            }
            Store::Compact(data) => self.read_flat(selected, target, &|from, target| {
                // `check_stored` has seen that all of it is there.
                let from = from as usize;
                target.copy_from_slice(&data[from..from + target.len()]);
                Ok(())
            }),
            Store::Contiguous(address) => {
                self.read_flat(selected, target, &|from, target| self.read_stretch(address.plus(from), target))
            }
            Store::External(files) => {
                let pieces = self.external_pieces(files)?;
                self.read_flat(selected, target, &|from, target| read_pieces(&pieces, from, target))
            }
            Store::Chunked(grid) => match selected {
                Resolved::Grid { axes, .. } => chunked::read_grid(self, grid, axes, target),
                Resolved::Runs { runs, .. } => chunked::read_runs(self, grid, runs, target),
            },
            Store::Virtual(mappings) => virtual_read::read(self, mappings, selected, target),
        }
    }

    /// Reads bytes that stand in one piece; a long piece is shared out.
    fn read_stretch(&self, address: Addr, target: &mut [u8]) -> Result<()> {
        let storage = self.file.storage();
        let threads = self.file.threads().min(target.len() / workers::WORTH_COPYING);
        if threads < 2 {
            return storage.read_raw_into(address, target);
        }
        storage.prefetch([(address, target.len() as u64)])?;
        const SHARE: usize = workers::WORTH_COPYING;
        let shares = target.chunks_mut(SHARE).enumerate().collect();
        workers::share(
            threads,
            shares,
            || (),
            |(), (n, share)| storage.read_raw_into(address.plus(n as u64 * SHARE as u64), share),
        )
    }

    /// Reads elements that stand in a row somewhere: `read_at` fills a buffer from a byte of the dataset on.
    fn read_flat(
        &self,
        selected: &Resolved,
        target: &mut [u8],
        read_at: &dyn Fn(u64, &mut [u8]) -> Result<()>,
    ) -> Result<()> {
        let size = self.element_size();
        let mut group: Vec<Move> = Vec::new();
        let mut to = 0;
        let mut missing = None;
        let mut runs = selected.runs(&self.dims).peekable();
        while let Some(run) = runs.next() {
            let next = Move { from: run.start * size as u64, to, length: run.length as usize * size };
            to += next.length;
            group.push(next);
            let first = group[0].from;
            let ends = runs.peek().is_none_or(|run| {
                let (from, length) = (run.start * size as u64, run.length * size as u64);
                from < next.from + next.length as u64 || length > SMALL_RUN || from + length - first > WINDOW
            });
            if ends {
                match read_group(&group, target, read_at) {
                    Err(e) if e.is_missing() => missing = Some(e),
                    Err(e) if missing.is_none() => return Err(e),
                    _ => {}
                }
                group.clear();
            }
        }
        missing.map_or(Ok(()), Err)
    }

    fn external_pieces(&self, files: &ExternalDataFiles) -> Result<Vec<Piece>> {
        let storage = self.file.storage();
        let Some(heap) = files.heap else {
            let fault = Fault::Undefined;
            return Err(Corrupt::new(Structure::ExternalDataFiles, "heap address", self.at, fault).into());
        };
        let names = Names::open(storage, heap)?;
        let mut pieces = Vec::new();
        let mut start = 0u64;
        each(&files.slots, |slot| {
            let name = names.name(storage, slot.name)?;
            let source = self.file.neighbour(&name.display())?;
            let size = slot.size.unwrap_or(u64::MAX - start);
            pieces.push(Piece { start, size, source, offset: slot.offset });
            start = start.saturating_add(size);
            Ok(())
        })?;
        Ok(pieces)
    }
}

/// A stretch of a dataset that is in a file of its own.
struct Piece {
    /// First byte of the dataset that it holds.
    start: u64,
    size: u64,
    source: Arc<dyn Source>,
    /// Where it begins in the file.
    offset: u64,
}

/// Fills a buffer from pieces that follow one another. What a file is too short for reads as zero.
fn read_pieces(pieces: &[Piece], from: u64, target: &mut [u8]) -> Result<()> {
    target.fill(0);
    let end = from + target.len() as u64;
    each(pieces, |piece| {
        let (low, high) = (from.max(piece.start), end.min(piece.start.saturating_add(piece.size)));
        if low >= high {
            return Ok(());
        }
        let Some(at) = piece.offset.checked_add(low - piece.start) else { return Ok(()) };
        let stored = piece.source.len().saturating_sub(at).min(high - low) as usize;
        let to = (low - from) as usize;
        piece.source.read_into(at, &mut target[to..to + stored])
    })
}

/// Reads moves that lie close together in one go.
fn read_group(group: &[Move], target: &mut [u8], read_at: &dyn Fn(u64, &mut [u8]) -> Result<()>) -> Result<()> {
    if let [only] = group {
        return read_at(only.from, &mut target[only.to..only.to + only.length]);
    }
    let (Some(first), Some(last)) = (group.first(), group.last()) else { return Ok(()) };
    let mut window = vec![0; (last.from - first.from) as usize + last.length];
    read_at(first.from, &mut window)?;
    for one in group {
        let from = (one.from - first.from) as usize;
        target[one.to..one.to + one.length].copy_from_slice(&window[from..from + one.length]);
    }
    Ok(())
}

//! Raw data in chunks.
//!
//! The chunks that a selection meets are looked up and asked for at once. Then threads take them, each a unit of the
//! result after the other, undo their filters, and copy what is selected to its place.

mod cache;
mod chunk;
mod copy;
mod divide;

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

pub(super) use cache::ChunkCache;
pub(super) use chunk::{ChunkReader, Workspaces};

use super::raw::RawData;
use super::workers;
use crate::bytes::Addr;
use crate::error::{Error, Result, Structure};
use crate::selection::{Axis, RowRun};
use crate::walk::chunks::{ChunkGrid, StoredChunks};

use copy::{BoxCopy, Segment, segments, strides};
use divide::{Division, Rows};

/// The chunks of a unit, by their numbers among those found, and where they go.
struct Unit<'t> {
    number: usize,
    chunks: Vec<usize>,
    rows: Rows<'t>,
}

/// Fills `target` with what `axes` select.
pub(super) fn read_grid(raw: &RawData, grid: &ChunkGrid, axes: &[Axis], target: &mut [u8]) -> Result<()> {
    let chunk = grid.layout.chunk();
    let wanted: Vec<Range<u64>> =
        axes.iter().zip(chunk).map(|(axis, n)| axis.start / n..axis.end().div_ceil(*n)).collect();
    let found = find(raw, grid, &wanted)?;
    if raw.noted().is_some() || !found.covers(&wanted) {
        raw.fill.fill(target);
    }
    let threads = threads(raw, grid, found.len());
    let division = Division::new(axes, &wanted, chunk, raw.element_size(), threads);
    let rows = division.divide(target);
    let mut units: Vec<Unit<'_>> =
        rows.into_iter().enumerate().map(|(number, rows)| Unit { number, chunks: Vec::new(), rows }).collect();
    for (i, (scaled, _)) in found.iter().enumerate() {
        let place = scaled.iter().zip(&wanted).map(|(n, range)| n - range.start);
        units[division.unit_of(place)].chunks.push(i);
    }
    units.retain(|unit| !unit.chunks.is_empty());
    let copier = Copier { raw, grid, axes, found: &found, division: &division, strides: grid_strides(grid) };
    copier.prefetch()?;
    workers::share(threads, units, || ChunkReader::new(raw, grid), |reader, unit| copier.fill(reader, unit))
}

/// Bytes from one index of a chunk to the next, by dimension.
fn grid_strides(grid: &ChunkGrid) -> Vec<usize> {
    strides(grid.layout.chunk(), grid.element_size as usize)
}

/// What all units of a read have in common.
struct Copier<'r> {
    raw: &'r RawData,
    grid: &'r ChunkGrid,
    axes: &'r [Axis],
    found: &'r StoredChunks,
    division: &'r Division,
    strides: Vec<usize>,
}

impl Copier<'_> {
    fn fill(&self, reader: &mut ChunkReader<'_>, unit: Unit<'_>) -> Result<()> {
        let extents = self.division.extents(unit.number);
        let along = self.division.along();
        let outer: Vec<usize> = extents.iter().take(along).map(Range::len).collect();
        let mut parts: Vec<Vec<Segment>> = vec![Vec::new(); self.axes.len()];
        let mut rows = unit.rows;
        for i in unit.chunks {
            let (scaled, entry) = self.found.get(i);
            if !self.select(scaled, &mut parts) {
                continue;
            }
            for (part, extent) in parts.iter_mut().zip(&extents) {
                part.iter_mut().for_each(|segment| segment.to -= extent.start as u64);
            }
            let bytes = reader.part(scaled, entry, &self.stretch(&parts), self.is_whole(&parts));
            let Some(bytes) = self.raw.past_damage(bytes, || self.grid.offset(scaled))? else { continue };
            let copy = BoxCopy {
                segments: &parts,
                source_strides: &self.strides,
                target_strides: self.division.strides(),
                along,
                outer: &outer,
            };
            copy.run(bytes.bytes(), bytes.skipped(), &mut rows);
        }
        Ok(())
    }

    /// What is selected of a chunk, by dimension; false where nothing is.
    fn select(&self, scaled: &[u64], parts: &mut [Vec<Segment>]) -> bool {
        let chunk = self.grid.layout.chunk();
        for (d, part) in parts.iter_mut().enumerate() {
            let start = scaled[d] * chunk[d];
            segments(&self.axes[d], &(start..(start + chunk[d]).min(self.raw.dims[d])), part);
        }
        parts.iter().all(|part| !part.is_empty())
    }

    /// Says what will be read of all chunks.
    fn prefetch(&self) -> Result<()> {
        let mut parts: Vec<Vec<Segment>> = vec![Vec::new(); self.axes.len()];
        let stretches = self.found.iter().filter_map(|(scaled, entry)| {
            if self.select(scaled, &mut parts) { Some((entry, self.stretch(&parts))) } else { None }
        });
        chunk::prefetch(self.raw, self.grid, stretches)
    }

    /// The bytes of a chunk from the first to the last that is selected.
    fn stretch(&self, parts: &[Vec<Segment>]) -> Range<usize> {
        let (mut first, mut last) = (0, 0);
        for (part, stride) in parts.iter().zip(&self.strides) {
            first += part.first().map_or(0, |s| s.from as usize) * stride;
            last += part.last().map_or(0, |s| (s.from + s.length) as usize - 1) * stride;
        }
        first..last + self.raw.element_size()
    }

    /// True where all of a chunk is selected, so that nobody is likely to come back to it.
    fn is_whole(&self, parts: &[Vec<Segment>]) -> bool {
        let selected = |part: &[Segment]| part.iter().map(|s| s.length).sum::<u64>();
        parts.iter().zip(self.grid.layout.chunk()).all(|(part, n)| selected(part) == *n)
    }
}

/// Elements that follow one another in a chunk and in the result.
struct Move {
    /// Bytes.
    from: usize,
    to: usize,
    length: usize,
}

/// Fills `target` with runs of elements.
pub(super) fn read_runs(raw: &RawData, grid: &ChunkGrid, runs: &[RowRun], target: &mut [u8]) -> Result<()> {
    let wanted = moves(raw, grid, runs);
    let bounds: Vec<Range<u64>> = (0..raw.dims.len())
        .map(|d| {
            let along = || wanted.keys().map(|scaled| scaled[d]);
            along().min().unwrap_or(0)..along().max().map_or(0, |n| n + 1)
        })
        .collect();
    let found = find(raw, grid, &bounds)?;
    raw.fill.fill(target);
    let jobs: Vec<_> = found.iter().filter_map(|(scaled, entry)| Some((scaled, entry, wanted.get(scaled)?))).collect();
    chunk::prefetch(raw, grid, jobs.iter().map(|(_, entry, moves)| (*entry, stretch(moves))))?;
    // Runs lie anywhere in the result: only one thread copies at a time.
    let target = Mutex::new(target);
    let threads = threads(raw, grid, jobs.len());
    workers::share(
        threads,
        jobs,
        || ChunkReader::new(raw, grid),
        |reader, (scaled, entry, moves)| {
            let bytes = reader.part(scaled, entry, &stretch(moves), false);
            let Some(bytes) = raw.past_damage(bytes, || grid.offset(scaled))? else { return Ok(()) };
            let mut target = target.lock().unwrap_or_else(PoisonError::into_inner);
            for Move { from, to, length } in moves {
                let from = from - bytes.skipped();
                target[*to..to + length].copy_from_slice(&bytes.bytes()[from..from + length]);
            }
            Ok(())
        },
    )
}

/// The bytes of a chunk from the first to the last that is moved.
fn stretch(moves: &[Move]) -> Range<usize> {
    let first = moves.iter().map(|m| m.from).min().unwrap_or(0);
    first..moves.iter().map(|m| m.from + m.length).max().unwrap_or(first)
}

/// Where a run of a dataset of one dimension stands that is in one chunk without filters.
pub(super) fn address_of(raw: &RawData, grid: &ChunkGrid, run: RowRun) -> Result<Option<Addr>> {
    let [length] = *grid.layout.chunk() else { return Ok(None) };
    let (chunk, first) = (run.start / length, run.start % length);
    if first + run.length > length {
        return Ok(None);
    }
    let found = find(raw, grid, std::slice::from_ref(&(chunk..chunk + 1)))?;
    let mut entries = found.iter().map(|(_, entry)| entry).filter(|entry| Some(entry.size) == grid.chunk_bytes().ok());
    let Some(entry) = entries.next() else { return Ok(None) };
    // All of the chunk must be there, whatever is wanted of it.
    raw.file.storage().raw_range(entry.address, entry.size, Structure::Chunk)?;
    Ok(Some(entry.address.plus(first * raw.element_size() as u64)))
}

/// What is wanted of each chunk, by its place in the grid.
fn moves(raw: &RawData, grid: &ChunkGrid, runs: &[RowRun]) -> HashMap<Vec<u64>, Vec<Move>> {
    let (size, chunk, rank) = (raw.element_size(), grid.layout.chunk(), raw.dims.len());
    let mut wanted: HashMap<Vec<u64>, Vec<Move>> = HashMap::new();
    let mut to = 0;
    let mut place = vec![0; rank];
    for run in runs {
        let mut run = *run;
        while run.length > 0 {
            let mut rest = run.start;
            for d in (0..rank).rev() {
                place[d] = rest % raw.dims[d];
                rest /= raw.dims[d];
            }
            let last = rank - 1;
            let in_chunk = chunk[last] - place[last] % chunk[last];
            let n = run.length.min(in_chunk).min(raw.dims[last] - place[last]);
            let inside = place.iter().zip(chunk).fold(0, |i, (p, n)| i * n + p % n);
            let scaled = place.iter().zip(chunk).map(|(p, n)| p / n).collect();
            let length = n as usize * size;
            wanted.entry(scaled).or_default().push(Move { from: inside as usize * size, to, length });
            to += length;
            run = RowRun { start: run.start + n, length: run.length - n };
        }
    }
    wanted
}

/// The chunks of a box that are in the file, where they are not too large to be read.
fn find(raw: &RawData, grid: &ChunkGrid, wanted: &[Range<u64>]) -> Result<StoredChunks> {
    let (bytes, allowed) = (grid.chunk_bytes()?, raw.file.limits().chunk_bytes);
    if bytes > allowed {
        return Err(Error::limit("chunk_bytes", bytes, allowed));
    }
    let storage = raw.file.storage();
    match raw.noted() {
        None => grid.find(storage, wanted),
        Some(damage) => {
            grid.find_past_damage(storage, wanted, &mut |scaled, error| damage.note(grid.offset(scaled), error))
        }
    }
}

/// Threads that are worth their while for so many chunks.
fn threads(raw: &RawData, grid: &ChunkGrid, chunks: usize) -> usize {
    let bytes = grid.chunk_bytes().unwrap_or(u64::MAX).saturating_mul(chunks as u64);
    let worth = if raw.steps.is_empty() { workers::WORTH_COPYING } else { workers::WORTH_DECODING };
    let useful = usize::try_from(bytes / worth as u64).unwrap_or(usize::MAX);
    raw.file.threads().min(useful).max(1)
}

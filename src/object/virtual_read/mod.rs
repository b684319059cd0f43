//! Virtual datasets: elements that are in other datasets.
//!
//! Element `k` of the selection in the virtual dataset is element `k` of the selection in the source. What a
//! source does not have gives the fill value.

mod expand;
mod piece;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::dataset::Dataset;
use super::file::File;
use super::lookup::{self, Object};
use super::raw::RawData;
use crate::element::{convert, out_of_memory, zeroed};
use crate::error::{Cause, Corrupt, Error, ErrorKind, Fault, Result, Structure, Unsupported};
use crate::format::dataspace_selection::StoredSelection;
use crate::format::message::dataspace::Dataspace;
use crate::format::message::datatype::{Class, Datatype};
use crate::format::virtual_mapping::{Mapping, VirtualMappings};
use crate::limits::Limits;
use crate::selection::{Axis, Resolved, RowRun, Selection};
use crate::walk::each;

use expand::{Expanded, expand};
use piece::{Rows, bounds};

/// How deep a source is below the virtual dataset that is read, and how many sources that read has opened.
#[derive(Clone, Debug, Default)]
pub(super) struct Nesting {
    depth: u32,
    opened: Arc<AtomicU64>,
}

impl Nesting {
    /// A read begins: of what was opened before nothing counts.
    pub(super) fn begin(&self) {
        if self.depth == 0 {
            self.opened.store(0, Ordering::Relaxed);
        }
    }

    /// One level further down, and one source more.
    fn deeper(&self, limits: &Limits) -> Result<Self> {
        let depth = self.depth + 1;
        if depth > limits.tree_depth {
            return Err(Error::limit("tree_depth", depth.into(), limits.tree_depth.into()));
        }
        // Sources of sources multiply, and are rare where nobody means harm.
        let weight = if self.depth == 0 { 1 } else { 16 };
        let opened = self.opened.fetch_add(weight, Ordering::Relaxed) + weight;
        if opened > limits.virtual_sources {
            return Err(Error::limit("virtual_sources", opened, limits.virtual_sources));
        }
        Ok(Self { depth, opened: self.opened.clone() })
    }
}

/// Reads the selected elements.
pub(super) fn read(raw: &RawData, mappings: &VirtualMappings, selected: &Resolved, target: &mut [u8]) -> Result<()> {
    let window = Window::around(selected, &raw.dims);
    let size = raw.element_size();
    let is_window = matches!(selected, Resolved::Grid { axes, .. } if axes.iter().all(Axis::is_range));
    if is_window {
        return read_window(raw, mappings, &window, target);
    }
    let mut bytes = zeroed(raw.bytes_of(window.elements())?)?;
    read_window(raw, mappings, &window, &mut bytes)?;
    let mut to = 0;
    for row in Rows::of(selected.runs(&raw.dims), &raw.dims) {
        let n = row.length as usize * size;
        let from = window.offset(&row.start, 0) as usize * size;
        target[to..to + n].copy_from_slice(&bytes[from..from + n]);
        to += n;
    }
    Ok(())
}

/// A box of a dataspace.
struct Window {
    start: Vec<u64>,
    count: Vec<u64>,
}

impl Window {
    /// The least box that holds a selection.
    fn around(selected: &Resolved, dims: &[u64]) -> Self {
        match selected {
            Resolved::Grid { axes, .. } => Self {
                start: axes.iter().map(|axis| axis.start).collect(),
                count: axes.iter().map(|axis| axis.end() - axis.start).collect(),
            },
            Resolved::Runs { .. } => {
                let (mut low, mut high) = (dims.to_vec(), vec![0; dims.len()]);
                for row in Rows::of(selected.runs(dims), dims) {
                    for (d, start) in row.start.iter().enumerate() {
                        let end = start + if d + 1 == dims.len() { row.length } else { 1 };
                        low[d] = low[d].min(*start);
                        high[d] = high[d].max(end);
                    }
                }
                Self { count: low.iter().zip(&high).map(|(l, h)| h.saturating_sub(*l)).collect(), start: low }
            }
        }
    }

    /// Elements of the box.
    fn elements(&self) -> u64 {
        self.count.iter().fold(1u64, |n, c| n.saturating_mul(*c))
    }

    /// True where the box ends before the rows of this element begin.
    fn is_before(&self, place: &[u64]) -> bool {
        place.first().zip(self.start.first()).is_some_and(|(place, start)| *place >= start + self.count[0])
    }

    /// Row-major number of the element of the box that comes so many after a place in its row.
    fn offset(&self, place: &[u64], after: u64) -> u64 {
        let Some((last, outer)) = place.split_last() else { return 0 };
        let row =
            outer.iter().zip(&self.start).zip(&self.count).fold(0, |n, ((p, start), count)| n * count + (p - start));
        row * self.count[outer.len()] + (last + after - self.start[outer.len()])
    }

    /// The part of `length` elements of a row that is in the box, from the one that comes so many after a place: how many after the
    /// place it begins, and how many elements it has.
    fn clip(&self, place: &[u64], after: u64, length: u64) -> Option<(u64, u64)> {
        let Some((last, outer)) = place.split_last() else { return Some((after, length)) };
        let outside =
            outer.iter().zip(&self.start).zip(&self.count).any(|((p, start), n)| p < start || *p >= start + n);
        let (low, high) = (self.start[outer.len()], self.start[outer.len()] + self.count[outer.len()]);
        let (start, end) = ((last + after).max(low), (last + after + length).min(high));
        (!outside && start < end).then(|| (start - last, end - start))
    }

    /// False where a pattern has nothing in common with the box in one of its dimensions. Nothing is said of other selections.
    fn may_meet(&self, selection: &StoredSelection) -> bool {
        let StoredSelection::Regular { dims, .. } = selection else { return true };
        dims.iter().zip(&self.start).zip(&self.count).all(|((dim, start), count)| {
            let last = dim.count.unwrap_or(u64::MAX).saturating_sub(1).saturating_mul(dim.stride);
            let end = dim.start.saturating_add(last).saturating_add(dim.block.unwrap_or(u64::MAX));
            dim.start < start + count && end > *start
        })
    }

    /// True where the bounds of a selection and the box have something in common.
    fn meets(&self, selection: &Selection, dims: &[u64]) -> bool {
        let (low, high) = bounds(selection, dims);
        (0..self.start.len()).all(|d| low[d] < self.start[d] + self.count[d] && high[d] > self.start[d])
    }
}

fn read_window(raw: &RawData, mappings: &VirtualMappings, window: &Window, target: &mut [u8]) -> Result<()> {
    raw.fill.fill(target);
    let sources = Sources { file: &raw.file, nesting: &raw.nesting, at: raw.at };
    let mut work = Work::new(raw.file.limits(), window.elements());
    each(&mappings.entries, |mapping| {
        let parts = expand(mapping, &raw.dims, &sources, window)?;
        each(parts, |part| read_part(raw, &part, window, &mut work, target))
    })
}

/// How much mappings may have a read do. A few bytes can map millions of runs, and each mapping the same ones again.
struct Work {
    /// Elements read, and how many there may be.
    read: (u64, u64),
    /// Runs looked at, and how many there may be.
    runs: (u64, u64),
}

impl Work {
    /// For a window of so many elements.
    fn new(limits: &Limits, elements: u64) -> Self {
        let times = elements.saturating_mul(limits.virtual_overlap);
        Self { read: (0, times.saturating_add(1 << 18)), runs: (0, times.saturating_mul(4).saturating_add(1 << 18)) }
    }

    fn look_at_run(&mut self) -> Result<()> {
        self.runs.0 += 1;
        Self::check(self.runs)
    }

    fn read(&mut self, elements: u64) -> Result<()> {
        self.read.0 = self.read.0.saturating_add(elements);
        Self::check(self.read)
    }

    fn check((done, allowed): (u64, u64)) -> Result<()> {
        if done > allowed { Err(Error::limit("virtual_overlap", done, allowed)) } else { Ok(()) }
    }
}

/// Opens the sources of mappings.
struct Sources<'f> {
    file: &'f File,
    nesting: &'f Nesting,
    /// Position of the virtual dataset, for errors.
    at: u64,
}

impl Sources<'_> {
    /// The error of a mapping that makes no sense.
    fn corrupt(&self, field: &'static str) -> Error {
        Corrupt::new(Structure::VirtualMapping, field, self.at, Fault::Value(0)).into()
    }

    /// The source dataset; `None` where it, or its file, is not there.
    fn open(&self, file: &str, path: &str) -> Result<Option<Dataset>> {
        let nesting = self.nesting.deeper(self.file.limits())?;
        let opened = self.file.other(file).and_then(|file| lookup::source(&file.root(), path, nesting));
        match opened {
            Ok(Object::Dataset(dataset)) => Ok(Some(dataset)),
            Ok(_) => Ok(None),
            Err(e) if e.kind() == ErrorKind::NotFound => Ok(None),
            Err(e) => Err(e),
        }
    }
}

/// One run of elements to be read: row-major in the source, and where it goes in the window.
struct Transfer {
    run: RowRun,
    to: usize,
}

fn read_part(raw: &RawData, part: &Expanded, window: &Window, work: &mut Work, target: &mut [u8]) -> Result<()> {
    let source = &part.dataset;
    let size = raw.element_size();
    let source_dims = source.shape().to_vec();
    // A selection may reach past the end of what the source has by now.
    let (_, reach) = bounds(&part.source, &source_dims);
    let reach: Vec<u64> = reach.iter().zip(&source_dims).map(|(r, n)| *r.max(n)).collect();
    let from = part.source.resolve(&reach)?;
    let to = part.target.resolve(&raw.dims)?;
    let ordered = to.is_ordered();
    let first = window.start.first().copied().unwrap_or(0);
    let skipped = if ordered { to.before(first, &raw.dims) } else { 0 };
    let rows_from = Rows::of(from.runs_from(&reach, skipped), &reach);
    let rows_to = Rows::of(to.runs_from(&raw.dims, skipped), &raw.dims);
    let mut transfers: Vec<Transfer> = Vec::new();
    let whole = Window { start: vec![0; source_dims.len()], count: source_dims.clone() };
    piece::in_step(rows_from, rows_to, |row_from, row_to, length| {
        if ordered && window.is_before(row_to) {
            return Ok(false);
        }
        work.look_at_run()?;
        let both = window.clip(row_to, 0, length).and_then(|(skip, n)| whole.clip(row_from, skip, n));
        if let Some((skip, length)) = both {
            work.read(length)?;
            let to = window.offset(row_to, skip) as usize * size;
            transfers.try_reserve(1).map_err(|_| out_of_memory::<Transfer>(transfers.len()))?;
            transfers.push(Transfer { run: RowRun { start: whole.offset(row_from, skip), length }, to });
        }
        Ok(true)
    })?;
    let elements = transfers.iter().map(|t| t.run.length).sum();
    if elements == 0 {
        return Ok(());
    }
    check_heap(raw, source)?;
    let selected = Resolved::Runs { runs: transfers.iter().map(|t| t.run).collect(), elements };
    let source_raw = source.raw();
    let mut bytes = zeroed(source_raw.bytes_of(elements)?)?;
    source_raw.read(&selected, &mut bytes)?;
    let bytes = convert(source.datatype(), &raw.datatype, elements as usize, bytes)?;
    let mut at = 0;
    for transfer in transfers {
        let n = transfer.run.length as usize * size;
        target[transfer.to..transfer.to + n].copy_from_slice(&bytes[at..at + n]);
        at += n;
    }
    Ok(())
}

/// What an element says of the heap or of addresses holds in its own file only.
fn check_heap(raw: &RawData, source: &Dataset) -> Result<()> {
    fn leads_elsewhere(datatype: &Datatype) -> bool {
        match &datatype.class {
            Class::Reference { .. } => true,
            Class::Compound { members } => members.iter().any(|m| leads_elsewhere(&m.datatype)),
            Class::Array { base, .. } => leads_elsewhere(base),
            _ => datatype.has_heap_data(),
        }
    }
    if leads_elsewhere(source.datatype()) && !raw.file.is(source.file()) {
        return Err(Cause::Unsupported { feature: Unsupported::VirtualHeapData, at: raw.at }.into());
    }
    Ok(())
}

/// Sets the dimensions without an end to where the sources end.
pub(super) fn extend(
    file: &File,
    nesting: &Nesting,
    at: u64,
    mappings: &VirtualMappings,
    space: &mut Dataspace,
) -> Result<()> {
    if !mappings.entries.iter().any(Mapping::is_endless) {
        return Ok(());
    }
    let max = space.max_dims();
    let mut reached: Vec<Option<u64>> = vec![None; space.dims.len()];
    let mut bounded = vec![0u64; space.dims.len()];
    let sources = Sources { file, nesting, at };
    for mapping in &mappings.entries {
        if mapping.target_rank().is_some_and(|rank| rank != space.dims.len()) {
            continue;
        }
        match expand::extent(mapping, &sources)? {
            expand::Extent::Fixed(high) => {
                bounded.iter_mut().zip(high).for_each(|(b, h)| *b = (*b).max(h));
            }
            expand::Extent::Grows { dimension, end } => {
                let reached = &mut reached[dimension];
                *reached = Some(reached.unwrap_or(0).max(end));
            }
        }
    }
    for (d, reached) in reached.into_iter().enumerate() {
        if let Some(end) = reached {
            let end = end.max(bounded[d]);
            space.dims[d] = max[d].map_or(end, |max| end.min(max));
        }
    }
    Ok(())
}

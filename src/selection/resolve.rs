use super::{Blocks, Hyperslab, Mask, Points, Selection, Slice};
use crate::error::{Error, Result, SelectionFault};
use crate::order::sort_by;

/// A selection held against the dimensions of a dataspace: every element it names exists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Resolved {
    /// A regular pattern in each dimension.
    Grid {
        axes: Vec<Axis>,
        /// Shape of the result.
        shape: Vec<u64>,
    },
    /// Runs of elements in the order in which they are read.
    Runs { runs: Vec<RowRun>, elements: u64 },
}

/// What is selected along one dimension: `count` blocks of `block` elements, `stride` apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Axis {
    pub(crate) start: u64,
    pub(crate) stride: u64,
    pub(crate) count: u64,
    pub(crate) block: u64,
}

/// Elements that follow one another in the row-major order of the dataspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RowRun {
    /// Row-major number of the first.
    pub(crate) start: u64,
    pub(crate) length: u64,
}

/// Most runs that a union of boxes may fall into.
const MAX_RUNS: u64 = 1 << 22;

impl Axis {
    pub(crate) fn whole(extent: u64) -> Self {
        Self::range(0, extent)
    }

    pub(crate) fn range(start: u64, length: u64) -> Self {
        Self { start, stride: length.max(1), count: 1, block: length }.simplified()
    }

    pub(crate) fn len(&self) -> u64 {
        self.count * self.block
    }

    /// One past the last element.
    pub(crate) fn end(&self) -> u64 {
        if self.len() == 0 { self.start } else { self.start + (self.count - 1) * self.stride + self.block }
    }

    /// Selected indices below `limit`.
    pub(crate) fn before(&self, limit: u64) -> u64 {
        let Some(room) = limit.checked_sub(self.start) else { return 0 };
        let stride = self.stride.max(1);
        let whole = (room / stride).min(self.count);
        let rest = if whole < self.count { (room % stride).min(self.block) } else { 0 };
        whole * self.block + rest
    }

    /// True where the elements follow one another.
    pub(crate) fn is_range(&self) -> bool {
        self.count <= 1
    }

    /// Blocks that touch become one.
    fn simplified(self) -> Self {
        if self.len() == 0 {
            Self { start: self.start, stride: 1, count: 1, block: 0 }
        } else if self.stride == self.block || self.count == 1 {
            Self { start: self.start, stride: self.len(), count: 1, block: self.len() }
        } else {
            self
        }
    }

    fn checked(self, dimension: usize, extent: u64) -> Result<Self> {
        let Self { start, stride, count, block } = self;
        if count == 0 || block == 0 {
            return Ok(Self { start: start.min(extent), stride: 1, count: 1, block: 0 });
        }
        if stride == 0 || (count > 1 && stride < block) {
            return Err(SelectionFault::Stride { dimension, stride, block }.into());
        }
        let end = (count - 1).checked_mul(stride).and_then(|n| n.checked_add(block)?.checked_add(start));
        match end {
            Some(end) if end <= extent => Ok(self.simplified()),
            _ => Err(SelectionFault::OutOfBounds { dimension, end: end.unwrap_or(u64::MAX), extent }.into()),
        }
    }
}

impl Selection {
    /// Holds the selection against the dimensions `dims` (none for a scalar).
    pub(crate) fn resolve(&self, dims: &[u64]) -> Result<Resolved> {
        match self {
            Self::All => Ok(Resolved::whole(dims)),
            Self::None => Ok(Resolved::Runs { runs: Vec::new(), elements: 0 }),
            Self::Slices(slices) => resolve_slices(slices, dims),
            Self::Hyperslab(hyperslab) => resolve_hyperslab(hyperslab, dims),
            Self::Points(points) => resolve_points(points, dims),
            Self::Mask(mask) => resolve_mask(mask, dims),
            Self::Blocks(blocks) => resolve_blocks(blocks, dims),
        }
    }
}

fn check_rank(given: usize, dims: &[u64]) -> Result<()> {
    if given == dims.len() { Ok(()) } else { Err(SelectionFault::Rank { given, rank: dims.len() }.into()) }
}

fn resolve_slices(slices: &[Slice], dims: &[u64]) -> Result<Resolved> {
    if slices.len() > dims.len() {
        return Err(SelectionFault::Rank { given: slices.len(), rank: dims.len() }.into());
    }
    let mut axes = Vec::new();
    let mut shape = Vec::new();
    for (dimension, extent) in dims.iter().copied().enumerate() {
        let slice = slices.get(dimension).copied().unwrap_or(Slice::ALL);
        let end = slice.end.unwrap_or(extent);
        if slice.index && slice.start >= extent {
            return Err(SelectionFault::Index { dimension, index: slice.start, extent }.into());
        }
        if end > extent || slice.start > extent {
            let end = end.max(slice.start);
            return Err(SelectionFault::OutOfBounds { dimension, end, extent }.into());
        }
        let count = if slice.step == 0 { 1 } else { end.saturating_sub(slice.start).div_ceil(slice.step) };
        let axis = Axis { start: slice.start, stride: slice.step, count, block: 1 };
        let axis = axis.checked(dimension, extent)?;
        if !slice.index {
            shape.push(axis.len());
        }
        axes.push(axis);
    }
    Ok(Resolved::Grid { axes, shape })
}

fn resolve_hyperslab(slab: &Hyperslab, dims: &[u64]) -> Result<Resolved> {
    for part in [&slab.start, &slab.stride, &slab.count, &slab.block] {
        check_rank(part.len(), dims)?;
    }
    let axes: Vec<Axis> = (0..dims.len())
        .map(|d| {
            let axis =
                Axis { start: slab.start[d], stride: slab.stride[d], count: slab.count[d], block: slab.block[d] };
            axis.checked(d, dims[d])
        })
        .collect::<Result<_>>()?;
    let shape = axes.iter().map(Axis::len).collect();
    Ok(Resolved::Grid { axes, shape })
}

fn resolve_points(points: &Points, dims: &[u64]) -> Result<Resolved> {
    let mut runs: Vec<RowRun> = Vec::new();
    for point in &points.0 {
        check_rank(point.len(), dims)?;
        for (dimension, (n, extent)) in point.iter().zip(dims).enumerate() {
            if n >= extent {
                return Err(SelectionFault::Index { dimension, index: *n, extent: *extent }.into());
            }
        }
        push_run(&mut runs, RowRun { start: linear(point, dims), length: 1 });
    }
    Ok(Resolved::Runs { runs, elements: points.0.len() as u64 })
}

fn resolve_mask(mask: &Mask, dims: &[u64]) -> Result<Resolved> {
    let elements: u64 = dims.iter().product();
    if mask.0.len() as u64 != elements {
        return Err(SelectionFault::Mask { given: mask.0.len() as u64, elements }.into());
    }
    let mut runs = Vec::new();
    let mut selected = 0;
    for (start, _) in mask.0.iter().enumerate().filter(|(_, set)| **set) {
        push_run(&mut runs, RowRun { start: start as u64, length: 1 });
        selected += 1;
    }
    Ok(Resolved::Runs { runs, elements: selected })
}

fn resolve_blocks(blocks: &Blocks, dims: &[u64]) -> Result<Resolved> {
    let mut pieces: Vec<RowRun> = Vec::new();
    for (first, last) in &blocks.0 {
        check_rank(first.len(), dims)?;
        check_rank(last.len(), dims)?;
        let axes: Vec<Axis> = (0..dims.len())
            .map(|d| {
                let length = (last[d].saturating_add(1)).saturating_sub(first[d]);
                Axis { start: first[d], stride: length.max(1), count: 1, block: length }.checked(d, dims[d])
            })
            .collect::<Result<_>>()?;
        let shape = axes.iter().map(Axis::len).collect();
        for run in (Resolved::Grid { axes, shape }).runs(dims) {
            if pieces.len() as u64 >= MAX_RUNS {
                return Err(Error::limit("runs of an irregular selection", MAX_RUNS + 1, MAX_RUNS));
            }
            pieces.push(run);
        }
    }
    sort_by(&mut pieces, |a, b| a.start.cmp(&b.start));
    let mut runs: Vec<RowRun> = Vec::new();
    for piece in pieces {
        // Boxes may overlap: an element counts once.
        let covered = runs.last().map_or(0, |last: &RowRun| last.start + last.length);
        let end = piece.start + piece.length;
        let start = piece.start.max(covered);
        if end > start {
            push_run(&mut runs, RowRun { start, length: end - start });
        }
    }
    let elements = runs.iter().map(|run| run.length).sum();
    Ok(Resolved::Runs { runs, elements })
}

/// Row-major number of an element.
fn linear(point: &[u64], dims: &[u64]) -> u64 {
    point.iter().zip(dims).fold(0, |n, (p, dim)| n * dim + p)
}

fn push_run(runs: &mut Vec<RowRun>, run: RowRun) {
    match runs.last_mut() {
        Some(last) if last.start + last.length == run.start => last.length += run.length,
        _ => runs.push(run),
    }
}

impl Resolved {
    /// All elements.
    pub(crate) fn whole(dims: &[u64]) -> Self {
        Self::Grid { axes: dims.iter().map(|n| Axis::whole(*n)).collect(), shape: dims.to_vec() }
    }

    /// Number of elements.
    pub(crate) fn elements(&self) -> u64 {
        match self {
            Self::Grid { axes, .. } => axes.iter().map(Axis::len).product(),
            Self::Runs { elements, .. } => *elements,
        }
    }

    /// One past the last element, by its row-major number.
    pub(crate) fn end(&self, dims: &[u64]) -> u64 {
        match self {
            Self::Grid { axes, .. } if axes.iter().any(|axis| axis.len() == 0) => 0,
            Self::Grid { axes, .. } => axes.iter().zip(dims).fold(0, |n, (axis, dim)| n * dim + (axis.end() - 1)) + 1,
            Self::Runs { runs, .. } => runs.iter().map(|run| run.start + run.length).max().unwrap_or(0),
        }
    }

    /// Shape of the result.
    pub(crate) fn shape(&self) -> Vec<u64> {
        match self {
            Self::Grid { shape, .. } => shape.clone(),
            Self::Runs { elements, .. } => vec![*elements],
        }
    }

    /// Parts of the selection, in order, each of some `elements` where it can be cut so: along its slowest
    /// dimension, at the borders of chunks.
    pub(crate) fn blocks(&self, elements: u64, chunk: Option<&[u64]>) -> Vec<Self> {
        if self.elements() <= elements {
            return vec![self.clone()];
        }
        match self {
            Self::Grid { axes, .. } => cut_grid(axes, elements, chunk).unwrap_or_else(|| vec![self.clone()]),
            Self::Runs { runs, .. } => cut_runs(runs, elements),
        }
    }

    /// The elements as runs, in the order in which they are read.
    pub(crate) fn runs<'r>(&'r self, dims: &'r [u64]) -> Box<dyn Iterator<Item = RowRun> + 'r> {
        self.runs_from(dims, 0)
    }

    /// The same without the first so many elements.
    pub(crate) fn runs_from<'r>(&'r self, dims: &'r [u64], skip: u64) -> Box<dyn Iterator<Item = RowRun> + 'r> {
        match self {
            Self::Runs { runs, .. } => {
                let mut skip = skip;
                Box::new(runs.iter().filter_map(move |run| {
                    let n = skip.min(run.length);
                    skip -= n;
                    let rest = RowRun { start: run.start + n, length: run.length - n };
                    (rest.length > 0).then_some(rest)
                }))
            }
            Self::Grid { axes, .. } => Box::new(GridRuns::new(axes, dims).skipping(skip)),
        }
    }

    /// Elements of an ordered selection whose first coordinate is below `start`.
    pub(crate) fn before(&self, start: u64, dims: &[u64]) -> u64 {
        match self {
            Self::Grid { axes, .. } => axes
                .split_first()
                .map_or(0, |(first, inner)| first.before(start).saturating_mul(inner.iter().map(Axis::len).product())),
            Self::Runs { runs, .. } => {
                let limit = dims.get(1..).unwrap_or_default().iter().fold(start, |n, dim| n.saturating_mul(*dim));
                let below = runs.iter().take_while(|run| run.start < limit);
                below.map(|run| run.length.min(limit - run.start)).sum()
            }
        }
    }

    /// True where the elements come in row-major order.
    pub(crate) fn is_ordered(&self) -> bool {
        match self {
            Self::Grid { .. } => true,
            Self::Runs { runs, .. } => runs.is_sorted_by_key(|run| run.start),
        }
    }
}

/// Bands of rows may exceed the elements asked for by this factor where chunks are that high.
const HIGHEST_BAND: u64 = 64;

fn cut_grid(axes: &[Axis], elements: u64, chunk: Option<&[u64]>) -> Option<Vec<Resolved>> {
    // The slowest dimension of which more than one index is selected.
    let d = axes.iter().position(|axis| axis.len() > 1)?;
    let axis = axes[d].is_range().then_some(axes[d])?;
    let row: u64 = axes[d + 1..].iter().map(Axis::len).product();
    let rows = (elements / row.max(1)).max(1);
    let height = chunk.map_or(1, |chunk| chunk[d]);
    let aligned = rows.checked_next_multiple_of(height).unwrap_or(u64::MAX);
    // Chunks that are higher still are decoded again for each band: the fewer the better.
    let highest = (elements.saturating_mul(HIGHEST_BAND) / row.max(1)).max(rows);
    let rows = aligned.min(highest);
    let mut blocks = Vec::new();
    let mut start = axis.start;
    while start < axis.end() {
        // The first band ends where a chunk does.
        let end = (start / rows * rows).saturating_add(rows).min(axis.end());
        let mut part = axes.to_vec();
        part[d] = Axis::range(start, end - start);
        let shape = part.iter().map(Axis::len).collect();
        blocks.push(Resolved::Grid { axes: part, shape });
        start = end;
    }
    Some(blocks)
}

fn cut_runs(runs: &[RowRun], elements: u64) -> Vec<Resolved> {
    let mut blocks = Vec::new();
    let (mut part, mut size) = (Vec::new(), 0);
    for run in runs {
        let mut run = *run;
        while run.length > 0 {
            let n = run.length.min(elements - size);
            part.push(RowRun { start: run.start, length: n });
            size += n;
            run = RowRun { start: run.start + n, length: run.length - n };
            if size == elements {
                blocks.push(Resolved::Runs { runs: std::mem::take(&mut part), elements: size });
                size = 0;
            }
        }
    }
    if size > 0 {
        blocks.push(Resolved::Runs { runs: part, elements: size });
    }
    blocks
}

/// The runs of a grid: the longest ones, across rows where whole rows are selected.
struct GridRuns<'g> {
    axes: &'g [Axis],
    /// By dimension: elements from one index to the next.
    strides: Vec<u64>,
    /// Dimensions after this one are whole.
    inner: usize,
    /// Number of the block (inner dimension) or element (outer ones) that is next; `None` at the end.
    next: Option<Vec<u64>>,
    /// Elements of the next run that are left out.
    trim: u64,
}

impl<'g> GridRuns<'g> {
    fn new(axes: &'g [Axis], dims: &[u64]) -> Self {
        let mut strides = vec![1; dims.len()];
        for d in (1..dims.len()).rev() {
            strides[d - 1] = strides[d] * dims[d];
        }
        let whole = |d: usize| axes[d].is_range() && axes[d].len() == dims[d];
        let mut inner = dims.len().saturating_sub(1);
        while inner > 0 && whole(inner) {
            inner -= 1;
        }
        let empty = axes.iter().any(|axis| axis.len() == 0);
        Self { axes, strides, inner, next: (!empty).then(|| vec![0; dims.len()]), trim: 0 }
    }

    /// The same without the first so many elements.
    fn skipping(mut self, elements: u64) -> Self {
        if elements == 0 || self.axes.is_empty() {
            return self;
        }
        let length = self.axes[self.inner].block * self.strides[self.inner];
        let Some(place) = &mut self.next else { return self };
        let mut number = elements / length.max(1);
        for d in (0..=self.inner).rev() {
            let n = if d == self.inner { self.axes[d].count } else { self.axes[d].len() };
            place[d] = number % n;
            number /= n;
        }
        self.trim = elements % length.max(1);
        if number > 0 {
            self.next = None;
        }
        self
    }

    /// Index along a dimension of the element (outer dimensions) or block (the inner one) numbered `n`.
    fn index(&self, dimension: usize, n: u64) -> u64 {
        let axis = self.axes[dimension];
        if dimension == self.inner {
            axis.start + n * axis.stride
        } else {
            axis.start + n / axis.block * axis.stride + n % axis.block
        }
    }
}

impl Iterator for GridRuns<'_> {
    type Item = RowRun;

    fn next(&mut self) -> Option<RowRun> {
        let place = self.next.clone()?;
        if self.axes.is_empty() {
            self.next = None;
            return Some(RowRun { start: 0, length: 1 });
        }
        let start: u64 = (0..=self.inner).map(|d| self.index(d, place[d]) * self.strides[d]).sum();
        let length = self.axes[self.inner].block * self.strides[self.inner];
        let mut following = place;
        let advanced = (0..=self.inner).rev().any(|d| {
            following[d] += 1;
            let end = if d == self.inner { self.axes[d].count } else { self.axes[d].len() };
            if following[d] == end {
                following[d] = 0;
            }
            following[d] != 0
        });
        self.next = advanced.then_some(following);
        let trim = std::mem::take(&mut self.trim);
        Some(RowRun { start: start + trim, length: length - trim })
    }
}

use std::ops::{Deref, DerefMut};

use crate::error::Result;
use crate::selection::{RowRun, Selection};

/// Most dimensions of a dataspace.
const MOST_DIMS: usize = 32;

/// Coordinates, of which there are too many on the way for memory of their own.
pub(super) struct Place {
    indices: [u64; MOST_DIMS],
    rank: usize,
}

impl Place {
    /// That of the element of a number, row-major.
    fn of(mut number: u64, dims: &[u64]) -> Self {
        let mut place = Self { indices: [0; MOST_DIMS], rank: dims.len().min(MOST_DIMS) };
        for (index, dim) in place.iter_mut().zip(dims).rev() {
            *index = number % dim;
            number /= dim;
        }
        place
    }
}

impl Deref for Place {
    type Target = [u64];

    fn deref(&self) -> &[u64] {
        &self.indices[..self.rank]
    }
}

impl DerefMut for Place {
    fn deref_mut(&mut self) -> &mut [u64] {
        &mut self.indices[..self.rank]
    }
}

/// Elements of one row: the coordinates of the first, and how many.
pub(super) struct Row {
    pub(super) start: Place,
    pub(super) length: u64,
}

impl Row {
    /// Leaves out the first so many elements; false where none are left.
    fn skip(&mut self, n: u64) -> bool {
        if let Some(last) = self.start.last_mut() {
            *last += n;
        }
        self.length -= n;
        self.length > 0
    }
}

/// Runs cut where rows end.
pub(super) struct Rows<'d, I> {
    runs: I,
    dims: &'d [u64],
    rest: Option<RowRun>,
}

impl<'d, I: Iterator<Item = RowRun>> Rows<'d, I> {
    pub(super) fn of(runs: I, dims: &'d [u64]) -> Self {
        Self { runs, dims, rest: None }
    }
}

impl<I: Iterator<Item = RowRun>> Iterator for Rows<'_, I> {
    type Item = Row;

    fn next(&mut self) -> Option<Row> {
        let run = self.rest.take().or_else(|| self.runs.next())?;
        let start = Place::of(run.start, self.dims);
        let room = match (start.last(), self.dims.last()) {
            (Some(place), Some(dim)) => dim - place,
            _ => run.length,
        };
        let length = run.length.min(room);
        if length < run.length {
            self.rest = Some(RowRun { start: run.start + length, length: run.length - length });
        }
        Some(Row { start, length })
    }
}

/// Goes through both sides in step: `with` gets the coordinates here and there, and how many elements follow one another on both
/// sides, until it gives false.
pub(super) fn in_step(
    mut left: impl Iterator<Item = Row>,
    mut right: impl Iterator<Item = Row>,
    mut with: impl FnMut(&[u64], &[u64], u64) -> Result<bool>,
) -> Result<()> {
    let (mut a, mut b) = (left.next(), right.next());
    while let (Some(x), Some(y)) = (&mut a, &mut b) {
        let n = x.length.min(y.length);
        if !with(&x.start, &y.start, n)? {
            break;
        }
        let (x_ends, y_ends) = (!x.skip(n), !y.skip(n));
        if x_ends {
            a = left.next();
        }
        if y_ends {
            b = right.next();
        }
    }
    Ok(())
}

/// The least and (exclusive) greatest coordinates of a selection in a dataspace of these dimensions, which
/// it may exceed.
pub(super) fn bounds(selection: &Selection, dims: &[u64]) -> (Vec<u64>, Vec<u64>) {
    let none = || (vec![0; dims.len()], vec![0; dims.len()]);
    match selection {
        Selection::All => (vec![0; dims.len()], dims.to_vec()),
        Selection::Hyperslab(slab) => {
            let end = |d: usize| {
                let before = slab.count[d].saturating_sub(1).saturating_mul(slab.stride[d]);
                let end = slab.start[d].saturating_add(before).saturating_add(slab.block[d]);
                if slab.count[d] == 0 { slab.start[d] } else { end }
            };
            (slab.start.clone(), (0..slab.start.len()).map(end).collect())
        }
        Selection::Points(points) => points.0.iter().fold(none(), |(mut low, mut high), point| {
            low.iter_mut().zip(point).for_each(|(l, p)| *l = (*l).min(*p));
            high.iter_mut().zip(point).for_each(|(h, p)| *h = (*h).max(p.saturating_add(1)));
            (low, high)
        }),
        Selection::Blocks(blocks) => {
            let mut low = vec![u64::MAX; dims.len()];
            let mut high = vec![0; dims.len()];
            for (first, last) in &blocks.0 {
                low.iter_mut().zip(first).for_each(|(l, p)| *l = (*l).min(*p));
                high.iter_mut().zip(last).for_each(|(h, p)| *h = (*h).max(p.saturating_add(1)));
            }
            (low, high)
        }
        Selection::Slices(_) | Selection::Mask(_) | Selection::None => none(),
    }
}

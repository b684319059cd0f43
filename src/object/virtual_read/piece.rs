use crate::selection::{RowRun, Selection};

/// Elements of one row: the coordinates of the first, and how many.
pub(super) struct Row {
    pub(super) start: Vec<u64>,
    pub(super) length: u64,
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
        let mut start = vec![0; self.dims.len()];
        let mut number = run.start;
        for (place, dim) in start.iter_mut().zip(self.dims).rev() {
            *place = number % dim;
            number /= dim;
        }
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

/// Both sides in step: coordinates here and there, and how many elements follow one another on both sides.
pub(super) fn zip(
    mut left: impl Iterator<Item = Row>,
    mut right: impl Iterator<Item = Row>,
) -> impl Iterator<Item = (Vec<u64>, Vec<u64>, u64)> {
    let (mut a, mut b) = (None, None);
    std::iter::from_fn(move || {
        let mut x: Row = a.take().or_else(|| left.next())?;
        let mut y: Row = b.take().or_else(|| right.next())?;
        let n = x.length.min(y.length);
        let places = (x.start.clone(), y.start.clone(), n);
        for (row, kept) in [(&mut x, &mut a), (&mut y, &mut b)] {
            if row.length > n {
                super::advance(&mut row.start, n);
                *kept = Some(Row { start: std::mem::take(&mut row.start), length: row.length - n });
            }
        }
        Some(places)
    })
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

//! Elements piece by piece, whatever of them can be read.

use std::collections::HashSet;

use h5kit::element::{Array, Value};
use h5kit::{DamagedChunk, Dataset, Error, ErrorKind, Past, Result, Selection};

use crate::pick::{Axis, hyperslab};
use crate::session::Session;

/// Elements that are read at once.
const BLOCK: u64 = 1 << 20;
/// Elements that are read at once where that spares reading chunks again.
const LARGEST: u64 = 4 << 20;
/// Pieces that may fail before the rest of what failed is given up.
const FAILURES: u32 = 1000;

/// What is taken of each axis: the selected numbers `from..to`.
pub type Part = Vec<(u64, u64)>;

/// Something to read elements from. `None` stands for an element that cannot be read.
pub trait Elements {
    /// What is selected.
    fn axes(&self) -> &[Axis];

    /// Elements that belong together, along each axis.
    fn grain(&self) -> Option<&[u64]> {
        None
    }

    /// The elements of a part in row-major order. What cannot be read is reported.
    ///
    /// # Errors
    /// What holds for every element.
    fn read(&mut self, part: &Part, session: &mut Session) -> Result<Vec<Option<Value>>>;
}

/// Reads parts of a dataset, in halves where that fails, so that what is damaged costs no more than it must.
pub struct Halves<'a> {
    dataset: &'a Dataset,
    axes: Vec<Axis>,
    /// Rows that are there, of a dataset in one piece that the file ends in.
    rows: Option<u64>,
    failures: u32,
}

/// Parts that cannot be read, and why.
pub type Damaged = Vec<(Part, Error)>;

/// What is done with a part: it is read, or it is damaged.
pub struct Takes<'t> {
    /// Reads a part, and gives what is damaged of it.
    pub read: &'t mut dyn FnMut(&Part) -> Result<Damaged>,
    /// Takes note of a part that cannot be read, nor its halves.
    pub damaged: &'t mut dyn FnMut(&Part, Error),
}

impl<'a> Halves<'a> {
    /// The elements of a dataset that these axes select.
    pub fn new(dataset: &'a Dataset, axes: Vec<Axis>) -> Self {
        Self { dataset, axes, rows: rows_there(dataset), failures: 0 }
    }

    /// What is selected.
    pub fn axes(&self) -> &[Axis] {
        &self.axes
    }

    /// The dataset.
    pub fn dataset(&self) -> &'a Dataset {
        self.dataset
    }

    /// Reads a part.
    ///
    /// # Errors
    /// What holds for every element.
    pub fn each(&mut self, part: &Part, takes: &mut Takes<'_>) -> Result<()> {
        let irregular = |axis: &Axis, (from, to): (u64, u64)| Some(axis.regular_end(from, to)).filter(|end| *end < to);
        let split = self.axes.iter().zip(part).map(|(axis, range)| irregular(axis, *range));
        if let Some((d, end)) = split.enumerate().find_map(|(d, end)| Some((d, end?))) {
            return self.halves(part, d, end, takes);
        }
        match (takes.read)(part) {
            Err(e) if matches!(e.kind(), ErrorKind::Corrupt | ErrorKind::Io) => {
                self.failures += 1;
                if let Some((d, middle)) = self.middle(part).filter(|_| self.failures <= FAILURES) {
                    return self.halves(part, d, middle, takes);
                }
                (takes.damaged)(part, e);
                Ok(())
            }
            Ok(damaged) => {
                damaged.into_iter().for_each(|(part, e)| (takes.damaged)(&part, e));
                Ok(())
            }
            Err(e) => Err(e),
        }
    }

    fn halves(&mut self, part: &Part, d: usize, middle: u64, takes: &mut Takes<'_>) -> Result<()> {
        let (mut first, mut second) = (part.clone(), part.clone());
        first[d].1 = middle;
        second[d].0 = middle;
        self.each(&first, takes)?;
        self.each(&second, takes)
    }

    /// Where a part that cannot be read is best divided: a dimension and a place in it.
    fn middle(&self, part: &Part) -> Option<(usize, u64)> {
        let heap = self.dataset.datatype().has_heap_data();
        let chunk = self.dataset.chunk_shape();
        if let (false, Some(rows)) = (heap, self.rows) {
            return self.end_of_rows(part, rows).map(|end| (0, end));
        }
        let grain = |d: usize| match (heap, chunk) {
            (true, _) => Some(1),
            (false, Some(chunk)) => chunk.get(d).copied(),
            (false, None) => None,
        };
        let axes = self.axes.iter().zip(part).enumerate();
        let divided = axes.filter_map(|(d, (axis, &(from, to)))| {
            let grain = grain(d)?.max(1);
            let (first, last) = (axis.at(from) / grain, axis.at(to.checked_sub(1)?) / grain);
            // In the middle, and where a chunk begins if the axis goes by single steps.
            let middle = match (axis.stride, axis.block) {
                (1, 1) => (first + (last - first).div_ceil(2)) * grain - axis.start,
                _ => from + (to - from) / 2,
            };
            Some((last - first, d, middle)).filter(|_| last > first && middle > from && middle < to)
        });
        divided.max_by_key(|(grains, d, _)| (*grains, std::cmp::Reverse(*d))).map(|(_, d, middle)| (d, middle))
    }

    /// Where the rows of a part end that are there, if they end inside of it.
    fn end_of_rows(&self, part: &Part, rows: u64) -> Option<u64> {
        let (axis, (from, to)) = (self.axes.first()?, part.first()?);
        let end = rows.checked_sub(axis.start).filter(|_| (axis.stride, axis.block) == (1, 1))?;
        (*from < end && end < *to).then_some(end)
    }
}

/// What of a dataset a part is.
pub fn selection(axes: &[Axis], part: &Part) -> Selection {
    if axes.is_empty() { Selection::All } else { hyperslab(axes, part).into() }
}

/// What is selected of damaged chunks, in a part of a dataset.
pub fn damaged_parts(dataset: &Dataset, axes: &[Axis], part: &Part, damaged: Vec<DamagedChunk>) -> Damaged {
    let shape = dataset.chunk_shape().unwrap_or_default();
    let of = |chunk: DamagedChunk| {
        let ranges = axes.iter().zip(part).zip(chunk.offset.iter().zip(shape));
        let numbers = ranges.map(|((axis, range), (offset, length))| {
            (first_at(axis, *range, *offset), first_at(axis, *range, offset.saturating_add(*length)))
        });
        (numbers.collect(), chunk.error)
    };
    damaged.into_iter().map(of).collect()
}

/// The first of the numbers `from..to` on an axis that stands at a coordinate or after it.
fn first_at(axis: &Axis, (mut from, mut to): (u64, u64), coordinate: u64) -> u64 {
    while from < to {
        let middle = from + (to - from) / 2;
        if axis.at(middle) < coordinate { from = middle + 1 } else { to = middle }
    }
    from
}

/// Rows of a dataset in one piece that the file has.
fn rows_there(dataset: &Dataset) -> Option<u64> {
    let row =
        dataset.shape().get(1..)?.iter().fold(u64::from(dataset.datatype().size), |n, dim| n.saturating_mul(*dim));
    dataset.file().source().len().saturating_sub(dataset.position()?).checked_div(row)
}

/// Selected elements of a dataset.
pub struct Stored<'a> {
    halves: Halves<'a>,
    /// Errors that were reported: a damaged structure may spoil many pieces.
    said: HashSet<String>,
}

impl<'a> Stored<'a> {
    /// The elements of a dataset that these axes select.
    pub fn new(dataset: &'a Dataset, axes: Vec<Axis>) -> Self {
        Self { halves: Halves::new(dataset, axes), said: HashSet::new() }
    }
}

/// The elements of a part, and nothing where they are damaged, which `damaged` is told.
///
/// # Errors
/// What holds for every element.
pub fn values(
    halves: &mut Halves<'_>,
    part: &Part,
    damaged: &mut dyn FnMut(&Part, Error),
) -> Result<Vec<Option<Value>>> {
    let mut values = empty(part);
    let (dataset, axes) = (halves.dataset(), halves.axes.clone());
    let mut read = |piece: &Part| {
        let past: Past<Vec<Value>> = dataset.read_past_damage(selection(&axes, piece))?;
        place(past.value.into_iter().map(Some).collect(), 1, piece, part, &mut values);
        let damaged = damaged_parts(dataset, &axes, piece, past.damaged);
        damaged.iter().for_each(|(lost, _)| place(empty(lost), 1, lost, part, &mut values));
        Ok(damaged)
    };
    halves.each(part, &mut Takes { read: &mut read, damaged })?;
    Ok(values)
}

impl Elements for Stored<'_> {
    fn axes(&self) -> &[Axis] {
        self.halves.axes()
    }

    fn grain(&self) -> Option<&[u64]> {
        self.halves.dataset().chunk_shape()
    }

    fn read(&mut self, part: &Part, session: &mut Session) -> Result<Vec<Option<Value>>> {
        let Self { halves, said } = self;
        values(halves, part, &mut |_, e| {
            if said.insert(e.to_string()) {
                session.report(&e);
            }
        })
    }
}

/// All elements of an array in memory.
pub struct InMemory {
    axes: Vec<Axis>,
    array: Array,
}

impl InMemory {
    /// The elements of an array.
    pub fn new(array: Array) -> Self {
        Self { axes: array.shape.iter().map(|n| Axis::whole(*n)).collect(), array }
    }
}

impl Elements for InMemory {
    fn axes(&self) -> &[Axis] {
        &self.axes
    }

    fn read(&mut self, part: &Part, _: &mut Session) -> Result<Vec<Option<Value>>> {
        let whole: Part = self.array.shape.iter().map(|n| (0, *n)).collect();
        let mut values = empty(part);
        let places = rows(part, &whole);
        for (to, (from, length)) in places.into_iter().enumerate() {
            for i in 0..length {
                values[to * length + i] = self.array.values.get(from + i).cloned();
            }
        }
        Ok(values)
    }
}

fn empty(part: &Part) -> Vec<Option<Value>> {
    vec![None; elements(part) as usize]
}

/// Elements of a part.
pub fn elements(part: &Part) -> u64 {
    part.iter().fold(1, |n, (from, to)| n.saturating_mul(to - from))
}

/// The rows of a box in another around it: where each begins, and its length.
fn rows(part: &Part, whole: &Part) -> Vec<(usize, usize)> {
    let Some(((from, to), outer)) = part.split_last() else { return vec![(0, 1)] };
    let length = (to - from) as usize;
    let mut starts = vec![0u64];
    for ((from, to), (low, high)) in outer.iter().zip(whole) {
        starts = starts.iter().flat_map(|start| (*from..*to).map(move |i| start * (high - low) + i - low)).collect();
    }
    let (low, high) = whole[outer.len()];
    starts.into_iter().map(|start| ((start * (high - low) + from - low) as usize, length)).collect()
}

/// Puts the elements of a box, of so many items `each`, into a box around it.
pub fn place<T>(piece: Vec<T>, each: usize, part: &Part, whole: &Part, values: &mut [T]) {
    let mut piece = piece.into_iter();
    for (start, length) in rows(part, whole) {
        for (value, read) in values[start * each..(start + length) * each].iter_mut().zip(&mut piece) {
            *value = read;
        }
    }
}

/// Parts that follow one another in row-major order and are everything.
pub fn in_order(axes: &[Axis], grain: Option<&[u64]>) -> impl Iterator<Item = Part> + use<> {
    in_order_of(axes, grain, BLOCK)
}

/// The same in parts of about so many elements.
pub fn in_order_of(axes: &[Axis], grain: Option<&[u64]>, most: u64) -> impl Iterator<Item = Part> + use<> {
    let lengths: Vec<u64> = axes.iter().map(Axis::len).collect();
    let inner = |d: usize| lengths[d..].iter().fold(1u64, |n, length| n.saturating_mul(*length));
    // The dimension that is divided: those before it go by single steps, those after it are whole.
    let split = (0..axes.len()).find(|d| inner(d + 1) <= most).unwrap_or(0);
    let row = inner((split + 1).min(axes.len())).max(1);
    let mut step = (most / row).max(1);
    if let (Some(grain), Some(axis)) = (grain.and_then(|grain| grain.get(split)), axes.get(split)) {
        let grain = (*grain / axis.stride.max(1)).max(1);
        if step >= grain {
            step -= step % grain;
        } else if grain.saturating_mul(row) <= most.saturating_mul(LARGEST / BLOCK) {
            step = grain;
        }
    }
    // Of blocks, as many as are whole.
    let block = axes.get(split).map_or(1, |axis| axis.block);
    let step = if step > block { step - step % block } else { step };
    let none = lengths.contains(&0);
    let mut next: Option<Vec<u64>> = (!none).then(|| vec![0; axes.len()]);
    std::iter::from_fn(move || {
        let at = next.take()?;
        let part: Part = (0..lengths.len())
            .map(|d| match d.cmp(&split) {
                std::cmp::Ordering::Less => (at[d], at[d] + 1),
                std::cmp::Ordering::Equal => (at[d], at[d].saturating_add(step).min(lengths[d])),
                std::cmp::Ordering::Greater => (0, lengths[d]),
            })
            .collect();
        let mut after = at;
        for d in (0..lengths.len().min(split + 1)).rev() {
            after[d] = part[d].1;
            if after[d] < lengths[d] {
                next = Some(after);
                return Some(part);
            }
            after[d] = 0;
        }
        Some(part)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_in_order_and_everything() {
        let axes = |lengths: &[u64]| lengths.iter().map(|n| Axis::whole(*n)).collect::<Vec<_>>();
        assert_eq!(in_order(&axes(&[]), None).collect::<Vec<_>>(), [Part::new()]);
        assert_eq!(in_order(&axes(&[3, 0]), None).count(), 0);
        assert_eq!(in_order(&axes(&[3, 4]), None).collect::<Vec<_>>(), [vec![(0, 3), (0, 4)]]);
        let parts: Vec<Part> = in_order(&axes(&[2, 3 << 20]), None).collect();
        assert_eq!(parts.len(), 6);
        assert_eq!((&parts[1], &parts[3]), (&vec![(0, 1), (1 << 20, 2 << 20)], &vec![(1, 2), (0, 1 << 20)]));
        let parts: Vec<Part> = in_order(&axes(&[1000, 3000]), Some(&[100, 7])).collect();
        assert_eq!((parts.len(), &parts[3]), (4, &vec![(900, 1000), (0, 3000)]));
    }

    #[test]
    fn rows_of_a_box() {
        assert_eq!(rows(&vec![], &vec![]), [(0, 1)]);
        assert_eq!(rows(&vec![(1, 3), (2, 4)], &vec![(0, 3), (0, 5)]), [(7, 2), (12, 2)]);
    }
}

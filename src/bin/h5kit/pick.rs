//! Selections as they are written on the command line, fitted to a shape.

use h5kit::error::SelectionFault;
use h5kit::{Error, Hyperslab};

/// What is selected along one dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Axis {
    /// First element.
    pub start: u64,
    /// Elements from the start of a block to the start of the next.
    pub stride: u64,
    /// Blocks.
    pub count: u64,
    /// Elements of a block; 1 where there is only one block, or where blocks touch.
    pub block: u64,
    /// A single index, whose dimension does not show.
    pub index: bool,
}

impl Axis {
    /// A whole dimension.
    pub fn whole(extent: u64) -> Self {
        Self { start: 0, stride: 1, count: extent, block: 1, index: false }
    }

    /// Elements selected.
    pub fn len(&self) -> u64 {
        self.count.saturating_mul(self.block)
    }

    /// The element of the dimension that is selected number `n`.
    pub fn at(&self, n: u64) -> u64 {
        self.start + n / self.block * self.stride + n % self.block
    }

    /// Where a part that begins with the selected number `from` must end, at `to` or before, to be regular.
    pub fn regular_end(&self, from: u64, to: u64) -> u64 {
        if self.block == 1 || from.is_multiple_of(self.block) && to.is_multiple_of(self.block) {
            return to;
        }
        let end_of_block = (from / self.block + 1) * self.block;
        if from.is_multiple_of(self.block) && to > end_of_block { to - to % self.block } else { to.min(end_of_block) }
    }

    /// Start, stride, count and block of the selected numbers `from..to`, which are regular.
    fn part(&self, from: u64, to: u64) -> [u64; 4] {
        if self.block == 1 {
            [self.at(from), self.stride, to - from, 1]
        } else if from.is_multiple_of(self.block) && to.is_multiple_of(self.block) {
            [self.at(from), self.stride, (to - from) / self.block, self.block]
        } else {
            [self.at(from), 1, to - from, 1]
        }
    }
}

/// The hyperslab of regular parts, one for each axis.
pub fn hyperslab(axes: &[Axis], parts: &[(u64, u64)]) -> Hyperslab {
    let parts: Vec<[u64; 4]> = axes.iter().zip(parts).map(|(axis, (from, to))| axis.part(*from, *to)).collect();
    let pick = |i: usize| parts.iter().map(|part| part[i]).collect::<Vec<u64>>();
    Hyperslab::new(pick(0), pick(2)).stride(pick(1)).block(pick(3))
}

/// What `-s` says of one dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slice {
    /// One element.
    Index(u64),
    /// `start..end:step`.
    Range {
        /// First element.
        start: u64,
        /// One past the last, where it is given.
        end: Option<u64>,
        /// Elements to the next.
        step: u64,
    },
}

/// A selection as it is written: `0..10, 3, ..`.
pub fn slices(text: &str) -> Result<Vec<Slice>, String> {
    text.split(',').map(|part| slice(part.trim()).ok_or_else(|| not_a_slice(part.trim()))).collect()
}

fn not_a_slice(part: &str) -> String {
    format!(
        "`{part}` selects nothing: write an index (3), a range (0..10, 5.., ..=7, ..) or one with a step (0..100:10)"
    )
}

fn slice(part: &str) -> Option<Slice> {
    let Some((start, rest)) = part.split_once("..") else { return part.parse().ok().map(Slice::Index) };
    let (end, step) = match rest.split_once(':') {
        Some((end, step)) => (end, step.trim().parse().ok().filter(|step| *step > 0)?),
        None => (rest, 1),
    };
    let number = |text: &str| if text.trim().is_empty() { Some(None) } else { text.trim().parse().ok().map(Some) };
    let end = match end.trim().strip_prefix('=') {
        Some(last) => Some(last.trim().parse::<u64>().ok()?.checked_add(1)?),
        None => number(end)?,
    };
    Some(Slice::Range { start: number(start)?.unwrap_or(0), end, step })
}

/// Slices fitted to a shape; dimensions that are not named are whole.
pub fn fit_slices(slices: &[Slice], shape: &[u64]) -> Result<Vec<Axis>, Error> {
    // `..` is everything, of a scalar too.
    if shape.is_empty() && slices == [Slice::Range { start: 0, end: None, step: 1 }] {
        return Ok(Vec::new());
    }
    if slices.len() > shape.len() {
        return Err(SelectionFault::Rank { given: slices.len(), rank: shape.len() }.into());
    }
    let mut axes: Vec<Axis> = shape.iter().map(|extent| Axis::whole(*extent)).collect();
    for (dimension, (slice, axis)) in slices.iter().zip(&mut axes).enumerate() {
        let extent = shape[dimension];
        let (start, end, step, index) = match *slice {
            Slice::Index(at) => (at, at.saturating_add(1), 1, true),
            Slice::Range { start, end, step } => (start, end.unwrap_or(extent), step, false),
        };
        if end > extent || start > end {
            return Err(SelectionFault::OutOfBounds { dimension, end: end.max(start), extent }.into());
        }
        *axis = Axis { start, stride: step, count: (end - start).div_ceil(step), block: 1, index };
    }
    Ok(axes)
}

/// A hyperslab fitted to a shape.
pub fn fit_hyperslab(slab: &Hyperslab, shape: &[u64]) -> Result<Vec<Axis>, Error> {
    let mut axes = Vec::new();
    for (dimension, &extent) in shape.iter().enumerate() {
        let given = [&slab.start, &slab.stride, &slab.count, &slab.block];
        let short = given.iter().find(|list| list.len() != shape.len());
        if let Some(list) = short {
            return Err(SelectionFault::Rank { given: list.len(), rank: shape.len() }.into());
        }
        let (start, mut stride) = (slab.start[dimension], slab.stride[dimension]);
        let (mut count, mut block) = (slab.count[dimension], slab.block[dimension]);
        if stride == 0 || block == 0 || (count > 1 && stride < block) {
            return Err(SelectionFault::Stride { dimension, stride, block }.into());
        }
        let end = match count {
            0 => start,
            count => (count - 1).saturating_mul(stride).saturating_add(start).saturating_add(block),
        };
        if end > extent {
            return Err(SelectionFault::OutOfBounds { dimension, end, extent }.into());
        }
        if count == 1 || stride == block {
            (count, block, stride) = (count * block, 1, 1);
        }
        axes.push(Axis { start, stride, count, block, index: false });
    }
    Ok(axes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_be_written() {
        let range = |start, end, step| Slice::Range { start, end, step };
        let all = vec![range(0, Some(10), 1), Slice::Index(3), range(0, None, 1)];
        assert_eq!(slices("0..10, 3, .."), Ok(all));
        assert_eq!(slices("0..100:10"), Ok(vec![range(0, Some(100), 10)]));
        assert_eq!(slices("..=7,5..:2"), Ok(vec![range(0, Some(8), 1), range(5, None, 2)]));
        for wrong in ["", "-1", "1...2", "a", "0..5:0", "1..-2", "1:2"] {
            assert!(slices(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn blocks_are_taken_apart_where_they_end() {
        let slab = Hyperslab::new(vec![1], vec![3]).stride(vec![5]).block(vec![2]);
        let axis = fit_hyperslab(&slab, &[13]).expect("inside")[0];
        assert_eq!((0..axis.len()).map(|n| axis.at(n)).collect::<Vec<_>>(), [1, 2, 6, 7, 11, 12]);
        assert_eq!((axis.regular_end(0, 6), axis.regular_end(0, 5), axis.regular_end(1, 6)), (6, 4, 2));
        assert_eq!((axis.part(2, 6), axis.part(1, 2)), ([6, 5, 2, 2], [2, 1, 1, 1]));
        assert!(fit_hyperslab(&slab, &[12]).is_err());
    }
}

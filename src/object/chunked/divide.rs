//! The memory of a result, divided among the chunks that fill it.

use std::ops::Range;

use super::copy::strides;
use crate::selection::Axis;

/// Fewest units for each thread, so that all threads end at about the same time.
const UNITS_PER_THREAD: u64 = 4;

/// Most units for each thread and cut: more chunks than that share them.
const MOST_PER_THREAD: u64 = 64;

/// Most rows that a result is divided into.
const MOST_ROWS: u64 = 1 << 18;

/// How a result is divided: into boxes of whole chunks, cut along the slowest dimensions.
///
/// A box that is cut along more than the first dimension is no single stretch of the result but rows of it.
#[derive(Debug)]
pub(super) struct Division {
    /// Dimensions that are cut; none where there is one unit.
    cut: usize,
    /// By cut dimension: chunks that a unit has along it.
    steps: Vec<u64>,
    /// By cut dimension: indices of the result where one unit ends and the next one begins.
    borders: Vec<Vec<usize>>,
    /// By dimension: bytes from one index of the result to the next.
    strides: Vec<usize>,
}

/// A part of a result, its rows in row-major order.
pub(super) type Rows<'t> = Vec<&'t mut [u8]>;

impl Division {
    /// Divides a result of `axes` among `threads`. `chunks` are those that are met, in each dimension.
    pub(super) fn new(axes: &[Axis], chunks: &[Range<u64>], chunk: &[u64], size: usize, threads: usize) -> Self {
        let dims: Vec<u64> = axes.iter().map(Axis::len).collect();
        let threads = threads as u64;
        let (mut steps, mut units, mut outer) = (Vec::new(), 1u64, 1u64);
        for (axis, chunks) in axes.iter().zip(chunks) {
            let step = (chunks.end - chunks.start).div_ceil(MOST_PER_THREAD * threads).max(1);
            let along = (chunks.end - chunks.start).div_ceil(step);
            if threads < 2 || units >= UNITS_PER_THREAD * threads || outer.saturating_mul(along) > MOST_ROWS {
                break;
            }
            steps.push(step);
            units *= along;
            outer = outer.saturating_mul(axis.len());
        }
        let cut = steps.len();
        let borders = steps.iter().enumerate().map(|(d, step)| {
            let starts = (chunks[d].start..chunks[d].end).step_by(*step as usize);
            let starts = starts.map(|n| axes[d].before(n * chunk[d]) as usize);
            starts.chain([axes[d].len() as usize]).collect()
        });
        Self { cut, borders: borders.collect(), steps, strides: strides(&dims, size) }
    }

    /// Number of units.
    #[cfg(test)]
    pub(super) fn units(&self) -> usize {
        self.borders.iter().map(|borders| borders.len() - 1).product()
    }

    /// The dimension along which the rows of a unit run; those before it number the rows.
    pub(super) fn along(&self) -> usize {
        self.cut.saturating_sub(1)
    }

    /// By dimension, bytes from one index of the result to the next.
    pub(super) fn strides(&self) -> &[usize] {
        &self.strides
    }

    /// The unit that a chunk is in; `place` is that of the chunk among those that are met.
    pub(super) fn unit_of(&self, place: impl Iterator<Item = u64>) -> usize {
        let along = place.zip(&self.steps).map(|(n, step)| (n / step) as usize);
        along.zip(&self.borders).fold(0, |unit, (n, borders)| unit * (borders.len() - 1) + n)
    }

    /// By cut dimension, the indices of the result that a unit holds.
    pub(super) fn extents(&self, mut unit: usize) -> Vec<Range<usize>> {
        let mut extents = vec![0..0; self.cut];
        for (extent, borders) in extents.iter_mut().zip(&self.borders).rev() {
            let n = unit % (borders.len() - 1);
            unit /= borders.len() - 1;
            *extent = borders[n]..borders[n + 1];
        }
        extents
    }

    /// Divides the memory of the result: the rows of each unit.
    pub(super) fn divide<'t>(&self, target: &'t mut [u8]) -> Vec<Rows<'t>> {
        let mut units = vec![vec![target]];
        for (d, borders) in self.borders.iter().enumerate() {
            let rows_follow = d + 1 < self.cut;
            let mut finer: Vec<Rows<'t>> = Vec::with_capacity(units.len() * (borders.len() - 1));
            for rows in units {
                let first = finer.len();
                finer.resize_with(first + borders.len() - 1, Vec::new);
                for mut row in rows {
                    for (unit, border) in finer[first..].iter_mut().zip(borders.windows(2)) {
                        let (part, rest) = row.split_at_mut((border[1] - border[0]) * self.strides[d]);
                        row = rest;
                        if rows_follow {
                            unit.extend(part.chunks_exact_mut(self.strides[d].max(1)));
                        } else {
                            unit.push(part);
                        }
                    }
                }
            }
            units = finer;
        }
        units
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thread_has_all() {
        let axes = [Axis::whole(4), Axis::whole(6)];
        let division = Division::new(&axes, &[0..2, 0..3], &[2, 2], 1, 1);
        let mut target = vec![0; 24];
        assert_eq!((division.units(), division.divide(&mut target)[0].len()), (1, 1));
        assert_eq!(division.unit_of([1, 2].into_iter()), 0);
        assert!(division.extents(0).is_empty());
    }

    #[test]
    fn rows_of_boxes() {
        // 3 × 5 elements of 2 bytes, of which the chunks of 2 × 3 have 2 × 2 units.
        let axes = [Axis::whole(3), Axis::whole(5)];
        let division = Division::new(&axes, &[0..2, 0..2], &[2, 3], 2, 2);
        assert_eq!((division.units(), division.along()), (4, 1));
        let mut target: Vec<u8> = (0..30).collect();
        let units = division.divide(&mut target);
        assert_eq!(units[0], [&[0, 1, 2, 3, 4, 5][..], &[10, 11, 12, 13, 14, 15]]);
        assert_eq!(units[1], [&[6, 7, 8, 9][..], &[16, 17, 18, 19]]);
        assert_eq!(units[2], [&[20, 21, 22, 23, 24, 25][..]]);
        assert_eq!(units[3], [&[26, 27, 28, 29][..]]);
        assert_eq!(division.unit_of([1, 0].into_iter()), 2);
        assert_eq!(division.extents(3), [2..3, 3..5]);
    }

    #[test]
    fn no_more_cuts_than_threads_need() {
        let axes = [Axis::whole(100), Axis::whole(100)];
        let division = Division::new(&axes, &[0..10, 0..10], &[10, 10], 8, 2);
        assert_eq!((division.units(), division.along()), (10, 0));
        let long = [Axis::whole(1001)];
        let division = Division::new(&long, std::slice::from_ref(&(0..501)), &[2], 1, 2);
        assert_eq!(division.units(), 126, "four chunks each");
        assert_eq!((division.unit_of([3].into_iter()), division.unit_of([4].into_iter())), (0, 1));
        assert_eq!((division.extents(1)[0].clone(), division.extents(125)[0].clone()), (8..16, 1000..1001));
        let rows = [Axis::whole(1 << 20), Axis::whole(100)];
        let division = Division::new(&rows, &[0..1, 0..10], &[1 << 20, 10], 8, 2);
        assert_eq!(division.units(), 1, "a million rows are too many");
    }
}

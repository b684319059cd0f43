//! Copies between boxes of different shapes.

use std::ops::Range;

use crate::selection::Axis;

/// Elements along one dimension that follow one another on both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Segment {
    /// Index in the chunk.
    pub(super) from: u64,
    /// Index in the result.
    pub(super) to: u64,
    pub(super) length: u64,
}

/// What an axis selects of the indices `range`, as indices from its start and from the result's.
pub(super) fn segments(axis: &Axis, range: &Range<u64>) -> Vec<Segment> {
    let mut found = Vec::new();
    if axis.len() == 0 || axis.end() <= range.start || axis.start >= range.end {
        return found;
    }
    // The first block that ends behind the start of the range.
    let mut block = (range.start + 1).saturating_sub(axis.start + axis.block).div_ceil(axis.stride);
    while block < axis.count {
        let start = axis.start + block * axis.stride;
        if start >= range.end {
            break;
        }
        let (low, high) = (start.max(range.start), (start + axis.block).min(range.end));
        if low < high {
            let to = block * axis.block + (low - start);
            found.push(Segment { from: low - range.start, to, length: high - low });
        }
        block += 1;
    }
    found
}

/// A copy of boxes out of `source` (a box of the shape `source_dims`) into `target` (of `target_dims`).
pub(super) struct BoxCopy<'c> {
    segments: &'c [Vec<Segment>],
    /// Bytes from one index to the next, by dimension.
    source_strides: Vec<usize>,
    target_strides: Vec<usize>,
    /// Dimensions after this one are whole on both sides.
    inner: usize,
}

impl<'c> BoxCopy<'c> {
    pub(super) fn new(
        segments: &'c [Vec<Segment>],
        source_dims: &[u64],
        target_dims: &[u64],
        element_size: usize,
    ) -> Self {
        let strides = |dims: &[u64]| {
            let mut strides = vec![element_size; dims.len()];
            for d in (1..dims.len()).rev() {
                strides[d - 1] = strides[d] * dims[d] as usize;
            }
            strides
        };
        let whole = |d: usize| {
            let whole = [Segment { from: 0, to: 0, length: source_dims[d] }];
            segments[d] == whole && target_dims[d] == source_dims[d]
        };
        let mut inner = segments.len().saturating_sub(1);
        while inner > 0 && whole(inner) {
            inner -= 1;
        }
        Self { segments, source_strides: strides(source_dims), target_strides: strides(target_dims), inner }
    }

    pub(super) fn run(&self, source: &[u8], target: &mut [u8]) {
        self.dimension(0, source, target);
    }

    fn dimension(&self, d: usize, source: &[u8], target: &mut [u8]) {
        let (from_stride, to_stride) = (self.source_strides[d], self.target_strides[d]);
        for segment in &self.segments[d] {
            let (from, to) = (segment.from as usize * from_stride, segment.to as usize * to_stride);
            if d == self.inner {
                let n = segment.length as usize * from_stride;
                target[to..to + n].copy_from_slice(&source[from..from + n]);
            } else {
                for i in 0..segment.length as usize {
                    self.dimension(d + 1, &source[from + i * from_stride..], &mut target[to + i * to_stride..]);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::selection::{Hyperslab, Resolved, Selection};
    use proptest::prelude::*;

    proptest! {
        /// Chunk by chunk, a hyperslab gives what it gives from the whole.
        #[test]
        fn chunks_make_the_whole(
            dims in prop::array::uniform2(1u64..9),
            chunk in prop::array::uniform2(1u64..5),
            start in prop::array::uniform2(0u64..3),
            gap in prop::array::uniform2(0u64..3),
            count in prop::array::uniform2(0u64..4),
            block in prop::array::uniform2(1u64..4),
        ) {
            let slab = Hyperslab::new(start, count).stride([block[0] + gap[0], block[1] + gap[1]]).block(block);
            let Ok(resolved) = Selection::from(slab).resolve(&dims) else { return Ok(()) };
            let expected: Vec<u8> =
                resolved.runs(&dims).flat_map(|r| (r.start..r.start + r.length).map(|n| n as u8)).collect();
            let Resolved::Grid { axes, .. } = &resolved else { unreachable!("hyperslabs are grids") };
            let target_dims: Vec<u64> = axes.iter().map(Axis::len).collect();
            let mut target = vec![0xff; expected.len()];
            for row in 0..dims[0].div_ceil(chunk[0]) {
                for column in 0..dims[1].div_ceil(chunk[1]) {
                    let corner = [row * chunk[0], column * chunk[1]];
                    let bytes: Vec<u8> = (0..chunk[0] * chunk[1])
                        .map(|i| ((corner[0] + i / chunk[1]) * dims[1] + corner[1] + i % chunk[1]) as u8)
                        .collect();
                    let parts: Vec<Vec<Segment>> = (0..2)
                        .map(|d| segments(&axes[d], &(corner[d]..(corner[d] + chunk[d]).min(dims[d]))))
                        .collect();
                    if parts.iter().all(|p| !p.is_empty()) {
                        BoxCopy::new(&parts, &chunk, &target_dims, 1).run(&bytes, &mut target);
                    }
                }
            }
            prop_assert_eq!(target, expected);
        }
    }
}

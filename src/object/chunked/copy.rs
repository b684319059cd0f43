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

/// What an axis selects of the indices `range`, as indices from its start and from the result's. Earlier segments are
/// thrown away.
pub(super) fn segments(axis: &Axis, range: &Range<u64>, found: &mut Vec<Segment>) {
    found.clear();
    if axis.len() == 0 || axis.end() <= range.start || axis.start >= range.end {
        return;
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
}

/// A copy of boxes out of a chunk into rows of the result.
pub(super) struct BoxCopy<'c> {
    /// By dimension. Indices in the result count from where the rows begin.
    pub(super) segments: &'c [Vec<Segment>],
    /// By dimension: bytes from one index to the next.
    pub(super) source_strides: &'c [usize],
    pub(super) target_strides: &'c [usize],
    /// The dimension along which rows run, and how many indices those before it have.
    pub(super) along: usize,
    pub(super) outer: &'c [usize],
}

impl BoxCopy<'_> {
    /// Copies. The bytes of the chunk begin at byte `skipped` of it.
    pub(super) fn run(&self, chunk: &[u8], skipped: usize, rows: &mut [&mut [u8]]) {
        self.rows(0, &Bytes { chunk, skipped }, 0, self.outer.iter().product(), rows);
    }

    fn rows(&self, d: usize, source: &Bytes<'_>, at: usize, count: usize, rows: &mut [&mut [u8]]) {
        if d == self.along {
            if let [row] = rows {
                self.dimension(d, self.inner(), source, at, row);
            }
            return;
        }
        let below = count / self.outer[d].max(1);
        for segment in &self.segments[d] {
            for i in 0..segment.length as usize {
                let (from, to) = (segment.from as usize + i, segment.to as usize + i);
                let rows = &mut rows[to * below..(to + 1) * below];
                self.rows(d + 1, source, at + from * self.source_strides[d], below, rows);
            }
        }
    }

    /// The first dimension of which, and of all after it, one stretch is copied.
    fn inner(&self) -> usize {
        let whole = |d: usize| match &self.segments[d][..] {
            [only] => {
                let stride = |strides: &[usize]| strides[d - 1] == only.length as usize * strides[d];
                stride(self.source_strides) && stride(self.target_strides)
            }
            _ => false,
        };
        let mut inner = self.segments.len().saturating_sub(1);
        while inner > self.along && whole(inner) {
            inner -= 1;
        }
        inner
    }

    fn dimension(&self, d: usize, inner: usize, source: &Bytes<'_>, at: usize, target: &mut [u8]) {
        let (from_stride, to_stride) = (self.source_strides[d], self.target_strides[d]);
        for segment in &self.segments[d] {
            let (from, to) = (at + segment.from as usize * from_stride, segment.to as usize * to_stride);
            if d == inner {
                let n = segment.length as usize * from_stride;
                target[to..to + n].copy_from_slice(source.range(from, n));
            } else {
                for i in 0..segment.length as usize {
                    self.dimension(d + 1, inner, source, from + i * from_stride, &mut target[to + i * to_stride..]);
                }
            }
        }
    }
}

/// The bytes of a chunk, or of a stretch of it.
struct Bytes<'c> {
    chunk: &'c [u8],
    skipped: usize,
}

impl Bytes<'_> {
    fn range(&self, from: usize, n: usize) -> &[u8] {
        &self.chunk[from - self.skipped..from - self.skipped + n]
    }
}

/// By dimension, bytes from one index of a box to the next.
pub(super) fn strides(dims: &[u64], size: usize) -> Vec<usize> {
    let mut strides = vec![size; dims.len()];
    for d in (1..dims.len()).rev() {
        strides[d - 1] = strides[d] * dims[d] as usize;
    }
    strides
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
            along in 0usize..2,
        ) {
            let slab = Hyperslab::new(start, count).stride([block[0] + gap[0], block[1] + gap[1]]).block(block);
            let Ok(resolved) = Selection::from(slab).resolve(&dims) else { return Ok(()) };
            let expected: Vec<u8> =
                resolved.runs(&dims).flat_map(|r| (r.start..r.start + r.length).map(|n| n as u8)).collect();
            let Resolved::Grid { axes, .. } = &resolved else { unreachable!("hyperslabs are grids") };
            let target_dims: Vec<u64> = axes.iter().map(Axis::len).collect();
            let outer: Vec<usize> = target_dims.iter().map(|n| *n as usize).collect();
            let mut target = vec![0xff; expected.len()];
            let mut parts: Vec<Vec<Segment>> = vec![Vec::new(); 2];
            for row in 0..dims[0].div_ceil(chunk[0]) {
                for column in 0..dims[1].div_ceil(chunk[1]) {
                    let corner = [row * chunk[0], column * chunk[1]];
                    let bytes: Vec<u8> = (0..chunk[0] * chunk[1])
                        .map(|i| ((corner[0] + i / chunk[1]) * dims[1] + corner[1] + i % chunk[1]) as u8)
                        .collect();
                    for d in 0..2 {
                        segments(&axes[d], &(corner[d]..(corner[d] + chunk[d]).min(dims[d])), &mut parts[d]);
                    }
                    let target_strides = strides(&target_dims, 1);
                    let copy = BoxCopy {
                        segments: &parts,
                        source_strides: &strides(&chunk, 1),
                        target_strides: &target_strides,
                        along,
                        outer: &outer[..along],
                    };
                    let mut rows: Vec<&mut [u8]> = match along {
                        0 => vec![&mut target],
                        _ => target.chunks_exact_mut(target_strides[0].max(1)).collect(),
                    };
                    if parts.iter().all(|p| !p.is_empty()) {
                        copy.run(&bytes, 0, &mut rows);
                    }
                }
            }
            prop_assert_eq!(target, expected);
        }
    }
}

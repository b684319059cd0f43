//! B2ND: an array of n dimensions in a frame, in chunks and in them in blocks.
//!
//! The metalayer `b2nd` (`caterva` before) holds, in msgpack: an array, the version 1, the number of
//! dimensions 1, and three arrays of as many numbers: the shape (9 bytes each), the shape of a chunk and that
//! of a block (5 each), in elements. A chunk is padded to whole blocks, the array to whole chunks; a block is
//! the elements of its part of the chunk, slowest dimension first.
//! (<https://github.com/Blosc/c-blosc2/blob/main/README_B2ND_METALAYER.rst>)

use super::super::input::{Input, zero, zeroed};
use super::frame::Frame;
use crate::error::FilterFault;

const DAMAGED: FilterFault = FilterFault::Stream("Blosc2's metalayer b2nd is damaged");
/// As many dimensions as Blosc2 allows.
const MOST: usize = 16;

/// The shapes, in elements, slowest dimension first.
pub(super) struct Shapes {
    pub(super) shape: Vec<usize>,
    chunk: Vec<usize>,
    block: Vec<usize>,
}

impl Shapes {
    /// Reads the metalayer.
    pub(super) fn read(content: &[u8]) -> Result<Self, FilterFault> {
        let mut input = Input(content);
        let [_array, _version, rank] = input.array()?;
        let rank = usize::from(rank);
        if rank == 0 || rank > MOST {
            return Err(DAMAGED);
        }
        let shape = dims(&mut input, rank, |input| {
            let [_kind, dim @ ..]: [u8; 9] = input.array()?;
            usize::try_from(u64::from_be_bytes(dim)).map_err(|_| DAMAGED)
        })?;
        let short = |input: &mut Input<'_>| {
            let [_kind, dim @ ..]: [u8; 5] = input.array()?;
            Ok(u32::from_be_bytes(dim) as usize)
        };
        let chunk = dims(&mut input, rank, short)?;
        let block = dims(&mut input, rank, short)?;
        // So blocks are at most as long as the array, and padding less than doubles a chunk in each dimension.
        if shape.iter().zip(&chunk).zip(&block).any(|((dim, chunk), block)| *block == 0 || block > chunk || chunk > dim)
        {
            return Err(DAMAGED);
        }
        Ok(Self { shape, chunk, block })
    }
}

fn dims<T>(input: &mut Input<'_>, rank: usize, mut dim: T) -> Result<Vec<usize>, FilterFault>
where
    T: FnMut(&mut Input<'_>) -> Result<usize, FilterFault>,
{
    let _array = input.byte()?;
    (0..rank).map(|_| dim(input)).collect()
}

/// The elements of the whole array, at most `bound` bytes.
pub(super) fn decode(frame: &Frame<'_>, shapes: &Shapes, bound: usize, out: &mut Vec<u8>) -> Result<(), FilterFault> {
    let Shapes { shape, chunk, block } = shapes;
    let bytes = |dims: &[usize]| dims.iter().try_fold(frame.type_size, |bytes, dim| bytes.checked_mul(*dim));
    let total = bytes(shape).filter(|total| *total <= bound).ok_or(FilterFault::TooLong(bound as u64))?;
    let padded: Vec<usize> = chunk.iter().zip(block).map(|(chunk, block)| chunk.next_multiple_of(*block)).collect();
    let padded = bytes(&padded).ok_or(DAMAGED)?;
    let block_bytes = bytes(block).ok_or(DAMAGED)?;
    zero(out, total)?;
    if total == 0 {
        return Ok(());
    }
    let chunks = Corners::new(shape, chunk);
    if frame.chunks() != chunks.left || frame.chunk != padded {
        return Err(DAMAGED);
    }
    let mut buffer = zeroed(block_bytes)?;
    for (index, corner) in chunks {
        let mut stored = frame.stored(index, padded)?;
        if stored.block != block_bytes {
            return Err(DAMAGED);
        }
        for (index, inside) in Corners::new(chunk, block) {
            let (mut at, mut extent) = ([0; MOST], [0; MOST]);
            for dim in 0..shape.len() {
                at[dim] = corner[dim] + inside[dim];
                let end = (corner[dim] + chunk[dim]).min(shape[dim]);
                extent[dim] = end.saturating_sub(at[dim]).min(block[dim]);
            }
            let extent = &extent[..shape.len()];
            // What lies wholly in the padding is not looked at, unless others refer to it.
            if index == 0 || !extent.contains(&0) {
                stored.fill(index, &mut buffer)?;
                place(&buffer, block, out, shape, &at, extent, frame.type_size);
            }
        }
    }
    Ok(())
}

/// Copies the `extent` of a block to its place in the array, row by row.
fn place(
    block: &[u8],
    block_shape: &[usize],
    out: &mut [u8],
    shape: &[usize],
    at: &[usize],
    extent: &[usize],
    type_size: usize,
) {
    let rank = extent.len();
    let row = extent[rank - 1] * type_size;
    let rows: usize = extent[..rank - 1].iter().product();
    if row == 0 {
        return;
    }
    // Bytes from one element to the next in each dimension.
    let steps = |shape: &[usize]| {
        let mut steps = [type_size; MOST];
        for dim in (0..rank - 1).rev() {
            steps[dim] = steps[dim + 1] * shape[dim + 1];
        }
        steps
    };
    let (from_steps, to_steps) = (steps(block_shape), steps(shape));
    let mut from = 0;
    let mut to: usize = at.iter().zip(to_steps).map(|(at, step)| at * step).sum();
    let mut inside = [0; MOST];
    for _ in 0..rows {
        out[to..to + row].copy_from_slice(&block[from..from + row]);
        for dim in (0..rank - 1).rev() {
            inside[dim] += 1;
            from += from_steps[dim];
            to += to_steps[dim];
            if inside[dim] < extent[dim] {
                break;
            }
            from -= inside[dim] * from_steps[dim];
            to -= inside[dim] * to_steps[dim];
            inside[dim] = 0;
        }
    }
}

/// The first corners of the tiles of a shape, in order.
struct Corners<'a> {
    shape: &'a [usize],
    tile: &'a [usize],
    corner: [usize; MOST],
    /// Number of the next one.
    index: usize,
    left: usize,
}

impl<'a> Corners<'a> {
    fn new(shape: &'a [usize], tile: &'a [usize]) -> Self {
        let tiles = shape.iter().zip(tile).map(|(dim, tile)| dim.div_ceil(*tile));
        Self { shape, tile, corner: [0; MOST], index: 0, left: tiles.fold(1, usize::saturating_mul) }
    }
}

impl Iterator for Corners<'_> {
    type Item = (usize, [usize; MOST]);

    fn next(&mut self) -> Option<(usize, [usize; MOST])> {
        self.left = self.left.checked_sub(1)?;
        let now = (self.index, self.corner);
        self.index += 1;
        for dim in (0..self.shape.len()).rev() {
            self.corner[dim] += self.tile[dim];
            if self.corner[dim] < self.shape[dim] {
                break;
            }
            self.corner[dim] = 0;
        }
        Some(now)
    }
}

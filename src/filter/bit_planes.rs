//! Bit planes: the lowest bits of all elements, the next bits of all elements, and so on.
//!
//! What bitshuffle, Blosc and Blosc2 do to the elements of a block. The number of elements is a multiple
//! of 8. Plane *k* holds bit *k* of every element, counted from the lowest bit of its first byte; element
//! *i* is in bit *i* mod 8 of byte *i* div 8 of the plane.

use super::shuffle::{self, GROUP};

/// Bytes that are taken of each plane at once.
const LANES: usize = GROUP / 8;
/// Elements that the bytes of a tile are collected for before they are put together.
const TILE: usize = 2 * GROUP;

/// From planes to elements of `size` bytes. Both slices are a multiple of `8 * size` long.
pub(super) fn join(planes: &[u8], size: usize, elements: &mut [u8]) {
    let count = elements.len() / size;
    if size == 1 {
        return join_byte(planes, count / 8, 0, elements);
    }
    let mut bytes = vec![0; size * TILE.min(count)];
    for (tile, elements) in elements.chunks_mut(size.saturating_mul(TILE)).enumerate() {
        let count_here = elements.len() / size;
        for (byte, out) in bytes.chunks_exact_mut(count_here).take(size).enumerate() {
            let planes = &planes[byte * count..][..count];
            join_byte(planes, count / 8, tile * TILE / 8, out);
        }
        shuffle::join_into(&bytes[..elements.len()], size, elements);
    }
}

/// From elements of `size` bytes to planes. Both slices are a multiple of `8 * size` long.
pub(super) fn split(elements: &[u8], size: usize, planes: &mut [u8]) {
    let count = elements.len() / size;
    if size == 1 {
        return split_byte(elements, count / 8, 0, planes);
    }
    let mut bytes = vec![0; size * TILE.min(count)];
    for (tile, elements) in elements.chunks(size.saturating_mul(TILE)).enumerate() {
        let count_here = elements.len() / size;
        shuffle::split_into(elements, size, &mut bytes[..elements.len()]);
        for (byte, bytes) in bytes.chunks_exact(count_here).take(size).enumerate() {
            let planes = &mut planes[byte * count..][..count];
            split_byte(bytes, count / 8, tile * TILE / 8, planes);
        }
    }
}

/// Fills `out` with one byte of each element, from eight planes of `length` bytes; the first is that of bit 0
/// of byte `from` of its plane.
fn join_byte(planes: &[u8], length: usize, from: usize, out: &mut [u8]) {
    let mut at = from;
    let (groups, rest) = out.as_chunks_mut();
    for group in groups {
        let mut rows = [0; GROUP];
        for (bit, row) in rows.chunks_exact_mut(LANES).enumerate() {
            row.copy_from_slice(&planes[bit * length + at..][..LANES]);
        }
        *group = shuffle::merge::<8>(turn_bytes(rows));
        at += LANES;
    }
    for group in rest.as_chunks_mut::<8>().0 {
        let rows = std::array::from_fn(|bit| [planes[bit * length + at].into()]);
        for (to, [row]) in group.iter_mut().zip(turn(rows)) {
            *to = row as u8;
        }
        at += 1;
    }
}

/// Undoes [`join_byte`].
fn split_byte(bytes: &[u8], length: usize, from: usize, planes: &mut [u8]) {
    let mut at = from;
    let (groups, rest) = bytes.as_chunks();
    for group in groups {
        let rows = turn_bytes(shuffle::part::<8>(*group));
        for (bit, row) in rows.chunks_exact(LANES).enumerate() {
            planes[bit * length + at..][..LANES].copy_from_slice(row);
        }
        at += LANES;
    }
    for group in rest.as_chunks::<8>().0 {
        for (bit, [row]) in turn(group.map(|byte| [byte.into()])).into_iter().enumerate() {
            planes[bit * length + at] = row as u8;
        }
        at += 1;
    }
}

/// [`turn`] of rows of bytes, one after the other.
#[inline(always)]
fn turn_bytes(rows: [u8; GROUP]) -> [u8; GROUP] {
    let rows: [[u64; LANES / 8]; 8] = bytemuck::cast(rows);
    bytemuck::cast(turn(rows))
}

/// Bit *i* of a byte of row *k* becomes bit *k* of the same byte of row *i*.
#[inline(always)]
fn turn<const WORDS: usize>(rows: [[u64; WORDS]; 8]) -> [[u64; WORDS]; 8] {
    let mut rows = rows;
    // The upper right quarter of a square changes places with the lower left one, then within each quarter, and
    // again.
    for (half, mask) in [(4, 0x0f0f_0f0f_0f0f_0f0f_u64), (2, 0x3333_3333_3333_3333), (1, 0x5555_5555_5555_5555)] {
        for upper in (0..8).filter(|row| row & half == 0) {
            let (before, lower) = rows.split_at_mut(upper + half);
            for (upper, lower) in before[upper].iter_mut().zip(&mut lower[0]) {
                let moved = (*upper >> half ^ *lower) & mask;
                *lower ^= moved;
                *upper ^= moved << half;
            }
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::super::testing::data;
    use super::*;
    use proptest::prelude::*;

    /// What the format says, bit by bit.
    fn plainly(planes: &[u8], size: usize) -> Vec<u8> {
        let count = planes.len() / size;
        let mut elements = vec![0; planes.len()];
        for element in 0..count {
            for bit in 0..8 * size {
                let byte = planes[bit * (count / 8) + element / 8];
                elements[element * size + bit / 8] |= (byte >> (element % 8) & 1) << (bit % 8);
            }
        }
        elements
    }

    proptest! {
        #[test]
        fn both_ways(bytes in data(0..9000), size in 1_usize..40) {
            let planes = &bytes[..bytes.len() - bytes.len() % (8 * size)];
            let mut elements = vec![0; planes.len()];
            join(planes, size, &mut elements);
            prop_assert_eq!(&elements, &plainly(planes, size));
            let mut again = vec![0; planes.len()];
            split(&elements, size, &mut again);
            prop_assert_eq!(again, planes);
        }
    }
}

//! Shuffle, filter 2: the first bytes of all elements, the second bytes of all elements, and so on.
//!
//! Client data: the size of an element in bytes. Bytes behind the last whole element stay in place.

use std::borrow::Cow;

use super::{bad_value, value};
use crate::error::FilterFault;

/// Puts the bytes of every element together again. The result is as long as the input.
///
/// # Errors
/// No element size, or one of 0.
pub fn decode<'a>(bytes: Cow<'a, [u8]>, values: &[u32], _bound: usize) -> Result<Cow<'a, [u8]>, FilterFault> {
    let size = element(values)?;
    if is_same(bytes.len(), size) {
        return Ok(bytes);
    }
    Ok(Cow::Owned(join(&bytes, size)))
}

/// Takes the bytes of every element apart.
///
/// # Errors
/// No element size, or one of 0.
pub fn encode(bytes: &[u8], values: &[u32]) -> Result<Vec<u8>, FilterFault> {
    let size = element(values)?;
    if is_same(bytes.len(), size) {
        return Ok(bytes.to_vec());
    }
    Ok(split(bytes, size))
}

fn element(values: &[u32]) -> Result<usize, FilterFault> {
    let size = usize::try_from(value(values, 0)?).unwrap_or(usize::MAX);
    if size == 0 { Err(bad_value(values, 0)) } else { Ok(size) }
}

/// Whether shuffled bytes are the same as others: elements of one byte, or less than two elements.
fn is_same(length: usize, size: usize) -> bool {
    size == 1 || length / size < 2
}

/// From planes (the bytes of equal position in their element) to elements of `size` bytes.
pub(super) fn join(bytes: &[u8], size: usize) -> Vec<u8> {
    let mut out = vec![0; bytes.len()];
    let whole = bytes.len() - bytes.len() % size;
    let (planes, rest) = bytes.split_at(whole);
    let (elements, out_rest) = out.split_at_mut(whole);
    match size {
        2 => join_lanes::<2, 128>(planes, elements),
        4 => join_lanes::<4, 64>(planes, elements),
        8 => join_lanes::<8, 32>(planes, elements),
        16 => join_lanes::<16, 16>(planes, elements),
        _ => join_from(planes, elements, size, 0),
    }
    out_rest.copy_from_slice(rest);
    out
}

/// From elements of `size` bytes to planes.
pub(super) fn split(bytes: &[u8], size: usize) -> Vec<u8> {
    let mut out = vec![0; bytes.len()];
    let whole = bytes.len() - bytes.len() % size;
    let (elements, rest) = bytes.split_at(whole);
    let (planes, out_rest) = out.split_at_mut(whole);
    match size {
        2 => split_lanes::<2, 128>(elements, planes),
        4 => split_lanes::<4, 128>(elements, planes),
        8 => split_lanes::<8, 32>(elements, planes),
        16 => split_lanes::<16, 16>(elements, planes),
        _ => split_from(elements, planes, size, 0),
    }
    out_rest.copy_from_slice(rest);
    out
}

/// Elements after which the slow loops turn to the next plane, so that they stay in the cache.
const TILE: usize = 1024;

/// `LANES` elements at once, as many as it takes for the compiler to use vector instructions.
fn join_lanes<const SIZE: usize, const LANES: usize>(planes: &[u8], elements: &mut [u8]) {
    let count = planes.len() / SIZE;
    let mut done = 0;
    for group in elements.chunks_exact_mut(SIZE * LANES) {
        let mut lanes = [[0; LANES]; SIZE];
        for (j, lane) in lanes.iter_mut().enumerate() {
            let at = j * count + done;
            lane.copy_from_slice(&planes[at..at + LANES]);
        }
        // Merging the upper with the lower half, as cards are shuffled, brings the planes together.
        let mut rounds = SIZE;
        while rounds > 1 {
            let mut merged = [[0; LANES]; SIZE];
            for i in 0..SIZE / 2 {
                (merged[2 * i], merged[2 * i + 1]) = zip(lanes[i], lanes[i + SIZE / 2]);
            }
            lanes = merged;
            rounds /= 2;
        }
        for (to, lane) in group.chunks_exact_mut(LANES).zip(&lanes) {
            to.copy_from_slice(lane);
        }
        done += LANES;
    }
    join_from(planes, elements, SIZE, done);
}

/// `LANES` elements at once, as many as it takes for the compiler to use vector instructions.
fn split_lanes<const SIZE: usize, const LANES: usize>(elements: &[u8], planes: &mut [u8]) {
    let count = planes.len() / SIZE;
    let mut done = 0;
    for group in elements.chunks_exact(SIZE * LANES) {
        let mut lanes = [[0; LANES]; SIZE];
        for (lane, from) in lanes.iter_mut().zip(group.chunks_exact(LANES)) {
            lane.copy_from_slice(from);
        }
        let mut rounds = SIZE;
        while rounds > 1 {
            let mut parted = [[0; LANES]; SIZE];
            for i in 0..SIZE / 2 {
                (parted[i], parted[i + SIZE / 2]) = unzip(lanes[2 * i], lanes[2 * i + 1]);
            }
            lanes = parted;
            rounds /= 2;
        }
        for (j, lane) in lanes.iter().enumerate() {
            let at = j * count + done;
            planes[at..at + LANES].copy_from_slice(lane);
        }
        done += LANES;
    }
    split_from(elements, planes, SIZE, done);
}

/// One byte of `a`, one of `b`, in turn.
#[inline(always)]
fn zip<const LANES: usize>(a: [u8; LANES], b: [u8; LANES]) -> ([u8; LANES], [u8; LANES]) {
    let (mut low, mut high) = ([0; LANES], [0; LANES]);
    for i in 0..LANES / 2 {
        (low[2 * i], low[2 * i + 1]) = (a[i], b[i]);
        (high[2 * i], high[2 * i + 1]) = (a[i + LANES / 2], b[i + LANES / 2]);
    }
    (low, high)
}

/// Undoes [`zip`].
#[inline(always)]
fn unzip<const LANES: usize>(low: [u8; LANES], high: [u8; LANES]) -> ([u8; LANES], [u8; LANES]) {
    let (mut a, mut b) = ([0; LANES], [0; LANES]);
    // Loops this simple are what the compiler recognises.
    for (from, half) in [(low, 0), (high, LANES / 2)] {
        let mut pairs = [0; LANES];
        for i in 0..LANES / 2 {
            pairs[i] = u16::from_le_bytes([from[2 * i], from[2 * i + 1]]);
        }
        for i in 0..LANES / 2 {
            a[half + i] = pairs[i] as u8;
        }
        for i in 0..LANES / 2 {
            b[half + i] = (pairs[i] >> 8) as u8;
        }
    }
    (a, b)
}

/// Any element size, from element number `first` on.
fn join_from(planes: &[u8], elements: &mut [u8], size: usize, first: usize) {
    let count = (planes.len() / size).max(1);
    for (tile, elements) in elements[first * size..].chunks_mut(size.saturating_mul(TILE)).enumerate() {
        for (j, plane) in planes.chunks_exact(count).enumerate() {
            let plane = &plane[first + tile * TILE..];
            for (to, from) in elements[j..].iter_mut().step_by(size).zip(plane) {
                *to = *from;
            }
        }
    }
}

/// Any element size, from element number `first` on.
fn split_from(elements: &[u8], planes: &mut [u8], size: usize, first: usize) {
    let count = (planes.len() / size).max(1);
    for (tile, elements) in elements[first * size..].chunks(size.saturating_mul(TILE)).enumerate() {
        for (j, plane) in planes.chunks_exact_mut(count).enumerate() {
            let plane = &mut plane[first + tile * TILE..];
            for (to, from) in plane.iter_mut().zip(elements[j..].iter().step_by(size)) {
                *to = *from;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{both_ways, data, stands_damage};
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn like_libhdf5() {
        let plain = "0302010004030201050403020605040307060504";
        both_ways(decode, encode, &[4], plain, "0304050607020304050601020304050001020304");
        // A checksum of four bytes behind three elements of eight.
        let plain = "0000000000000000000000000000f03f00000000000000407ff07fb1";
        let shuffled = "00000000000000000000000000000000000000f000003f407ff07fb1";
        both_ways(decode, encode, &[8], plain, shuffled);
    }

    #[test]
    fn leaves_what_has_no_planes() {
        for size in [1, 3, 5, 6, u32::MAX] {
            both_ways(decode, encode, &[size], "0102030405", "0102030405");
        }
        both_ways(decode, encode, &[2], "0102030405", "0103020405");
        both_ways(decode, encode, &[4], "", "");
        assert_eq!(decode(vec![1].into(), &[0], 1), Err(FilterFault::Parameter { index: 0, value: Some(0) }));
        assert_eq!(decode(vec![1].into(), &[], 1), Err(FilterFault::Parameter { index: 0, value: None }));
    }

    /// What the specification says, byte by byte.
    fn plainly(bytes: &[u8], size: usize) -> Vec<u8> {
        let count = bytes.len() / size;
        let planes = (0..size).flat_map(|j| (0..count).map(move |i| bytes[i * size + j]));
        planes.chain(bytes[count * size..].iter().copied()).collect()
    }

    proptest! {
        #[test]
        fn both_ways_any_size(plain in data(0..6000), small in 1_usize..20, large in 1_usize..7000) {
            for size in [small, large] {
                let encoded = encode(&plain, &[size as u32]).unwrap();
                prop_assert_eq!(&encoded, &plainly(&plain, size));
                prop_assert_eq!(decode(encoded.into(), &[size as u32], plain.len()), Ok((&plain).into()));
            }
        }

        #[test]
        fn any_bytes(bytes in data(0..300), size in any::<u32>()) {
            stands_damage(decode, &[size % 20], &bytes, bytes.len());
            stands_damage(decode, &[size], &bytes, bytes.len());
        }
    }
}

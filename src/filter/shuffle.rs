//! Shuffle, filter 2: the first bytes of all elements, the second bytes of all elements, and so on.
//!
//! Client data: the size of an element in bytes. Bytes behind the last whole element stay in place.

use std::borrow::Cow;

use super::input::resize;
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

/// [`decode`] into a buffer, whatever is in it.
pub(super) fn decode_into(bytes: &[u8], values: &[u32], _: usize, out: &mut Vec<u8>) -> Result<(), FilterFault> {
    let size = element(values)?;
    resize(out, bytes.len())?;
    if is_same(bytes.len(), size) {
        out.copy_from_slice(bytes);
    } else {
        join_into(bytes, size, out);
    }
    Ok(())
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
    join_into(bytes, size, &mut out);
    out
}

/// From elements of `size` bytes to planes.
pub(super) fn split(bytes: &[u8], size: usize) -> Vec<u8> {
    let mut out = vec![0; bytes.len()];
    split_into(bytes, size, &mut out);
    out
}

/// [`join`] to where there is room for as many bytes.
pub(super) fn join_into(bytes: &[u8], size: usize, out: &mut [u8]) {
    let whole = bytes.len() - bytes.len() % size;
    let (planes, rest) = bytes.split_at(whole);
    let (elements, out_rest) = out.split_at_mut(whole);
    match size {
        2 => join_groups::<2>(planes, elements),
        4 => join_groups::<4>(planes, elements),
        8 => join_groups::<8>(planes, elements),
        16 => join_groups::<16>(planes, elements),
        _ => join_from(planes, elements, size, 0),
    }
    out_rest.copy_from_slice(rest);
}

/// [`split`] to where there is room for as many bytes.
pub(super) fn split_into(bytes: &[u8], size: usize, out: &mut [u8]) {
    let whole = bytes.len() - bytes.len() % size;
    let (elements, rest) = bytes.split_at(whole);
    let (planes, out_rest) = out.split_at_mut(whole);
    match size {
        2 => split_groups::<2>(elements, planes),
        4 => split_groups::<4>(elements, planes),
        8 => split_groups::<8>(elements, planes),
        16 => split_groups::<16>(elements, planes),
        _ => split_from(elements, planes, size, 0),
    }
    out_rest.copy_from_slice(rest);
}

/// Elements after which the slow loops turn to the next plane, so that they stay in the cache.
const TILE: usize = 1024;

/// Bytes at once, as many as it takes for the compiler to use vector instructions.
pub(super) const GROUP: usize = 256;

/// Elements whose size is a power of two, in groups.
fn join_groups<const SIZE: usize>(planes: &[u8], elements: &mut [u8]) {
    let count = planes.len() / SIZE;
    let mut done = 0;
    for group in elements.as_chunks_mut().0 {
        let mut lanes = [0; GROUP];
        for (j, lane) in lanes.chunks_exact_mut(GROUP / SIZE).enumerate() {
            lane.copy_from_slice(&planes[j * count + done..][..GROUP / SIZE]);
        }
        *group = merge::<SIZE>(lanes);
        done += GROUP / SIZE;
    }
    join_from(planes, elements, SIZE, done);
}

/// Elements whose size is a power of two, in groups.
fn split_groups<const SIZE: usize>(elements: &[u8], planes: &mut [u8]) {
    let count = planes.len() / SIZE;
    let mut done = 0;
    for group in elements.as_chunks().0 {
        for (j, lane) in part::<SIZE>(*group).chunks_exact(GROUP / SIZE).enumerate() {
            planes[j * count + done..][..GROUP / SIZE].copy_from_slice(lane);
        }
        done += GROUP / SIZE;
    }
    split_from(elements, planes, SIZE, done);
}

/// From `SIZE` planes, one after the other, to elements.
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
#[inline(always)]
pub(super) fn merge<const SIZE: usize>(planes: [u8; GROUP]) -> [u8; GROUP] {
    use std::arch::wasm32::{u8x16_shuffle, v128};
    // As below. The package is compiled for size, and so the compiler does not come to vectors by itself.
    let mut bytes: [v128; GROUP / 16] = bytemuck::cast(planes);
    let mut rounds = SIZE;
    while rounds > 1 {
        let halves = bytes;
        for i in 0..GROUP / 32 {
            let (a, b) = (halves[i], halves[GROUP / 32 + i]);
            bytes[2 * i] = u8x16_shuffle::<0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23>(a, b);
            bytes[2 * i + 1] = u8x16_shuffle::<8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31>(a, b);
        }
        rounds /= 2;
    }
    bytemuck::cast(bytes)
}

/// From `SIZE` planes, one after the other, to elements.
#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
#[inline(always)]
pub(super) fn merge<const SIZE: usize>(planes: [u8; GROUP]) -> [u8; GROUP] {
    // Merging the upper with the lower half, as cards are shuffled, brings the planes together.
    let mut bytes = planes;
    let mut rounds = SIZE;
    while rounds > 1 {
        let halves = bytes;
        for i in 0..GROUP / 2 {
            bytes[2 * i] = halves[i];
            bytes[2 * i + 1] = halves[GROUP / 2 + i];
        }
        rounds /= 2;
    }
    bytes
}

/// Undoes [`merge`].
#[inline(always)]
pub(super) fn part<const SIZE: usize>(elements: [u8; GROUP]) -> [u8; GROUP] {
    let mut bytes = elements;
    let mut rounds = SIZE;
    while rounds > 1 {
        let merged = bytes;
        for i in 0..GROUP / 2 {
            bytes[i] = merged[2 * i];
            bytes[GROUP / 2 + i] = merged[2 * i + 1];
        }
        rounds /= 2;
    }
    bytes
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

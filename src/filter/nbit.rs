//! N-bit, filter 5: only the bits that a datatype's precision covers, without gaps.
//!
//! Client data: the number of values, 1 if nothing was packed, the number of elements, and a
//! description of the datatype, of which every number is a value:
//!
//! - 1, size, byte order, precision, offset: an atomic type
//! - 2, size, description of the base: an array
//! - 3, size, number of members, then for each its offset and description: a compound
//! - 4, size: anything else, of which all bits are kept
//!
//! Sizes and member offsets are in bytes, precisions and offsets of atomic types in bits.

use std::borrow::Cow;

use super::bits::{BitReader, BitWriter};
use super::{bad_value, bounded, value};
use crate::error::FilterFault;

/// Deepest nesting of arrays and compounds.
const DEPTH: u32 = 64;
/// The most bytes that an atomic type can have.
const ATOM: u32 = 1 << 13;

/// Unpacks to `elements × size` bytes. Bits that were not kept are 0.
///
/// # Errors
/// A description that makes no sense, an input that ends early, or more than `bound` bytes.
pub fn decode<'a>(bytes: Cow<'a, [u8]>, values: &[u32], bound: usize) -> Result<Cow<'a, [u8]>, FilterFault> {
    let Some(parameters) = Parameters::read(values)? else { return Ok(bytes) };
    let size = parameters.kind.size();
    let length = bounded(parameters.elements, size, bound)?;
    let needed = (parameters.elements as u128).saturating_mul(parameters.kind.bits());
    if needed > bytes.len() as u128 * 8 {
        return Err(FilterFault::Truncated);
    }
    let mut out = vec![0; length];
    let mut from = BitReader::new(&bytes);
    for element in out.chunks_exact_mut(size) {
        parameters.kind.unpack(&mut from, element)?;
    }
    Ok(Cow::Owned(out))
}

/// Packs elements.
///
/// # Errors
/// A description that makes no sense, or another number of bytes than it says.
pub fn encode(bytes: &[u8], values: &[u32]) -> Result<Vec<u8>, FilterFault> {
    let Some(parameters) = Parameters::read(values)? else { return Ok(bytes.to_vec()) };
    let size = parameters.kind.size();
    if parameters.elements.checked_mul(size) != Some(bytes.len()) {
        let expected = parameters.elements as u64 * size as u64;
        return Err(FilterFault::Length { found: bytes.len() as u64, expected });
    }
    let mut to = BitWriter::default();
    for element in bytes.chunks_exact(size) {
        parameters.kind.pack(element, &mut to);
    }
    // libhdf5 has a byte begun at all times, so that a full last one is followed by one of zeros.
    to.put(0, 1);
    Ok(to.finish())
}

struct Parameters {
    elements: usize,
    kind: Kind,
}

impl Parameters {
    /// `None` where nothing was packed.
    fn read(values: &[u32]) -> Result<Option<Self>, FilterFault> {
        if value(values, 1)? == 1 {
            return Ok(None);
        }
        let elements = value(values, 2)? as usize;
        let (kind, _) = Kind::read(values, 3, u32::MAX, DEPTH)?;
        Ok(Some(Self { elements, kind }))
    }
}

/// How the bytes of a datatype are packed. Every kind has at least one bit.
enum Kind {
    Atomic { size: usize, big: bool, precision: u32, offset: u32 },
    Array { size: usize, base: Box<Kind> },
    Compound { size: usize, members: Vec<(usize, Kind)> },
    Whole { size: usize },
}

impl Kind {
    /// Reads the description at value number `at`, of something of `room` bytes at most; returns the
    /// number of the value behind it.
    fn read(values: &[u32], at: usize, room: u32, depth: u32) -> Result<(Self, usize), FilterFault> {
        let class = value(values, at)?;
        let size = value(values, at + 1)?;
        if size == 0 || size > room {
            return Err(bad_value(values, at + 1));
        }
        if depth == 0 {
            return Err(bad_value(values, at));
        }
        match class {
            1 => Self::read_atomic(values, at, size),
            2 if value(values, at + 2)? == 4 => {
                // The size of the base is the whole array's in some files.
                value(values, at + 3)?;
                Ok((Self::Whole { size: size as usize }, at + 4))
            }
            2 => {
                let (base, next) = Self::read(values, at + 2, size, depth - 1)?;
                if !(size as usize).is_multiple_of(base.size()) {
                    return Err(bad_value(values, at + 1));
                }
                Ok((Self::Array { size: size as usize, base: Box::new(base) }, next))
            }
            3 => {
                let count = value(values, at + 2)?;
                if count == 0 {
                    return Err(bad_value(values, at + 2));
                }
                let mut members = Vec::new();
                let mut next = at + 3;
                for _ in 0..count {
                    let offset = value(values, next)?;
                    let room = size.checked_sub(offset).ok_or(bad_value(values, next))?;
                    let (member, behind) = Self::read(values, next + 1, room, depth - 1)?;
                    members.push((offset as usize, member));
                    next = behind;
                }
                Ok((Self::Compound { size: size as usize, members }, next))
            }
            4 => Ok((Self::Whole { size: size as usize }, at + 2)),
            _ => Err(bad_value(values, at)),
        }
    }

    fn read_atomic(values: &[u32], at: usize, size: u32) -> Result<(Self, usize), FilterFault> {
        let (order, precision, offset) = (value(values, at + 2)?, value(values, at + 3)?, value(values, at + 4)?);
        if size > ATOM {
            return Err(bad_value(values, at + 1));
        }
        if order > 1 {
            return Err(bad_value(values, at + 2));
        }
        if precision == 0 || precision > size * 8 {
            return Err(bad_value(values, at + 3));
        }
        if offset > size * 8 - precision {
            return Err(bad_value(values, at + 4));
        }
        Ok((Self::Atomic { size: size as usize, big: order == 1, precision, offset }, at + 5))
    }

    /// Bytes of an element.
    fn size(&self) -> usize {
        match self {
            Self::Atomic { size, .. }
            | Self::Array { size, .. }
            | Self::Compound { size, .. }
            | Self::Whole { size } => *size,
        }
    }

    /// Bits of an element once packed.
    fn bits(&self) -> u128 {
        match self {
            Self::Atomic { precision, .. } => u128::from(*precision),
            Self::Array { size, base } => (size / base.size()) as u128 * base.bits(),
            Self::Compound { members, .. } => members.iter().map(|(_, member)| member.bits()).sum(),
            Self::Whole { size } => *size as u128 * 8,
        }
    }

    /// Unpacks into the bytes of one element, as many as its size.
    fn unpack(&self, from: &mut BitReader, out: &mut [u8]) -> Result<(), FilterFault> {
        match self {
            Self::Atomic { size: size @ ..=8, big, precision: precision @ ..=56, offset } => {
                let number = from.take(*precision)? << offset;
                if *big {
                    out.copy_from_slice(&number.to_be_bytes()[8 - size..]);
                } else {
                    out.copy_from_slice(&number.to_le_bytes()[..*size]);
                }
            }
            Self::Atomic { size, big, precision, offset } => {
                for part in parts(*size, *big, *precision, *offset) {
                    if let Some(byte) = out.get_mut(part.byte) {
                        *byte = (from.take(part.bits)? << part.shift) as u8;
                    }
                }
            }
            Self::Array { base, .. } => {
                for element in out.chunks_exact_mut(base.size()) {
                    base.unpack(from, element)?;
                }
            }
            Self::Compound { members, .. } => {
                for (offset, member) in members {
                    if let Some(bytes) = out.get_mut(*offset..offset + member.size()) {
                        member.unpack(from, bytes)?;
                    }
                }
            }
            Self::Whole { .. } => {
                for byte in out {
                    *byte = from.take(8)? as u8;
                }
            }
        }
        Ok(())
    }

    fn pack(&self, bytes: &[u8], to: &mut BitWriter) {
        match self {
            Self::Atomic { size, big, precision, offset } => {
                for part in parts(*size, *big, *precision, *offset) {
                    to.put(u64::from(bytes.get(part.byte).copied().unwrap_or(0) >> part.shift), part.bits);
                }
            }
            Self::Array { base, .. } => bytes.chunks_exact(base.size()).for_each(|element| base.pack(element, to)),
            Self::Compound { members, .. } => {
                for (offset, member) in members {
                    member.pack(bytes.get(*offset..offset + member.size()).unwrap_or_default(), to);
                }
            }
            Self::Whole { .. } => bytes.iter().for_each(|byte| to.put(u64::from(*byte), 8)),
        }
    }
}

/// Bits of one byte of an atomic type.
struct Part {
    byte: usize,
    bits: u32,
    /// Bits below them in the byte.
    shift: u32,
}

/// The bytes that the bits `offset .. offset + precision` of an atomic type lie in, the most significant first.
fn parts(size: usize, big: bool, precision: u32, offset: u32) -> impl Iterator<Item = Part> {
    let end = offset + precision;
    (offset / 8..end.div_ceil(8)).rev().map(move |place| {
        let low = offset.max(place * 8);
        let high = end.min(place * 8 + 8);
        let byte = if big { size - 1 - place as usize } else { place as usize };
        Part { byte, bits: high - low, shift: low - place * 8 }
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::{both_ways, hex, stands_damage};
    use super::*;
    use proptest::prelude::*;

    /// Two bytes, little-endian, 5 bits from bit 2 on.
    const FIVE: [u32; 5] = [1, 2, 0, 5, 2];

    #[test]
    fn atomic_like_libhdf5() {
        let plain = "08000000f8ff0f00f8ff07000000080090260000";
        both_ways(decode, encode, &[8, 0, 5, 1, 4, 0, 17, 3], plain, "0000ffffdffff000002690");
        // Big-endian; the bits fill the bytes, and one more follows.
        both_ways(decode, encode, &[8, 0, 4, 1, 2, 1, 12, 0], "00010fff07ff0800", "001fff7ff80000");
        both_ways(decode, encode, &[8, 1, 2, 1, 4, 0, 32, 0], "01000000ffffffff", "01000000ffffffff");
    }

    #[test]
    fn compound_like_libhdf5() {
        #[rustfmt::skip]
        let values = [29, 0, 3,
            3, 24, 4,                       // compound of four members
                1,  1, 2, 0, 5, 2,          // at 1: two bytes, 5 bits from bit 2 on
                4,  2, 6, 1, 2, 0, 5, 2,    // at 4: three of them
                11, 4, 3,                   // at 11: a string of three bytes
                16, 1, 4, 1, 9, 0]; // at 16: four bytes, big-endian, 9 bits
        let plain = "00040000040008000c00006162000000000001ff00000000\
                     007c000078007c000000006465000000000000ff00000000\
                     001c0000240020001c000078000000000000010000000000";
        both_ways(decode, encode, &values, plain, "08443616200ffffdf03232803fce941de0000200");
    }

    #[test]
    fn nested_arrays_like_libhdf5() {
        #[rustfmt::skip]
        let values = [26, 0, 2, 3, 20, 1, 0,
            2, 20, 2, 10,
                3, 5, 2,
                    0, 1, 1, 0, 8, 0,
                    1, 1, 2, 0, 5, 2];
        let plain = "640000000065040000006608000000670c000000681000000069140000006a180000006b1c000000";
        both_ways(decode, encode, &values, plain, "6403285984ce36823495a8cd6700");
    }

    #[test]
    fn wide_and_whole() {
        // Ten bytes, 72 bits from bit 3 on.
        both_ways(decode, encode, &[8, 0, 1, 1, 10, 0, 72, 3], "f8ffffffffffffffff07", "ffffffffffffffffff00");
        // An array of a type that is kept as it is: its own size counts for nothing.
        both_ways(decode, encode, &[7, 0, 1, 2, 4, 4, 2], "01020304", "0102030400");
    }

    #[test]
    fn says_what_is_wrong() {
        let run = |values: &[u32], bytes: &[u8], bound| decode(bytes.into(), values, bound).map(Cow::into_owned);
        let parameter = |index, value| Err(FilterFault::Parameter { index, value });
        let five = |elements| [&[8, 0, elements], &FIVE[..]].concat();
        assert_eq!(run(&five(3), &[0; 1], 6), Err(FilterFault::Truncated));
        assert_eq!(run(&five(3), &[0; 2], 5), Err(FilterFault::TooLong(5)));
        assert_eq!(run(&five(u32::MAX), &[0; 2], usize::MAX), Err(FilterFault::Truncated));
        assert_eq!(run(&five(3), &[0; 2], 6), Ok(vec![0; 6]));
        assert_eq!(run(&[], &[], 0), parameter(1, None));
        assert_eq!(run(&[5, 0, 1, 9, 4], &[0; 9], 9), parameter(3, Some(9)));
        assert_eq!(run(&[8, 0, 1, 1, 4, 2, 8, 0], &[0; 9], 9), parameter(5, Some(2)));
        assert_eq!(run(&[8, 0, 1, 1, 4, 0, 33, 0], &[0; 9], 9), parameter(6, Some(33)));
        assert_eq!(run(&[8, 0, 1, 1, 4, 0, 30, 3], &[0; 9], 9), parameter(7, Some(3)));
        assert_eq!(run(&[8, 0, 1, 4, 0], &[0; 9], 9), parameter(4, Some(0)));
        // A member past the end of its compound.
        assert_eq!(run(&[9, 0, 1, 3, 4, 1, 3, 4, 2], &[0; 9], 9), parameter(8, Some(2)));
        assert_eq!(run(&[9, 0, 1, 3, 4, 1, 5, 4, 2], &[0; 9], 9), parameter(6, Some(5)));
        let deep: Vec<u32> = [9, 0, 1].into_iter().chain((0..99).flat_map(|_| [2, 4])).chain([4, 4]).collect();
        assert!(matches!(run(&deep, &[0; 9], 9), Err(FilterFault::Parameter { .. })));
        assert_eq!(encode(&[0; 5], &five(3)), Err(FilterFault::Length { found: 5, expected: 6 }));
    }

    #[test]
    fn damage() {
        #[rustfmt::skip]
        let values = [29, 0, 3, 3, 24, 4, 1, 1, 2, 0, 5, 2, 4, 2, 6, 1, 2, 0, 5, 2, 11, 4, 3, 16, 1, 4, 1, 9, 0];
        stands_damage(decode, &values, &hex("08443616200ffffdf03232803fce941de0000200"), 72);
    }

    /// A type's size with its description.
    fn kind() -> impl Strategy<Value = (u32, Vec<u32>)> {
        let atomic = (1_u32..18).prop_flat_map(|size| (Just(size), 0_u32..2, 1..=size * 8)).prop_flat_map(
            |(size, order, precision)| {
                (0..=size * 8 - precision).prop_map(move |offset| (size, vec![1, size, order, precision, offset]))
            },
        );
        let whole = (1_u32..9).prop_map(|size| (size, vec![4, size]));
        prop_oneof![atomic, whole].prop_recursive(3, 8, 3, |base| {
            let array = (base.clone(), 1_u32..4)
                .prop_map(|((size, description), count)| (size * count, [vec![2, size * count], description].concat()));
            let compound = prop::collection::vec((base, 0_u32..3), 1..4).prop_map(|members| {
                let (mut size, mut description) = (0, vec![members.len() as u32]);
                for ((member, its), gap) in members {
                    description.push(size + gap);
                    description.extend(its);
                    size += gap + member;
                }
                (size, [vec![3, size], description].concat())
            });
            prop_oneof![array, compound]
        })
    }

    proptest! {
        #[test]
        fn packs_what_it_unpacks((size, description) in kind(), elements in 0_u32..20, bytes in any::<[u8; 32]>()) {
            let values = [vec![0, 0, elements], description].concat();
            let length = (size * elements) as usize;
            let plain: Vec<u8> = bytes.into_iter().cycle().take(length).collect();
            // What is not kept is 0 from the first time on.
            let packed = encode(&plain, &values).unwrap();
            let kept = decode((&packed).into(), &values, length).unwrap();
            prop_assert_eq!(encode(&kept, &values), Ok(packed));
        }

        #[test]
        fn any_bytes((_, description) in kind(), bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            stands_damage(decode, &[vec![0, 0, 9], description].concat(), &bytes, 500);
        }

        #[test]
        fn any_description(values in prop::collection::vec(0_u32..9, 0..40)) {
            stands_damage(decode, &values, &[0x5a; 40], 500);
        }
    }
}

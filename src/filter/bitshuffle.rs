//! Bitshuffle, filter 32008: bit planes of blocks of elements, as they are or compressed.
//!
//! Client data: the version (two values), the size of an element in bytes, the elements of a block (0: as
//! many as 8 KiB hold, at least 128), what compresses it (0 nothing, 2 LZ4, 3 Zstandard), and a level.
//!
//! Where something compresses, the chunk begins, big-endian, with its length once decoded (8 bytes) and the
//! length of a block once decoded (4), which says more than the client data do, and each block is preceded
//! by the bytes it takes (4). The last block holds what is left in whole eights; the last elements, fewer
//! than 8, come at the end as they are. Described at <https://github.com/kiyo-masui/bitshuffle>.

use std::borrow::Cow;

use super::input::{Input, length, owned, resize, zeroed};
use super::{bad_value, bit_planes, lz4, value, zstd};
use crate::error::FilterFault;

/// The length of a block in bytes where the client data do not say, and the fewest elements it has.
const BLOCK: usize = 8192;
const LEAST: usize = 128;
/// Bytes that a block can grow by, beside one in 255: LZ4's 16, or a Zstandard frame's header.
const GROWTH: usize = 32;

/// What compresses a block: client data value 4.
const NOTHING: u32 = 0;
const LZ4: u32 = 2;
const ZSTD: u32 = 3;

/// Undoes it, to at most `bound` bytes.
///
/// # Errors
/// No element size, or one of 0; blocks of no whole eights of elements; an unknown compression; an input
/// that ends early or is damaged; a result longer than `bound`.
pub fn decode<'a>(bytes: Cow<'a, [u8]>, values: &[u32], bound: usize) -> Result<Cow<'a, [u8]>, FilterFault> {
    owned(|out| decode_into(&bytes, values, bound, out))
}

/// [`decode`] into a buffer, whatever is in it.
pub(super) fn decode_into(bytes: &[u8], values: &[u32], bound: usize, out: &mut Vec<u8>) -> Result<(), FilterFault> {
    let size = element(values)?;
    let mut input = Input(bytes);
    let mut unpacker = match compression(values) {
        NOTHING => {
            resize(out, length(bytes.len() as u64, bound)?)?;
            let whole = input.bytes(out.len() - tail(out.len(), size))?;
            let block = block(values, size)?;
            let (blocks, rest) = out.split_at_mut(whole.len());
            for (planes, out) in whole.chunks(block).zip(blocks.chunks_mut(block)) {
                bit_planes::join(planes, size, out);
            }
            rest.copy_from_slice(input.0);
            return Ok(());
        }
        LZ4 => Unpacker::Lz4,
        ZSTD => Unpacker::Zstd(Box::new(zstd::Decoder::new(&[])?)),
        _ => return Err(bad_value(values, 4)),
    };
    let total = length(u64::from_be_bytes(input.array()?), bound)?;
    let block = u32::from_be_bytes(input.array()?) as usize / size * size;
    if block == 0 || !(block / size).is_multiple_of(8) {
        return Err(FilterFault::Stream("bitshuffle blocks of no whole eights of elements"));
    }
    if total / zstd::RATIO > input.0.len() {
        return Err(FilterFault::Truncated);
    }
    resize(out, total)?;
    let mut planes = zeroed(block.min(total))?;
    let (blocks, rest) = out.split_at_mut(total - tail(total, size));
    for out in blocks.chunks_mut(block) {
        let taken = u32::from_be_bytes(input.array()?) as usize;
        let planes = &mut planes[..out.len()];
        unpacker.fill(input.bytes(taken)?, planes)?;
        bit_planes::join(planes, size, out);
    }
    rest.copy_from_slice(input.bytes(rest.len())?);
    Ok(())
}

/// Does it, with what the client data say.
///
/// # Errors
/// No element size, or one of 0; a block that is no multiple of 8 elements; an unknown compression.
pub fn encode(bytes: &[u8], values: &[u32]) -> Result<Vec<u8>, FilterFault> {
    let size = element(values)?;
    let block = block(values, size)?;
    let level = values.get(5).copied().unwrap_or(3);
    let compression = compression(values);
    if !matches!(compression, NOTHING | LZ4 | ZSTD) {
        return Err(bad_value(values, 4));
    }
    let mut out = Vec::with_capacity(bytes.len() + 12);
    if compression != NOTHING {
        out.extend((bytes.len() as u64).to_be_bytes());
        out.extend(u32::try_from(block).map_err(|_| bad_value(values, 3))?.to_be_bytes());
    }
    let (whole, rest) = bytes.split_at(bytes.len() - tail(bytes.len(), size));
    let mut planes = vec![0; block.min(whole.len())];
    for elements in whole.chunks(block) {
        let planes = &mut planes[..elements.len()];
        bit_planes::split(elements, size, planes);
        let packed = match compression {
            NOTHING => {
                out.extend_from_slice(planes);
                continue;
            }
            LZ4 => lz4::compress(planes)?,
            _ => zstd::compress(planes, level)?,
        };
        out.extend(u32::try_from(packed.len()).map_err(|_| bad_value(values, 3))?.to_be_bytes());
        out.extend(packed);
    }
    out.extend_from_slice(rest);
    Ok(out)
}

/// The most bytes that writing can make of so many: a length for each block, and what a block can grow by.
pub(super) fn longest(bytes: usize, values: &[u32]) -> usize {
    let block = element(values).and_then(|size| block(values, size)).unwrap_or(BLOCK).max(1);
    let each = bytes.div_ceil(block).saturating_mul(4 + GROWTH);
    bytes.saturating_add(bytes / lz4::RATIO).saturating_add(each).saturating_add(64)
}

/// What decompresses the blocks of a chunk.
enum Unpacker {
    Lz4,
    Zstd(Box<zstd::Decoder>),
}

impl Unpacker {
    fn fill(&mut self, packed: &[u8], planes: &mut [u8]) -> Result<(), FilterFault> {
        match self {
            Self::Lz4 => lz4::fill(packed, planes),
            Self::Zstd(decoder) => decoder.fill(packed, planes),
        }
    }
}

/// The size of an element, in bytes.
fn element(values: &[u32]) -> Result<usize, FilterFault> {
    match value(values, 2)? as usize {
        0 => Err(bad_value(values, 2)),
        size => Ok(size),
    }
}

fn compression(values: &[u32]) -> u32 {
    values.get(4).copied().unwrap_or(NOTHING)
}

/// The length of a block, in bytes.
fn block(values: &[u32], size: usize) -> Result<usize, FilterFault> {
    let elements = match values.get(3).map_or(0, |block| *block as usize) {
        0 => (BLOCK / size / 8 * 8).max(LEAST),
        block if block % 8 == 0 => block,
        _ => return Err(bad_value(values, 3)),
    };
    elements.checked_mul(size).ok_or_else(|| bad_value(values, 2))
}

/// The bytes at the end of `length` bytes that belong to no whole eight of elements.
fn tail(length: usize, size: usize) -> usize {
    match size.checked_mul(8) {
        Some(eight) => length % eight,
        None => length,
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{both_ways, data, decodes, hex, stands_damage};
    use super::*;
    use proptest::prelude::*;

    /// Nineteen int16 in steps of 3: two blocks of 8, and 3 left over.
    const PLAIN: &str = "00000300060009000c000f001200150018001b001e002100240027002a002d00300033003600";

    #[test]
    fn like_the_plugin() {
        let encoded = "aa66b438c00000000000000000000000aa66b4c707f800000000000000000000300033003600";
        both_ways(decode, encode, &[0, 4, 2, 8, 0], PLAIN, encoded);
        let encoded = "00000000000000260000001000000012f001aa66b438c0000000000000000000000000000012\
                       f001aa66b4c707f800000000000000000000300033003600";
        decodes(decode, encode, &[0, 4, 2, 8, 2], PLAIN, encoded);
        let encoded = "0000000000000026000000100000001528b52ffd201065000030aa66b438c00001001b280200\
                       00001628b52ffd20106d000038aa66b4c707f8000100053002300033003600";
        decodes(decode, encode, &[0, 4, 2, 8, 3, 3], PLAIN, encoded);
        // What the chunk says of its blocks counts, not the client data.
        decodes(decode, encode, &[0, 4, 2, 16, 3, 3], PLAIN, encoded);
        // Fewer than eight elements stay as they are.
        both_ways(decode, encode, &[0, 4, 2], "01020304", "01020304");
    }

    #[test]
    fn says_what_is_wrong() {
        let run = |bytes: &str, values: &[u32], bound| decode(hex(bytes).into(), values, bound).map(Cow::into_owned);
        let parameter = |index, value| Err(FilterFault::Parameter { index, value });
        assert_eq!(run("00", &[0, 4], 1), parameter(2, None));
        assert_eq!(run("00", &[0, 4, 0], 1), parameter(2, Some(0)));
        assert_eq!(run("00", &[0, 4, 1, 12], 1), parameter(3, Some(12)));
        assert_eq!(run("00", &[0, 4, 1, 0, 1], 1), parameter(4, Some(1)));
        assert_eq!(run("0001", &[0, 4, 1], 1), Err(FilterFault::TooLong(1)));
        let lz4 = &[0, 4, 1, 0, 2];
        assert_eq!(run("000000000000000900000008", lz4, 8), Err(FilterFault::TooLong(8)));
        assert_eq!(run("000000000000000900000008", lz4, 9), Err(FilterFault::Truncated));
        assert!(matches!(run("000000000000000900000007", lz4, 9), Err(FilterFault::Stream(_))));
        assert_eq!(run("0000000000ffffff00000008", lz4, 1 << 30), Err(FilterFault::Truncated));
    }

    proptest! {
        #[test]
        fn same_again(plain in data(0..5000), size in 1_u32..20, eights in 0_u32..40, kind in 0_usize..3) {
            let values = [0, 4, size, eights * 8, [NOTHING, LZ4, ZSTD][kind], 1];
            let encoded = encode(&plain, &values).unwrap();
            prop_assert_eq!(decode(encoded.into(), &values, plain.len()), Ok(plain.into()));
        }

        #[test]
        fn any_bytes(bytes in data(0..200), kind in 0_usize..3) {
            let values = [0, 4, 3, 16, [NOTHING, LZ4, ZSTD][kind], 1];
            stands_damage(decode, &values, &bytes, 1000);
            stands_damage(decode, &values, &encode(&bytes, &values).unwrap(), bytes.len());
        }
    }
}

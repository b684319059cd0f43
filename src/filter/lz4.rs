//! LZ4, filter 32004: blocks of LZ4 with their lengths before them.
//!
//! Client data: the length of a block in bytes before compression, 0 for 1 GiB; a writer's business.
//!
//! A chunk is, all numbers big-endian: its length once decoded (8 bytes), the length of a block (4), and
//! for each block the bytes it takes (4) and these bytes. A block that takes as many bytes as it holds is
//! stored as it is; the last block holds what is left. The filter is described with its registration
//! (<https://github.com/HDFGroup/hdf5_plugins/blob/master/docs/RegisteredFilterPlugins.md#lz4>), a block by
//! LZ4 itself (<https://github.com/lz4/lz4/blob/dev/doc/lz4_Block_format.md>).

use std::borrow::Cow;

use super::input::{Input, length, owned, resize};
use crate::error::FilterFault;

/// The length of a block where the client data do not say.
const BLOCK: usize = 1 << 30;
/// No block is longer than this once decompressed, per byte.
pub(super) const RATIO: usize = 255;

/// Decompresses to at most `bound` bytes.
///
/// # Errors
/// An input that ends early, a block that does not have the length it should, or a chunk longer than
/// `bound`.
pub fn decode<'a>(bytes: Cow<'a, [u8]>, _: &[u32], bound: usize) -> Result<Cow<'a, [u8]>, FilterFault> {
    owned(|out| decode_into(&bytes, &[], bound, out))
}

/// [`decode`] into a buffer, whatever is in it.
pub(super) fn decode_into(bytes: &[u8], _: &[u32], bound: usize, out: &mut Vec<u8>) -> Result<(), FilterFault> {
    let mut input = Input(bytes);
    let total = length(u64::from_be_bytes(input.array()?), bound)?;
    let block = u32::from_be_bytes(input.array()?) as usize;
    if total / RATIO > input.0.len() {
        return Err(FilterFault::Truncated);
    }
    if block == 0 && total > 0 {
        return Err(FilterFault::Stream("LZ4 blocks of no bytes"));
    }
    resize(out, total)?;
    for out in out.chunks_mut(block.max(1)) {
        let taken = u32::from_be_bytes(input.array()?) as usize;
        let stored = input.bytes(taken)?;
        if taken == out.len() {
            out.copy_from_slice(stored);
        } else {
            fill(stored, out)?;
        }
    }
    Ok(())
}

/// The most bytes that writing can make of so many: what was not compressed, and a length for each block.
pub(super) fn longest(bytes: usize, values: &[u32]) -> usize {
    let block = block(values).min(bytes).max(1);
    bytes.div_ceil(block).saturating_mul(4).saturating_add(bytes).saturating_add(bytes / RATIO).saturating_add(64)
}

/// Compresses in blocks of the length that the first client data value says.
///
/// # Errors
/// A block too long for LZ4, 2 GiB.
pub fn encode(bytes: &[u8], values: &[u32]) -> Result<Vec<u8>, FilterFault> {
    let block = block(values).min(bytes.len()).max(1);
    let mut out = Vec::with_capacity(bytes.len() / 2 + 64);
    out.extend((bytes.len() as u64).to_be_bytes());
    out.extend(u32::try_from(block).unwrap_or(u32::MAX).to_be_bytes());
    for part in bytes.chunks(block) {
        let made = compress(part)?;
        let stored = if made.len() < part.len() { &made } else { part };
        out.extend(u32::try_from(stored.len()).unwrap_or(u32::MAX).to_be_bytes());
        out.extend_from_slice(stored);
    }
    Ok(out)
}

/// The length of a block.
fn block(values: &[u32]) -> usize {
    values.first().map(|block| *block as usize).filter(|block| *block > 0).unwrap_or(BLOCK)
}

/// Decompresses one block that holds exactly as many bytes as `out` has room for.
pub(super) fn fill(block: &[u8], out: &mut [u8]) -> Result<(), FilterFault> {
    filled(lz4rip::block::decompress_into(block, out), out.len())
}

/// The same, where the block can refer to a dictionary that is thought to stand before it.
#[cfg(feature = "blosc")]
pub(super) fn fill_with(dictionary: &[u8], block: &[u8], out: &mut [u8]) -> Result<(), FilterFault> {
    if dictionary.is_empty() {
        return fill(block, out);
    }
    filled(lz4rip::block::decompress_into_with_dict(block, out, dictionary), out.len())
}

fn filled(made: Result<usize, lz4rip::block::DecompressError>, length: usize) -> Result<(), FilterFault> {
    match made {
        Ok(made) if made == length => Ok(()),
        Ok(_) => Err(FilterFault::Truncated),
        Err(_) => Err(FilterFault::Stream("the LZ4 block is damaged")),
    }
}

/// One block of LZ4.
pub(super) fn compress(bytes: &[u8]) -> Result<Vec<u8>, FilterFault> {
    // LZ4 counts in 31 bits.
    if bytes.len() >= 0x7e00_0000 {
        return Err(FilterFault::Stream("more than LZ4 can compress at once"));
    }
    Ok(lz4rip::block::compress(bytes))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{data, decodes, hex, stands_damage};
    use super::*;
    use proptest::prelude::*;

    /// 64 zeros, by the C plugin.
    const ZEROS: &str = "0000000000000040000000400000000b1f00010027500000000000";

    #[test]
    fn reads_the_plugin() {
        decodes(decode, encode, &[0], &"00".repeat(64), ZEROS);
        decodes(decode, encode, &[2], "0102030405", "0000000000000005000000020000000201020000000203040000000105");
        decodes(decode, encode, &[], "", "000000000000000000000000");
    }

    #[test]
    fn says_what_is_wrong() {
        let run = |bytes: &[u8], bound| decode(bytes.into(), &[], bound).map(Cow::into_owned);
        let zeros = hex(ZEROS);
        assert_eq!(run(&zeros, 63), Err(FilterFault::TooLong(63)));
        assert_eq!(run(&zeros[..11], 64), Err(FilterFault::Truncated));
        assert_eq!(run(&zeros[..zeros.len() - 1], 64), Err(FilterFault::Truncated));
        assert_eq!(
            run(&hex("000000000000000500000000000000050102030405"), 5),
            Err(FilterFault::Stream("LZ4 blocks of no bytes"))
        );
        // What it claims cannot be in so few bytes.
        assert_eq!(run(&hex("000000007fffffff7fffffff00000000"), usize::MAX), Err(FilterFault::Truncated));
    }

    proptest! {
        #[test]
        fn both_ways(plain in data(0..5000), block in 0_u32..3000) {
            let encoded = encode(&plain, &[block]).unwrap();
            prop_assert_eq!(decode(encoded.into(), &[], plain.len()), Ok(plain.into()));
        }

        #[test]
        fn any_bytes(bytes in data(0..200), block in 0_u32..300) {
            stands_damage(decode, &[], &bytes, 1000);
            stands_damage(decode, &[], &encode(&bytes, &[block]).unwrap(), bytes.len());
        }
    }
}

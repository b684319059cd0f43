//! LZO, filter 305 (`PyTables`'): a block of LZO1X, and in most files a checksum.
//!
//! Client data: the level, the version of the object, and what it is; they do not say what is there. Behind the
//! block, which says itself where it ends, can stand, little-endian, the Adler-32 of the bytes once decoded
//! (4 bytes) and their number (4). (<https://github.com/PyTables/PyTables/blob/master/src/H5Zlzo.c>, which
//! means to leave them out in old tables only, and files of its `tables/tests`, which have none in others.)

use std::borrow::Cow;

use super::input::zeroed;
use crate::error::FilterFault;

/// No block is longer than this once decompressed, per byte.
const RATIO: usize = 256;
/// Bytes behind the block.
const TRAILER: usize = 8;
/// How every block ends.
const END: &[u8] = &[0x11, 0, 0];

/// Decompresses to at most `bound` bytes.
///
/// # Errors
/// An input that ends early or is damaged, a checksum or a number of bytes that does not hold, or a result
/// longer than `bound`.
pub fn decode<'a>(bytes: Cow<'a, [u8]>, _: &[u32], bound: usize) -> Result<Cow<'a, [u8]>, FilterFault> {
    let alone = if bytes.ends_with(END) { decompress(&bytes, bound) } else { Err(BEHIND) };
    match alone {
        // A trailer can end like a block.
        Err(BEHIND) => with_trailer(&bytes, bound).map(Cow::Owned),
        alone => alone.map(Cow::Owned),
    }
}

const BEHIND: FilterFault = FilterFault::Stream("bytes behind the end of the LZO stream");

fn with_trailer(bytes: &[u8], bound: usize) -> Result<Vec<u8>, FilterFault> {
    let split = bytes.len().checked_sub(TRAILER).ok_or(FilterFault::Truncated)?;
    let (block, trailer) = bytes.split_at(split);
    let out = decompress(block, bound)?;
    let word = |at: usize| trailer[at..].first_chunk().map_or(0, |word| u32::from_le_bytes(*word));
    let (stored, computed) = (word(0), adler32(&out));
    if stored != computed {
        return Err(FilterFault::Checksum { stored, computed });
    }
    match word(4) as usize {
        expected if expected == out.len() => Ok(out),
        expected => Err(FilterFault::Length { found: out.len() as u64, expected: expected as u64 }),
    }
}

fn decompress(block: &[u8], bound: usize) -> Result<Vec<u8>, FilterFault> {
    let room = bound.min(block.len().saturating_mul(RATIO));
    let mut out = zeroed(room)?;
    let made = lzo::decompress_into(block, &mut out).map_err(|error| match error {
        lzo::Error::InputOverrun => FilterFault::Truncated,
        lzo::Error::OutputOverrun => FilterFault::TooLong(room as u64),
        lzo::Error::LookbehindOverrun => FilterFault::Stream("a copy from before the beginning"),
        lzo::Error::InputNotConsumed => BEHIND,
        lzo::Error::Malformed => FilterFault::Stream("the LZO stream is damaged"),
    })?;
    out.truncate(made);
    Ok(out)
}

/// The checksum of RFC 1950, section 8.2.
fn adler32(bytes: &[u8]) -> u32 {
    const BASE: u32 = 65_521;
    let (mut low, mut high) = (1, 0);
    // As many bytes as never lead to more than 32 bits.
    for part in bytes.chunks(5552) {
        for byte in part {
            low += u32::from(*byte);
            high += low;
        }
        low %= BASE;
        high %= BASE;
    }
    high << 16 | low
}

#[cfg(test)]
mod tests {
    use super::super::testing::{hex, stands_damage};
    use super::*;

    /// `hello, lzo world!` by liblzo2's `lzo1x_1`, and the trailer.
    const HELLO: &str = "2268656c6c6f2c206c7a6f20776f726c6421110000";
    const TRAILER: &str = "1f065c3811000000";
    #[test]
    fn reads_pytables() {
        let plain = Cow::from(&b"hello, lzo world!"[..]);
        assert_eq!(decode(hex(HELLO).into(), &[], 17), Ok(plain.clone()));
        assert_eq!(decode(hex(&[HELLO, TRAILER].concat()).into(), &[], 17), Ok(plain));
    }

    #[test]
    fn says_what_is_wrong() {
        let run = |bytes: &[u8], bound| decode(bytes.into(), &[], bound).map(Cow::into_owned);
        let stream = hex(HELLO);
        assert_eq!(run(&stream, 16), Err(FilterFault::TooLong(16)));
        assert_eq!(run(&stream[..7], 17), Err(FilterFault::Truncated));
        assert_eq!(run(&[], 17), Err(FilterFault::Truncated));
        assert!(matches!(run(&[18, 1, 64, 200, 17, 0, 0], 99), Err(FilterFault::Stream(_))));
        let mut trailed = hex(&[HELLO, TRAILER].concat());
        trailed[25] = 18;
        assert_eq!(run(&trailed, 17), Err(FilterFault::Length { found: 17, expected: 18 }));
        trailed[21] ^= 1;
        assert!(matches!(run(&trailed, 17), Err(FilterFault::Checksum { .. })));
    }

    #[test]
    fn damage() {
        stands_damage(decode, &[], &hex(HELLO), 17);
        stands_damage(decode, &[], &hex(&[HELLO, TRAILER].concat()), 17);
    }
}

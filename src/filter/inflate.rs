//! Inflating in the JavaScript package, where zlib-rs would be a tenth of the module and, compiled for size, slow: fdeflate
//! takes and refuses the same streams.

use fdeflate::{DecompressionError, Decompressor};

use super::deflate::RATIO;
use super::input::resize;
use crate::error::FilterFault;

/// Inflates to at most `bound` bytes, into a buffer, whatever is in it.
pub(super) fn decode_into(bytes: &[u8], _: &[u32], bound: usize, out: &mut Vec<u8>) -> Result<(), FilterFault> {
    // With room for a byte too many: it tells a stream that is too long from one that ends at the bound.
    resize(out, bound.min(bytes.len().saturating_mul(RATIO)).saturating_add(1))?;
    let made = inflate(bytes, out)?;
    if made > bound {
        return Err(FilterFault::TooLong(bound as u64));
    }
    out.truncate(made);
    Ok(())
}

/// Inflates a stream that holds exactly as many bytes as `out` has room for.
#[cfg(all(feature = "blosc", any(feature = "wasm", feature = "wasm-codecs")))]
pub(super) fn fill(stream: &[u8], out: &mut [u8]) -> Result<(), FilterFault> {
    if inflate(stream, out)? == out.len() { Ok(()) } else { Err(FilterFault::Truncated) }
}

/// Inflates a stream to the beginning of `out`, and gives how many bytes it became. What follows its end is ignored.
///
/// # Errors
/// A stream that is damaged (its checksum included), has no end, or is longer than `out`.
fn inflate(stream: &[u8], out: &mut [u8]) -> Result<usize, FilterFault> {
    let mut inflater = Decompressor::new();
    let (mut taken, mut made) = (0, 0);
    loop {
        let (took, put) = inflater.read(&stream[taken..], out, made, true).map_err(|error| match error {
            DecompressionError::InsufficientInput => FilterFault::Truncated,
            _ => FilterFault::Stream("the zlib stream is damaged"),
        })?;
        (taken, made) = (taken + took, made + put);
        if inflater.is_done() {
            return Ok(made);
        }
        // Where there is no more room it does not say why it stops.
        if took + put == 0 {
            let short = taken == stream.len();
            return Err(if short { FilterFault::Truncated } else { FilterFault::TooLong(out.len() as u64) });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::deflate::encode;
    use super::super::testing::{data, hex};
    use super::*;
    use proptest::prelude::*;

    /// What zlib-rs makes of a stream.
    fn expected(stream: &[u8], room: usize) -> Option<Vec<u8>> {
        super::super::deflate::decode(stream.into(), &[], room).ok().map(Into::into)
    }

    fn inflated(stream: &[u8], bound: usize) -> Result<Vec<u8>, FilterFault> {
        let mut out = vec![0xaa; 7];
        decode_into(stream, &[], bound, &mut out).map(|()| out)
    }

    /// Bytes with something to find in them: numbers that are alike, and stretches that repeat.
    fn plain() -> impl Strategy<Value = Vec<u8>> {
        let numbers = (1u32..1000, 0usize..30000).prop_map(|(step, n)| {
            (0..n as u32).flat_map(|i| (i.wrapping_mul(step) / 7).to_le_bytes()).collect::<Vec<u8>>()
        });
        let repeats = (data(1..40), 0usize..3000).prop_map(|(bytes, times)| bytes.repeat(times));
        let skewed = (0usize..60000).prop_map(|n| {
            // Codes of all lengths: each byte is half as frequent as the one before.
            (0..n as u32).map(|i| i.wrapping_mul(2_654_435_761).leading_zeros() as u8).collect::<Vec<u8>>()
        });
        prop_oneof![data(0..5000), numbers, repeats, skewed]
    }

    #[test]
    fn reads_zlib() {
        let stream = hex("785e63606060600462262066066216206605623620660762000170001d");
        let plain = hex("0000000001000000020000000300000004000000050000000600000007000000");
        assert_eq!(inflated(&stream, 32), Ok(plain.clone()));
        assert_eq!(inflated(&[&stream[..], b"behind"].concat(), 99), Ok(plain));
        assert_eq!(inflated(&stream, 31), Err(FilterFault::TooLong(31)));
        for end in 0..stream.len() {
            assert_eq!(inflated(&stream[..end], 32), Err(FilterFault::Truncated), "{end}");
        }
    }

    #[test]
    fn refuses_what_zlib_refuses() {
        // In turn: a header that says a dictionary, a fourth kind of block, a stored block with a wrong complement, more
        // than 286 literals, lengths that repeat nothing, codes that are too many, a copy of what is before the beginning.
        for stream in [
            "78bb000000000000000000000000",
            "789c070000000000000000000000",
            "789c010300fffe61626300000000",
            "789cfdff00000000000000000000",
            "789c050001000000000000000000",
            "789c05ffffffffffffffffffffff",
            "789c63000200000000000000000000",
            "789c03020000000000000000",
        ] {
            let stream = hex(stream);
            assert_eq!(expected(&stream, 1000), None, "{stream:x?}");
            assert!(inflated(&stream, 1000).is_err(), "{stream:x?}");
        }
    }

    proptest! {
        #[test]
        fn as_zlib(plain in plain(), level in 0u32..10) {
            let stream = encode(&plain, &[level]).unwrap();
            prop_assert_eq!(inflated(&stream, plain.len()), Ok(plain.clone()));
            prop_assert_eq!(inflated(&stream, plain.len() + 100), Ok(plain));
        }

        #[test]
        fn damage_as_zlib(plain in plain(), level in 0u32..10, at in any::<prop::sample::Index>(), bits in 1u8..) {
            let mut stream = encode(&plain, &[level]).unwrap();
            let at = at.index(stream.len());
            stream[at] ^= bits;
            // The sum is left out, so that damage goes as far as it can.
            let room = plain.len() + 1000;
            prop_assert_eq!(inflated(&stream, room).ok(), expected(&stream, room));
        }

        #[test]
        fn any_bytes(bytes in data(0..300)) {
            let stream = [&[0x78, 0x9c], &bytes[..]].concat();
            prop_assert_eq!(inflated(&stream, 2000).ok(), expected(&stream, 2000));
        }
    }
}

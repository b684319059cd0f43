//! Deflate, filter 1: a zlib stream.
//!
//! Client data: the level, 0 to 9, which matters to a writer only.

use std::borrow::Cow;

use flate2::{Compress, Compression, FlushCompress, Status};

#[cfg(any(feature = "wasm", feature = "wasm-codecs"))]
use super::inflate as decoder;
use super::input::owned;
use super::value;
use crate::error::FilterFault;

pub(super) use decoder::decode_into;
#[cfg(feature = "blosc")]
pub(super) use decoder::fill;

/// No deflate stream is longer than this once inflated, per byte.
pub(super) const RATIO: usize = 1032;

/// Inflates to at most `bound` bytes. What follows the end of the stream is ignored, as in libhdf5.
///
/// # Errors
/// A stream that is damaged (its checksum included), has no end, or is longer than `bound` inflated.
pub fn decode<'a>(bytes: Cow<'a, [u8]>, _: &[u32], bound: usize) -> Result<Cow<'a, [u8]>, FilterFault> {
    owned(|out| decode_into(&bytes, &[], bound, out))
}

/// zlib-rs, which the JavaScript package does without.
#[cfg(not(any(feature = "wasm", feature = "wasm-codecs")))]
mod decoder {
    use flate2::{Decompress, FlushDecompress, Status};

    use super::super::input::room;
    use super::RATIO;
    use crate::error::FilterFault;

    /// [`decode`](super::decode) into a buffer, whatever is in it.
    pub(in super::super) fn decode_into(
        bytes: &[u8],
        _: &[u32],
        bound: usize,
        out: &mut Vec<u8>,
    ) -> Result<(), FilterFault> {
        let mut inflater = Decompress::new(true);
        // With room for a byte too many: it tells a stream that is too long from one that ends at the bound.
        room(out, bytes.len(), RATIO, bound)?;
        loop {
            let taken = inflater.total_in() as usize;
            let made = out.len();
            let rest = bytes.get(taken..).unwrap_or_default();
            let status = inflater
                .decompress_vec(rest, out, FlushDecompress::Finish)
                .map_err(|_| FilterFault::Stream("the zlib stream is damaged"))?;
            if out.len() > bound {
                return Err(FilterFault::TooLong(bound as u64));
            }
            match status {
                Status::StreamEnd => return Ok(()),
                // Nothing taken and nothing made although there is room: more input is wanted.
                _ if made == out.len() && inflater.total_in() as usize == taken => return Err(FilterFault::Truncated),
                _ => {}
            }
        }
    }

    /// Inflates a stream that holds exactly as many bytes as `out` has room for.
    #[cfg(feature = "blosc")]
    pub(in super::super) fn fill(stream: &[u8], out: &mut [u8]) -> Result<(), FilterFault> {
        let mut inflater = Decompress::new(true);
        let status = inflater
            .decompress(stream, out, FlushDecompress::Finish)
            .map_err(|_| FilterFault::Stream("the zlib stream is damaged"))?;
        match status {
            Status::StreamEnd if inflater.total_out() == out.len() as u64 => Ok(()),
            Status::StreamEnd => Err(FilterFault::Truncated),
            _ if inflater.total_out() < out.len() as u64 => Err(FilterFault::Truncated),
            _ => Err(FilterFault::TooLong(out.len() as u64)),
        }
    }
}

/// Deflates at the level that the first client data value says.
///
/// # Errors
/// A level above 9, or none.
pub fn encode(bytes: &[u8], values: &[u32]) -> Result<Vec<u8>, FilterFault> {
    let level = value(values, 0)?;
    if level > 9 {
        return Err(FilterFault::Parameter { index: 0, value: Some(level) });
    }
    let mut deflater = Compress::new(Compression::new(level), true);
    let mut out = Vec::with_capacity(bytes.len() / 2 + 64);
    loop {
        let rest = bytes.get(deflater.total_in() as usize..).unwrap_or_default();
        match deflater.compress_vec(rest, &mut out, FlushCompress::Finish) {
            Ok(Status::StreamEnd) => return Ok(out),
            Ok(_) => out.reserve(out.len() / 2 + 64),
            Err(_) => return Err(FilterFault::Stream("the zlib stream cannot be made")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{data, decodes, hex, stands_damage};
    use super::*;
    use proptest::prelude::*;

    const PLAIN: &str = "0000000001000000020000000300000004000000050000000600000007000000";
    const ENCODED: &str = "785e63606060600462262066066216206605623620660762000170001d";

    #[test]
    fn reads_libhdf5() {
        decodes(decode, encode, &[4], PLAIN, ENCODED);
        decodes(decode, encode, &[0], "", "789c030000000001");
    }

    #[test]
    fn says_what_is_wrong() {
        let stream = hex(ENCODED);
        let run = |bytes: &[u8], bound| decode(bytes.into(), &[], bound).map(Cow::into_owned);
        assert_eq!(run(&stream, 31), Err(FilterFault::TooLong(31)));
        assert_eq!(run(&stream, 0), Err(FilterFault::TooLong(0)));
        // Without its checksum, or a byte of it.
        assert_eq!(run(&stream[..stream.len() - 4], 32), Err(FilterFault::Truncated));
        assert_eq!(run(&stream[..stream.len() - 1], 32), Err(FilterFault::Truncated));
        assert_eq!(run(&[], 32), Err(FilterFault::Truncated));
        let mut other = stream.clone();
        *other.last_mut().unwrap() ^= 1;
        assert!(matches!(run(&other, 32), Err(FilterFault::Stream(_))));
        other = [&stream[..], b"behind"].concat();
        assert_eq!(run(&other, 99), Ok(hex(PLAIN)));
        assert_eq!(encode(&[], &[10]), Err(FilterFault::Parameter { index: 0, value: Some(10) }));
    }

    #[test]
    fn a_bomb_stays_small() {
        let bomb = encode(&vec![0; 1 << 24], &[9]).unwrap();
        assert!(bomb.len() < 1 << 15);
        assert_eq!(decode(bomb.into(), &[], 1 << 16), Err(FilterFault::TooLong(1 << 16)));
    }

    proptest! {
        #[test]
        fn both_ways(plain in data(0..5000), level in 0_u32..10) {
            let encoded = encode(&plain, &[level]).unwrap();
            prop_assert_eq!(decode(encoded.into(), &[level], plain.len()), Ok(plain.into()));
        }

        #[test]
        fn any_bytes(bytes in data(0..500)) {
            stands_damage(decode, &[6], &bytes, 1000);
        }
    }

    #[test]
    fn damage() {
        stands_damage(decode, &[6], &hex(ENCODED), 32);
    }
}

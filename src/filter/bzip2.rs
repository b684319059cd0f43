//! bzip2, filter 307: a bzip2 stream.
//!
//! Client data: the length of a block in units of 100 kB, 1 to 9, a writer's business.

use std::borrow::Cow;

use bzip2::{Compress, Compression, Decompress, Status};

use super::{bad_value, value};
use crate::error::FilterFault;

/// Room that is made for the output at first and again, in bytes.
const ROOM: usize = 1 << 16;

/// Decompresses to at most `bound` bytes. What follows the end of the stream is ignored, as by the plugin.
///
/// # Errors
/// A stream that is damaged (its checksums included), has no end, or is longer than `bound` decompressed.
pub fn decode<'a>(bytes: Cow<'a, [u8]>, _: &[u32], bound: usize) -> Result<Cow<'a, [u8]>, FilterFault> {
    let mut stream = Decompress::new(false);
    let mut out = Vec::new();
    loop {
        let taken = stream.total_in() as usize;
        let made = out.len();
        // Room for a byte too many: it tells a stream that is too long from one that ends at the bound.
        let room = ROOM.max(made).min(bound - made) + 1;
        out.try_reserve(room).map_err(|_| FilterFault::Memory((made + room) as u64))?;
        let rest = bytes.get(taken..).unwrap_or_default();
        let status =
            stream.decompress_vec(rest, &mut out).map_err(|_| FilterFault::Stream("the bzip2 stream is damaged"))?;
        if out.len() > bound {
            return Err(FilterFault::TooLong(bound as u64));
        }
        match status {
            Status::StreamEnd => return Ok(Cow::Owned(out)),
            _ if made == out.len() && stream.total_in() as usize == taken => return Err(FilterFault::Truncated),
            _ => {}
        }
    }
}

/// Compresses with blocks of the length that the first client data value says, 9 where there is none.
///
/// # Errors
/// A length that is not 1 to 9.
pub fn encode(bytes: &[u8], values: &[u32]) -> Result<Vec<u8>, FilterFault> {
    let block = value(values, 0).unwrap_or(9);
    if !(1..=9).contains(&block) {
        return Err(bad_value(values, 0));
    }
    let mut stream = Compress::new(Compression::new(block), 0);
    let mut out = Vec::with_capacity(bytes.len() / 2 + 600);
    loop {
        let rest = bytes.get(stream.total_in() as usize..).unwrap_or_default();
        match stream.compress_vec(rest, &mut out, bzip2::Action::Finish) {
            Ok(Status::StreamEnd) => return Ok(out),
            Ok(_) => out.reserve(out.len() / 2 + 600),
            Err(_) => return Err(FilterFault::Stream("the bzip2 stream cannot be made")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{both_ways, data, hex, stands_damage};
    use super::*;
    use proptest::prelude::*;

    /// 64 zeros, by the C plugin.
    const ZEROS: &str = "425a68393141592653596cc6b1ae0000004800400000042000210082831772453850906cc6b1ae";

    #[test]
    fn like_the_plugin() {
        both_ways(decode, encode, &[9], &"00".repeat(64), ZEROS);
    }

    #[test]
    fn says_what_is_wrong() {
        let stream = hex(ZEROS);
        let run = |bytes: &[u8], bound| decode(bytes.into(), &[], bound).map(Cow::into_owned);
        assert_eq!(run(&stream, 63), Err(FilterFault::TooLong(63)));
        assert_eq!(run(&stream[..stream.len() - 1], 64), Err(FilterFault::Truncated));
        assert_eq!(run(&[], 64), Err(FilterFault::Truncated));
        assert_eq!(run(&[&stream[..], b"behind"].concat(), 64), Ok(vec![0; 64]));
        assert!(matches!(run(&stream[1..], 64), Err(FilterFault::Stream(_))));
        assert_eq!(encode(&[], &[10]), Err(FilterFault::Parameter { index: 0, value: Some(10) }));
    }

    #[test]
    fn a_bomb_stays_small() {
        let bomb = encode(&vec![0; 1 << 24], &[9]).unwrap();
        assert!(bomb.len() < 1 << 10);
        assert_eq!(decode(bomb.into(), &[], 1 << 16), Err(FilterFault::TooLong(1 << 16)));
    }

    proptest! {
        #[test]
        fn same_again(plain in data(0..5000), block in 1_u32..10) {
            let encoded = encode(&plain, &[block]).unwrap();
            prop_assert_eq!(decode(encoded.into(), &[], plain.len()), Ok(plain.into()));
        }
    }

    #[test]
    fn damage() {
        stands_damage(decode, &[9], &hex(ZEROS), 64);
    }
}

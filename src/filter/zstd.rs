//! Zstandard, filter 32015: frames of RFC 8878, one after the other.
//!
//! Client data: the level of compression, a writer's business.

use std::borrow::Cow;

use super::input::{owned, room};
use super::value;
use crate::error::FilterFault;

/// The highest level that the encoder knows.
const LEVEL: u32 = 4;
/// No frame is longer than this once decompressed, per byte: a run of 128 KiB takes four.
pub(super) const RATIO: usize = 1 << 16;

/// Decompresses to at most `bound` bytes. A frame may leave out how long it is, and there may be several.
///
/// # Errors
/// A frame that is damaged (its checksum included), ends early, needs a dictionary, or leads beyond `bound`.
pub fn decode<'a>(bytes: Cow<'a, [u8]>, _: &[u32], bound: usize) -> Result<Cow<'a, [u8]>, FilterFault> {
    owned(|out| decode_into(&bytes, &[], bound, out))
}

/// [`decode`] into a buffer, whatever is in it.
pub(super) fn decode_into(bytes: &[u8], _: &[u32], bound: usize, out: &mut Vec<u8>) -> Result<(), FilterFault> {
    skippable(bytes)?;
    room(out, bytes.len(), RATIO, bound)?;
    let mut context = zrip::DecompressContext::new();
    context.decompress_into_with_limit(bytes, out, bound).map(|_| ()).map_err(|error| fault(&error, bound))
}

/// Compresses at the level that the first client data value says, 3 where it says nothing. Levels above 4
/// compress like 4: the frame is as good for any decoder, only longer.
///
/// # Errors
/// None that a caller can cause.
pub fn encode(bytes: &[u8], values: &[u32]) -> Result<Vec<u8>, FilterFault> {
    compress(bytes, value(values, 0).unwrap_or(3))
}

/// One frame.
pub(super) fn compress(bytes: &[u8], level: u32) -> Result<Vec<u8>, FilterFault> {
    zrip::compress(bytes, level.clamp(1, LEVEL).cast_signed()).map_err(|_| FilterFault::Stream("zstd cannot compress"))
}

/// Decompresses many frames with the same tables.
#[cfg(any(feature = "bitshuffle", feature = "blosc"))]
pub(super) struct Decoder {
    context: zrip::DecompressContext,
    made: Vec<u8>,
}

#[cfg(any(feature = "bitshuffle", feature = "blosc"))]
impl Decoder {
    /// With the dictionary that the frames need; an empty one is none.
    pub(super) fn new(dictionary: &[u8]) -> Result<Self, FilterFault> {
        let context = if dictionary.is_empty() {
            zrip::DecompressContext::new()
        } else {
            let dictionary = zrip::Dictionary::from_bytes(dictionary)
                .map_err(|_| FilterFault::Stream("the Zstandard dictionary is damaged"))?;
            zrip::DecompressContext::with_dict(dictionary)
        };
        Ok(Self { context, made: Vec::new() })
    }

    /// Decompresses a frame that holds exactly as many bytes as `out` has room for.
    pub(super) fn fill(&mut self, frame: &[u8], out: &mut [u8]) -> Result<(), FilterFault> {
        skippable(frame)?;
        self.made.clear();
        let made = self.context.decompress_into_with_limit(frame, &mut self.made, out.len());
        match made.map_err(|error| fault(&error, out.len()))? {
            made if made == out.len() => out.copy_from_slice(&self.made),
            _ => return Err(FilterFault::Truncated),
        }
        Ok(())
    }
}

/// Refuses a frame that asks to be skipped and is longer than an address space of 32 bits, where the lengths of
/// zrip would wrap.
fn skippable(frames: &[u8]) -> Result<(), FilterFault> {
    let too_long = |at: usize| {
        let word = |at: usize| frames[at..].first_chunk().map_or(0, |word| u32::from_le_bytes(*word));
        word(at) & 0xffff_fff0 == 0x184d_2a50 && word(at + 4) > u32::MAX - 8
    };
    let narrow = usize::BITS < 64;
    if narrow && (0..frames.len().saturating_sub(7)).any(too_long) { Err(FilterFault::Truncated) } else { Ok(()) }
}

fn fault(error: &zrip::DecompressError, bound: usize) -> FilterFault {
    match error {
        zrip::DecompressError::OutputTooSmall => FilterFault::TooLong(bound as u64),
        zrip::DecompressError::InputExhausted => FilterFault::Truncated,
        zrip::DecompressError::WindowTooLarge { .. } => FilterFault::Stream("a Zstandard window of more than 128 MiB"),
        zrip::DecompressError::DictRequired => FilterFault::Stream("the Zstandard frame needs a dictionary"),
        _ => FilterFault::Stream("the Zstandard frame is damaged"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{data, decodes, hex, stands_damage};
    use super::*;
    use proptest::prelude::*;

    /// A frame, one to be skipped, and another.
    const FRAMES: &str = "28b52ffd20021100000102502a4d1801000000ff28b52ffd20021100000102";
    /// 64 zeros at level 3, by the C library.
    const ZEROS: &str = "28b52ffd20404500001000000100930016";

    #[test]
    fn reads_the_c_library() {
        decodes(decode, encode, &[3], "0102030405", "28b52ffd20052900000102030405");
        decodes(decode, encode, &[3], "", "28b52ffd2000010000");
        decodes(decode, encode, &[3], &"00".repeat(64), ZEROS);
        decodes(decode, encode, &[22], "01020102", FRAMES);
    }

    #[test]
    fn says_what_is_wrong() {
        let run = |bytes: &[u8], bound| decode(bytes.into(), &[], bound).map(Cow::into_owned);
        let frame = encode(&[7; 1000], &[]).unwrap();
        assert_eq!(run(&frame, 1000), Ok(vec![7; 1000]));
        assert_eq!(run(&frame, 999), Err(FilterFault::TooLong(999)));
        assert_eq!(run(&frame[..frame.len() - 1], 1000), Err(FilterFault::Truncated));
        assert!(matches!(run(&hex("00010203040506"), 99), Err(FilterFault::Stream(_))));
    }

    #[test]
    fn a_bomb_stays_small() {
        let bomb = encode(&vec![0; 1 << 24], &[]).unwrap();
        assert!(bomb.len() < 1 << 13);
        assert_eq!(decode(bomb.into(), &[], 1 << 16), Err(FilterFault::TooLong(1 << 16)));
    }

    proptest! {
        #[test]
        fn both_ways(plain in data(0..5000), level in 0_u32..23) {
            let encoded = encode(&plain, &[level]).unwrap();
            prop_assert_eq!(decode(encoded.into(), &[], plain.len()), Ok(plain.into()));
        }

        #[test]
        fn any_bytes(bytes in data(0..200)) {
            stands_damage(decode, &[], &bytes, 1000);
            stands_damage(decode, &[], &encode(&bytes, &[3]).unwrap(), bytes.len());
        }
    }
}

//! Szip, filter 4: the length of the chunk in bytes, then an adaptive entropy coder's bit stream.
//!
//! Client data: 0 options, 1 pixels per block, 2 bits per pixel, 3 pixels per scanline. A pixel is an
//! element, or one byte of it where it has 32 or 64 bits; the bytes are then shuffled beforehand.

mod aec;

use std::borrow::Cow;

use super::bits::{BitReader, BitWriter};
use super::{bad_value, shuffle, value};
use crate::error::FilterFault;
use aec::Coder;

/// The coder's option: pixels are most significant byte first.
const MSB: u32 = 16;
/// The coder's option: differences between neighbours are coded.
const NEAREST_NEIGHBOUR: u32 = 32;
/// Length of the header in bytes.
const HEADER: usize = 4;
/// The most blocks between two reference samples.
const BLOCKS: usize = 4096;

/// Decompresses.
///
/// # Errors
/// Client data that make no sense, a bit stream that is damaged or ends early, or more than `bound` bytes.
pub fn decode<'a>(bytes: Cow<'a, [u8]>, values: &[u32], bound: usize) -> Result<Cow<'a, [u8]>, FilterFault> {
    let parameters = Parameters::read(values)?;
    let (header, stream) = bytes.split_first_chunk::<HEADER>().ok_or(FilterFault::Truncated)?;
    let length = u32::from_le_bytes(*header) as usize;
    if length > bound {
        return Err(FilterFault::TooLong(bound as u64));
    }
    // Nothing is denser than blocks of zeros: 64 of them in 9 bits.
    let possible =
        stream.len().saturating_mul(64 * 8 / 9 + 1).saturating_mul(parameters.coder.block * parameters.width);
    let mut out = Vec::with_capacity(length.min(possible));
    let mut from = BitReader::new(stream);
    let mut line = Vec::new();
    while out.len() < length {
        let pixels = (length - out.len()).div_ceil(parameters.width).min(parameters.pixels);
        parameters.coder.decode(&mut from, pixels, &mut line)?;
        parameters.store(&line[..pixels], &mut out)?;
    }
    out.truncate(length);
    Ok(Cow::Owned(match parameters.interleaved {
        Some(size) => shuffle::join(&out, size),
        None => out,
    }))
}

/// Compresses.
///
/// # Errors
/// Client data that make no sense, more than 4 GiB, a pixel of more bits than they say, or, as in
/// libhdf5, a bit stream that is longer than the input.
pub fn encode(bytes: &[u8], values: &[u32]) -> Result<Vec<u8>, FilterFault> {
    let encoded = compress(bytes, values)?;
    if encoded.len() - HEADER > bytes.len() {
        return Err(FilterFault::TooLong(bytes.len() as u64));
    }
    Ok(encoded)
}

/// Compresses, however long the result.
fn compress(bytes: &[u8], values: &[u32]) -> Result<Vec<u8>, FilterFault> {
    let parameters = Parameters::read(values)?;
    let length = u32::try_from(bytes.len()).map_err(|_| FilterFault::TooLong(u32::MAX.into()))?;
    let bytes = match parameters.interleaved {
        Some(size) => Cow::Owned(shuffle::split(bytes, size)),
        None => Cow::Borrowed(bytes),
    };
    let mut to = BitWriter::default();
    for byte in length.to_le_bytes() {
        to.put(u64::from(byte), 8);
    }
    let block = parameters.coder.block;
    for line in bytes.chunks(parameters.pixels * parameters.width) {
        let mut pixels = parameters.load(line)?;
        let last = pixels.last().copied().filter(|_| parameters.coder.predict).unwrap_or(0);
        // Lines that do not end with a block are padded, the last one in full; others end where they end.
        let whole = if parameters.pixels % block == 0 { pixels.len() } else { parameters.pixels };
        pixels.resize(whole.next_multiple_of(block), last);
        parameters.coder.encode(&pixels, &mut to);
    }
    Ok(to.finish())
}

struct Parameters {
    coder: Coder,
    /// Pixels per scanline.
    pixels: usize,
    /// Bytes of a pixel.
    width: usize,
    big: bool,
    /// Size of the elements whose bytes are the pixels, in bytes.
    interleaved: Option<usize>,
}

impl Parameters {
    fn read(values: &[u32]) -> Result<Self, FilterFault> {
        let (options, block, bits, pixels) =
            (value(values, 0)?, value(values, 1)? as usize, value(values, 2)?, value(values, 3)? as usize);
        if block == 0 || block > 64 || block % 2 == 1 {
            return Err(bad_value(values, 1));
        }
        let (bits, interleaved) = match bits {
            32 => (8, Some(4)),
            64 => (8, Some(8)),
            1..32 => (bits, None),
            _ => return Err(bad_value(values, 2)),
        };
        let blocks = pixels.div_ceil(block);
        if blocks == 0 || blocks > BLOCKS {
            return Err(bad_value(values, 3));
        }
        let width = match bits {
            ..=8 => 1,
            9..=16 => 2,
            _ => 4,
        };
        let coder = Coder { bits, block, blocks, predict: options & NEAREST_NEIGHBOUR != 0 };
        Ok(Self { coder, pixels, width, big: options & MSB != 0, interleaved })
    }

    /// Appends pixels as bytes.
    fn store(&self, pixels: &[u32], out: &mut Vec<u8>) -> Result<(), FilterFault> {
        if pixels.iter().any(|pixel| u64::from(*pixel) >> (8 * self.width) != 0) {
            return Err(FilterFault::Stream("a pixel of too many bits"));
        }
        match (self.width, self.big) {
            (1, _) => out.extend(pixels.iter().map(|pixel| *pixel as u8)),
            (2, true) => out.extend(pixels.iter().flat_map(|pixel| (*pixel as u16).to_be_bytes())),
            (2, false) => out.extend(pixels.iter().flat_map(|pixel| (*pixel as u16).to_le_bytes())),
            (_, true) => out.extend(pixels.iter().flat_map(|pixel| pixel.to_be_bytes())),
            (_, false) => out.extend(pixels.iter().flat_map(|pixel| pixel.to_le_bytes())),
        }
        Ok(())
    }

    /// The pixels of a line; zeros are added to the last where bytes are missing.
    fn load(&self, line: &[u8]) -> Result<Vec<u32>, FilterFault> {
        let pixel = |bytes: &[u8]| {
            let mut whole = [0; 4];
            for (i, byte) in bytes.iter().enumerate() {
                whole[if self.big { self.width - 1 - i } else { i }] = *byte;
            }
            let pixel = u32::from_le_bytes(whole);
            if pixel >> self.coder.bits == 0 { Ok(pixel) } else { Err(FilterFault::Stream("a pixel of too many bits")) }
        };
        line.chunks(self.width).map(pixel).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{data, decodes, hex, stands_damage};
    use super::*;
    use proptest::prelude::*;

    fn like(values: [u32; 4], plain: &str, encoded: &str) {
        decodes(decode, encode, &values, plain, encoded);
        stands_damage(decode, &values, &hex(encoded), plain.len() / 2);
    }

    /// 16-bit pixels, little-endian, hexadecimal.
    fn pixels(pixels: impl IntoIterator<Item = u16>) -> String {
        pixels.into_iter().map(|pixel| format!("{:04x}", pixel.swap_bytes())).collect()
    }

    #[test]
    fn entropy_coding_like_libhdf5() {
        let plain = "01000200030000000000000000000900".repeat(4);
        like([141, 8, 16, 32], &plain, "400000002af8684abe1a12af8684abe1a1");
        // The second extension.
        like([141, 8, 8, 32], &"0000010000000001".repeat(4), "200000001b23646c8d90");
    }

    #[test]
    fn nearest_neighbour_like_libhdf5() {
        let plain: String = (0..40).map(|i| format!("{:04x}", i * 3 % 17)).collect();
        let encoded = "5000000040000f8dedb389e3f6d9dd923f1cdedb34f8f36d9dc98ff66f6d80";
        like([177, 8, 16, 40], &plain, encoded);
        // 20 of 32 bits.
        let plain: String = (0..32_u32).map(|i| format!("{:08x}", (i.pow(3) % 1_000_003).swap_bytes())).collect();
        let encoded = "800000003800007522090d81d6df2b5526a5b20f25a35aa233b96a924968a62cb8063a9dab5bde62a49267961\
                       2e7c1d8dd30a8cd7380";
        like([169, 8, 20, 32], &plain, encoded);
    }

    #[test]
    fn zero_blocks_like_libhdf5() {
        let plain = pixels([vec![0; 100], vec![1; 4], vec![0; 56]].concat());
        like([169, 4, 16, 160], &plain, "4001000000000000000216160080");
        // Runs of five, of a segment, of its rest.
        let plain = ["07".repeat(24), "09010503".into(), "03".repeat(280)].concat();
        like([169, 4, 8, 308], &plain, "3401000000702d166e010080");
        // Blocks that are stored as they are.
        let plain = ["becfed15ef2d9f3c6d2e20cd86de0895".into(), "00".repeat(112)].concat();
        let encoded = "80000000fcfbeea122def1d601c63cd2022cc6af7e01fffff000000000000000000000000080";
        like([169, 8, 16, 64], &plain, encoded);
    }

    #[test]
    fn padded_scanlines_like_libhdf5() {
        let plain = "000102".repeat(11);
        like([169, 4, 8, 11], &plain, "210000004015aabb4bb2026e4d755748056d2d64de00");
        let plain = pixels((0..21).map(|i| i % 4));
        like([141, 4, 16, 7], &plain, "2a0000001a446988d2236246891c");
    }

    #[test]
    fn interleaved_bytes_like_libhdf5() {
        let plain: String = (0..16_u32).map(|i| format!("{:08x}", i.swap_bytes())).collect();
        like([169, 8, 32, 16], &plain, "4000000020092492492492400100040010");
        let plain: String = (0..16).map(|i| format!("{:016x}", (f64::from(i) * 1.5).to_bits())).collect();
        let encoded = "800000006000003ffff00000018000407fff8bc98c418c63108220b007fe1010808400000000000007c1f00004\
                       00200100080040";
        like([177, 16, 64, 16], &plain, encoded);
    }

    #[test]
    fn says_what_is_wrong() {
        let run = |values: [u32; 4], bytes: &[u8], bound| decode(bytes.into(), &values, bound).map(Cow::into_owned);
        let values = [141, 8, 8, 32];
        let stream = hex("200000001b23646c8d90");
        assert_eq!(run(values, &stream, 31), Err(FilterFault::TooLong(31)));
        assert_eq!(run(values, &stream[..9], 32), Err(FilterFault::Truncated));
        assert_eq!(run(values, &stream[..3], 32), Err(FilterFault::Truncated));
        // A length that the stream cannot have.
        assert_eq!(run(values, &hex("ffffffff1b23646c8d90"), usize::MAX), Err(FilterFault::Truncated));
        // A run of zero blocks past the interval.
        assert!(matches!(run(values, &hex("200000000040"), 32), Err(FilterFault::Stream(_))));
        let parameter = |index: usize, value| {
            let mut values = values;
            values[index] = value;
            assert_eq!(run(values, &stream, 32), Err(FilterFault::Parameter { index, value: Some(value) }));
        };
        for (index, value) in [(1, 0), (1, 7), (1, 66), (2, 0), (2, 33), (3, 0), (3, u32::MAX)] {
            parameter(index, value);
        }
        assert_eq!(encode(&hex("5ac3916f"), &values), Err(FilterFault::TooLong(4)));
        assert_eq!(encode(&[16; 8], &[141, 8, 4, 8]), Err(FilterFault::Stream("a pixel of too many bits")));
    }

    proptest! {
        #[test]
        fn both_ways(
            bytes in data(0..4000), half_block in 1_u32..=32, line in 1_u32..600, predict in any::<bool>(),
            big in any::<bool>(), bits in prop_oneof![1_u32..32, Just(8), Just(16), Just(32), Just(64)],
        ) {
            let options = 128 | 1 | if predict { 32 } else { 4 } | if big { 16 } else { 8 };
            let values = [options, half_block * 2, bits, line];
            let width = match bits { ..=8 | 32 | 64 => 1, 9..=16 => 2, _ => 4 };
            let mut plain = bytes;
            if bits < 32 {
                // Clear the bits that a pixel does not have.
                for (i, byte) in plain.iter_mut().enumerate() {
                    let place = if big { width - 1 - i % width } else { i % width };
                    let kept = (i64::from(bits) - 8 * place as i64).clamp(0, 8);
                    *byte &= ((1_u32 << kept) - 1) as u8;
                }
            }
            let encoded = compress(&plain, &values).unwrap();
            prop_assert_eq!(encode(&plain, &values).is_ok(), encoded.len() <= plain.len() + 4);
            prop_assert_eq!(decode(encoded.into(), &values, plain.len()), Ok(plain.into()));
        }

        #[test]
        fn any_bytes(bytes in data(0..80), block in 1_u32..33, bits in 1_u32..65, line in 1_u32..600, options in 0_u32..256) {
            let values = [options, block * 2, bits, line];
            stands_damage(decode, &values, &[&[0, 2, 0, 0], &bytes[..]].concat(), 600);
            stands_damage(decode, &values, &bytes, 600);
        }
    }
}

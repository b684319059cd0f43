//! ZFP, filter 32013: blocks of 4 values in each of one to four dimensions, rounded or exact.
//!
//! Client data: the versions of ZFP (16 bits), of its codec (4) and of the plugin (12); then ZFP's own header (magic, type,
//! dimensions, mode; <https://zfp.readthedocs.io/en/release1.0.1/high-level-api.html#header>) as 32-bit
//! words. It is short or long, by its mode, and has its bytes reversed where a big-endian machine wrote it:
//! then the elements are big-endian too. The chunk is the stream alone
//! (<https://github.com/LLNL/H5Z-ZFP>).

use std::borrow::Cow;

use bytemuck::Pod;
use zfp_rs::{ZfpBitStream, ZfpBitStreamRef, ZfpConfig, ZfpFieldMetadata, ZfpFieldMut};
use zfp_rs::{ZfpHeaderMask, ZfpScalar, ZfpScalarType};

use super::input::length;
use super::{bad_value, value};
use crate::error::FilterFault;

/// The version of the codec that is known.
const CODEC: u32 = 5;

/// Decompresses to at most `bound` bytes, in the order of bytes of whoever wrote the header.
///
/// # Errors
/// No header, or one that says nothing sensible; a codec that is not known; a stream that ends early; more elements than `bound` has
/// room for.
pub fn decode<'a>(bytes: Cow<'a, [u8]>, values: &[u32], bound: usize) -> Result<Cow<'a, [u8]>, FilterFault> {
    if codec(value(values, 0)?) > CODEC {
        return Err(bad_value(values, 0));
    }
    let header = Header::read(values)?;
    let (field, size) = match header.field.scalar_type {
        ZfpScalarType::I32 | ZfpScalarType::F32 => (header.field, 4),
        ZfpScalarType::I64 | ZfpScalarType::F64 => (header.field, 8),
    };
    let product = |factors: fn(usize) -> usize| {
        let dims = field.dims.iter().filter(|dim| **dim > 0);
        dims.fold(1_u64, |product, dim| product.saturating_mul(factors(*dim) as u64))
    };
    let count = length(product(|dim| dim).saturating_mul(size), bound)? / size as usize;
    // A block takes as many bits as the mode says, one at least. A stream of another mode than a fixed rate that is
    // cut off within its last eight bytes cannot be told from one that is not.
    let bits = u64::from(header.config.min_bits().max(1));
    if product(|dim| dim.div_ceil(4)).saturating_mul(bits) > 8 * bytes.len() as u64 {
        return Err(FilterFault::Truncated);
    }
    match field.scalar_type {
        ZfpScalarType::I32 => header.elements::<i32>(&bytes, count, i32::swap_bytes),
        ZfpScalarType::I64 => header.elements::<i64>(&bytes, count, i64::swap_bytes),
        ZfpScalarType::F32 => header.elements::<f32>(&bytes, count, |x| f32::from_bits(x.to_bits().swap_bytes())),
        ZfpScalarType::F64 => header.elements::<f64>(&bytes, count, |x| f64::from_bits(x.to_bits().swap_bytes())),
    }
}

/// The most bytes that writing can make of so many.
pub(super) fn longest(bytes: usize, values: &[u32]) -> usize {
    let header = Header::read(values).ok();
    let made = header.and_then(|header| header.config.maximum_size(header.field.scalar_type, header.field.dims));
    made.unwrap_or_default().max(bytes)
}

/// The version of the codec, from the first client data value.
fn codec(versions: u32) -> u32 {
    let (zfp, codec, plugin) = (versions >> 16, versions >> 12 & 0xf, versions & 0xfff);
    match (plugin, zfp) {
        (0x110.., _) => codec,
        // Before, it was the second digit of the version of ZFP, as long as that began with 0.
        (_, 0..0x50) => 4,
        (_, 0x50..0x100) => zfp >> 4,
        _ => CODEC,
    }
}

/// What the client data say.
struct Header {
    field: ZfpFieldMetadata,
    config: ZfpConfig,
    /// Whether the elements are in the other order of bytes than this machine's.
    swapped: bool,
}

impl Header {
    fn read(values: &[u32]) -> Result<Self, FilterFault> {
        let words = values.get(1..).unwrap_or_default();
        let little = Self::parse(words);
        let (header, big) = match little {
            Some(header) => (header, false),
            None => {
                let reversed: Vec<u32> = words.iter().map(|word| word.swap_bytes()).collect();
                (Self::parse(&reversed).ok_or_else(|| bad_value(values, 1))?, true)
            }
        };
        Ok(Self { field: header.0, config: header.1, swapped: big != cfg!(target_endian = "big") })
    }

    fn parse(words: &[u32]) -> Option<(ZfpFieldMetadata, ZfpConfig)> {
        let pair = |pair: &[u32]| u64::from(pair[0]) | u64::from(pair.get(1).copied().unwrap_or(0)) << 32;
        let words: Vec<u64> = words.chunks(2).map(pair).collect();
        let header = ZfpBitStreamRef::from_words(&words).read_header(ZfpHeaderMask::FULL).ok()?;
        header.metadata.zip(header.config)
    }

    fn elements<'a, T>(&self, bytes: &[u8], count: usize, swap: fn(T) -> T) -> Result<Cow<'a, [u8]>, FilterFault>
    where
        T: ZfpScalar + Pod,
    {
        // The stream is made of little-endian words.
        let word = |part: &[u8]| part.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
        let mut stream = ZfpBitStream::from_words(bytes.chunks(8).map(word).collect());
        let mut elements: Vec<T> =
            bytemuck::allocation::try_zeroed_vec(count).map_err(|()| FilterFault::Memory(count as u64))?;
        let mut field = ZfpFieldMut::new(&mut elements, self.field.dims)
            .map_err(|_| FilterFault::Stream("ZFP's dimensions make no sense"))?;
        stream.decompress(&self.config, &mut field).map_err(|_| FilterFault::Truncated)?;
        if self.swapped {
            elements.iter_mut().for_each(|element| *element = swap(*element));
        }
        Ok(Cow::Owned(bytemuck::cast_slice(&elements).to_vec()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{hex, stands_damage};
    use super::*;

    /// Twelve int32 in 3 rows, without loss, by the C plugin.
    const VALUES: [u32; 4] = [0x10105111, 0x570667a, 0x20000034, 0x88000000];
    const ENCODED: &str = "1f00002080400062629012a0082002180000";

    fn plain() -> Vec<u8> {
        (0..12_i32).flat_map(|i| (i * i - 5).to_le_bytes()).collect()
    }

    #[test]
    fn reads_the_plugin() {
        assert_eq!(decode(hex(ENCODED).into(), &VALUES, 48), Ok(plain().into()));
    }

    #[test]
    fn what_a_big_endian_machine_wrote() {
        let mut values = VALUES;
        values[1..].iter_mut().for_each(|value| *value = value.swap_bytes());
        let big: Vec<u8> = (0..12_i32).flat_map(|i| (i * i - 5).to_be_bytes()).collect();
        assert_eq!(decode(hex(ENCODED).into(), &values, 48), Ok(big.into()));
    }

    #[test]
    fn says_what_is_wrong() {
        let run = |bytes: &[u8], values: &[u32], bound| decode(bytes.into(), values, bound).map(Cow::into_owned);
        let stream = hex(ENCODED);
        assert_eq!(run(&stream, &VALUES, 47), Err(FilterFault::TooLong(47)));
        assert_eq!(run(&stream[..8], &VALUES, 48), Err(FilterFault::Truncated));
        assert_eq!(run(&stream, &VALUES[..1], 48), Err(FilterFault::Parameter { index: 1, value: None }));
        assert_eq!(run(&stream, &[1, 2, 3, 4], 48), Err(FilterFault::Parameter { index: 1, value: Some(2) }));
        assert_eq!(run(&stream, &[], 48), Err(FilterFault::Parameter { index: 0, value: None }));
        // Codec 6, as a later plugin and as an earlier one would say it.
        for versions in [0x1010_6111, 0x0060_0101] {
            let values = [versions, VALUES[1], VALUES[2], VALUES[3]];
            assert_eq!(run(&stream, &values, 48), Err(FilterFault::Parameter { index: 0, value: Some(versions) }));
        }
        assert_eq!(run(&stream, &[0x0054_0101, VALUES[1], VALUES[2], VALUES[3]], 48), Ok(plain()));
    }

    #[test]
    fn damage() {
        stands_damage(decode, &VALUES, &hex(ENCODED), 48);
    }
}

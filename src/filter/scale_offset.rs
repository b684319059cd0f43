//! Scale-offset, filter 6: the differences to the smallest value, in as many bits as the largest one needs.
//!
//! Client data: 0 scale type, 1 factor, 2 elements, 3 class, 4 element size in bytes, 5 sign, 6 byte order,
//! 7 whether there is a fill value, 8 … its bytes. An encoded chunk is a header of 21 bytes (bits per
//! element in 4 bytes, the length of the next field, the smallest value in 8, 8 unused ones) and the
//! differences.

use std::borrow::Cow;
use std::ops::{Add, Div, Mul, Sub};

use super::bits::{BitReader, BitWriter};
use super::{bad_value, bounded, value};
use crate::error::{FilterFault, Unsupported};

/// Length of the header in bytes.
const HEADER: usize = 21;

/// Restores elements.
///
/// # Errors
/// Client data that make no sense, an input that ends early, more than `bound` bytes, or floats scaled
/// by a variable exponent.
pub fn decode<'a>(bytes: Cow<'a, [u8]>, values: &[u32], bound: usize) -> Result<Cow<'a, [u8]>, FilterFault> {
    let Some(parameters) = Parameters::read(values)? else { return Ok(bytes) };
    let length = bounded(parameters.elements, parameters.size, bound)?;
    let (header, payload) = bytes.split_first_chunk::<HEADER>().ok_or(FilterFault::Truncated)?;
    let &[a, b, c, d, width, ref minimum @ ..] = header;
    let minimum: u64 = minimum.iter().take(8.min(width.into())).rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte));
    let header = Header { bits: u32::from_le_bytes([a, b, c, d]), minimum };
    if header.bits > parameters.full() {
        return Err(FilterFault::Stream("more bits than an element has"));
    }
    if parameters.elements as u128 * u128::from(header.bits) > payload.len() as u128 * 8 {
        return Err(FilterFault::Truncated);
    }
    let mut out = vec![0; length];
    parameters.restore(header, payload, &mut out)?;
    Ok(Cow::Owned(out))
}

/// Reduces elements to differences.
///
/// Where the number of bits is chosen beforehand and does not suffice, more are taken, so that
/// integers are never changed.
///
/// # Errors
/// Client data that make no sense, another number of bytes than they say, or floats scaled by a
/// variable exponent.
pub fn encode(bytes: &[u8], values: &[u32]) -> Result<Vec<u8>, FilterFault> {
    let Some(parameters) = Parameters::read(values)? else { return Ok(bytes.to_vec()) };
    if parameters.elements.checked_mul(parameters.size) != Some(bytes.len()) {
        let expected = parameters.elements as u64 * parameters.size as u64;
        return Err(FilterFault::Length { found: bytes.len() as u64, expected });
    }
    let elements: Vec<u64> = bytes.chunks_exact(parameters.size).map(|element| parameters.number(element)).collect();
    let (header, codes) = match (parameters.class, parameters.size) {
        (Class::Integer { signed, bits }, _) => parameters.reduce_integers(elements, signed, bits),
        (Class::Float { scale }, 4) => parameters.reduce_floats::<f32>(elements, scale),
        (Class::Float { scale }, _) => parameters.reduce_floats::<f64>(elements, scale),
    };
    let mut to = BitWriter::default();
    for byte in header.bits.to_le_bytes().into_iter().chain([8]).chain(header.minimum.to_le_bytes()).chain([0; 8]) {
        to.put(u64::from(byte), 8);
    }
    if header.bits == parameters.full() {
        codes.iter().flat_map(|code| code.to_le_bytes().into_iter().take(parameters.size)).for_each(|byte| {
            to.put(u64::from(byte), 8);
        });
    } else {
        codes.iter().for_each(|code| to.put(*code, header.bits));
        // libhdf5 has a byte begun at all times, so that a full last one is followed by one of zeros.
        to.put(0, 1);
    }
    Ok(to.finish())
}

struct Parameters {
    elements: usize,
    /// Bytes of an element.
    size: usize,
    big: bool,
    class: Class,
    /// The bits of the fill value, where there is one.
    fill: Option<u64>,
}

#[derive(Clone, Copy)]
enum Class {
    Integer {
        signed: bool,
        /// Bits per element, 0 to choose them by the data.
        bits: u32,
    },
    Float {
        /// Decimal digits behind the point that are kept.
        scale: i32,
    },
}

impl Parameters {
    /// `None` where the filter leaves the elements as they are.
    fn read(values: &[u32]) -> Result<Option<Self>, FilterFault> {
        let (scale_type, factor, size) = (value(values, 0)?, value(values, 1)?, value(values, 4)?);
        let class = match (value(values, 3)?, scale_type, size) {
            (_, 1, _) => return Err(FilterFault::Unsupported(Unsupported::ScaleOffsetExponent)),
            (0, 2, 1 | 2 | 4 | 8) if factor == size * 8 => return Ok(None),
            (0, 2, 1 | 2 | 4 | 8) if factor > size * 8 => return Err(bad_value(values, 1)),
            (0, 2, 1 | 2 | 4 | 8) => Class::Integer { signed: value(values, 5)? != 0, bits: factor },
            (1, 0, 4 | 8) => Class::Float { scale: factor as i32 },
            (0, 2, _) | (1, 0, _) => return Err(bad_value(values, 4)),
            (0 | 1, ..) => return Err(bad_value(values, 0)),
            _ => return Err(bad_value(values, 3)),
        };
        let order = value(values, 6)?;
        if order > 1 {
            return Err(bad_value(values, 6));
        }
        let fill = match (value(values, 7)?, size) {
            (0, _) => None,
            (_, 8) => Some(u64::from(value(values, 8)?) | u64::from(value(values, 9)?) << 32),
            _ => Some(u64::from(value(values, 8)?) & (u64::MAX >> (64 - size * 8))),
        };
        let elements = value(values, 2)? as usize;
        Ok(Some(Self { elements, size: size as usize, big: order == 1, class, fill }))
    }

    /// Bits of an element.
    fn full(&self) -> u32 {
        self.size as u32 * 8
    }

    /// An element of the dataset as a number of its bits.
    fn number(&self, element: &[u8]) -> u64 {
        let add = |sum: u64, byte: &u8| sum << 8 | u64::from(*byte);
        if self.big { element.iter().fold(0, add) } else { element.iter().rev().fold(0, add) }
    }

    fn restore(&self, header: Header, payload: &[u8], out: &mut [u8]) -> Result<(), FilterFault> {
        if header.bits == self.full() {
            // Raw elements, in little-endian order whatever the dataset's is.
            for (element, raw) in out.chunks_exact_mut(self.size).zip(payload.chunks_exact(self.size)) {
                element.copy_from_slice(raw);
                if self.big {
                    element.reverse();
                }
            }
            return Ok(());
        }
        match (self.class, self.size) {
            (Class::Integer { .. }, 1) => self.restore_integers::<1>(header, payload, out),
            (Class::Integer { .. }, 2) => self.restore_integers::<2>(header, payload, out),
            (Class::Integer { .. }, 4) => self.restore_integers::<4>(header, payload, out),
            (Class::Integer { .. }, _) => self.restore_integers::<8>(header, payload, out),
            (Class::Float { scale }, 4) => {
                let (power, minimum) = (f32::power(scale), f32::of_bits(header.minimum));
                self.put_all::<4>(header, payload, out, |code| (code as f32 / power + minimum).bits())
            }
            (Class::Float { scale }, _) => {
                let (power, minimum) = (f64::power(scale), f64::of_bits(header.minimum));
                self.put_all::<8>(header, payload, out, |code| (code as f64 / power + minimum).bits())
            }
        }
    }

    fn restore_integers<const SIZE: usize>(
        &self,
        header: Header,
        payload: &[u8],
        out: &mut [u8],
    ) -> Result<(), FilterFault> {
        self.put_all::<SIZE>(header, payload, out, |code| code.wrapping_add(header.minimum))
    }

    /// Writes the elements that codes stand for in the dataset's byte order.
    fn put_all<const SIZE: usize>(
        &self,
        header: Header,
        payload: &[u8],
        out: &mut [u8],
        number: impl Fn(u64) -> u64,
    ) -> Result<(), FilterFault> {
        let mut from = BitReader::new(payload);
        // A reserved code stands for the fill value.
        let code_of_fill = header.ones();
        for element in out.chunks_exact_mut(SIZE) {
            let code = from.take(header.bits)?;
            let number = self.fill.filter(|_| code == code_of_fill).unwrap_or_else(|| number(code));
            if self.big {
                element.copy_from_slice(&number.to_be_bytes()[8 - SIZE..]);
            } else {
                element.copy_from_slice(&number.to_le_bytes()[..SIZE]);
            }
        }
        Ok(())
    }

    fn reduce_integers(&self, elements: Vec<u64>, signed: bool, chosen: u32) -> (Header, Vec<u64>) {
        let unused = 64 - self.full();
        let order = |raw: u64| if signed { i128::from((raw << unused) as i64 >> unused) } else { i128::from(raw) };
        let is_fill = |raw: &u64| self.fill == Some(*raw);
        let known = || elements.iter().filter(|raw| !is_fill(raw)).map(|raw| order(*raw));
        let (minimum, maximum) = (known().min().unwrap_or(0), known().max().unwrap_or(0));
        let largest = (maximum - minimum) as u64;
        if largest > (u64::MAX >> unused) - 2 {
            return (Header { bits: self.full(), minimum: 0 }, elements);
        }
        let needed = bits_for(largest + u64::from(self.fill.is_some()));
        let header = Header { bits: needed.max(chosen), minimum: minimum as u64 };
        if header.bits == self.full() {
            return (header, elements);
        }
        let code = |raw: u64| if is_fill(&raw) { header.ones() } else { (order(raw) - minimum) as u64 };
        (header, elements.into_iter().map(code).collect())
    }

    fn reduce_floats<T: Real>(&self, elements: Vec<u64>, scale: i32) -> (Header, Vec<u64>) {
        let (power, near) = (T::power(scale), T::power(scale.saturating_neg()));
        let is_fill = |value: T| self.fill.is_some_and(|fill| value.is_nearer(T::of_bits(fill), near));
        let known = || elements.iter().map(|raw| T::of_bits(*raw)).filter(|value| !is_fill(*value));
        let raw = Header { bits: self.full(), minimum: 0 };
        let zero = T::of_bits(0);
        let minimum = known().reduce(|a, b| if b < a { b } else { a }).unwrap_or(zero);
        let maximum = known().reduce(|a, b| if b > a { b } else { a }).unwrap_or(zero);
        let whole = |value: T| (value * power - minimum * power).rounded();
        // Half of the range is left to the largest difference, none to infinities and what is no number.
        let limit = (1_u64 << (self.full() - 1)) as f64;
        if !known().all(|value| whole(value) <= limit) {
            return (raw, elements);
        }
        let needed = bits_for(whole(maximum) as u64 + u64::from(self.fill.is_some()));
        let header = Header { bits: needed, minimum: minimum.bits() };
        if header.bits >= self.full() {
            return (Header { bits: self.full(), ..header }, elements);
        }
        let code = |raw: u64| {
            let value = T::of_bits(raw);
            if is_fill(value) { header.ones() } else { whole(value) as u64 }
        };
        (header, elements.into_iter().map(code).collect())
    }
}

#[derive(Clone, Copy)]
struct Header {
    /// Bits per element; all of them means that the elements are raw.
    bits: u32,
    /// The bits of the smallest value.
    minimum: u64,
}

impl Header {
    /// The code of ones alone.
    fn ones(self) -> u64 {
        u64::MAX.checked_shr(64 - self.bits).unwrap_or(0)
    }
}

/// Bits for the numbers 0 to `largest`.
fn bits_for(largest: u64) -> u32 {
    64 - largest.leading_zeros()
}

/// The two float types: the arithmetic has to be done in the type's own precision.
trait Real: Copy + PartialOrd + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> {
    fn of_bits(bits: u64) -> Self;
    fn bits(self) -> u64;
    /// 10 to a power.
    fn power(exponent: i32) -> Self;
    /// Whether the distance to another number is less than this.
    fn is_nearer(self, other: Self, distance: Self) -> bool;
    /// Without its fraction; halves away from 0.
    fn rounded(self) -> f64;
}

/// The number that is nearest to 10 to a power. `powi` and `powf` do not promise that; reading it as text does, with tables that
/// would be much of the JavaScript package.
fn power_of_ten(exponent: i32) -> f64 {
    // `mantissa * 2^scale`, with the highest bit set. Each step loses less than 8 of the lowest.
    let (mut mantissa, mut scale) = (1u128 << 127, -127);
    // More of them change nothing: they are infinity and 0.
    for _ in 0..exponent.unsigned_abs().min(400) {
        let more;
        (mantissa, more) = if exponent > 0 { (mantissa / 8 * 5, 4) } else { (mantissa / 5, -1) };
        let zeros = mantissa.leading_zeros();
        mantissa <<= zeros;
        scale += more - zeros as i32;
    }
    // In two steps: neither factor leaves the range of normal numbers.
    let factor = |exponent: i32| f64::from_bits(((1023 + exponent) as u64) << 52);
    mantissa as f64 * factor(scale / 2) * factor(scale - scale / 2)
}

macro_rules! real {
    ($float:ty, $bits:ty) => {
        impl Real for $float {
            fn of_bits(bits: u64) -> Self {
                Self::from_bits(bits as $bits)
            }

            fn bits(self) -> u64 {
                u64::from(self.to_bits())
            }

            fn power(exponent: i32) -> Self {
                power_of_ten(exponent) as Self
            }

            fn is_nearer(self, other: Self, distance: Self) -> bool {
                (self - other).abs() < distance
            }

            fn rounded(self) -> f64 {
                f64::from(self.round())
            }
        }
    };
}

real!(f32, u32);
real!(f64, u64);

#[cfg(test)]
mod tests {
    use super::super::testing::{both_ways, data, hex, stands_damage};
    use super::*;
    use proptest::prelude::*;

    /// Client data: scale type, factor, elements, class, size, sign, order; a fill value where there is one.
    fn values(first: [u32; 7], fill: Option<u64>) -> Vec<u32> {
        let mut values = first.to_vec();
        values.push(fill.is_some().into());
        values.extend(fill.map_or([0; 2], |fill| [fill as u32, (fill >> 32) as u32]));
        values.resize(20, 0);
        values
    }

    #[test]
    fn powers_of_ten_are_the_nearest() {
        for exponent in -410..=410 {
            let text = format!("1e{exponent}");
            assert_eq!(Ok(f64::power(exponent)), text.parse(), "{text}");
            assert_eq!(Ok(f32::power(exponent)), text.parse(), "{text}");
        }
    }

    #[test]
    fn integers_like_libhdf5() {
        let like = |first, fill: u64, plain: &str, bits: &str, minimum: &str, payload: &str| {
            let encoded = [bits, "00000008", minimum, "0000000000000000", payload].concat();
            both_ways(decode, encode, &values(first, Some(fill)), plain, &encoded);
        };
        let (differences, least) = ("7b83e487ff00e300", "80ffffffffffffff");
        like([2, 0, 7, 0, 2, 1, 0], 0, "fbff030064000700000080ff6300", "08", least, differences);
        like([2, 0, 7, 0, 2, 1, 1], 0, "fffb0003006400070000ff800063", "08", least, differences);
        // All the same; all the fill value.
        like([2, 0, 5, 0, 1, 0, 0], 0, "0909090909", "01", "0900000000000000", "00");
        like([2, 0, 5, 0, 1, 0, 0], 0, "0000000000", "01", "0000000000000000", "f8");
        like(
            [2, 0, 5, 0, 4, 1, 0],
            0xffff_ffff,
            "ffffffff050000000600000009000000ffffffff",
            "03",
            "0500000000000000",
            "e0ce",
        );
        // All bits are needed.
        like([2, 0, 4, 0, 1, 1, 0], 0, "807f0500", "08", "0000000000000000", "807f0500");
        like([2, 0, 4, 0, 1, 0, 0], 0, "ff000501", "08", "0000000000000000", "ff000501");
        like([2, 0, 4, 0, 1, 0, 0], 0, "fd070501", "08", "0100000000000000", "fd070501");
        let wide = "0000000000000080ffffffffffffff7f05000000000000000000000000000000";
        like([2, 0, 4, 0, 8, 1, 0], 0, wide, "40", "0000000000000000", wide);
        let wide = "0000000000ffffff000000000002000005000000000000000000000000000000";
        let differences = "00000000003000000000040000000017ffffffffff00";
        like([2, 0, 4, 0, 8, 1, 0], 0, wide, "2a", "0000000000ffffff", differences);
        // The number of bits chosen beforehand.
        let plain = "000003eb000003e8000003ef000003e900000000";
        like([2, 5, 5, 0, 4, 0, 1], 0, plain, "05", "e803000000000000", "180e1f80");
    }

    #[test]
    fn floats_like_libhdf5() {
        let like = |first, plain: &str, bits: &str, minimum: &str, payload: &str| {
            let encoded = [bits, "00000008", minimum, "0000000000000000", payload].concat();
            both_ways(decode, encode, &values(first, Some(0)), plain, &encoded);
        };
        let header = ("0a", "000020c000000000", "5de34003ffed80");
        let decoded = hex(&["0a00000008", header.1, "0000000000000000", header.2].concat());
        // Lossy: the decoded values are libhdf5's, not those that went in.
        let plain = "0000a03fc2f54840000020c0000000000000e040";
        let floats = values([0, 2, 5, 1, 4, 0, 0], Some(0));
        assert_eq!(encode(&hex("0000a03fd00f4940000020c06f12833a0000e040"), &floats), Ok(decoded.clone()));
        assert_eq!(decode(decoded.into(), &floats, 20), Ok(hex(plain).into()));
        like([0, 2, 5, 1, 4, 0, 1], "3fa000004048f5c2c02000000000000040e00000", header.0, header.1, header.2);
        let plain = "000000000000f43f8a4160e5d022094000000000000004c000000000000000000000000000001c40";
        like([0, 3, 5, 1, 8, 0, 0], plain, "0e", "00000000000004c0", "3a9960a0003fff9470");
        let plain = "caf24971caf249f10000a040";
        like([0, 2, 3, 1, 4, 0, 0], plain, "20", "0000000000000000", plain);
        like([0, 2, 3, 1, 4, 0, 0], "000000000000000000000000", "01", "0000000000000000", "e0");
    }

    #[test]
    fn leaves_alone_what_has_all_bits() {
        both_ways(decode, encode, &values([2, 32, 2, 0, 4, 0, 1], Some(0)), "000003eb000003e8", "000003eb000003e8");
    }

    #[test]
    fn without_fill_value() {
        let like = |plain: &str, bits: &str, payload: &str| {
            let encoded = [bits, "00000008", "0900000000000000", "0000000000000000", payload].concat();
            both_ways(decode, encode, &values([2, 0, 3, 0, 1, 0, 0], None), plain, &encoded);
        };
        like("090909", "00", "00");
        like("090a0b", "02", "18");
        // The code of ones is an ordinary one.
        like("090a0c", "02", "1c");
    }

    #[test]
    fn says_what_is_wrong() {
        let run = |values: &[u32], bytes: &[u8], bound| decode(bytes.into(), values, bound).map(Cow::into_owned);
        let integers = values([2, 0, 3, 0, 2, 0, 0], None);
        let mut bytes = encode(&[1, 0, 2, 0, 3, 0], &integers).unwrap();
        assert_eq!(run(&integers, &bytes[..21], 6), Err(FilterFault::Truncated));
        assert_eq!(run(&integers, &bytes[..20], 6), Err(FilterFault::Truncated));
        assert_eq!(run(&integers, &bytes, 5), Err(FilterFault::TooLong(5)));
        bytes[0] = 17;
        assert!(matches!(run(&integers, &bytes, 6), Err(FilterFault::Stream(_))));
        let parameter = |first, index, value| {
            let fault = FilterFault::Parameter { index, value: Some(value) };
            assert_eq!(run(&values(first, None), &bytes, 99), Err(fault));
        };
        parameter([2, 0, 3, 0, 3, 0, 0], 4, 3);
        parameter([0, 0, 3, 1, 2, 0, 0], 4, 2);
        parameter([2, 0, 3, 2, 2, 0, 0], 3, 2);
        parameter([0, 0, 3, 0, 2, 0, 0], 0, 0);
        parameter([2, 17, 3, 0, 2, 0, 0], 1, 17);
        parameter([2, 0, 3, 0, 2, 0, 2], 6, 2);
        assert_eq!(run(&integers[..7], &bytes, 99), Err(FilterFault::Parameter { index: 7, value: None }));
        let exponent = values([1, 0, 3, 1, 4, 0, 0], None);
        let unsupported = FilterFault::Unsupported(Unsupported::ScaleOffsetExponent);
        assert_eq!(run(&exponent, &bytes, 99), Err(unsupported.clone()));
        assert_eq!(encode(&[0; 12], &exponent), Err(unsupported));
        assert_eq!(encode(&[0; 5], &integers), Err(FilterFault::Length { found: 5, expected: 6 }));
    }

    #[test]
    fn damage() {
        let integers = values([2, 0, 7, 0, 2, 1, 1], Some(3));
        stands_damage(decode, &integers, &encode(&hex("fffb0003006400070000ff800063"), &integers).unwrap(), 14);
        let floats = values([0, 3, 2, 1, 8, 0, 0], Some(0));
        stands_damage(decode, &floats, &encode(&[1; 16], &floats).unwrap(), 16);
    }

    proptest! {
        #[test]
        fn integers_both_ways(
            bytes in data(0..600), size in 0..4, sign in 0_u32..2, order in 0_u32..2, fill in any::<Option<u64>>(),
            zero in any::<bool>(), factor in 0_u32..8,
        ) {
            let size = 1_usize << size;
            let plain = &bytes[..bytes.len() / size * size];
            let fill = fill.map(|fill| if zero { 0 } else { fill });
            let values = values([2, factor, (plain.len() / size) as u32, 0, size as u32, sign, order], fill);
            let encoded = encode(plain, &values).unwrap();
            prop_assert_eq!(decode(encoded.into(), &values, plain.len()), Ok(plain.into()));
        }

        #[test]
        fn floats_keep_their_digits(
            numbers in prop::collection::vec(prop_oneof![-1e4..1e4, Just(0.0), Just(-7.5)], 0..100),
            scale in -2_i32..6, single in any::<bool>(), order in 0_u32..2, fill in any::<bool>(),
        ) {
            let size = if single { 4 } else { 8 };
            let write = |number: &f64| {
                let mut bytes = if single { (*number as f32).to_le_bytes().to_vec() } else { number.to_le_bytes().to_vec() };
                if order == 1 { bytes.reverse() }
                bytes
            };
            let read = |bytes: &[u8]| {
                let mut bytes = bytes.to_vec();
                if order == 1 { bytes.reverse() }
                match <[u8; 4]>::try_from(&bytes[..]) {
                    Ok(bytes) => f64::from(f32::from_le_bytes(bytes)),
                    Err(_) => f64::from_le_bytes(bytes.try_into().unwrap()),
                }
            };
            let plain: Vec<u8> = numbers.iter().flat_map(write).collect();
            let values = values([0, scale as u32, numbers.len() as u32, 1, size, 0, order], fill.then_some(0));
            let decoded = decode(encode(&plain, &values).unwrap().into(), &values, plain.len()).unwrap();
            prop_assert_eq!(decoded.len(), plain.len());
            // Half a unit of the last digit, and what the arithmetic of the type loses.
            let lost = 0.5 * 10_f64.powi(-scale) + if single { 0.02 } else { 1e-9 };
            for (number, bytes) in numbers.iter().zip(decoded.chunks(size as usize)) {
                let near_fill = if fill && number.abs() <= 10_f64.powi(-scale) { number.abs() } else { 0.0 };
                prop_assert!((read(bytes) - number).abs() <= lost + near_fill, "{} for {}", read(bytes), number);
            }
        }

        #[test]
        fn any_float_can_be_encoded(bytes in data(0..300), scale in any::<i32>(), wide in any::<bool>(), fill in any::<u64>()) {
            let size = if wide { 8 } else { 4 };
            let plain = &bytes[..bytes.len() / size * size];
            for scale in [scale, scale % 40] {
                let values = values([0, scale as u32, (plain.len() / size) as u32, 1, size as u32, 0, 0], Some(fill));
                let encoded = encode(plain, &values).unwrap();
                prop_assert_eq!(decode(encoded.into(), &values, plain.len()).unwrap().len(), plain.len());
            }
        }

        #[test]
        fn any_bytes(
            bytes in data(0..60), minbits in 0_u8..70,
            (size, class) in prop::sample::select(vec![(1, 0), (2, 0), (4, 0), (8, 0), (4, 1), (8, 1)]),
        ) {
            let values = values([2 - 2 * class, 1, 9, class, size, 0, 0], Some(5));
            let head = [minbits, 0, 0, 0, 8];
            stands_damage(decode, &values, &[&head[..], &bytes].concat(), 72);
            stands_damage(decode, &values, &bytes, 72);
        }
    }
}

use std::collections::HashMap;
use std::ops::Range;

use super::fixed_point::{FixedPointReader, Integer};
use super::floating_point::FloatingPointReader;
use super::number::Written;
use crate::error::{Cause, Error, Result};
use crate::format::message::datatype::{Bits, ByteOrder, Class, Datatype, Member, Padding};

/// The bytes of `n` elements of one datatype as elements of another: the same elements, numbers of another class, size
/// or byte order, fixed-length strings of another length or padding, compounds and arrays of such. As libhdf5
/// converts, what lies between the numbers of the target is rounded: to the nearest float, and to the integer next
/// to it towards zero; and strings are cut.
///
/// # Errors
/// `Type` for datatypes that do not convert, and for values out of the target's range: for those libhdf5 has
/// several answers.
pub(crate) fn convert(from: &Datatype, to: &Datatype, n: usize, bytes: Vec<u8>) -> Result<Vec<u8>> {
    if same(from, to) {
        return Ok(bytes);
    }
    let mismatch = || Error::from(Cause::Type { stored: from.to_string(), wanted: to.to_string() });
    let (size, to_size) = (from.size as usize, to.size as usize);
    let converter = converter(from, to).ok_or_else(mismatch)?;
    // An empty string has no bytes.
    let elements = (0..n).map(|i| &bytes[i * size..(i + 1) * size]);
    let length = n.checked_mul(to_size).ok_or_else(mismatch)?;
    let mut converted = Vec::new();
    converted.try_reserve_exact(length).map_err(|_| Error::limit("memory", length as u64, isize::MAX as u64))?;
    converted.resize(length, 0);
    for (i, (element, target)) in elements.zip(converted.chunks_exact_mut(to_size.max(1))).enumerate() {
        converter(element, target).map_err(|value| Cause::Value {
            element: i as u64,
            value,
            wanted: to.to_string(),
        })?;
    }
    Ok(converted)
}

/// Writes one element as an element of another datatype, over zeros; an error is the value that does not fit.
type Converter = Box<dyn Fn(&[u8], &mut [u8]) -> Result<(), String>>;

fn converter(from: &Datatype, to: &Datatype) -> Option<Converter> {
    if same(from, to) {
        return Some(Box::new(|element, target| {
            target.copy_from_slice(element);
            Ok(())
        }));
    }
    match (&from.class, &to.class) {
        (Class::Compound { members: from }, Class::Compound { members }) => {
            let named: HashMap<&[u8], &Member> = from.iter().map(|member| (member.name.as_bytes(), member)).collect();
            let mut converters = Vec::with_capacity(members.len());
            for to in members {
                let from = named.get(to.name.as_bytes())?;
                converters.push((range(from), range(to), converter(&from.datatype, &to.datatype)?));
            }
            Some(Box::new(move |element, target| {
                converters
                    .iter()
                    .try_for_each(|(from, to, convert)| convert(&element[from.clone()], &mut target[to.clone()]))
            }))
        }
        (Class::Array { dims: from_dims, base: from, .. }, Class::Array { dims, base: to, .. })
            if from_dims == dims && from.size > 0 && to.size > 0 =>
        {
            let (size, to_size, convert) = (from.size as usize, to.size as usize, converter(from, to)?);
            Some(Box::new(move |element, target| {
                let mut pairs = element.chunks_exact(size).zip(target.chunks_exact_mut(to_size));
                pairs.try_for_each(|(element, target)| convert(element, target))
            }))
        }
        (Class::String { padding: from, charset: a }, Class::String { padding, charset: b }) if a == b => {
            let (from, padding) = (*from, *padding);
            Some(Box::new(move |element, target| {
                write_text(text(element, from), target, padding);
                Ok(())
            }))
        }
        _ => {
            let (read, write) = (reader(from)?, writer(to)?);
            Some(Box::new(move |element, target| {
                let number = read(element).ok_or_else(|| format!("{element:02x?}"))?;
                let written = write(number).ok_or_else(|| number.written())?;
                target.copy_from_slice(&written[..target.len()]);
                Ok(())
            }))
        }
    }
}

/// The bytes of a member in its element. Members lie within: a datatype where they do not is not decoded.
fn range(member: &Member) -> Range<usize> {
    let start = member.offset as usize;
    start..start + member.datatype.size as usize
}

/// A string without what fills its element.
fn text(element: &[u8], padding: Padding) -> &[u8] {
    let end = match padding {
        Padding::SpacePadded => element.iter().rposition(|byte| *byte != b' ').map_or(0, |last| last + 1),
        _ => element.iter().position(|byte| *byte == 0).unwrap_or(element.len()),
    };
    &element[..end]
}

/// Writes what of a string there is room for, the end of a terminated one included.
fn write_text(text: &[u8], target: &mut [u8], padding: Padding) {
    if padding == Padding::SpacePadded {
        target.fill(b' ');
    }
    let room = target.len() - usize::from(padding == Padding::NullTerminated && !target.is_empty());
    let length = text.len().min(room);
    target[..length].copy_from_slice(&text[..length]);
}

/// True where elements of both have the same bytes for the same values.
fn same(a: &Datatype, b: &Datatype) -> bool {
    a.size == b.size
        && match (&a.class, &b.class) {
            (Class::Compound { members: a }, Class::Compound { members: b }) => {
                a.len() == b.len()
                    && a.iter()
                        .zip(b)
                        .all(|(a, b)| a.name == b.name && a.offset == b.offset && same(&a.datatype, &b.datatype))
            }
            (Class::Array { dims: x, base: a, .. }, Class::Array { dims: y, base: b, .. }) => x == y && same(a, b),
            (Class::VariableLength { base: a, .. }, Class::VariableLength { base: b, .. }) => same(a, b),
            (Class::String { padding: a, .. }, Class::String { padding: b, .. }) => a == b,
            (a, b) => a == b,
        }
}

#[derive(Clone, Copy)]
enum Number {
    Integer(Integer),
    Float(f64),
}

impl Number {
    /// The number as people read it.
    fn written(self) -> String {
        match self {
            Self::Integer(n) => n.to_string(),
            Self::Float(n) => n.written(),
        }
    }
}

/// A float without its fraction, where that is an integer of up to 128 bits.
fn towards_zero(value: f64) -> Option<Integer> {
    const END: f64 = 170_141_183_460_469_231_731_687_303_715_884_105_728.0; // 2^127
    if value >= END {
        return (value < 2.0 * END).then_some(Integer::Unsigned(value as u128));
    }
    (value >= -END).then_some(Integer::Signed(value as i128)) // not for a NaN
}

type Reader = Box<dyn Fn(&[u8]) -> Option<Number>>;
type Writer = Box<dyn Fn(Number) -> Option<[u8; 16]>>;

fn reader(datatype: &Datatype) -> Option<Reader> {
    match &datatype.class {
        Class::FixedPoint(number) => {
            let reader = FixedPointReader::new(datatype, number.bits, number.signed);
            Some(Box::new(move |element| reader.read(element).map(Number::Integer)))
        }
        Class::FloatingPoint(float) => {
            let reader = FloatingPointReader::new(datatype, *float)?;
            Some(Box::new(move |element| {
                let wide = reader.read(element);
                wide.exact.then_some(Number::Float(wide.nearest))
            }))
        }
        _ => None,
    }
}

/// Writes whole integers of up to 16 bytes and the floating-point numbers that the machine has.
fn writer(datatype: &Datatype) -> Option<Writer> {
    let size = datatype.size as usize;
    let ordered = move |bits: &Bits, little: [u8; 16]| {
        let mut bytes = little;
        if bits.order == ByteOrder::Big {
            bytes[..size].reverse();
        }
        bytes
    };
    match &datatype.class {
        Class::FixedPoint(number)
            if size <= 16
                && number.bits.offset == 0
                && usize::from(number.bits.precision) == 8 * size
                && number.bits.order != ByteOrder::Vax =>
        {
            let (bits, signed, width) = (number.bits, number.signed, 8 * size as u32);
            Some(Box::new(move |number| {
                let number = match number {
                    Number::Integer(number) => number,
                    Number::Float(value) => towards_zero(value)?,
                };
                let fits = match number {
                    Integer::Signed(n) if signed => width == 128 || (n >> (width - 1)) == 0 || (n >> (width - 1)) == -1,
                    Integer::Signed(n) => n >= 0 && (width == 128 || n >> width == 0),
                    Integer::Unsigned(n) if signed => n >> (width - 1) == 0,
                    Integer::Unsigned(n) => width == 128 || n >> width == 0,
                };
                let little = match number {
                    Integer::Signed(n) => n.to_le_bytes(),
                    Integer::Unsigned(n) => n.to_le_bytes(),
                };
                fits.then(|| ordered(&bits, little))
            }))
        }
        Class::FloatingPoint(float) if float.bits.order != ByteOrder::Vax => {
            let bits = float.bits;
            let double = size == 8 && float.is_ieee(11, 52);
            let single = size == 4 && float.is_ieee(8, 23);
            if !double && !single {
                return None;
            }
            Some(Box::new(move |number| {
                let value = match number {
                    Number::Float(value) => value,
                    Number::Integer(n) => n.to_f64().0,
                };
                let mut little = [0; 16];
                if double {
                    little[..8].copy_from_slice(&value.to_le_bytes());
                } else {
                    let narrow = match number {
                        Number::Float(value) => value as f32,
                        Number::Integer(Integer::Signed(n)) => n as f32,
                        Number::Integer(Integer::Unsigned(n)) => n as f32,
                    };
                    if narrow.is_infinite() && value.is_finite() {
                        return None;
                    }
                    little[..4].copy_from_slice(&narrow.to_le_bytes());
                }
                Some(ordered(&bits, little))
            }))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::testing::{float, integer};
    use crate::format::message::datatype::Charset;

    #[test]
    fn numbers_keep_their_values() {
        let (i16_big, i32) = (integer(2, true, ByteOrder::Big), integer(4, true, ByteOrder::Little));
        assert_eq!(convert(&i16_big, &i32, 2, vec![0xff, 0xfe, 1, 2]).expect("fits"), [254, 255, 255, 255, 2, 1, 0, 0]);
        assert_eq!(convert(&i32, &i16_big, 1, vec![254, 255, 255, 255]).expect("fits"), [0xff, 0xfe]);
        assert!(convert(&i32, &i16_big, 1, vec![0, 0, 1, 0]).is_err());
        let double = convert(&i16_big, &float(8, 11, 52), 1, vec![0, 3]).expect("fits");
        assert_eq!(double, 3.0f64.to_le_bytes());
        let (f64, f32) = (float(8, 11, 52), float(4, 8, 23));
        assert_eq!(convert(&f64, &f32, 1, double).expect("fits"), 3.0f32.to_le_bytes());
    }

    #[test]
    fn what_lies_between_is_rounded_what_lies_outside_is_refused() {
        let (f64, f32) = (float(8, 11, 52), float(4, 8, 23));
        let (i32, u8) = (integer(4, true, ByteOrder::Little), integer(1, false, ByteOrder::Little));
        let from = |value: f64, to: &Datatype| convert(&f64, to, 1, value.to_le_bytes().to_vec());
        assert_eq!(from(0.1, &f32).expect("rounds"), 0.1f32.to_le_bytes());
        assert_eq!(from(f64::INFINITY, &f32).expect("infinite"), f32::INFINITY.to_le_bytes());
        assert!(from(f64::NAN, &f32).is_ok());
        assert!(from(1e39, &f32).is_err());
        assert_eq!(from(-7.9, &i32).expect("in range"), (-7i32).to_le_bytes());
        assert_eq!(from(255.9, &u8).expect("in range"), [255]);
        assert_eq!(from(-0.9, &u8).expect("in range"), [0]);
        for outside in [256.0, -1.0, f64::NAN, f64::INFINITY, -1e300, 1e300] {
            assert!(from(outside, &u8).is_err(), "{outside}");
        }
        // 2^24 + 3 lies between two floats of 24 bits; the even one is 2^24 + 4.
        let wide = convert(&i32, &f32, 1, 16_777_219i32.to_le_bytes().to_vec()).expect("rounds");
        assert_eq!(wide, 16_777_220f32.to_le_bytes());
    }

    /// Elements without bytes are as many as they are said to be.
    #[test]
    fn empty_strings_are_converted_too() {
        let string = |size| Datatype {
            version: 1,
            size,
            class: Class::String { padding: Padding::NullPadded, charset: Charset::Ascii },
            reserved_bits: 0,
        };
        assert_eq!(convert(&string(0), &string(2), 3, Vec::new()).expect("fits"), [0; 6]);
        assert_eq!(convert(&string(2), &string(0), 2, b"abcd".to_vec()).expect("fits"), [0u8; 0]);
    }
}

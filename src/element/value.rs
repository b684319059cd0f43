use std::fmt;
use std::sync::Arc;

use super::fixed_point::{FixedPointReader, Integer};
use super::floating_point::FloatingPointReader;
use super::reference::Reference;
use super::sequence::variable_length;
use super::text::trimmed;
use super::{Decoder, Element, ReferenceTarget, pairs};
use crate::bytes::Text;
use crate::error::Result;
use crate::format::message::datatype::{Class, Datatype};

/// A value of any datatype.
///
/// `Display` shows it as people read it.
#[derive(Clone, Debug, PartialEq, Default)]
pub enum Value {
    /// An integer or a time, of up to 127 bits and a sign.
    Integer(i128),
    /// An unsigned integer of 128 bits whose highest is set.
    Unsigned(u128),
    /// A floating-point number that `f64` holds.
    Float(f64),
    /// A floating-point number that `f64` does not hold: the nearest one, and the bytes of the element.
    WideFloat(f64, Vec<u8>),
    /// A string.
    String(Text),
    /// Bits.
    Bits(u128),
    /// Bytes: an opaque element, or a number that no variant here holds.
    Opaque(Vec<u8>),
    /// An enumeration's value, with its name where it is a member.
    Enumeration(Option<Arc<Text>>, i128),
    /// Members of a compound in the file's order. All elements have the same names.
    Compound(Vec<(Arc<Text>, Value)>),
    /// An array and its shape.
    Array(Array),
    /// A variable-length sequence.
    Sequence(Vec<Value>),
    /// A reference.
    Reference(Reference),
    /// A complex number: real and imaginary part.
    Complex(Box<(Value, Value)>),
    /// Nothing: a string or sequence that was never written.
    #[default]
    Null,
}

/// Values in row-major order and their shape.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Array {
    /// Elements of each dimension, slowest first; empty for a scalar.
    pub shape: Vec<u64>,
    /// The values.
    pub values: Vec<Value>,
}

impl Value {
    /// The string, where this is one and it is UTF-8; also the name of an enumeration's value.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => text.as_str(),
            Self::Enumeration(Some(name), _) => name.as_str(),
            _ => None,
        }
    }

    /// The integer, where this is one or an enumeration's value, and 64 bits hold it.
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        match self {
            Self::Integer(n) | Self::Enumeration(_, n) => i64::try_from(*n).ok(),
            _ => None,
        }
    }

    /// The number as `f64`, where this is a number: the nearest one.
    #[must_use]
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Self::Integer(n) => Some(*n as f64),
            Self::Unsigned(n) => Some(*n as f64),
            Self::Float(n) | Self::WideFloat(n, _) => Some(*n),
            _ => None,
        }
    }
}

impl Element for Value {
    fn type_name() -> String {
        "Value".into()
    }

    fn empty() -> Self {
        Self::Null
    }

    fn decoder(datatype: &Datatype) -> Result<Decoder<Self>> {
        match &datatype.class {
            Class::FixedPoint(number) => {
                let reader = FixedPointReader::new(datatype, number.bits, number.signed);
                Ok(each(move |element| integer(reader, element)))
            }
            Class::Time { order, precision } => {
                let reader = FixedPointReader::time(datatype, *order, *precision);
                Ok(each(move |element| integer(reader, element)))
            }
            Class::Bitfield(bits) => {
                let reader = FixedPointReader::new(datatype, *bits, false);
                Ok(each(move |element| match reader.read(element) {
                    Some(Integer::Unsigned(bits)) => Self::Bits(bits),
                    _ => Self::Opaque(element.to_vec()),
                }))
            }
            Class::FloatingPoint(float) => match FloatingPointReader::new(datatype, *float) {
                Some(reader) => Ok(each(move |element| {
                    let wide = reader.read(element);
                    if wide.exact { Self::Float(wide.nearest) } else { Self::WideFloat(wide.nearest, element.to_vec()) }
                })),
                None => Ok(each(|element| Self::Opaque(element.to_vec()))),
            },
            Class::String { padding, .. } => {
                let padding = *padding;
                Ok(each(move |element| Self::String(trimmed(element, padding).into())))
            }
            Class::Opaque { .. } => Ok(each(|element| Self::Opaque(element.to_vec()))),
            Class::Enumeration { base, members } => enumeration(base, members),
            Class::Compound { members } => {
                let parts: Vec<(Arc<Text>, usize, usize, Decoder<Self>)> = members
                    .iter()
                    .map(|m| {
                        let (offset, size) = (m.offset as usize, m.datatype.size as usize);
                        Ok((Arc::new(m.name.clone()), offset, size, Self::decoder(&m.datatype)?))
                    })
                    .collect::<Result<_>>()?;
                Ok(Box::new(move |bytes, heap, values| {
                    for (_, element, value) in pairs(bytes, values) {
                        let mut members = Vec::with_capacity(parts.len());
                        for (name, offset, size, decode) in &parts {
                            let mut part = [Self::Null];
                            decode(&element[*offset..offset + size], heap, &mut part)?;
                            let [part] = part;
                            members.push((name.clone(), part));
                        }
                        *value = Self::Compound(members);
                    }
                    Ok(())
                }))
            }
            Class::Array { dims, base, .. } => {
                let (inner, n) = (Self::decoder(base)?, datatype.array_elements() as usize);
                let shape: Vec<u64> = dims.iter().map(|n| u64::from(*n)).collect();
                Ok(Box::new(move |bytes, heap, values| {
                    for (_, element, value) in pairs(bytes, values) {
                        let mut array = Array { shape: shape.clone(), values: Self::empty_vec(n)? };
                        inner(element, heap, &mut array.values)?;
                        *value = Self::Array(array);
                    }
                    Ok(())
                }))
            }
            Class::VariableLength { is_string: true, .. } => {
                let texts = Option::<Text>::decoder(datatype)?;
                Ok(Box::new(move |bytes, heap, values| {
                    let mut strings = vec![None; values.len()];
                    texts(bytes, heap, &mut strings)?;
                    for (value, string) in values.iter_mut().zip(strings) {
                        *value = string.map_or(Self::Null, Self::String);
                    }
                    Ok(())
                }))
            }
            Class::VariableLength { base, .. } => {
                let (inner, size, each) = (Self::decoder(base)?, base.size as usize, in_memory(base));
                Ok(Box::new(move |bytes, heap, values| {
                    variable_length(bytes, size, heap, values, |_, n, bytes| {
                        heap.becomes(each.saturating_mul(n as u64))?;
                        let mut sequence = Self::empty_vec(n)?;
                        inner(bytes, heap, &mut sequence)?;
                        Ok(Self::Sequence(sequence))
                    })
                }))
            }
            Class::Reference { .. } => {
                let inner = Reference::decoder(datatype)?;
                Ok(Box::new(move |bytes, heap, values| {
                    let mut references = Reference::empty_vec(values.len())?;
                    inner(bytes, heap, &mut references)?;
                    for (value, reference) in values.iter_mut().zip(references) {
                        *value = Self::Reference(reference);
                    }
                    Ok(())
                }))
            }
            Class::Complex { base, .. } => {
                let inner = Self::decoder(base)?;
                Ok(Box::new(move |bytes, heap, values| {
                    for (_, element, value) in pairs(bytes, values) {
                        let mut parts = [Self::Null, Self::Null];
                        inner(element, heap, &mut parts)?;
                        let [real, imaginary] = parts;
                        *value = Self::Complex(Box::new((real, imaginary)));
                    }
                    Ok(())
                }))
            }
        }
    }
}

/// Bytes in memory of the value of each element, without what its parts lead to in the heap.
fn in_memory(datatype: &Datatype) -> u64 {
    let parts = match &datatype.class {
        Class::Compound { members } => {
            let member = |part: u64| part + (size_of::<(Arc<Text>, Value)>() - size_of::<Value>()) as u64;
            members.iter().fold(0, |sum: u64, m| sum.saturating_add(member(in_memory(&m.datatype))))
        }
        Class::Array { base, .. } => in_memory(base).saturating_mul(datatype.array_elements()),
        Class::Complex { base, .. } => 2 * in_memory(base),
        Class::String { .. } | Class::Opaque { .. } => datatype.size.into(),
        _ => 0,
    };
    parts.saturating_add(size_of::<Value>() as u64)
}

/// A decoder that makes each value of its element's bytes alone.
fn each(make: impl Fn(&[u8]) -> Value + Send + Sync + 'static) -> Decoder<Value> {
    Box::new(move |bytes, _, values| {
        pairs(bytes, values).for_each(|(_, element, value)| *value = make(element));
        Ok(())
    })
}

fn integer(reader: FixedPointReader, element: &[u8]) -> Value {
    match reader.read(element) {
        Some(Integer::Signed(n)) => Value::Integer(n),
        Some(Integer::Unsigned(n)) => i128::try_from(n).map_or(Value::Unsigned(n), Value::Integer),
        None => Value::Opaque(element.to_vec()),
    }
}

fn enumeration(base: &Datatype, members: &[(Text, Vec<u8>)]) -> Result<Decoder<Value>> {
    let Class::FixedPoint(number) = &base.class else { return Err(super::mismatch::<Value>(base)) };
    let reader = FixedPointReader::new(base, number.bits, number.signed);
    let members: Vec<(Arc<Text>, Vec<u8>)> =
        members.iter().map(|(name, stored)| (Arc::new(name.clone()), stored.clone())).collect();
    Ok(each(move |element| match integer(reader, element) {
        Value::Integer(n) => {
            let name = members.iter().find(|(_, stored)| stored == element).map(|(name, _)| name.clone());
            Value::Enumeration(name, n)
        }
        other => other,
    }))
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(n) => n.fmt(f),
            Self::Unsigned(n) => n.fmt(f),
            Self::Float(n) => write!(f, "{n:?}"),
            Self::WideFloat(n, _) => write!(f, "~{n:?}"),
            Self::String(text) => write!(f, "{text:?}"),
            Self::Bits(bits) => write!(f, "{bits:#x}"),
            Self::Opaque(bytes) => {
                f.write_str("0x")?;
                bytes.iter().try_for_each(|b| write!(f, "{b:02x}"))
            }
            Self::Enumeration(Some(name), _) => name.fmt(f),
            Self::Enumeration(None, n) => n.fmt(f),
            Self::Compound(members) => list(f, "{", members, "}", |(name, value), f| write!(f, "{name}: {value}")),
            Self::Array(array) => array.fmt(f),
            Self::Sequence(values) => list(f, "(", values, ")", fmt::Display::fmt),
            Self::Reference(reference) => reference.fmt(f),
            Self::Complex(parts) => write!(f, "{} + {}i", parts.0, parts.1),
            Self::Null => f.write_str("null"),
        }
    }
}

impl fmt::Display for Array {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        nested(f, &self.shape, &self.values)
    }
}

fn nested(f: &mut fmt::Formatter<'_>, shape: &[u64], values: &[Value]) -> fmt::Result {
    match shape {
        [] => values.iter().try_for_each(|value| fmt::Display::fmt(value, f)),
        [_] => list(f, "[", values, "]", fmt::Display::fmt),
        [n, inner @ ..] => {
            let size = values.len().checked_div(usize::try_from(*n).unwrap_or(usize::MAX)).unwrap_or(0);
            if size == 0 {
                return f.write_str("[]");
            }
            let rows: Vec<&[Value]> = values.chunks_exact(size).collect();
            list(f, "[", &rows, "]", |row, f| nested(f, inner, row))
        }
    }
}

fn list<T>(
    f: &mut fmt::Formatter<'_>,
    open: &str,
    items: &[T],
    close: &str,
    show: impl Fn(&T, &mut fmt::Formatter<'_>) -> fmt::Result,
) -> fmt::Result {
    f.write_str(open)?;
    for (i, item) in items.iter().enumerate() {
        if i > 0 {
            f.write_str(", ")?;
        }
        show(item, f)?;
    }
    f.write_str(close)
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Some(address), Some(part)) = (self.address(), self.part()) else { return f.write_str("null") };
        if let Some(file) = self.file() {
            write!(f, "{file}:")?;
        }
        write!(f, "object at {address:#x}")?;
        match part {
            ReferenceTarget::Object => Ok(()),
            ReferenceTarget::Region(selection) => write!(f, ", region {selection:?}"),
            ReferenceTarget::Attribute(name) => write!(f, ", attribute {name:?}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{OneObject, integer};
    use super::*;
    use crate::format::message::datatype::{ByteOrder, Charset, Member, Padding};

    /// The bytes that a value has in memory beside its own.
    fn beside(value: &Value) -> u64 {
        let (own, inner) = match value {
            Value::Compound(members) => (size_of_val(&members[..]), members.iter().map(|(_, part)| beside(part)).sum()),
            Value::Sequence(values) => (size_of_val(&values[..]), values.iter().map(beside).sum()),
            Value::Array(array) => (size_of_val(&array.values[..]), array.values.iter().map(beside).sum()),
            _ => (0, 0),
        };
        own as u64 + inner
    }

    #[test]
    fn what_a_sequence_becomes_is_counted() {
        let byte = integer(1, false, ByteOrder::Little);
        let member = |name: &str, offset| Member { name: name.into(), offset, datatype: byte.clone(), old_dims: None };
        let members = vec![member("a", 0), member("b", 1)];
        let pair = Datatype { class: Class::Compound { members }, size: 2, ..byte.clone() };
        let class = Class::Array { dims: vec![5, 2], base: Box::new(pair.clone()), old: None };
        let array = Datatype { class, size: 20, ..byte.clone() };
        for (base, count) in [(byte.clone(), 100u32), (pair, 50), (array, 5)] {
            let (padding, charset) = (Padding::NullTerminated, Charset::Ascii);
            let class = Class::VariableLength { is_string: false, padding, charset, base: Box::new(base) };
            let datatype = Datatype { class, size: 16, ..byte.clone() };
            let element = [&count.to_le_bytes()[..], &64u64.to_le_bytes(), &1u32.to_le_bytes()].concat();
            let (heap, mut values) = (OneObject::new(&[0; 100]), [Value::Null]);
            Value::decoder(&datatype).and_then(|decode| decode(&element, &heap, &mut values)).expect("a value");
            assert_eq!(heap.became(), beside(&values[0]));
        }
    }
}

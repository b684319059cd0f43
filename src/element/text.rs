use std::sync::Mutex;

use super::sequence::variable_length;
use super::strings::Pieces;
use super::{Decoder, Element, mismatch, pairs, unfit};
use crate::bytes::Text;
use crate::error::{Error, Result};
use crate::format::message::datatype::{Class, Datatype, Padding};

/// The bytes of an element as they are stored, padding included; those of a variable-length string or of a
/// sequence of bytes as the heap has them.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Bytes(pub Vec<u8>);

/// A string without what fills its element.
pub(crate) fn trimmed(element: &[u8], padding: Padding) -> &[u8] {
    let without = |fill: u8| {
        // Eight at once, as long as all of them only fill.
        let mut rest = element;
        while let Some((before, last)) = rest.split_last_chunk::<8>() {
            if *last != [fill; 8] {
                break;
            }
            rest = before;
        }
        let end = rest.iter().rposition(|b| *b != fill).map_or(0, |last| last + 1);
        &rest[..end]
    };
    match padding {
        Padding::NullPadded => without(0),
        Padding::SpacePadded => without(b' '),
        Padding::NullTerminated | Padding::Reserved(_) => until_nul(element),
    }
}

pub(super) fn until_nul(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len());
    &bytes[..end]
}

/// The name of an element of an enumeration.
pub(super) fn name_of<'m, T: Element>(members: &'m [(Text, Vec<u8>)], i: usize, element: &[u8]) -> Result<&'m Text> {
    let member = members.iter().find(|(_, stored)| stored == element);
    member.map(|(name, _)| name).ok_or_else(|| no_member::<T>(i, element))
}

fn no_member<T: Element>(i: usize, element: &[u8]) -> Error {
    unfit::<T>(i, format!("an element that is no member ({element:02x?})"))
}

/// A decoder that makes a value of the bytes of each string.
fn strings<T: Element>(datatype: &Datatype, make: fn(&[u8]) -> Option<T>) -> Result<Decoder<T>> {
    match &datatype.class {
        Class::String { padding, .. } => {
            let padding = *padding;
            Ok(Box::new(move |bytes, _, values| {
                for (i, element, value) in pairs(bytes, values) {
                    let string = trimmed(element, padding);
                    *value = make(string).ok_or_else(|| unfit::<T>(i, Text::from(string)))?;
                }
                Ok(())
            }))
        }
        Class::VariableLength { is_string: true, .. } => Ok(Box::new(move |bytes, heap, values| {
            variable_length(bytes, 1, heap, values, |i, _, string| {
                let string = until_nul(string);
                make(string).ok_or_else(|| unfit::<T>(i, Text::from(string)))
            })
        })),
        Class::Enumeration { members, .. } => {
            let members = members.clone();
            Ok(Box::new(move |bytes, _, values| {
                for (i, element, value) in pairs(bytes, values) {
                    let name = name_of::<T>(&members, i, element)?;
                    *value = make(name.as_bytes()).ok_or_else(|| no_member::<T>(i, element))?;
                }
                Ok(())
            }))
        }
        _ => Err(mismatch::<T>(datatype)),
    }
}

impl Element for String {
    fn type_name() -> String {
        "String".into()
    }

    fn empty() -> Self {
        Self::new()
    }

    fn decoder(datatype: &Datatype) -> Result<Decoder<Self>> {
        if !matches!(datatype.class, Class::String { .. } | Class::VariableLength { is_string: true, .. }) {
            return strings(datatype, |bytes| std::str::from_utf8(bytes).ok().map(Self::from));
        }
        let datatype = datatype.clone();
        // Memory for the next block: strings that are allocated in between would scatter it.
        let spare: Mutex<Pieces> = Mutex::default();
        Ok(Box::new(move |bytes, heap, values| {
            let mut pieces = spare.try_lock().map(|mut spare| std::mem::take(&mut *spare)).unwrap_or_default();
            pieces.fill(&datatype, bytes, values.len(), heap, |_| {})?;
            pieces.strings()?.zip(values).for_each(|(string, value)| *value = string.to_owned());
            if let Ok(mut spare) = spare.try_lock() {
                *spare = pieces;
            }
            Ok(())
        }))
    }
}

impl Element for Text {
    fn type_name() -> String {
        "Text".into()
    }

    fn empty() -> Self {
        Self::default()
    }

    fn decoder(datatype: &Datatype) -> Result<Decoder<Self>> {
        strings(datatype, |bytes| Some(Self::from(bytes)))
    }
}

impl Element for Bytes {
    fn type_name() -> String {
        "Bytes".into()
    }

    fn empty() -> Self {
        Self::default()
    }

    fn decoder(datatype: &Datatype) -> Result<Decoder<Self>> {
        match &datatype.class {
            Class::VariableLength { base, .. } if base.size == 1 => Ok(Box::new(|bytes, heap, values| {
                variable_length(bytes, 1, heap, values, |_, _, bytes| Ok(Self(bytes.to_vec())))
            })),
            _ if datatype.has_heap_data() => Err(mismatch::<Self>(datatype)),
            _ => Ok(Box::new(|bytes, _, values| {
                pairs(bytes, values).for_each(|(_, element, value)| *value = Self(element.to_vec()));
                Ok(())
            })),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::testing::decode;
    use crate::format::message::datatype::Charset;

    fn string(size: u32, padding: Padding) -> Datatype {
        Datatype { version: 1, size, class: Class::String { padding, charset: Charset::Ascii }, reserved_bits: 0 }
    }

    #[test]
    fn padding_is_stripped_by_its_kind() {
        let read = |padding, bytes: &[u8]| decode::<String>(&string(4, padding), bytes).expect("UTF-8");
        assert_eq!(read(Padding::NullTerminated, b"ab\0xabcd"), ["ab", "abcd"]);
        assert_eq!(read(Padding::NullPadded, b"a\0b\0\0\0\0\0"), ["a\0b", ""]);
        assert_eq!(read(Padding::SpacePadded, b"a b     "), ["a b", ""]);
    }

    #[test]
    fn other_bytes_than_utf8_are_an_error_for_strings_only() {
        let datatype = string(2, Padding::NullPadded);
        let error = decode::<String>(&datatype, b"ok\xe9\0").expect_err("Latin-1");
        assert_eq!(error.to_string(), r"element 1: \xe9 does not fit String");
        assert_eq!(decode::<Text>(&datatype, b"\xe9\0").expect("bytes")[0].as_bytes(), b"\xe9");
        assert_eq!(decode::<Bytes>(&datatype, b"\xe9\0").expect("bytes")[0].0, b"\xe9\0");
        assert!(decode::<i32>(&datatype, b"ok").is_err());
    }
}

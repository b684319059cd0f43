//! Attributes as the convention reads them: the value counts, not the way it is stored.

use crate::bytes::Text;
use crate::element::Reference;
use crate::error::{ErrorKind, Result};
use crate::format::message::datatype::{Class, Datatype};
use crate::object::{Attribute, ObjectInfo};

/// The attribute, where there is one.
pub(super) fn find(object: &ObjectInfo, name: &str) -> Result<Option<Attribute>> {
    if object.has_attribute(name)? { object.attribute(name).map(Some) } else { Ok(None) }
}

/// Those of some things that can be read; an error where bytes have to be fetched first.
pub(super) fn sound<T>(things: impl Iterator<Item = Result<T>>) -> Result<Vec<T>> {
    things.filter(|thing| !matches!(thing, Err(e) if !e.is_missing())).collect()
}

/// `None` for errors that say that the value is of another type or shape.
fn fitting<T>(read: Result<T>) -> Result<Option<T>> {
    match read {
        Ok(value) => Ok(Some(value)),
        Err(e) if matches!(e.kind(), ErrorKind::Type | ErrorKind::Usage) => Ok(None),
        Err(e) => Err(e),
    }
}

/// The text of a scalar string attribute of any storage; `None` where there is none.
pub(super) fn text(object: &ObjectInfo, name: &str) -> Result<Option<Text>> {
    let Some(attribute) = find(object, name)? else { return Ok(None) };
    if !is_string(&attribute.datatype()?) || attribute.dataspace()?.is_null() {
        return Ok(None);
    }
    fitting(attribute.read::<Text>())
}

/// True where the attribute is there and its text is `value`.
pub(super) fn says(object: &ObjectInfo, name: &str, value: &str) -> Result<bool> {
    Ok(text(object, name)?.is_some_and(|text| text == *value))
}

/// The texts of a string attribute, in order; `None` where there is none.
pub(super) fn texts(object: &ObjectInfo, name: &str) -> Result<Option<Vec<Text>>> {
    match find(object, name)? {
        Some(attribute) if is_string(&attribute.datatype()?) => fitting(attribute.read::<Vec<Text>>()),
        _ => Ok(None),
    }
}

/// A boolean attribute: `None` where there is none, or no 0 or 1 in it.
pub(super) fn boolean(object: &ObjectInfo, name: &str) -> Result<Option<bool>> {
    match find(object, name)? {
        Some(attribute) => fitting(attribute.read::<bool>()),
        None => Ok(None),
    }
}

/// An unsigned integer of any width: `None` where there is none, or something else in it.
pub(super) fn unsigned(object: &ObjectInfo, name: &str) -> Result<Option<u64>> {
    match find(object, name)? {
        Some(attribute) => fitting(attribute.read::<u64>()),
        None => Ok(None),
    }
}

/// The references of an attribute, old and revised; `None` where there is none, or something else in it.
pub(super) fn references(object: &ObjectInfo, name: &str) -> Result<Option<Vec<Reference>>> {
    match find(object, name)? {
        Some(attribute) => fitting(attribute.read::<Vec<Reference>>()),
        None => Ok(None),
    }
}

/// An attribute that counts states or rows, which must be a scalar unsigned 64-bit integer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Token {
    /// There is no such attribute.
    Absent,
    /// As it must be.
    Value(u64),
    /// Of another type or shape, which this names.
    Malformed(String),
}

impl Token {
    pub(super) fn read(object: &ObjectInfo, name: &str) -> Result<Self> {
        let Some(attribute) = find(object, name)? else { return Ok(Self::Absent) };
        let (datatype, dataspace) = (attribute.datatype()?, attribute.dataspace()?);
        if is_u64(&datatype) && dataspace.dims.is_empty() && !dataspace.is_null() {
            return Ok(Self::Value(attribute.read()?));
        }
        let number = match &datatype.class {
            Class::FixedPoint(n) => Some(if n.signed { "int" } else { "uint" }),
            Class::FloatingPoint(_) => Some("float"),
            _ => None,
        };
        let name = number.map_or(datatype.to_string(), |name| format!("{name}{}", 8 * u64::from(datatype.size)));
        Ok(Self::Malformed(format!("{name}{:?}", dataspace.dims)))
    }

    /// The number, where it is as it must be.
    #[must_use]
    pub fn value(&self) -> Option<u64> {
        match self {
            Self::Value(n) => Some(*n),
            _ => None,
        }
    }
}

/// True for strings of fixed and of variable length.
pub(super) fn is_string(datatype: &Datatype) -> bool {
    matches!(datatype.class, Class::String { .. } | Class::VariableLength { is_string: true, .. })
}

/// True for unsigned 64-bit integers of either byte order.
pub(super) fn is_u64(datatype: &Datatype) -> bool {
    matches!(&datatype.class, Class::FixedPoint(n) if !n.signed && datatype.size == 8)
}

//! What a column holds, by its datatype.

use std::fmt;

use crate::bytes::Text;
use crate::element::Value;
use crate::format::message::datatype::{Class, Datatype};

/// What a column holds.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Integers; dates and times are integers or floats with units.
    Integer,
    /// Floating-point numbers.
    Float,
    /// FALSE and TRUE.
    Boolean,
    /// Strings of one length.
    FixedString,
    /// Strings of any length.
    VariableString,
    /// Codes of labels.
    Categorical,
    /// Codes that have names.
    Enumeration,
    /// Bytes.
    Opaque,
    /// References to objects or regions.
    Reference,
    /// Members with names.
    Compound,
    /// Arrays of one shape.
    Array,
    /// Sequences of any length.
    Sequence,
    /// Bits.
    Bitfield,
    /// Complex numbers of HDF5's own class.
    Complex,
    /// HDF5's times, which nothing defines further.
    Time,
    /// Lists.
    List,
    /// Lists of a kind that is not known here.
    UnknownList,
}

impl Kind {
    /// The kind of a dataset of this datatype without labels.
    pub(super) fn of(datatype: &Datatype) -> Self {
        match &datatype.class {
            Class::FixedPoint(_) => Self::Integer,
            Class::FloatingPoint(_) => Self::Float,
            Class::Time { .. } => Self::Time,
            Class::String { .. } => Self::FixedString,
            Class::Bitfield(_) => Self::Bitfield,
            Class::Opaque { .. } => Self::Opaque,
            Class::Compound { .. } => Self::Compound,
            Class::Reference { .. } => Self::Reference,
            Class::Enumeration { .. } if is_boolean(datatype) => Self::Boolean,
            Class::Enumeration { .. } => Self::Enumeration,
            Class::VariableLength { is_string: true, .. } => Self::VariableString,
            Class::VariableLength { .. } => Self::Sequence,
            Class::Array { .. } => Self::Array,
            Class::Complex { .. } => Self::Complex,
        }
    }

    /// What such a column holds, in words.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Integer => "integers",
            Self::Float => "floats",
            Self::Boolean => "booleans",
            Self::FixedString | Self::VariableString => "strings",
            Self::Categorical => "categories",
            Self::Enumeration => "codes of an enumeration",
            Self::Opaque => "opaque bytes",
            Self::Reference => "references",
            Self::Compound => "compounds",
            Self::Array => "arrays",
            Self::Sequence => "sequences",
            Self::Bitfield => "bits",
            Self::Complex => "complex numbers",
            Self::Time => "times",
            Self::List => "lists",
            Self::UnknownList => "lists of an unknown kind",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// True for the convention's booleans: FALSE = 0 and TRUE = 1 and nothing else, in one byte of either sign.
#[must_use]
pub fn is_boolean(datatype: &Datatype) -> bool {
    let Class::Enumeration { base, members } = &datatype.class else { return false };
    let has = |name: &str, code: u8| members.iter().any(|(n, value)| *n == *name && value.as_slice() == [code]);
    base.size == 1
        && matches!(base.class, Class::FixedPoint(_))
        && members.len() == 2
        && has("FALSE", 0)
        && has("TRUE", 1)
}

/// How the elements are held in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Held {
    Signed,
    Unsigned,
    Float,
    Boolean,
    Text,
    Value,
}

impl Held {
    pub(super) fn of(datatype: &Datatype) -> Self {
        let narrow = datatype.size <= 8;
        match &datatype.class {
            Class::FixedPoint(n) if narrow => {
                if n.signed {
                    Self::Signed
                } else {
                    Self::Unsigned
                }
            }
            Class::Bitfield(_) if narrow => Self::Unsigned,
            // Wider ones may hold what `f64` does not.
            Class::FloatingPoint(_) if narrow => Self::Float,
            Class::Enumeration { .. } if is_boolean(datatype) => Self::Boolean,
            Class::Enumeration { base, .. } => Self::of(base),
            Class::String { .. } | Class::VariableLength { is_string: true, .. } => Self::Text,
            _ => Self::Value,
        }
    }

    /// Bytes of memory that an element of this size takes, about.
    pub(super) fn bytes(self, size: u32) -> u64 {
        let size = u64::from(size);
        match self {
            Self::Signed | Self::Unsigned | Self::Float => 8,
            Self::Boolean => 1,
            Self::Text => size_of::<Text>() as u64 + size,
            // Members and elements are values too; most have four bytes or more.
            Self::Value => size_of::<Value>() as u64 * (1 + size / 4),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::message::datatype::{Bits, ByteOrder, FixedPoint};

    fn enumeration(size: u32, members: &[(&str, u8)]) -> Datatype {
        let bits = Bits {
            order: ByteOrder::Little,
            low_padding: false,
            high_padding: false,
            offset: 0,
            precision: 8 * size as u16,
        };
        let class = Class::FixedPoint(FixedPoint { bits, signed: true });
        let base = Box::new(Datatype { version: 1, size, class, reserved_bits: 0 });
        let value = |code: u8| std::iter::once(code).chain(std::iter::repeat(0)).take(size as usize).collect();
        let members = members.iter().map(|(name, code)| (Text::from(*name), value(*code))).collect();
        Datatype { version: 1, size, class: Class::Enumeration { base, members }, reserved_bits: 0 }
    }

    #[test]
    fn booleans_are_strict() {
        assert!(is_boolean(&enumeration(1, &[("FALSE", 0), ("TRUE", 1)])));
        assert!(is_boolean(&enumeration(1, &[("TRUE", 1), ("FALSE", 0)])));
        assert!(!is_boolean(&enumeration(2, &[("FALSE", 0), ("TRUE", 1)])));
        assert!(!is_boolean(&enumeration(1, &[("FALSE", 0), ("TRUE", 1), ("MISSING", 2)])));
        assert!(!is_boolean(&enumeration(1, &[("False", 0), ("True", 1)])));
        assert!(!is_boolean(&enumeration(1, &[("FALSE", 1), ("TRUE", 0)])));
    }
}

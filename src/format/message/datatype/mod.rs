//! The datatype message, type 0x0003 (IV.A.2.d), versions 1 to 5.

mod compound;
mod decode;
mod display;
mod encode;

use crate::bytes::Text;

pub use compound::{Member, OldMemberDims};

/// What the elements of a dataset or attribute are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Datatype {
    /// 0 to 5; which layout the message has, not what it means.
    pub version: u8,
    /// Bytes of an element in the file.
    pub size: u32,
    /// The class and what belongs to it.
    pub class: Class,
    /// Class bit field bits that the specification does not define.
    pub reserved_bits: u32,
}

/// The class of a datatype and its properties.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Class {
    /// 0: integers.
    FixedPoint(FixedPoint),
    /// 1: floating-point numbers.
    FloatingPoint(FloatingPoint),
    /// 2: times, as numbers that nothing defines further.
    Time {
        /// Byte order.
        order: ByteOrder,
        /// Significant bits.
        precision: u16,
    },
    /// 3: strings of one length.
    String {
        /// How a shorter string fills the element.
        padding: Padding,
        /// Character set.
        charset: Charset,
    },
    /// 4: bits.
    Bitfield(Bits),
    /// 5: bytes.
    Opaque {
        /// What they are, in its writer's words.
        tag: Text,
        /// Bytes of the tag as stored, padding included.
        stored_tag_size: u8,
    },
    /// 6: named members.
    Compound {
        /// The members in the file's order.
        members: Vec<Member>,
    },
    /// 7: references to objects, regions or attributes.
    Reference {
        /// To what, and in which encoding.
        kind: ReferenceKind,
        /// Version of the revised encodings.
        encoding_version: u8,
    },
    /// 8: named integers.
    Enumeration {
        /// The integers' datatype.
        base: Box<Datatype>,
        /// Names and values, each value in the base datatype.
        members: Vec<(Text, Vec<u8>)>,
    },
    /// 9: sequences, or strings, of any length each.
    VariableLength {
        /// True for strings.
        is_string: bool,
        /// For strings: how the writer's strings were padded.
        padding: Padding,
        /// For strings: character set.
        charset: Charset,
        /// The elements' datatype.
        base: Box<Datatype>,
    },
    /// 10: arrays of one shape.
    Array {
        /// Elements of each dimension, slowest first.
        dims: Vec<u32>,
        /// The elements' datatype.
        base: Box<Datatype>,
        /// Reserved bytes and permutation indices, before version 3.
        old: Option<([u8; 3], Vec<u32>)>,
    },
    /// 11: complex numbers, real part first.
    Complex {
        /// The parts' datatype.
        base: Box<Datatype>,
        /// Both parts have one datatype.
        homogeneous: bool,
        /// Form: 0 is rectangular.
        form: u8,
    },
}

/// Byte order of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ByteOrder {
    /// Least significant byte first.
    Little,
    /// Most significant byte first.
    Big,
    /// 16-bit words in little-endian order, the most significant word first.
    Vax,
}

/// Which bits of an element count, and how they are ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bits {
    /// Byte order.
    pub order: ByteOrder,
    /// Padding bits below the value are ones.
    pub low_padding: bool,
    /// Padding bits above the value are ones.
    pub high_padding: bool,
    /// First bit of the value, counted from the least significant bit of the element.
    pub offset: u16,
    /// Bits of the value.
    pub precision: u16,
}

/// An integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FixedPoint {
    /// The bits of the value.
    pub bits: Bits,
    /// Two's complement.
    pub signed: bool,
}

/// A floating-point number. Positions count from the least significant bit of the element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FloatingPoint {
    /// The bits of the value.
    pub bits: Bits,
    /// Padding bits inside the value are ones.
    pub internal_padding: bool,
    /// What the mantissa's leading bit is.
    pub normalization: Normalization,
    /// The sign bit.
    pub sign_position: u8,
    /// First bit of the exponent.
    pub exponent_position: u8,
    /// Bits of the exponent.
    pub exponent_size: u8,
    /// First bit of the mantissa.
    pub mantissa_position: u8,
    /// Bits of the mantissa.
    pub mantissa_size: u8,
    /// What is subtracted from the exponent.
    pub bias: u32,
}

/// What the leading bit of a mantissa is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Normalization {
    /// Stored, and may be zero.
    None,
    /// Stored, and always set.
    Stored,
    /// Not stored, and set.
    Implied,
    /// A value the specification does not define.
    Reserved,
}

/// How a string shorter than its element fills it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Padding {
    /// It ends at the first NUL.
    NullTerminated,
    /// NULs at the end are padding.
    NullPadded,
    /// Blanks at the end are padding.
    SpacePadded,
    /// A value the specification does not define.
    Reserved(u8),
}

/// Character set of a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Charset {
    /// ASCII, or so it says.
    Ascii,
    /// UTF-8.
    Utf8,
    /// A value the specification does not define.
    Reserved(u8),
}

/// What a reference leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReferenceKind {
    /// An object: its address.
    Object,
    /// A region of a dataset, in the global heap.
    Region,
    /// An object, in the encoding of HDF5 1.12.
    ObjectRevised,
    /// A region of a dataset, in the encoding of HDF5 1.12.
    RegionRevised,
    /// An attribute, in the encoding of HDF5 1.12.
    AttributeRevised,
}

impl Datatype {
    /// Most nesting that a datatype may have unless the caller says otherwise.
    pub const DEFAULT_DEPTH: u32 = 64;

    /// True where elements lead to other places of the file, so that their bytes alone are not their value.
    #[must_use]
    pub fn has_heap_data(&self) -> bool {
        match &self.class {
            Class::VariableLength { .. } => true,
            Class::Compound { members } => members.iter().any(|m| m.datatype.has_heap_data()),
            Class::Array { base, .. } => base.has_heap_data(),
            _ => false,
        }
    }

    /// The members of a compound datatype, none for any other.
    #[must_use]
    pub fn members(&self) -> &[Member] {
        match &self.class {
            Class::Compound { members } => members,
            _ => &[],
        }
    }

    /// Elements of one element: 1 unless this is an array.
    #[must_use]
    pub fn array_elements(&self) -> u64 {
        match &self.class {
            Class::Array { dims, .. } => dims.iter().map(|n| u64::from(*n)).product(),
            _ => 1,
        }
    }
}

impl FloatingPoint {
    /// An IEEE 754 number by the bits of its exponent and mantissa.
    #[must_use]
    pub fn ieee(order: ByteOrder, exponent: u8, mantissa: u8) -> Self {
        let precision = u16::from(exponent) + u16::from(mantissa) + 1;
        Self {
            bits: Bits { order, low_padding: false, high_padding: false, offset: 0, precision },
            internal_padding: false,
            normalization: Normalization::Implied,
            sign_position: exponent + mantissa,
            exponent_position: mantissa,
            exponent_size: exponent,
            mantissa_position: 0,
            mantissa_size: mantissa,
            bias: (1 << (exponent - 1)) - 1,
        }
    }

    /// True where this is what [`ieee`](Self::ieee) gives for the same order and sizes: padding bits do
    /// not count, there are none.
    #[must_use]
    pub fn is_ieee(&self, exponent: u8, mantissa: u8) -> bool {
        let plain = Self::ieee(self.bits.order, exponent, mantissa);
        let bits = Bits { low_padding: false, high_padding: false, ..self.bits };
        Self { bits, internal_padding: false, ..*self } == plain
    }
}

#[cfg(test)]
mod tests;

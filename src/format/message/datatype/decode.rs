use super::{
    Bits, ByteOrder, Charset, Class, Datatype, FixedPoint, FloatingPoint, Member, Normalization, OldMemberDims,
    Padding, ReferenceKind,
};
use crate::bytes::parse::{
    Parsed, array, cond, counted, fail, field, nul_terminated, padding_to_8, take, u8, u16, u32, uint,
};
use crate::bytes::{Block, Text, width_of};
use crate::error::{Corrupt, Fault, Structure};

impl Datatype {
    /// Decodes a message body, nested at most `depth` levels deep.
    ///
    /// # Errors
    /// An unknown version or class, fields that leave their element, deeper nesting, or a body that ends
    /// too early.
    pub fn decode(block: Block<'_>, depth: u32) -> Result<Self, Corrupt> {
        block.run(Structure::Datatype, |i| datatype(i, depth)).map_err(|fault| match fault.fault() {
            Fault::Nesting(_) => fault.with(Fault::Nesting(depth)),
            _ => fault,
        })
    }
}

/// The head of a datatype: what its class-specific parsers need.
#[derive(Clone, Copy)]
struct Head {
    version: u8,
    bits: u32,
    size: u32,
}

fn datatype(start: &[u8], depth: u32) -> Parsed<'_, Datatype> {
    if depth == 0 {
        return field("nesting", |i| fail(i, Fault::Nesting(0)))(start);
    }
    let (i, class_and_version) = field("class and version", u8)(start)?;
    let (class, version) = (class_and_version & 0xf, class_and_version >> 4);
    if version > 5 {
        return field("class and version", |i| fail(i, Fault::Version(version)))(start);
    }
    let (i, bits) = field("class bit field", array::<3>)(i)?;
    let bits = u32::from_le_bytes([bits[0], bits[1], bits[2], 0]);
    let (i, size) = field("size", u32)(i)?;
    // An empty string is the one thing that some writers give no byte.
    if size == 0 && class != 3 {
        return field("size", |i| fail(i, Fault::Value(0)))(start);
    }
    let head = Head { version, bits, size };
    let (i, (class, known_bits)) = match class {
        0 => fixed_point(i, head)?,
        1 => floating_point(i, head)?,
        2 => {
            let (i, precision) = field("bit precision", u16)(i)?;
            let order = if bits & 1 == 0 { ByteOrder::Little } else { ByteOrder::Big };
            (i, (Class::Time { order, precision }, 1))
        }
        3 => (i, (Class::String { padding: padding(bits), charset: charset(bits >> 4) }, 0xff)),
        4 => {
            let (i, bits) = significant(i, head, order(bits & 1))?;
            (i, (Class::Bitfield(bits), 7))
        }
        5 => opaque(i, head)?,
        6 => compound(i, head, depth)?,
        7 => reference(i, head)?,
        8 => enumeration(i, head, depth)?,
        9 => {
            let (i, base) = datatype(i, depth - 1)?;
            if base.size == 0 {
                return field("base type", |i| fail(i, Fault::Value(0)))(start);
            }
            let is_string = match bits & 0xf {
                0 => false,
                1 => true,
                other => return field("class bit field", |i| fail(i, Fault::Value(other.into())))(start),
            };
            let class = Class::VariableLength {
                is_string,
                padding: padding(bits >> 4),
                charset: charset(bits >> 8),
                base: Box::new(base),
            };
            (i, (class, 0xfff))
        }
        10 => array_class(i, head, depth)?,
        11 => {
            let (i, base) = datatype(i, depth - 1)?;
            if !matches!(base.class, Class::FloatingPoint(_)) || u64::from(base.size) * 2 != u64::from(size) {
                return field("base type", |i| fail(i, Fault::Value(base.size.into())))(start);
            }
            let class =
                Class::Complex { base: Box::new(base), homogeneous: bits & 1 != 0, form: (bits >> 1 & 3) as u8 };
            (i, (class, 7))
        }
        other => return field("class and version", |i| fail(i, Fault::Value(other.into())))(start),
    };
    Ok((i, Datatype { version, size, class, reserved_bits: bits & !known_bits }))
}

fn order(bit: u32) -> ByteOrder {
    if bit == 0 { ByteOrder::Little } else { ByteOrder::Big }
}

fn padding(bits: u32) -> Padding {
    match bits & 0xf {
        0 => Padding::NullTerminated,
        1 => Padding::NullPadded,
        2 => Padding::SpacePadded,
        other => Padding::Reserved(other as u8),
    }
}

fn charset(bits: u32) -> Charset {
    match bits & 0xf {
        0 => Charset::Ascii,
        1 => Charset::Utf8,
        other => Charset::Reserved(other as u8),
    }
}

/// Bit offset and precision, which must lie inside the element.
fn significant(start: &[u8], head: Head, order: ByteOrder) -> Parsed<'_, Bits> {
    let (i, offset) = field("bit offset", u16)(start)?;
    let (after, precision) = field("bit precision", u16)(i)?;
    if precision == 0 || u64::from(offset) + u64::from(precision) > 8 * u64::from(head.size) {
        return field("bit precision", |i| fail(i, Fault::Value(precision.into())))(i);
    }
    let (low_padding, high_padding) = (head.bits & 2 != 0, head.bits & 4 != 0);
    Ok((after, Bits { order, low_padding, high_padding, offset, precision }))
}

fn fixed_point(i: &[u8], head: Head) -> Parsed<'_, (Class, u32)> {
    let (i, bits) = significant(i, head, order(head.bits & 1))?;
    Ok((i, (Class::FixedPoint(FixedPoint { bits, signed: head.bits & 8 != 0 }), 0xf)))
}

fn floating_point(start: &[u8], head: Head) -> Parsed<'_, (Class, u32)> {
    let order = match (head.bits & 1, head.version >= 3 && head.bits & 0x40 != 0) {
        (0, false) => ByteOrder::Little,
        (1, false) => ByteOrder::Big,
        (1, true) => ByteOrder::Vax,
        _ => return field("byte order", |i| fail(i, Fault::Value(head.bits.into())))(start),
    };
    let (after, bits) = significant(start, head, order)?;
    let (i, exponent_position) = field("exponent location", u8)(after)?;
    let (i, exponent_size) = field("exponent size", u8)(i)?;
    let (i, mantissa_position) = field("mantissa location", u8)(i)?;
    let (i, mantissa_size) = field("mantissa size", u8)(i)?;
    let (i, bias) = field("exponent bias", u32)(i)?;
    let float = FloatingPoint {
        bits,
        internal_padding: head.bits & 8 != 0,
        normalization: match head.bits >> 4 & 3 {
            0 => Normalization::None,
            1 => Normalization::Stored,
            2 => Normalization::Implied,
            _ => Normalization::Reserved,
        },
        sign_position: (head.bits >> 8) as u8,
        exponent_position,
        exponent_size,
        mantissa_position,
        mantissa_size,
        bias,
    };
    let element = 8 * u64::from(head.size);
    let ends = [
        ("sign location", u64::from(float.sign_position) + 1),
        ("exponent location", u64::from(exponent_position) + u64::from(exponent_size)),
        ("mantissa location", u64::from(mantissa_position) + u64::from(mantissa_size)),
    ];
    if let Some((name, end)) = ends.into_iter().find(|(_, end)| *end > element) {
        return field(name, |i| fail(i, Fault::Value(end)))(after);
    }
    let known = if head.version >= 3 { 0xff7f } else { 0xff3f };
    Ok((i, (Class::FloatingPoint(float), known)))
}

fn opaque(i: &[u8], head: Head) -> Parsed<'_, (Class, u32)> {
    let size = (head.bits & 0xff) as u8;
    let (i, tag) = field("ASCII tag", take(size.into()))(i)?;
    let tag = tag.split(|b| *b == 0).next().unwrap_or_default().into();
    Ok((i, (Class::Opaque { tag, stored_tag_size: size }, 0xff)))
}

/// A name up to its NUL; padded to a multiple of 8 bytes before version 3.
fn name(i: &[u8], version: u8) -> Parsed<'_, Text> {
    let (i, name) = field("name", nul_terminated)(i)?;
    let (i, ()) = padding_to_8(if version < 3 { name.len() + 1 } else { 0 })(i)?;
    Ok((i, name.into()))
}

fn compound(start: &[u8], head: Head, depth: u32) -> Parsed<'_, (Class, u32)> {
    let mut members = Vec::new();
    let mut i = start;
    for _ in 0..head.bits & 0xffff {
        let (after, name) = name(i, head.version)?;
        let width = if head.version < 3 { 4 } else { width_of(head.size.into()) };
        let (after, offset) = field("byte offset of member", uint(width))(after)?;
        let (after, old_dims) = cond(head.version < 2, old_member_dims)(after)?;
        let (after, mut member) = datatype(after, depth - 1)?;
        if let Some(old) = old_dims.filter(|old| old.rank > 0) {
            let dims = old.dims[..usize::from(old.rank)].to_vec();
            let (_, array) = array_of(i, member, dims, None)?;
            member = array;
        }
        if offset + u64::from(member.size) > head.size.into() {
            return field("byte offset of member", |i| fail(i, Fault::Value(offset)))(i);
        }
        members.push(Member { name, offset: offset as u32, datatype: member, old_dims });
        i = after;
    }
    if members.is_empty() {
        return field("number of members", |i| fail(i, Fault::Value(0)))(start);
    }
    Ok((i, (Class::Compound { members }, 0xffff)))
}

fn old_member_dims(i: &[u8]) -> Parsed<'_, OldMemberDims> {
    let (after, rank) = field("dimensionality", u8)(i)?;
    if rank > 4 {
        return field("dimensionality", |i| fail(i, Fault::Value(rank.into())))(i);
    }
    let (i, reserved) = field("reserved", array)(after)?;
    let (i, permutation) = field("dimension permutation", u32)(i)?;
    let (i, reserved2) = field("reserved", u32)(i)?;
    let (i, dims) = field("dimension size", counted(4, 4, u32))(i)?;
    let dims = [dims[0], dims[1], dims[2], dims[3]];
    Ok((i, OldMemberDims { rank, reserved: (reserved, reserved2), permutation, dims }))
}

/// An array of `base`, whose size must be that of its elements.
fn array_of(at: &[u8], base: Datatype, dims: Vec<u32>, old: Option<([u8; 3], Vec<u32>)>) -> Parsed<'_, Datatype> {
    let size = dims.iter().try_fold(base.size, |n, dim| n.checked_mul(*dim)).filter(|n| *n > 0);
    match size {
        Some(size) => {
            let class = Class::Array { dims, base: Box::new(base), old };
            Ok((at, Datatype { version: 2, size, class, reserved_bits: 0 }))
        }
        None => field("dimension size", |i| fail(i, Fault::Value(dims.iter().copied().max().unwrap_or(0).into())))(at),
    }
}

fn array_class(start: &[u8], head: Head, depth: u32) -> Parsed<'_, (Class, u32)> {
    let (i, rank) = field("dimensionality", u8)(start)?;
    if rank > 32 {
        return field("dimensionality", |i| fail(i, Fault::Value(rank.into())))(start);
    }
    let old = head.version < 3;
    let (i, reserved) = field("reserved", cond(old, array::<3>))(i)?;
    let (i, dims) = field("dimension size", counted(rank.into(), 4, u32))(i)?;
    let (i, permutation) = field("permutation index", cond(old, counted(rank.into(), 4, u32)))(i)?;
    let (i, base) = datatype(i, depth - 1)?;
    let (_, array) = array_of(start, base, dims, reserved.zip(permutation))?;
    if array.size != head.size {
        let fault = Fault::Mismatch { found: head.size.into(), expected: array.size.into() };
        return field("size", |i| fail(i, fault.clone()))(start);
    }
    Ok((i, (array.class, 0)))
}

fn reference(i: &[u8], head: Head) -> Parsed<'_, (Class, u32)> {
    let kind = match head.bits & 0xf {
        0 => ReferenceKind::Object,
        1 => ReferenceKind::Region,
        2 => ReferenceKind::ObjectRevised,
        3 => ReferenceKind::RegionRevised,
        4 => ReferenceKind::AttributeRevised,
        other => return field("class bit field", |i| fail(i, Fault::Value(other.into())))(i),
    };
    Ok((i, (Class::Reference { kind, encoding_version: (head.bits >> 4 & 0xf) as u8 }, 0xff)))
}

fn enumeration(start: &[u8], head: Head, depth: u32) -> Parsed<'_, (Class, u32)> {
    let (mut i, base) = datatype(start, depth - 1)?;
    if !matches!(base.class, Class::FixedPoint(_)) || base.size != head.size {
        return field("base type", |i| fail(i, Fault::Value(base.size.into())))(start);
    }
    let n = head.bits & 0xffff;
    let mut names = Vec::new();
    for _ in 0..n {
        let (after, name) = name(i, head.version)?;
        names.push(name);
        i = after;
    }
    let size = base.size as usize;
    let (i, values) = field("values", counted(n.into(), size, take(size)))(i)?;
    let members = names.into_iter().zip(values.into_iter().map(<[u8]>::to_vec)).collect();
    Ok((i, (Class::Enumeration { base: Box::new(base), members }, 0xffff)))
}

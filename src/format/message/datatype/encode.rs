use super::{Bits, ByteOrder, Charset, Class, Datatype, Normalization, Padding, ReferenceKind};
use crate::bytes::{Emit, Text, width_of};

impl Datatype {
    /// Encodes the message body.
    pub fn encode(&self, to: &mut Emit) {
        to.u8(self.version << 4 | self.class.number());
        to.uint(3, u64::from(self.class_bits()));
        to.u32(self.size);
        match &self.class {
            Class::FixedPoint(number) => bits(&number.bits, to),
            Class::FloatingPoint(number) => {
                bits(&number.bits, to);
                to.bytes(&[number.exponent_position, number.exponent_size]);
                to.bytes(&[number.mantissa_position, number.mantissa_size]);
                to.u32(number.bias);
            }
            Class::Time { precision, .. } => to.u16(*precision),
            Class::String { .. } | Class::Reference { .. } => {}
            Class::Bitfield(field) => bits(field, to),
            Class::Opaque { tag, stored_tag_size } => {
                let end = to.len() + usize::from(*stored_tag_size);
                to.bytes(tag.as_bytes());
                to.zeros(end.saturating_sub(to.len()));
            }
            Class::Compound { members } => {
                for member in members {
                    self.name(&member.name, to);
                    to.uint(if self.version < 3 { 4 } else { width_of(self.size.into()) }, member.offset.into());
                    match (&member.old_dims, &member.datatype.class) {
                        (Some(old), class) => {
                            to.u8(old.rank);
                            to.bytes(&old.reserved.0);
                            to.u32(old.permutation);
                            to.u32(old.reserved.1);
                            old.dims.iter().for_each(|n| to.u32(*n));
                            match class {
                                Class::Array { base, .. } if old.rank > 0 => base.encode(to),
                                _ => member.datatype.encode(to),
                            }
                        }
                        (None, _) => member.datatype.encode(to),
                    }
                }
            }
            Class::Enumeration { base, members } => {
                base.encode(to);
                members.iter().for_each(|(name, _)| self.name(name, to));
                members.iter().for_each(|(_, value)| to.bytes(value));
            }
            Class::VariableLength { base, .. } | Class::Complex { base, .. } => base.encode(to),
            Class::Array { dims, base, old } => {
                to.uint(1, dims.len() as u64);
                if let Some((reserved, _)) = old {
                    to.bytes(reserved);
                }
                dims.iter().for_each(|n| to.u32(*n));
                if let Some((_, permutation)) = old {
                    permutation.iter().for_each(|n| to.u32(*n));
                }
                base.encode(to);
            }
        }
    }

    fn name(&self, name: &Text, to: &mut Emit) {
        let start = to.len();
        to.nul_terminated(name.as_bytes());
        if self.version < 3 {
            to.pad_to_8(start);
        }
    }

    fn class_bits(&self) -> u32 {
        self.reserved_bits
            | match &self.class {
                Class::FixedPoint(number) => bit_flags(&number.bits) | u32::from(number.signed) << 3,
                Class::FloatingPoint(number) => {
                    let normalization = match number.normalization {
                        Normalization::None => 0,
                        Normalization::Stored => 1,
                        Normalization::Implied => 2,
                        Normalization::Reserved => 3,
                    };
                    bit_flags(&number.bits)
                        | u32::from(number.internal_padding) << 3
                        | normalization << 4
                        | if number.bits.order == ByteOrder::Vax { 0x41 } else { 0 }
                        | u32::from(number.sign_position) << 8
                }
                Class::Time { order, .. } => u32::from(*order == ByteOrder::Big),
                Class::String { padding: p, charset: c } => padding(*p) | charset(*c) << 4,
                Class::Bitfield(field) => bit_flags(field),
                Class::Opaque { stored_tag_size, .. } => u32::from(*stored_tag_size),
                Class::Compound { members } => members.len() as u32,
                Class::Reference { kind, encoding_version } => {
                    let kind = match kind {
                        ReferenceKind::Object => 0,
                        ReferenceKind::Region => 1,
                        ReferenceKind::ObjectRevised => 2,
                        ReferenceKind::RegionRevised => 3,
                        ReferenceKind::AttributeRevised => 4,
                    };
                    kind | u32::from(*encoding_version) << 4
                }
                Class::Enumeration { members, .. } => members.len() as u32,
                Class::VariableLength { is_string, padding: p, charset: c, .. } => {
                    u32::from(*is_string) | padding(*p) << 4 | charset(*c) << 8
                }
                Class::Array { .. } => 0,
                Class::Complex { homogeneous, form, .. } => u32::from(*homogeneous) | u32::from(*form) << 1,
            }
    }
}

impl Class {
    /// The number of the class.
    #[must_use]
    pub fn number(&self) -> u8 {
        match self {
            Self::FixedPoint(_) => 0,
            Self::FloatingPoint(_) => 1,
            Self::Time { .. } => 2,
            Self::String { .. } => 3,
            Self::Bitfield(_) => 4,
            Self::Opaque { .. } => 5,
            Self::Compound { .. } => 6,
            Self::Reference { .. } => 7,
            Self::Enumeration { .. } => 8,
            Self::VariableLength { .. } => 9,
            Self::Array { .. } => 10,
            Self::Complex { .. } => 11,
        }
    }
}

fn bits(bits: &Bits, to: &mut Emit) {
    to.u16(bits.offset);
    to.u16(bits.precision);
}

fn bit_flags(bits: &Bits) -> u32 {
    u32::from(bits.order == ByteOrder::Big) | u32::from(bits.low_padding) << 1 | u32::from(bits.high_padding) << 2
}

fn padding(padding: Padding) -> u32 {
    match padding {
        Padding::NullTerminated => 0,
        Padding::NullPadded => 1,
        Padding::SpacePadded => 2,
        Padding::Reserved(n) => n.into(),
    }
}

fn charset(charset: Charset) -> u32 {
    match charset {
        Charset::Ascii => 0,
        Charset::Utf8 => 1,
        Charset::Reserved(n) => n.into(),
    }
}

use std::fmt;

use super::{ByteOrder, Charset, Class, Datatype, Padding, ReferenceKind};

/// As people read it: `int32`, `float64 (big-endian)`, `{x: float32, y: float32}`, `string[8]` …
impl fmt::Display for Datatype {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bits = 8 * u64::from(self.size);
        match &self.class {
            Class::FixedPoint(number) => {
                write!(f, "{}int{bits}", if number.signed { "" } else { "u" })?;
                if u64::from(number.bits.precision) != bits {
                    write!(f, " ({} bits from bit {})", number.bits.precision, number.bits.offset)?;
                }
                order(f, number.bits.order, self.size)
            }
            Class::FloatingPoint(number) => {
                if self.size == 2 && number.is_ieee(8, 7) {
                    f.write_str("bfloat16")?;
                } else {
                    write!(f, "float{bits}")?;
                    let (e, m) = (number.exponent_size, number.mantissa_size);
                    if ![(2, 5, 10), (4, 8, 23), (8, 11, 52), (16, 15, 112)].contains(&(self.size, e, m)) {
                        write!(f, " ({e} bits of exponent, {m} of mantissa)")?;
                    }
                }
                order(f, number.bits.order, self.size)
            }
            Class::Time { order: o, .. } => {
                write!(f, "time{bits}")?;
                order(f, *o, self.size)
            }
            Class::String { padding, charset } => {
                write!(f, "string[{}]", self.size)?;
                match padding {
                    Padding::NullPadded => f.write_str(" null-padded")?,
                    Padding::SpacePadded => f.write_str(" space-padded")?,
                    Padding::NullTerminated | Padding::Reserved(_) => {}
                }
                if *charset == Charset::Utf8 { f.write_str(" UTF-8") } else { Ok(()) }
            }
            Class::Bitfield(field) => {
                write!(f, "bitfield{bits}")?;
                order(f, field.order, self.size)
            }
            Class::Opaque { tag, .. } if tag.is_empty() => write!(f, "opaque[{}]", self.size),
            Class::Opaque { tag, .. } => write!(f, "opaque[{}] {tag:?}", self.size),
            Class::Compound { members } => {
                f.write_str("{")?;
                for (i, member) in members.iter().enumerate() {
                    write!(f, "{}{}: {}", if i > 0 { ", " } else { "" }, member.name, member.datatype)?;
                }
                f.write_str("}")
            }
            Class::Reference { kind, .. } => f.write_str(match kind {
                ReferenceKind::Object => "object reference",
                ReferenceKind::Region => "region reference",
                ReferenceKind::ObjectRevised | ReferenceKind::RegionRevised | ReferenceKind::AttributeRevised => {
                    "reference"
                }
            }),
            Class::Enumeration { base, members } => {
                write!(f, "enum of {base} {{")?;
                for (i, (name, _)) in members.iter().enumerate() {
                    if i == 8 {
                        write!(f, ", … {} more", members.len() - i)?;
                        break;
                    }
                    write!(f, "{}{name}", if i > 0 { ", " } else { "" })?;
                }
                f.write_str("}")
            }
            Class::VariableLength { is_string: true, charset, .. } => {
                f.write_str(if *charset == Charset::Utf8 { "string UTF-8" } else { "string" })
            }
            Class::VariableLength { base, .. } => write!(f, "sequence of {base}"),
            Class::Array { dims, base, .. } => {
                f.write_str("[")?;
                for (i, n) in dims.iter().enumerate() {
                    write!(f, "{}{n}", if i > 0 { ", " } else { "" })?;
                }
                write!(f, "] of {base}")
            }
            Class::Complex { base, .. } => write!(f, "complex of {base}"),
        }
    }
}

/// The order, where it is another than most files have.
fn order(f: &mut fmt::Formatter<'_>, order: ByteOrder, size: u32) -> fmt::Result {
    match order {
        ByteOrder::Little => Ok(()),
        ByteOrder::Big if size == 1 => Ok(()),
        ByteOrder::Big => f.write_str(" (big-endian)"),
        ByteOrder::Vax => f.write_str(" (VAX order)"),
    }
}

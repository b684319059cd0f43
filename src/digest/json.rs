//! The JSON of digest lines.

use std::fmt::Write;

use super::memory;
use crate::element::{FixedPointReader, Integer};
use crate::format::message::dataspace::Dataspace;
use crate::format::message::datatype::{
    Bits, ByteOrder, Charset, Class, Datatype, FloatingPoint, Padding, ReferenceKind,
};
use crate::object::Dataset;

/// An object, written key by key.
pub(crate) struct Json(String);

impl Json {
    pub(crate) fn object() -> Self {
        Self("{".to_owned())
    }

    /// Bytes so far.
    pub(crate) fn length(&self) -> u64 {
        self.0.len() as u64
    }

    pub(crate) fn text(&mut self, key: &str, value: &str) {
        self.raw(key, &quoted(value));
    }

    /// A value that is JSON already.
    pub(crate) fn raw(&mut self, key: &str, value: &str) {
        if self.0.len() > 1 {
            self.0.push(',');
        }
        self.0 += &quoted(key);
        self.0.push(':');
        self.0 += value;
    }

    pub(crate) fn number(&mut self, key: &str, value: impl ToString) {
        self.raw(key, &value.to_string());
    }

    pub(crate) fn finish(mut self) -> String {
        self.0.push('}');
        self.0
    }
}

pub(crate) fn quoted(text: &str) -> String {
    if text.bytes().all(|byte| byte >= b' ' && !matches!(byte, b'"' | b'\\')) {
        return format!("\"{text}\"");
    }
    let mut json = String::with_capacity(text.len() + 2);
    json.push('"');
    for c in text.chars() {
        match c {
            '"' => json.push_str("\\\""),
            '\\' => json.push_str("\\\\"),
            '\n' => json.push_str("\\n"),
            '\r' => json.push_str("\\r"),
            '\t' => json.push_str("\\t"),
            '\u{8}' => json.push_str("\\b"),
            '\u{c}' => json.push_str("\\f"),
            c if c < ' ' => {
                let _ = write!(json, "\\u{:04x}", c as u32);
            }
            c => json.push(c),
        }
    }
    json.push('"');
    json
}

pub(crate) fn list(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(","))
}

pub(super) fn shape(space: &Dataspace) -> String {
    if space.is_null() { "null".to_owned() } else { list(space.dims.iter().map(u64::to_string)) }
}

/// The largest dimensions. libhdf5 does not know an unlimited one where lengths have fewer than 8 bytes, and
/// gives the number that stands there; so does the digest.
pub(super) fn max_shape(dataset: &Dataset) -> String {
    let unlimited = match dataset.file().superblock().widths.lengths {
        2 => u16::MAX.to_string(),
        4 => u32::MAX.to_string(),
        _ => "null".to_owned(),
    };
    list(dataset.max_shape().into_iter().map(|max| max.map_or_else(|| unlimited.clone(), |n| n.to_string())))
}

pub(super) fn datatype(datatype: &Datatype) -> String {
    let mut json = Json::object();
    let size = datatype.size;
    match &datatype.class {
        Class::FixedPoint(number) => {
            json.text("class", "integer");
            json.number("size", size);
            json.text("order", order(number.bits.order));
            json.number("signed", number.signed);
            bits(&mut json, &number.bits, size);
        }
        Class::FloatingPoint(number) => {
            json.text("class", "float");
            json.number("size", size);
            json.text("order", order(number.bits.order));
            if !is_plain(number, size) {
                json.number("precision", number.bits.precision);
                json.number("offset", number.bits.offset);
                let fields = [
                    number.sign_position,
                    number.exponent_position,
                    number.exponent_size,
                    number.mantissa_position,
                    number.mantissa_size,
                ];
                json.raw("fields", &list(fields.iter().map(u8::to_string)));
                json.number("bias", number.bias);
            }
        }
        Class::Time { .. } => {
            json.text("class", "time");
            json.number("size", size);
        }
        Class::String { padding, charset } => {
            json.text("class", "string");
            json.number("size", size);
            text(&mut json, *padding, *charset);
        }
        Class::Bitfield(field) => {
            json.text("class", "bitfield");
            json.number("size", size);
            json.text("order", order(field.order));
            bits(&mut json, field, size);
        }
        Class::Opaque { tag, .. } => {
            json.text("class", "opaque");
            json.number("size", size);
            json.text("tag", &tag.display());
        }
        Class::Compound { members } => {
            json.text("class", "compound");
            json.number("size", memory::size(datatype));
            let member = |(m, offset): (&crate::format::message::datatype::Member, u64)| {
                let mut json = Json::object();
                json.text("name", &m.name.display());
                json.number("offset", offset);
                json.raw("type", &self::datatype(&m.datatype));
                json.finish()
            };
            json.raw("members", &list(members.iter().zip(memory::offsets(members)).map(member)));
        }
        Class::Reference { kind, .. } => {
            json.text("class", "reference");
            json.text(
                "kind",
                match kind {
                    ReferenceKind::Object => "object",
                    ReferenceKind::Region => "region",
                    _ => "std",
                },
            );
        }
        Class::Enumeration { base, members } => {
            json.text("class", "enum");
            json.raw("base", &self::datatype(base));
            let value = |bytes: &[u8]| match &base.class {
                Class::FixedPoint(number) => FixedPointReader::new(base, number.bits, number.signed).read(bytes),
                _ => None,
            };
            let member = |(name, bytes): &(crate::bytes::Text, Vec<u8>)| {
                let value = value(bytes).unwrap_or(Integer::Unsigned(0));
                format!("[{},{value}]", quoted(&name.display()))
            };
            json.raw("members", &list(members.iter().map(member)));
        }
        Class::VariableLength { is_string: true, padding, charset, .. } => {
            json.text("class", "vlen-string");
            text(&mut json, *padding, *charset);
        }
        Class::VariableLength { base, .. } => {
            json.text("class", "vlen");
            json.raw("base", &self::datatype(base));
        }
        Class::Array { dims, base, .. } => {
            json.text("class", "array");
            json.raw("dims", &list(dims.iter().map(u32::to_string)));
            json.raw("base", &self::datatype(base));
        }
        Class::Complex { base, .. } => {
            json.text("class", "complex");
            json.raw("base", &self::datatype(base));
        }
    }
    json.finish()
}

/// Precision and offset, unless every bit counts.
fn bits(json: &mut Json, bits: &Bits, size: u32) {
    if u64::from(bits.precision) != 8 * u64::from(size) || bits.offset != 0 {
        json.number("precision", bits.precision);
        json.number("offset", bits.offset);
    }
}

/// IEEE binary16, 32 or 64 in every field.
fn is_plain(number: &FloatingPoint, size: u32) -> bool {
    let fields = |f: &FloatingPoint| {
        let exponent = (f.exponent_position, f.exponent_size);
        let mantissa = (f.mantissa_position, f.mantissa_size);
        (f.sign_position, exponent, mantissa, f.bias, f.bits.precision, f.bits.offset)
    };
    let ieee = match size {
        2 => FloatingPoint::ieee(ByteOrder::Little, 5, 10),
        4 => FloatingPoint::ieee(ByteOrder::Little, 8, 23),
        8 => FloatingPoint::ieee(ByteOrder::Little, 11, 52),
        _ => return false,
    };
    fields(number) == fields(&ieee)
}

fn order(order: ByteOrder) -> &'static str {
    match order {
        ByteOrder::Little => "le",
        ByteOrder::Big => "be",
        ByteOrder::Vax => "vax",
    }
}

fn text(json: &mut Json, padding: Padding, charset: Charset) {
    json.text(
        "pad",
        match padding {
            Padding::NullTerminated => "nullterm",
            Padding::NullPadded => "nullpad",
            Padding::SpacePadded => "spacepad",
            Padding::Reserved(_) => "reserved",
        },
    );
    json.text(
        "charset",
        match charset {
            Charset::Ascii => "ascii",
            Charset::Utf8 => "utf8",
            Charset::Reserved(_) => "reserved",
        },
    );
}

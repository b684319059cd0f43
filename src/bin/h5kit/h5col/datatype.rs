//! Datatypes as JSON.

use h5kit::Datatype;
use h5kit::encoding::h5col::is_boolean;
use h5kit::format::message::datatype::{ByteOrder, Charset, Class, Padding, ReferenceKind};
use serde_json::{Map, Value, json};

use super::json;

/// A datatype: its class and what belongs to it.
pub fn describe(datatype: &Datatype) -> Value {
    let bits = 8 * u64::from(datatype.size);
    match &datatype.class {
        Class::FixedPoint(n) => {
            let name = format!("{}{bits}", if n.signed { "int" } else { "uint" });
            json!({ "class": "integer", "name": name, "order": order(n.bits.order) })
        }
        Class::FloatingPoint(n) => {
            json!({ "class": "float", "name": format!("float{bits}"), "order": order(n.bits.order) })
        }
        Class::Bitfield(n) => {
            json!({ "class": "bitfield", "name": format!("bitfield{bits}"), "order": order(n.order) })
        }
        Class::String { padding, charset: set } => json!({
            "class": "string", "name": "fixed", "nbytes": datatype.size, "cset": charset(*set), "pad": pad(*padding),
        }),
        Class::VariableLength { is_string: true, charset: set, .. } => {
            json!({ "class": "string", "name": "vlen", "cset": charset(*set) })
        }
        Class::VariableLength { base, .. } => json!({ "class": "vlen", "base": describe(base) }),
        Class::Enumeration { base, members } => {
            let base = describe(base);
            if is_boolean(datatype) {
                return json!({ "class": "boolean", "base": base["name"] });
            }
            let codes: Map<String, Value> = members
                .iter()
                .map(|(name, code)| (name.display().into_owned(), json::integer(self::code(datatype, code))))
                .collect();
            json!({ "class": "enum", "base": base, "members": codes })
        }
        Class::Opaque { tag, .. } => json!({ "class": "opaque", "nbytes": datatype.size, "tag": tag.display() }),
        Class::Reference { kind, .. } => json!({ "class": "reference", "name": match kind {
            ReferenceKind::Object => "object",
            ReferenceKind::Region => "region",
            ReferenceKind::ObjectRevised | ReferenceKind::RegionRevised | ReferenceKind::AttributeRevised => "std_ref",
        } }),
        Class::Compound { members } => {
            let fields: Vec<Value> = members.iter().map(|m| json!([m.name.display(), describe(&m.datatype)])).collect();
            json!({ "class": "compound", "fields": fields })
        }
        Class::Array { dims, base, .. } => json!({ "class": "array", "dims": dims, "base": describe(base) }),
        Class::Time { .. } => json!({ "class": "time", "size": datatype.size }),
        Class::Complex { base, .. } => json!({ "class": "complex", "base": describe(base) }),
    }
}

/// The code of an enumeration's member.
pub fn code(datatype: &Datatype, stored: &[u8]) -> i128 {
    let Class::Enumeration { base, .. } = &datatype.class else { return 0 };
    let Class::FixedPoint(n) = &base.class else { return 0 };
    let mut bytes: Vec<u8> = stored.to_vec();
    if n.bits.order != ByteOrder::Big {
        bytes.reverse();
    }
    let negative = n.signed && bytes.first().is_some_and(|byte| byte & 0x80 != 0);
    bytes.iter().fold(if negative { -1 } else { 0 }, |code, byte| code << 8 | i128::from(*byte))
}

fn order(order: ByteOrder) -> Value {
    match order {
        ByteOrder::Little => "LE".into(),
        ByteOrder::Big => "BE".into(),
        ByteOrder::Vax => Value::Null,
    }
}

fn charset(charset: Charset) -> &'static str {
    if charset == Charset::Utf8 { "utf-8" } else { "ascii" }
}

fn pad(padding: Padding) -> &'static str {
    match padding {
        Padding::NullTerminated => "nullterm",
        Padding::NullPadded => "nullpad",
        Padding::SpacePadded => "spacepad",
        Padding::Reserved(_) => "reserved",
    }
}

//! Objects and datatypes as JSON.

use crate::digest::json::{Json, list, quoted};
use crate::element::{FixedPointReader, Integer};
use crate::encoding::h5col::is_boolean;
use crate::error::registered_filter_name;
use crate::format::message::dataspace::Dataspace;
use crate::format::message::datatype::{ByteOrder, Charset, Class, Datatype, Padding, ReferenceKind};
use crate::object::{Dataset, File, FilterInfo, Layout, Object};

/// An object of a file. One of another file has no address.
pub(super) fn object(object: &Object, file: &File) -> String {
    let mut json = Json::object();
    json.text("path", object.path());
    about(&mut json, object, file);
    json.finish()
}

/// What an object is, without its path.
pub(super) fn about(json: &mut Json, object: &Object, file: &File) {
    json.text("kind", object.kind());
    if object.info().file().is(file) {
        json.number("address", object.info().address());
    }
    match object {
        Object::Group(_) => {}
        Object::Dataset(dataset) => self::dataset(json, dataset),
        Object::NamedDatatype(named) => json.raw("dtype", &datatype(named.datatype())),
    }
}

fn dataset(json: &mut Json, dataset: &Dataset) {
    space(json, dataset.dataspace());
    json.raw("maxShape", &list(dataset.max_shape().into_iter().map(|n| n.map_or("null".into(), |n| n.to_string()))));
    json.raw("dtype", &datatype(dataset.datatype()));
    let layout = dataset.layout();
    json.text("layout", layout.name());
    json.number("itemSize", dataset.datatype().size);
    if let Some(position) = dataset.position() {
        json.number("position", position);
    }
    let chunk = match &layout {
        Layout::Chunked { chunk, .. } => numbers(chunk),
        _ => "null".into(),
    };
    json.raw("chunkShape", &chunk);
    json.raw("filters", &list(dataset.filters().iter().map(filter)));
}

/// Shape, number of elements, and which kind of dataspace it is.
pub(super) fn space(json: &mut Json, space: &Dataspace) {
    json.raw("shape", &numbers(&space.dims));
    json.number("size", space.elements().unwrap_or(u64::MAX));
    let kind = if space.is_null() {
        "null"
    } else if space.dims.is_empty() {
        "scalar"
    } else {
        "simple"
    };
    json.text("space", kind);
}

pub(super) fn numbers(numbers: &[u64]) -> String {
    list(numbers.iter().map(u64::to_string))
}

fn filter(filter: &FilterInfo) -> String {
    let mut json = Json::object();
    json.number("id", filter.id);
    let name = registered_filter_name(filter.id);
    match (&filter.name, name) {
        (_, Some(name)) => json.text("name", name),
        (Some(name), None) => json.text("name", &name.display()),
        (None, None) => json.raw("name", "null"),
    }
    json.number("optional", filter.optional);
    json.raw("values", &list(filter.values.iter().map(u32::to_string)));
    json.number("supported", filter.available);
    json.finish()
}

/// A datatype.
pub(super) fn datatype(datatype: &Datatype) -> String {
    let mut json = Json::object();
    let size = datatype.size;
    match &datatype.class {
        Class::FixedPoint(number) => {
            json.text("kind", if number.signed { "int" } else { "uint" });
            order(&mut json, size, number.bits.order);
        }
        Class::FloatingPoint(number) => {
            json.text("kind", "float");
            order(&mut json, size, number.bits.order);
        }
        Class::Time { order: byte_order, .. } => {
            json.text("kind", "time");
            order(&mut json, size, *byte_order);
        }
        Class::Bitfield(bits) => {
            json.text("kind", "bitfield");
            order(&mut json, size, bits.order);
        }
        Class::String { padding, charset } => string(&mut json, &size.to_string(), *padding, *charset),
        Class::VariableLength { is_string: true, padding, charset, .. } => {
            string(&mut json, "null", *padding, *charset);
        }
        Class::Opaque { tag, .. } => {
            json.text("kind", "opaque");
            json.number("size", size);
            json.text("tag", &tag.display());
        }
        Class::Compound { members } => {
            json.text("kind", "compound");
            json.number("size", size);
            let field = |member: &crate::format::message::datatype::Member| {
                let mut json = Json::object();
                json.text("name", &member.name.display());
                json.number("offset", member.offset);
                json.raw("dtype", &self::datatype(&member.datatype));
                json.finish()
            };
            json.raw("fields", &list(members.iter().map(field)));
        }
        Class::Reference { kind, .. } => {
            json.text("kind", "reference");
            let what = match kind {
                ReferenceKind::Object => "object",
                ReferenceKind::Region => "region",
                _ => "any",
            };
            json.text("what", what);
        }
        Class::Enumeration { .. } if is_boolean(datatype) => json.text("kind", "bool"),
        Class::Enumeration { base, members } => {
            json.text("kind", "enum");
            json.raw("base", &self::datatype(base));
            let value = |bytes: &[u8]| match &base.class {
                Class::FixedPoint(number) => FixedPointReader::new(base, number.bits, number.signed).read(bytes),
                _ => None,
            };
            // Values are text: not all are numbers of JavaScript.
            let member = |(name, bytes): &(crate::bytes::Text, Vec<u8>)| {
                let value = value(bytes).unwrap_or(Integer::Unsigned(0));
                format!("[{},\"{value}\"]", quoted(&name.display()))
            };
            json.raw("members", &list(members.iter().map(member)));
        }
        Class::VariableLength { base, .. } => {
            json.text("kind", "vlen");
            json.raw("base", &self::datatype(base));
        }
        Class::Array { dims, base, .. } => {
            json.text("kind", "array");
            json.raw("shape", &list(dims.iter().map(u32::to_string)));
            json.raw("base", &self::datatype(base));
        }
        Class::Complex { base, .. } => {
            json.text("kind", "complex");
            json.number("size", size);
            json.raw("base", &self::datatype(base));
        }
    }
    json.finish()
}

fn order(json: &mut Json, size: u32, order: ByteOrder) {
    json.number("size", size);
    json.number("littleEndian", order == ByteOrder::Little);
}

fn string(json: &mut Json, length: &str, padding: Padding, charset: Charset) {
    json.text("kind", "string");
    json.raw("length", length);
    let padding = match padding {
        Padding::NullTerminated => "nullterm",
        Padding::NullPadded => "nullpad",
        Padding::SpacePadded => "spacepad",
        Padding::Reserved(_) => "reserved",
    };
    json.text("padding", padding);
    json.text("charset", if charset == Charset::Utf8 { "utf8" } else { "ascii" });
}

//! `h5kit h5col dump`: tables as JSON.

use std::rc::Rc;

use h5kit::encoding::h5col::{self, Column, Kind, Level, ListColumn, ListLevel, ScalarColumn, Table, Token, Values};
use h5kit::{Attribute, Dataset, ErrorKind, FillInfo, Layout};
use serde_json::{Map, Value, json};

use super::element::Writer;
use super::json::{Items, List, Object, Part};
use super::{datatype, json, lists, rows, search_index};
use crate::args::Source;
use crate::session::{Done, Session, Trouble};
use crate::value::hex;

/// The arguments of `h5col dump`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Prints every table of the file, or one of them, with its columns, values and search indexes. Missing values are null. \
A column that cannot be read has the kind \"unreadable\", and what is wrong with it is said.

Examples:
  h5kit h5col dump data.h5
  h5kit h5col dump data.h5 /stations")]
pub struct Args {
    /// The file.
    #[command(flatten)]
    source: Source,

    /// Path of a table
    #[arg(value_name = "TABLE")]
    table: Option<String>,
}

/// Prints the tables.
pub fn run(args: &Args, session: &mut Session) -> Done {
    let file = session.open(&args.source)?;
    let groups = super::asked(&file, args.table.as_deref())?;
    if groups.is_empty() {
        return Err(Trouble::Usage("no H5Col table in this file".into()));
    }
    let mut tables = Vec::new();
    for group in groups {
        match Table::open(&group) {
            Ok(table) => tables.push(Part::Object(describe(&table, session)?)),
            Err(e) => session.report(&e),
        }
    }
    json::print(&Part::Object(json::object([("schema", "h5col-oracle-1".into()), ("tables", Part::Array(tables))])))
}

/// A table with all that is in it.
fn describe(table: &Table, session: &mut Session) -> Result<Object, Trouble> {
    let text = |name: &str| Ok::<_, h5col::Error>(Part::Value(json::maybe(table.text(name)?.as_ref())));
    let names = |columns: &[Column]| columns.iter().map(|column| json::text(column.name())).collect::<Vec<_>>();
    let index_columns = match table.index_columns() {
        Ok(names) => names,
        Err(e) => {
            session.report(&e);
            Vec::new()
        }
    };
    let mut columns = Vec::new();
    for column in table.columns() {
        columns.push(Part::Object(self::column(column, table.nrows(), session)?));
    }
    let mut indexes = Vec::new();
    for index in table.search_indexes()? {
        indexes.push(Part::Object(search_index::describe(&index)?));
    }
    let order = table.column_order().map(|names| names.iter().map(json::text).collect::<Vec<_>>());
    Ok(json::object([
        ("table", table.path().into()),
        ("version", json::text(table.version()).into()),
        ("nrows", table.nrows().into()),
        ("generation", token(table.generation()).into()),
        ("title", text("TITLE")?),
        ("description", text("description")?),
        ("units_vocabulary", text("units_vocabulary")?),
        ("encoding_type", text("encoding-type")?),
        ("encoding_version", text("encoding-version")?),
        ("_index", text("_index")?),
        ("index_columns", index_columns.into()),
        ("column_order_attr", order.into()),
        ("column_names", names(table.columns()).into()),
        ("columns", Part::Array(columns)),
        ("search_indexes", Part::Array(indexes)),
    ]))
}

/// A token: its number, or what it is instead.
pub fn token(token: &Token) -> Value {
    match token {
        Token::Absent => Value::Null,
        Token::Value(n) => (*n).into(),
        Token::Malformed(what) => json!({ "$malformed": what }),
    }
}

fn column(column: &Column, nrows: u64, session: &mut Session) -> Result<Object, Trouble> {
    let mut parts = match column {
        Column::Scalar(scalar) => self::scalar(scalar, nrows),
        Column::List(list) => self::list(list, nrows),
    }
    .or_else(|e| match e {
        h5col::Error::File(e) if e.kind() == ErrorKind::Io => Err(e),
        // The other columns can be read all the same.
        e => {
            session.report(&e);
            Ok(json::object([("kind", "unreadable".into()), ("values", Value::Null.into())]))
        }
    })?;
    for name in ["units", "units_vocabulary", "description"] {
        parts.insert(name.into(), json::maybe(column.text(name)?.as_ref()).into());
    }
    let mut attributes = Map::new();
    for attribute in column.attributes()? {
        attributes.insert(attribute.name().display().into_owned(), self::attribute(&attribute)?);
    }
    parts.insert("attributes".into(), attributes.into());
    parts.insert("name".into(), json::text(column.name()).into());
    Ok(parts)
}

/// The value of an attribute; those of an array one after the other.
fn attribute(attribute: &Attribute) -> Result<Value, h5kit::Error> {
    let (datatype, dataspace) = (attribute.datatype()?, attribute.dataspace()?);
    let writer = Writer::new(attribute.owner().file(), &datatype);
    let elements: Vec<h5kit::element::Value> = attribute.read()?;
    let values: Vec<Value> = elements.iter().map(|value| writer.element(value, &datatype)).collect();
    Ok(if dataspace.is_null() {
        Value::Null
    } else if dataspace.dims.is_empty() {
        values.into_iter().next().unwrap_or(Value::Null)
    } else {
        values.into()
    })
}

fn scalar(column: &ScalarColumn, nrows: u64) -> h5col::Result<Object> {
    let dataset = column.dataset();
    let datatype = dataset.datatype();
    let writer = Writer::new(dataset.file(), datatype);
    let whole = Column::Scalar(column.clone());
    let values = || rows::items(&whole, nrows, move |values, row| writer.value(values, row));
    let code = |values: &Values, row: usize| values.data.integer(row).map_or(Value::Null, json::integer);
    let codes = || rows::items(&whole, nrows, code);
    let mut parts = Object::new();
    match column.kind() {
        Kind::Categorical => {
            parts.insert("codes".into(), Part::Items(codes()?));
            labelled(column, nrows, &mut parts)?;
        }
        Kind::Enumeration => {
            parts.insert("codes".into(), Part::Items(codes()?));
            parts.insert("values".into(), Part::Items(values()?));
        }
        _ => {
            parts.insert("values".into(), Part::Items(values()?));
        }
    }
    parts.extend(json::object([
        ("kind", kind(column.kind()).into()),
        ("type", datatype::describe(datatype).into()),
        ("fill_value", fill(dataset)?.into()),
        ("valid_min", bound(dataset, "valid_min")?.into()),
        ("valid_max", bound(dataset, "valid_max")?.into()),
        ("storage", storage(dataset).into()),
    ]));
    if column.kind() == Kind::Float
        && let Some(mut bytes) = dataset.fill_value::<h5kit::element::Bytes>()?
    {
        if datatype::describe(datatype)["order"] == "LE" {
            bytes.0.reverse();
        }
        parts.insert("fill_bits".into(), hex(&bytes.0).into());
    }
    Ok(parts)
}

/// Labels in the place of codes, and what is known of them.
fn labelled(column: &ScalarColumn, nrows: u64, parts: &mut Object) -> h5col::Result<()> {
    let Some(labels) = column.labels()? else { return Ok(()) };
    let datatype = labels.dataset().datatype();
    let writer = Writer::new(column.dataset().file(), datatype);
    let read = Rc::new((labels.read()?, writer));
    let of_code = Rc::clone(&read);
    let label = move |codes: &Values, row: usize| {
        let (labels, writer) = &*of_code;
        let code = codes.data.integer(row).filter(|_| !codes.is_missing(row));
        code.and_then(|code| usize::try_from(code).ok()).map_or(Value::Null, |code| writer.value(labels, code))
    };
    parts.insert("values".into(), Part::Items(rows::items(&Column::Scalar(column.clone()), nrows, label)?));
    parts.insert("categories".into(), Part::Items(all(read)));
    parts.insert("categories_type".into(), datatype::describe(datatype).into());
    parts.insert("ordered".into(), labels.ordered()?.into());
    Ok(())
}

/// Values that are in memory.
fn all(read: Rc<(Values, Writer)>) -> Items {
    let n = read.0.len();
    let value = move |row: usize| read.1.value(&read.0, row);
    let lines = (0..n).any(|row| value(row).is_object());
    Items { lines, write: Box::new(move |list: &mut List<'_>| (0..n).try_for_each(|row| list.item(&value(row)))) }
}

fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Integer => "int",
        Kind::Float => "float",
        Kind::Boolean => "boolean",
        Kind::FixedString => "string",
        Kind::VariableString => "vlen_string",
        Kind::Categorical => "categorical",
        Kind::Enumeration => "enum",
        Kind::Opaque => "opaque",
        Kind::Reference => "reference",
        Kind::Compound => "compound",
        Kind::Array => "array",
        Kind::Sequence => "vlen",
        Kind::Bitfield => "bitfield",
        Kind::Complex => "complex",
        Kind::Time => "time",
        Kind::List => "list",
        _ => "unreadable",
    }
}

/// The fill value: as a value where the elements are numbers or text, else its bytes.
fn fill(dataset: &Dataset) -> h5kit::Result<Value> {
    use h5kit::format::message::datatype::Class;
    let datatype = dataset.datatype();
    let writer = Writer::new(dataset.file(), datatype);
    if dataset.fill() != FillInfo::Value {
        return Ok(Value::Null);
    }
    Ok(match &datatype.class {
        Class::Enumeration { .. } if datatype::describe(datatype)["class"] == "boolean" => Value::Null,
        Class::Enumeration { .. } => dataset.fill_value::<i128>()?.map_or(Value::Null, json::integer),
        Class::FixedPoint(_)
        | Class::FloatingPoint(_)
        | Class::Bitfield(_)
        | Class::String { .. }
        | Class::VariableLength { .. } => {
            let value = dataset.fill_value::<h5kit::element::Value>()?;
            value.map_or(Value::Null, |value| writer.element(&value, datatype))
        }
        _ if datatype.has_heap_data() => Value::Null,
        _ => dataset.fill_value::<h5kit::element::Bytes>()?.map_or(Value::Null, |bytes| hex(&bytes.0).into()),
    })
}

/// A bound of the valid range.
fn bound(dataset: &Dataset, name: &str) -> h5kit::Result<Value> {
    if dataset.info().has_attribute(name)? { attribute(&dataset.attribute(name)?) } else { Ok(Value::Null) }
}

fn storage(dataset: &Dataset) -> Value {
    let layout = match dataset.layout() {
        Layout::Compact => "compact",
        Layout::Contiguous => "contiguous",
        Layout::Chunked { .. } => "chunked",
        _ => "other",
    };
    let filter = |f: &h5kit::FilterInfo| json!({ "id": f.id, "cd_values": f.values, "optional": f.optional });
    json!({
        "layout": layout,
        "extent": dataset.len(),
        "max_extent": dataset.max_shape().first().copied().flatten(),
        "chunk": dataset.chunk_shape().and_then(|shape| shape.first().copied()),
        "filters": dataset.filters().iter().map(filter).collect::<Vec<_>>(),
    })
}

fn list(column: &ListColumn, nrows: u64) -> h5col::Result<Object> {
    let mut parts = json::object([("list_kind", json::maybe(column.list_kind()).into())]);
    if column.kind() != Kind::List {
        parts.insert("kind".into(), "unreadable".into());
        parts.insert("values".into(), Value::Null.into());
        return Ok(parts);
    }
    parts.insert("kind".into(), "list".into());
    parts.insert("type".into(), lists_type(&column.level()?)?.into());
    parts.insert("values".into(), Part::Items(lists::items(column, nrows)?));
    Ok(parts)
}

fn lists_type(level: &ListLevel) -> h5col::Result<Value> {
    let values = match &*level.values {
        Level::Lists(inner) => json!({ "list": lists_type(inner)? }),
        Level::Strings(strings) => json!({ "strings": { "nullable": strings.nullable() } }),
        Level::Leaf(leaf) => {
            let mut parts = Map::new();
            parts.insert("leaf".into(), datatype::describe(leaf.datatype()));
            parts.insert("fill_value".into(), fill(leaf)?);
            for name in ["valid_min", "valid_max", "units", "units_vocabulary", "description"] {
                if leaf.info().has_attribute(name)? {
                    parts.insert(name.into(), bound(leaf, name)?);
                }
            }
            parts.into()
        }
    };
    Ok(json!({ "class": "list", "nullable": level.nullable(), "values": values }))
}

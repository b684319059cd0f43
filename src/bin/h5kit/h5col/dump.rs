//! `h5kit h5col dump`: tables as JSON.

use h5kit::bytes::Text;
use h5kit::encoding::h5col::{self, Column, Kind, Level, ListColumn, ListLevel, ScalarColumn, Table, Token, Values};
use h5kit::{Attribute, Dataset, ErrorKind, FillInfo, Layout};
use serde_json::{Map, Value, json};

use super::element::Writer;
use super::{datatype, json, search_index};
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
            Ok(table) => tables.push(describe(&table, session)?),
            Err(e) => session.report(&e),
        }
    }
    json::print(&json!({ "schema": "h5col-oracle-1", "tables": tables }))?;
    Ok(())
}

/// A table with all that is in it.
fn describe(table: &Table, session: &mut Session) -> Result<Value, Trouble> {
    let text = |name: &str| Ok::<_, h5col::Error>(json::maybe(table.text(name)?.as_ref()));
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
        columns.push(self::column(column, session)?);
    }
    let mut indexes = Vec::new();
    for index in table.search_indexes()? {
        indexes.push(search_index::describe(&index)?);
    }
    let order = table.column_order().map(|names| names.iter().map(json::text).collect::<Vec<_>>());
    Ok(json::object([
        ("table", table.path().into()),
        ("version", json::text(table.version())),
        ("nrows", table.nrows().into()),
        ("generation", token(table.generation())),
        ("title", text("TITLE")?),
        ("description", text("description")?),
        ("units_vocabulary", text("units_vocabulary")?),
        ("encoding_type", text("encoding-type")?),
        ("encoding_version", text("encoding-version")?),
        ("_index", text("_index")?),
        ("index_columns", index_columns.into()),
        ("column_order_attr", order.into()),
        ("column_names", names(table.columns()).into()),
        ("columns", columns.into()),
        ("search_indexes", indexes.into()),
    ])
    .into())
}

/// A token: its number, or what it is instead.
pub fn token(token: &Token) -> Value {
    match token {
        Token::Absent => Value::Null,
        Token::Value(n) => (*n).into(),
        Token::Malformed(what) => json!({ "$malformed": what }),
    }
}

fn column(column: &Column, session: &mut Session) -> Result<Value, Trouble> {
    let mut parts = match column {
        Column::Scalar(scalar) => self::scalar(scalar),
        Column::List(list) => self::list(list),
    }
    .or_else(|e| match e {
        h5col::Error::File(e) if e.kind() == ErrorKind::Io => Err(e),
        // The other columns can be read all the same.
        e => {
            session.report(&e);
            Ok(json::object([("kind", "unreadable".into()), ("values", Value::Null)]))
        }
    })?;
    for name in ["units", "units_vocabulary", "description"] {
        parts.insert(name.into(), json::maybe(column.text(name)?.as_ref()));
    }
    let mut attributes = Map::new();
    for attribute in column.attributes()? {
        attributes.insert(attribute.name().display().into_owned(), self::attribute(&attribute)?);
    }
    parts.insert("attributes".into(), attributes.into());
    parts.insert("name".into(), json::text(column.name()));
    Ok(parts.into())
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

fn scalar(column: &ScalarColumn) -> h5col::Result<Map<String, Value>> {
    let dataset = column.dataset();
    let datatype = dataset.datatype();
    let writer = Writer::new(dataset.file(), datatype);
    let values = column.read(..)?;
    let mut parts = json::object([
        ("kind", kind(column.kind()).into()),
        ("type", datatype::describe(datatype)),
        ("fill_value", fill(dataset)?),
        ("valid_min", bound(dataset, "valid_min")?),
        ("valid_max", bound(dataset, "valid_max")?),
        ("storage", storage(dataset)),
    ]);
    let codes = || (0..values.len()).map(|row| values.data.integer(row).map_or(Value::Null, json::integer)).collect();
    match column.kind() {
        Kind::Categorical => {
            let codes: Vec<Value> = codes();
            labelled(column, &values, &mut parts)?;
            parts.insert("codes".into(), codes.into());
        }
        Kind::Enumeration => {
            let codes: Vec<Value> = codes();
            parts.insert("codes".into(), codes.into());
            parts.insert("values".into(), writer.values(&values, datatype).into());
        }
        Kind::Float => {
            if let Some(mut bytes) = dataset.fill_value::<h5kit::element::Bytes>()? {
                if datatype::describe(datatype)["order"] == "LE" {
                    bytes.0.reverse();
                }
                parts.insert("fill_bits".into(), hex(&bytes.0).into());
            }
            parts.insert("values".into(), writer.values(&values, datatype).into());
        }
        _ => {
            parts.insert("values".into(), writer.values(&values, datatype).into());
        }
    }
    Ok(parts)
}

/// Labels in the place of codes, and what is known of them.
fn labelled(column: &ScalarColumn, values: &Values, parts: &mut Map<String, Value>) -> h5col::Result<()> {
    let Some(labels) = column.labels()? else { return Ok(()) };
    let datatype = labels.dataset().datatype();
    let writer = Writer::new(column.dataset().file(), datatype);
    let read = labels.read()?;
    let all = writer.values(&read, datatype);
    let decoded = column.decoded(values.clone())?;
    parts.insert("values".into(), writer.values(&decoded, datatype).into());
    parts.insert("categories".into(), all.into());
    parts.insert("categories_type".into(), datatype::describe(datatype));
    parts.insert("ordered".into(), labels.ordered()?.into());
    Ok(())
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

fn list(column: &ListColumn) -> h5col::Result<Map<String, Value>> {
    let mut parts = json::object([("list_kind", json::maybe(column.list_kind()))]);
    if column.kind() != Kind::List {
        parts.insert("kind".into(), "unreadable".into());
        parts.insert("values".into(), Value::Null);
        return Ok(parts);
    }
    parts.insert("kind".into(), "list".into());
    parts.insert("type".into(), lists_type(&column.level()?)?);
    parts.insert("values".into(), lists(column, &column.read(..)?)?.into());
    Ok(parts)
}

/// The lists of some rows.
pub fn lists(column: &ListColumn, values: &Values) -> h5col::Result<Vec<Value>> {
    Ok(elements(values, &Level::Lists(column.level()?), column.group().file()))
}

fn lists_type(level: &ListLevel) -> h5col::Result<Value> {
    let values = match &*level.values {
        Level::Lists(inner) => json!({ "list": lists_type(inner)? }),
        Level::Strings(strings) => json!({ "strings": { "nullable": strings.nullable() } }),
        Level::Leaf(leaf) => {
            let mut parts = json::object([("leaf", datatype::describe(leaf.datatype())), ("fill_value", fill(leaf)?)]);
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

/// The entries of a level; null where they are missing.
fn elements(values: &Values, level: &Level, file: &h5kit::File) -> Vec<Value> {
    match (level, &values.data) {
        (Level::Lists(level), h5col::Data::List(lists)) => {
            let inner = elements(&lists.values, &level.values, file);
            let bounds = lists.offsets.windows(2).zip(&values.missing);
            let entry = |(bounds, missing): (&[u64], &bool)| match bounds {
                [start, end] if !missing => inner.get(*start as usize..*end as usize).map_or(Value::Null, Value::from),
                _ => Value::Null,
            };
            bounds.map(entry).collect()
        }
        (Level::Leaf(leaf), _) => Writer::new(file, leaf.datatype()).values(values, leaf.datatype()),
        (Level::Strings(_), h5col::Data::Text(texts)) => {
            let text = |(text, missing): (&Text, &bool)| if *missing { Value::Null } else { json::text(text) };
            texts.iter().zip(&values.missing).map(text).collect()
        }
        _ => Vec::new(),
    }
}

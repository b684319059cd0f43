//! Forms of awkward arrays: trees of nodes that say how buffers make up lists.
//! (<https://awkward-array.org/doc/main/reference/generated/ak.forms.Form.html>)

use serde_json::{Map, Value};

type Parsed<T> = std::result::Result<T, String>;

/// A node of a form.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Form {
    /// What the names of its buffers begin with.
    pub(super) key: String,
    pub(super) class: Class,
}

/// What a node is.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Class {
    /// Values of one type; the shape of each, empty for single ones.
    Numpy {
        inner_shape: Vec<u64>,
        is_bool: bool,
    },
    Empty,
    /// Lists one after the other.
    ListOffset {
        content: Box<Form>,
        of: ListOf,
    },
    /// Lists anywhere in the content.
    List {
        content: Box<Form>,
        of: ListOf,
    },
    /// Lists of one length.
    Regular {
        content: Box<Form>,
        size: u64,
        of: ListOf,
    },
    /// Fields with their names; tuples have none.
    Record {
        names: Option<Vec<String>>,
        contents: Vec<Form>,
    },
    /// Entries of the content by number, negative for missing ones.
    Indexed {
        content: Box<Form>,
    },
    /// A byte for each entry.
    ByteMasked {
        content: Box<Form>,
        valid_when: bool,
    },
    /// A bit for each entry.
    BitMasked {
        content: Box<Form>,
        valid_when: bool,
        least_first: bool,
    },
    Unmasked {
        content: Box<Form>,
    },
    /// A content for each tag.
    Union {
        contents: Vec<Form>,
    },
}

/// What a list is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ListOf {
    Entries,
    /// Of bytes that are UTF-8.
    Text,
    Bytes,
}

/// Deepest nesting of a form.
const DEPTH: usize = 64;

impl Form {
    pub(super) fn parse(text: &str) -> Parsed<Self> {
        let json: Value = serde_json::from_str(text).map_err(|error| format!("a form that is not JSON: {error}"))?;
        Self::of(&json, DEPTH)
    }

    fn of(json: &Value, depth: usize) -> Parsed<Self> {
        let Some(depth) = depth.checked_sub(1) else { return Err("a form that is nested too deep".into()) };
        // A name alone stands for an array of this type, and says nothing of its buffer.
        let Some(object) = json.as_object() else {
            return Err(format!("a node of a form that is {json}"));
        };
        let class = object.get("class").and_then(Value::as_str).ok_or("a node of a form without a class")?;
        let key = object.get("form_key").and_then(Value::as_str).unwrap_or_default();
        let content = || match object.get("content") {
            Some(content) => Self::of(content, depth).map(Box::new),
            None => Err(format!("a {class} without content")),
        };
        let flag = |name: &str| object.get(name).and_then(Value::as_bool).unwrap_or(true);
        let class = match class {
            "NumpyArray" => Class::Numpy {
                inner_shape: inner_shape(object),
                is_bool: object.get("primitive").is_some_and(|primitive| primitive == "bool"),
            },
            "EmptyArray" => Class::Empty,
            "ListOffsetArray" => Class::ListOffset { content: content()?, of: list_of(object) },
            "ListArray" => Class::List { content: content()?, of: list_of(object) },
            "RegularArray" => {
                let size = object.get("size").and_then(Value::as_u64).unwrap_or(1);
                Class::Regular { content: content()?, size, of: list_of(object) }
            }
            "RecordArray" => {
                let (names, contents) = fields(object, depth)?;
                Class::Record { names, contents }
            }
            "IndexedArray" | "IndexedOptionArray" => Class::Indexed { content: content()? },
            "ByteMaskedArray" => Class::ByteMasked { content: content()?, valid_when: flag("valid_when") },
            "BitMaskedArray" => {
                Class::BitMasked { content: content()?, valid_when: flag("valid_when"), least_first: flag("lsb_order") }
            }
            "UnmaskedArray" => Class::Unmasked { content: content()? },
            "UnionArray" => Class::Union { contents: fields(object, depth)?.1 },
            other => return Err(format!("a form of the unknown class {other}")),
        };
        Ok(Self { key: key.to_owned(), class })
    }
}

fn inner_shape(object: &Map<String, Value>) -> Vec<u64> {
    let shape = object.get("inner_shape").and_then(Value::as_array);
    shape.into_iter().flatten().filter_map(Value::as_u64).collect()
}

fn list_of(object: &Map<String, Value>) -> ListOf {
    match object.get("parameters").and_then(|parameters| parameters.get("__array__")).and_then(Value::as_str) {
        Some("string") => ListOf::Text,
        Some("bytestring") => ListOf::Bytes,
        _ => ListOf::Entries,
    }
}

/// The contents of a node, and their names. Version 1 of the forms has both in one object.
fn fields(object: &Map<String, Value>, depth: usize) -> Parsed<(Option<Vec<String>>, Vec<Form>)> {
    let of = |contents: &mut dyn Iterator<Item = &Value>| contents.map(|json| Form::of(json, depth)).collect();
    match object.get("contents") {
        Some(Value::Object(fields)) => {
            let contents: Parsed<Vec<Form>> = of(&mut fields.values());
            Ok((Some(fields.keys().cloned().collect()), contents?))
        }
        Some(Value::Array(contents)) => {
            let contents: Vec<Form> = of(&mut contents.iter())?;
            let Some(names) = object.get("fields").and_then(Value::as_array) else { return Ok((None, contents)) };
            let names: Vec<String> = names.iter().filter_map(|name| name.as_str().map(str::to_owned)).collect();
            if names.len() != contents.len() {
                return Err(format!("{} fields and {} contents", names.len(), contents.len()));
            }
            Ok((Some(names), contents))
        }
        _ => Ok((None, Vec::new())),
    }
}

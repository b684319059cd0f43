//! The attributes that say what an object is.

use crate::bytes::Text;
use crate::element::Value;
use crate::format::message::datatype::Class;
use crate::object::{Object, ObjectInfo};

use super::fault::{Fault, Result, Rule, broken};

/// `encoding-type` and `encoding-version`.
#[derive(Clone, Debug, Default)]
pub(super) struct Tags {
    pub(super) encoding: Option<String>,
    pub(super) version: Option<String>,
    /// What is unusual about them.
    pub(super) warning: Option<Fault>,
}

impl Tags {
    pub(super) fn of(object: &Object, path: &str) -> Result<Self> {
        let info = object.info();
        let mut warning = None;
        let mut tag = |name| text(info, name, path, &mut warning);
        let (encoding, version) = (tag("encoding-type")?, tag("encoding-version")?);
        if encoding.is_some() && version.is_none() {
            return broken(Rule::MissingAttribute, path, "encoding-type without encoding-version");
        }
        Ok(Self { encoding, version, warning })
    }
}

/// The text of an attribute; `None` where there is no such attribute.
pub(super) fn optional_text(info: &ObjectInfo, name: &str, path: &str) -> Result<Option<String>> {
    text(info, name, path, &mut None)
}

/// The text of an attribute that must be there.
pub(super) fn required_text(info: &ObjectInfo, name: &str, path: &str) -> Result<String> {
    match optional_text(info, name, path)? {
        Some(text) => Ok(text),
        None => broken(Rule::MissingAttribute, path, format!("there is no attribute {name}")),
    }
}

fn text(info: &ObjectInfo, name: &str, path: &str, warning: &mut Option<Fault>) -> Result<Option<String>> {
    if !info.has_attribute(name)? {
        return Ok(None);
    }
    let attribute = info.attribute(name)?;
    let is_text =
        matches!(attribute.datatype()?.class, Class::String { .. } | Class::VariableLength { is_string: true, .. });
    let texts: Vec<Text> = if is_text { attribute.read()? } else { Vec::new() };
    let [text] = &texts[..] else {
        return broken(Rule::BadType, path, format!("the attribute {name} is not a text"));
    };
    if !attribute.shape()?.is_empty() {
        let what = format!("the attribute {name} is an array of one text");
        *warning = Some(Fault::warning(Rule::BadType, path, what));
    }
    match text.as_str() {
        Some(text) => Ok(Some(text.to_owned())),
        None => broken(Rule::BadText, path, format!("the attribute {name} is not UTF-8")),
    }
}

/// The texts of an attribute of one dimension. Without one it has any type.
pub(super) fn texts(info: &ObjectInfo, name: &str, path: &str) -> Result<Option<Vec<String>>> {
    if !info.has_attribute(name)? {
        return Ok(None);
    }
    let attribute = info.attribute(name)?;
    if attribute.dataspace()?.elements() == Some(0) {
        return Ok(Some(Vec::new()));
    }
    let values: Vec<Value> = attribute.read()?;
    let texts: Option<Vec<String>> = values
        .iter()
        .map(|value| match value {
            Value::String(text) => text.as_str().map(str::to_owned),
            _ => None,
        })
        .collect();
    match texts {
        Some(texts) => Ok(Some(texts)),
        None => broken(Rule::BadType, path, format!("the attribute {name} does not hold texts")),
    }
}

/// Integers of an attribute; `None` where there is no such attribute.
pub(super) fn integers(info: &ObjectInfo, name: &str, path: &str) -> Result<Option<Vec<i64>>> {
    if !info.has_attribute(name)? {
        return Ok(None);
    }
    let values: Vec<Value> = info.attribute(name)?.read()?;
    match values.iter().map(Value::as_i64).collect() {
        Some(integers) => Ok(Some(integers)),
        None => broken(Rule::BadType, path, format!("the attribute {name} does not hold integers")),
    }
}

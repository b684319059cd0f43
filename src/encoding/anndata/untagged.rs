//! Elements that do not say what they are: by their structure.

use crate::Dataset;
use crate::format::message::datatype::Class;
use crate::object::{Group, Object};

use super::array::Array;
use super::categorical::Categorical;
use super::element::{Element, Kind, Legacy, member, member_dataset};
use super::fault::{Result, Rule, broken};
use super::frame::DataFrame;
use super::members::Members;
use super::nullable::Nullable;
use super::records::Records;
use super::sparse::{Format, Sparse};
use super::tagged::ordered;
use super::tags::{integers, optional_text};
use super::values::{Source, Type};

pub(super) fn open(object: &Object, path: &str) -> Result<Element> {
    match object {
        Object::Dataset(dataset) => of_dataset(dataset, path),
        Object::Group(group) => of_group(group, path),
        Object::NamedDatatype(_) => broken(Rule::WrongKind, path, "a committed datatype"),
    }
}

/// A dataset, by its datatype and shape.
pub(super) fn of_dataset(dataset: &Dataset, path: &str) -> Result<Element> {
    let of = Type::of(dataset.datatype());
    if of.is_none() && matches!(dataset.datatype().class, Class::Compound { .. }) {
        return Ok(Element::legacy(path, Kind::Records(Records::new(dataset, path)?), Legacy::Untagged));
    }
    let array = Array::untagged(Source::Dataset(dataset.clone()), path)?;
    let fixed = of == Some(Type::Bytes);
    let text = array.value_type() == Type::String;
    let (kind, legacy) = match dataset.shape() {
        [1] if fixed => (Kind::String(array), Legacy::FixedStringScalar),
        [] if text => (Kind::String(array), Legacy::Untagged),
        [] => (Kind::NumericScalar(array), Legacy::Untagged),
        _ if fixed => (Kind::StringArray(array), Legacy::FixedString),
        _ if text => (Kind::StringArray(array), Legacy::Untagged),
        _ => (Kind::Array(array), Legacy::Untagged),
    };
    Ok(Element::legacy(path, kind, legacy))
}

fn of_group(group: &Group, path: &str) -> Result<Element> {
    let info = group.info();
    if let Some(format) = optional_text(info, "h5sparse_format", path)? {
        return h5sparse(group, &format, path);
    }
    let has = |name: &str| group.exists(name);
    if has("codes")? && has("categories")? {
        let codes = Source::Dataset(member_dataset(group, "codes", path)?);
        let at = format!("{path}/categories");
        let element = Element::open(&member(group, "categories", &at)?, &at)?;
        let (Kind::Array(categories) | Kind::StringArray(categories) | Kind::String(categories)) = element.kind else {
            return broken(Rule::BadType, &at, format!("categories that are a {}", element.encoding()));
        };
        let ordered = ordered(info, path)?.unwrap_or(false);
        let kind = Kind::Categorical(Categorical::new(path, codes, categories, ordered)?);
        return Ok(Element::legacy(path, kind, Legacy::Structural));
    }
    if has("values")? && has("mask")? {
        return Ok(Element::legacy(path, masked(group, path)?, Legacy::Structural));
    }
    if info.has_attribute("_index")? {
        let kind = Kind::DataFrame(DataFrame::structural(group, path)?);
        return Ok(Element::legacy(path, kind, Legacy::Structural));
    }
    Ok(Element::legacy(path, Kind::Dict(Members::of_group(group, path)), Legacy::Untagged))
}

fn masked(group: &Group, path: &str) -> Result<Kind> {
    let values = Array::untagged(Source::Dataset(member_dataset(group, "values", path)?), path)?;
    let mask = Source::Dataset(member_dataset(group, "mask", path)?);
    let of = values.value_type();
    let nullable = Nullable::new(path, values, mask, None)?;
    match of {
        Type::Bool => Ok(Kind::NullableBoolean(nullable)),
        of if of.is_integer() => Ok(Kind::NullableInteger(nullable)),
        Type::String => Ok(Kind::NullableStrings(nullable)),
        of => broken(Rule::BadType, path, format!("values of {} under a mask", of.name())),
    }
}

/// A sparse matrix of before version 0.7.
fn h5sparse(group: &Group, format: &str, path: &str) -> Result<Element> {
    let format = match format {
        "csr" => Format::Csr,
        "csc" => Format::Csc,
        other => return broken(Rule::UnknownEncoding, path, format!("a sparse matrix of the format {other}")),
    };
    let shape = match integers(group.info(), "shape", path)? {
        Some(shape) => Some(shape),
        None => integers(group.info(), "h5sparse_shape", path)?,
    };
    let Some(shape) = shape else {
        return broken(Rule::MissingAttribute, path, "there is no attribute h5sparse_shape");
    };
    let kind = Kind::Sparse(Sparse::new(group, format, &shape, path)?);
    Ok(Element::legacy(path, kind, Legacy::H5Sparse))
}

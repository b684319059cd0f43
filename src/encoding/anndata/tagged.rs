//! Elements that say what they are.

use crate::object::{Group, Object};

use super::array::Array;
use super::awkward::Awkward;
use super::categorical::Categorical;
use super::element::{Element, Kind, dataset, group, member, member_dataset};
use super::fault::{Fault, Result, Rule, broken};
use super::frame::DataFrame;
use super::members::Members;
use super::nullable::Nullable;
use super::records::Records;
use super::sparse::{Format, Sparse};
use super::tags::{integers, optional_text, required_text};
use super::values::{Source, Type};

/// The encodings, and the versions that there are of them.
const KNOWN: &[(&str, &[&str])] = &[
    ("anndata", &["0.1.0"]),
    ("raw", &["0.1.0"]),
    ("dict", &["0.1.0"]),
    ("dataframe", &["0.1.0", "0.2.0"]),
    ("array", &["0.2.0"]),
    ("string-array", &["0.2.0"]),
    ("numeric-scalar", &["0.2.0"]),
    ("string", &["0.2.0"]),
    ("bytes", &["0.2.0"]),
    ("null", &["0.1.0"]),
    ("categorical", &["0.2.0"]),
    ("nullable-integer", &["0.1.0"]),
    ("nullable-boolean", &["0.1.0"]),
    ("nullable-string-array", &["0.1.0"]),
    ("csr_matrix", &["0.1.0"]),
    ("csc_matrix", &["0.1.0"]),
    ("rec-array", &["0.2.0"]),
    ("awkward-array", &["0.1.0"]),
];

/// What others write where they mean something known.
const MEANT: &[(&str, &str)] = &[("nullable-string", "nullable-string-array"), ("mapping", "dict")];

pub(super) fn open(object: &Object, path: &str, encoding: &str, version: Option<String>) -> Result<Element> {
    let meant = MEANT.iter().find(|(name, _)| *name == encoding).map(|(_, meant)| *meant);
    let name = meant.unwrap_or(encoding);
    let mut warnings = Vec::new();
    let kind = match KNOWN.iter().find(|(known, _)| *known == name) {
        None => Kind::Unknown(encoding.to_owned()),
        Some((_, versions)) if !version.as_deref().is_some_and(|version| versions.contains(&version)) => {
            let text = format!("version {} of the encoding {encoding}", version.as_deref().unwrap_or("none"));
            return broken(Rule::UnknownVersion, path, text);
        }
        Some(_) => kind(object, path, name, version.as_deref().unwrap_or_default(), &mut warnings)?,
    };
    if let Some(meant) = meant {
        let text = format!("the encoding {encoding} is not known; {meant} is meant");
        warnings.push(Fault::warning(Rule::UnknownEncoding, path, text));
    }
    Ok(Element { version, warnings, ..Element::new(path, kind) })
}

fn kind(object: &Object, path: &str, name: &str, version: &str, warnings: &mut Vec<Fault>) -> Result<Kind> {
    let array = || dataset(object, path, name).map(|dataset| Source::Dataset(dataset.clone()));
    let members = || group(object, path, name).map(|group| Members::of_group(group, path));
    Ok(match name {
        "anndata" => Kind::AnnData(members()?),
        "raw" => Kind::Raw(members()?),
        "dict" => Kind::Dict(members()?),
        "dataframe" => Kind::DataFrame(DataFrame::tagged(group(object, path, name)?, path, version == "0.1.0")?),
        "array" => Kind::Array(Array::new(array()?, path)?),
        "string-array" => Kind::StringArray(Array::text(array()?, path)?),
        "numeric-scalar" => Kind::NumericScalar(single(Array::new(array()?, path)?)?),
        "string" => Kind::String(single(Array::text(array()?, path)?)?),
        "bytes" => Kind::Bytes(single(Array::new(array()?, path)?)?),
        "null" => dataset(object, path, name).map(|_| Kind::Null)?,
        "categorical" => Kind::Categorical(categorical(group(object, path, name)?, path, warnings)?),
        "nullable-integer" | "nullable-boolean" | "nullable-string-array" => {
            nullable(group(object, path, name)?, path, name, warnings)?
        }
        "csr_matrix" => Kind::Sparse(sparse(group(object, path, name)?, Format::Csr, path, warnings)?),
        "csc_matrix" => Kind::Sparse(sparse(group(object, path, name)?, Format::Csc, path, warnings)?),
        "rec-array" => Kind::Records(Records::new(dataset(object, path, name)?, path)?),
        _ => {
            let group = group(object, path, name)?;
            let form = required_text(object.info(), "form", path)?;
            let length = integers(object.info(), "length", path)?;
            let length = match length.as_deref() {
                Some(&[length]) => u64::try_from(length).ok(),
                Some(_) => None,
                None => return broken(Rule::MissingAttribute, path, "there is no attribute length"),
            };
            let Some(length) = length else { return broken(Rule::BadType, path, "the attribute length is no length") };
            Kind::Awkward(Awkward::new(group, form, length, path)?)
        }
    })
}

/// A scalar: no dimensions, or one element all the same.
fn single(array: Array) -> Result<Array> {
    let shape = array.shape();
    if shape.iter().product::<u64>() == 1 && shape.len() < 2 {
        return Ok(array);
    }
    broken(Rule::WrongRank, array.path(), format!("a scalar of shape {shape:?}"))
}

fn sparse(group: &Group, format: Format, path: &str, warnings: &mut Vec<Fault>) -> Result<Sparse> {
    let Some(shape) = integers(group.info(), "shape", path)? else {
        return broken(Rule::MissingAttribute, path, "there is no attribute shape");
    };
    let sparse = Sparse::new(group, format, &shape, path)?;
    if sparse.value_type() == Type::F16 {
        warnings.push(Fault::warning(
            Rule::UnsupportedType,
            path,
            "a sparse matrix of float16, which SciPy cannot hold",
        ));
    }
    Ok(sparse)
}

/// A categorical that is a group with `codes` and `categories`.
pub(super) fn categorical(group: &Group, path: &str, warnings: &mut Vec<Fault>) -> Result<Categorical> {
    let codes = member_dataset(group, "codes", path)?;
    let categories = format!("{path}/categories");
    let object = member(group, "categories", &categories)?;
    let element = Element::open(&object, &categories)?;
    let (Kind::Array(categories) | Kind::StringArray(categories)) = element.kind else {
        return broken(Rule::BadType, &categories, format!("categories that are a {}", element.encoding()));
    };
    let ordered = match ordered(group.info(), path)? {
        Some(ordered) => ordered,
        None => {
            warnings.push(Fault::warning(Rule::MissingAttribute, path, "there is no attribute ordered"));
            false
        }
    };
    Categorical::new(path, Source::Dataset(codes), categories, ordered)
}

/// The attribute `ordered`; `None` where there is none.
pub(super) fn ordered(info: &crate::object::ObjectInfo, path: &str) -> Result<Option<bool>> {
    match integers(info, "ordered", path)?.as_deref() {
        None => Ok(None),
        Some(&[ordered]) => Ok(Some(ordered != 0)),
        Some(_) => broken(Rule::BadType, path, "the attribute ordered is not one truth value"),
    }
}

fn nullable(group: &Group, path: &str, name: &str, warnings: &mut Vec<Fault>) -> Result<Kind> {
    let values = Source::Dataset(member_dataset(group, "values", path)?);
    let mask = Source::Dataset(member_dataset(group, "mask", path)?);
    if name == "nullable-string-array" {
        let na_value = optional_text(group.info(), "na-value", path)?;
        return Ok(Kind::NullableStrings(Nullable::new(path, Array::text(values, path)?, mask, na_value)?));
    }
    let values = Array::new(values, path)?;
    let of = values.value_type();
    match name {
        "nullable-integer" if of.is_integer() => Ok(Kind::NullableInteger(Nullable::new(path, values, mask, None)?)),
        "nullable-boolean" if of == Type::Bool => Ok(Kind::NullableBoolean(Nullable::new(path, values, mask, None)?)),
        "nullable-boolean" if of.is_integer() => {
            let text = format!("truth values that are stored as {}", of.name());
            warnings.push(Fault::warning(Rule::BadType, path, text));
            Ok(Kind::NullableBoolean(Nullable::new(path, values, mask, None)?))
        }
        _ => broken(Rule::BadType, path, format!("{name} of {}", of.name())),
    }
}

//! An element: whatever a key of an AnnData stands for.

use crate::error::ErrorKind;
use crate::object::{Dataset, Group, Object};

use super::array::Array;
use super::awkward::Awkward;
use super::categorical::Categorical;
use super::fault::{Error, Fault, Result, Rule, broken};
use super::frame::DataFrame;
use super::members::Members;
use super::nullable::Nullable;
use super::records::Records;
use super::sparse::Sparse;
use super::{tagged, untagged};

/// What an element is, opened but not read.
#[non_exhaustive]
#[derive(Clone, Debug)]
pub enum Kind {
    /// A whole AnnData within another.
    AnnData(Members),
    /// Unfiltered values: `X`, `var` and `varm` of their own.
    Raw(Members),
    /// Keys and elements.
    Dict(Members),
    /// Columns of one length.
    DataFrame(DataFrame),
    /// Numbers.
    Array(Array),
    /// Text.
    StringArray(Array),
    /// One number.
    NumericScalar(Array),
    /// One text.
    String(Array),
    /// One run of bytes.
    Bytes(Array),
    /// Nothing.
    Null,
    /// Codes and categories.
    Categorical(Categorical),
    /// Integers, some missing.
    NullableInteger(Nullable),
    /// Booleans, some missing.
    NullableBoolean(Nullable),
    /// Text, some missing.
    NullableStrings(Nullable),
    /// A sparse matrix.
    Sparse(Sparse),
    /// Records.
    Records(Records),
    /// Ragged lists.
    Awkward(Awkward),
    /// Something declared that nobody knows: the name of its encoding.
    Unknown(String),
}

/// How an element without tags, or of an old form, was recognised.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Legacy {
    /// There are no tags.
    Untagged,
    /// A sparse matrix by `h5sparse_format`.
    H5Sparse,
    /// Text of one length.
    FixedString,
    /// One text of one length, as an array.
    FixedStringScalar,
    /// A column whose attribute refers to its categories.
    CategoriesRef,
    /// By the members it has.
    Structural,
    /// A file whose `obs` is a dataset of records.
    RecordFile,
    /// A data frame that is a dataset of records.
    RecordDataframe,
    /// A field of records.
    RecordField,
    /// A mapping that is a dataset of records.
    RecordMapping,
    /// A column whose categories are in `uns`.
    UnsCategories,
    /// Members of the root whose names begin with `raw.`
    RawDot,
}

impl Legacy {
    /// The name, in lower case with hyphens.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Untagged => "untagged",
            Self::H5Sparse => "h5sparse",
            Self::FixedString => "fixed-string",
            Self::FixedStringScalar => "fixed-string-scalar",
            Self::CategoriesRef => "categories-ref",
            Self::Structural => "structural",
            Self::RecordFile => "record-file",
            Self::RecordDataframe => "record-dataframe",
            Self::RecordField => "record-field",
            Self::RecordMapping => "record-mapping",
            Self::UnsCategories => "uns-categories",
            Self::RawDot => "raw-dot",
        }
    }
}

/// An element, opened but not read.
#[derive(Clone, Debug)]
pub struct Element {
    /// Where it is in the AnnData, without a slash at the beginning; empty for the whole.
    pub path: String,
    /// Where it is in the file, where that is somewhere else.
    pub at: Option<String>,
    /// What it is.
    pub kind: Kind,
    /// The version of its encoding, where one is declared.
    pub version: Option<String>,
    /// How it was recognised, where it is not what is written today.
    pub legacy: Option<Legacy>,
    /// What is unusual about it and was read the safe way.
    pub warnings: Vec<Fault>,
}

impl Element {
    /// Opens whatever an object holds. A declared encoding always wins; without one the structure decides.
    ///
    /// # Errors
    /// A [`Fault`] where the object is not what it says; what the file below cannot give.
    pub fn open(object: &Object, path: &str) -> Result<Self> {
        let tags = super::tags::Tags::of(object, path)?;
        let mut element = match &tags.encoding {
            Some(encoding) => tagged::open(object, path, encoding, tags.version.clone())?,
            None => untagged::open(object, path)?,
        };
        element.warnings.extend(tags.warning);
        Ok(element)
    }

    pub(super) fn new(path: &str, kind: Kind) -> Self {
        Self { path: path.to_owned(), at: None, kind, version: None, legacy: None, warnings: Vec::new() }
    }

    pub(super) fn legacy(path: &str, kind: Kind, legacy: Legacy) -> Self {
        Self { legacy: Some(legacy), ..Self::new(path, kind) }
    }

    /// The name of the encoding.
    #[must_use]
    pub fn encoding(&self) -> &str {
        match &self.kind {
            Kind::AnnData(_) => "anndata",
            Kind::Raw(_) => "raw",
            Kind::Dict(_) => "dict",
            Kind::DataFrame(_) => "dataframe",
            Kind::Array(_) => "array",
            Kind::StringArray(_) => "string-array",
            Kind::NumericScalar(_) => "numeric-scalar",
            Kind::String(_) => "string",
            Kind::Bytes(_) => "bytes",
            Kind::Null => "null",
            Kind::Categorical(_) => "categorical",
            Kind::NullableInteger(_) => "nullable-integer",
            Kind::NullableBoolean(_) => "nullable-boolean",
            Kind::NullableStrings(_) => "nullable-string-array",
            Kind::Sparse(sparse) => sparse.format().name(),
            Kind::Records(_) => "rec-array",
            Kind::Awkward(_) => "awkward-array",
            Kind::Unknown(name) => name,
        }
    }

    /// The shape; `None` for mappings and what has none.
    #[must_use]
    pub fn shape(&self) -> Option<Vec<u64>> {
        Some(match &self.kind {
            Kind::DataFrame(frame) => vec![frame.rows(), frame.columns().len() as u64],
            Kind::Array(a) | Kind::StringArray(a) | Kind::NumericScalar(a) | Kind::String(a) | Kind::Bytes(a) => {
                a.shape()
            }
            Kind::Categorical(categorical) => vec![categorical.len()],
            Kind::NullableInteger(n) | Kind::NullableBoolean(n) | Kind::NullableStrings(n) => n.values().shape(),
            Kind::Sparse(sparse) => sparse.shape().to_vec(),
            Kind::Records(records) => records.shape().to_vec(),
            Kind::Awkward(awkward) => vec![awkward.length()],
            Kind::AnnData(_) | Kind::Raw(_) | Kind::Dict(_) | Kind::Null | Kind::Unknown(_) => return None,
        })
    }

    /// Reads what only the values tell: codes and indices in range, text that is UTF-8, buffers that fit.
    ///
    /// # Errors
    /// The first fault.
    pub fn verify(&self) -> Result<()> {
        match &self.kind {
            Kind::Categorical(categorical) => categorical.verify(),
            Kind::Sparse(sparse) => sparse.verify(),
            Kind::Awkward(awkward) => awkward.verify(),
            Kind::StringArray(text) | Kind::String(text) => text.values(..).map(|_| ()),
            Kind::NullableStrings(text) => text.values().values(..).map(|_| ()),
            Kind::Records(records) => {
                records.names()?.iter().try_for_each(|name| records.field(name)?.values(..).map(|_| ()))
            }
            Kind::Unknown(name) => {
                broken(Rule::UnknownEncoding, &self.path, format!("the encoding {name:?} is not known"))
            }
            _ => Ok(()),
        }
    }
}

/// The group, where the object is one.
pub(super) fn group<'o>(object: &'o Object, path: &str, encoding: &str) -> Result<&'o Group> {
    match object {
        Object::Group(group) => Ok(group),
        other => broken(Rule::WrongKind, path, format!("the encoding {encoding} on a {}", other.kind())),
    }
}

/// The dataset, where the object is one.
pub(super) fn dataset<'o>(object: &'o Object, path: &str, encoding: &str) -> Result<&'o Dataset> {
    match object {
        Object::Dataset(dataset) => Ok(dataset),
        other => broken(Rule::WrongKind, path, format!("the encoding {encoding} on a {}", other.kind())),
    }
}

/// The object behind a name or path below a group; `path` is where it is in the AnnData.
pub(super) fn member(group: &Group, name: &str, path: &str) -> Result<Object> {
    // What is looked up here is below the group, whatever the name begins with.
    match group.object(name.trim_start_matches('/')) {
        Ok(object) => Ok(object),
        Err(error) if error.kind() == ErrorKind::NotFound => match group.link(name.trim_start_matches('/')) {
            Ok(_) => broken(Rule::DanglingLink, path, "a link to nothing"),
            Err(error) if error.is_missing() => Err(Error::File(error)),
            Err(_) => broken(Rule::MissingMember, path, format!("{name} is not there")),
        },
        Err(error) => Err(Error::File(error)),
    }
}

/// The same, where it must be a dataset.
pub(super) fn member_dataset(group: &Group, name: &str, path: &str) -> Result<Dataset> {
    let path = format!("{path}/{name}");
    match member(group, name, &path)? {
        Object::Dataset(dataset) => Ok(dataset),
        other => broken(Rule::WrongKind, &path, format!("a {} instead of a dataset", other.kind())),
    }
}

//! Dense arrays, of any number of dimensions; scalars are those of none.

use crate::Dataset;
use crate::element::Output;
use crate::selection::Selection;

use super::fault::{Result, Rule, broken};
use super::values::{Source, Type, Values};

/// Values of one type and a shape: `array`, `string-array`, and the scalars.
#[derive(Clone, Debug)]
pub struct Array {
    path: String,
    source: Source,
    value_type: Type,
}

impl Array {
    /// An array of whatever is stored. Strings of one length are bytes.
    pub(super) fn new(source: Source, path: &str) -> Result<Self> {
        match Type::of(source.datatype()) {
            Some(value_type) => Ok(Self { path: path.to_owned(), source, value_type }),
            None => broken(Rule::BadType, path, format!("{} is no type of an array", source.datatype())),
        }
    }

    /// An array of text, stored as strings of any length or of one.
    pub(super) fn text(source: Source, path: &str) -> Result<Self> {
        let array = Self::new(source, path)?;
        match array.value_type {
            Type::String | Type::Bytes => Ok(Self { value_type: Type::String, ..array }),
            other => broken(Rule::BadType, path, format!("text that is stored as {}", other.name())),
        }
    }

    /// An array in which strings of one length are text, as before there were tags.
    pub(super) fn untagged(source: Source, path: &str) -> Result<Self> {
        let array = Self::new(source, path)?;
        Ok(match array.value_type {
            Type::Bytes => Self { value_type: Type::String, ..array },
            _ => array,
        })
    }

    /// The element's path.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Elements of each dimension, slowest first; empty for a scalar.
    #[must_use]
    pub fn shape(&self) -> Vec<u64> {
        self.source.shape()
    }

    /// What the values are.
    #[must_use]
    pub fn value_type(&self) -> Type {
        self.value_type
    }

    /// The dataset that holds the values alone; `None` where they are a field of records.
    #[must_use]
    pub fn dataset(&self) -> Option<&Dataset> {
        match &self.source {
            Source::Dataset(dataset) => Some(dataset),
            Source::Field(..) => None,
        }
    }

    /// The selected values; of a field, those of the selected records.
    ///
    /// # Errors
    /// `BadText` where text is not UTF-8; what the file below cannot give.
    pub fn values(&self, selection: impl Into<Selection>) -> Result<Values> {
        self.source.values(self.value_type, &selection.into(), &self.path)
    }

    /// The selected values as any type that they convert to without loss.
    ///
    /// # Errors
    /// As [`Dataset::read`].
    pub fn read<O: Output>(&self, selection: impl Into<Selection>) -> Result<O> {
        let selection = selection.into();
        let values = self.source.read::<O::Element>(&selection)?;
        let shape = match (&self.source, &selection) {
            (_, Selection::All) => self.shape(),
            (Source::Dataset(dataset), _) => return Ok(dataset.read(&selection)?),
            (Source::Field(..), _) => vec![values.len() as u64],
        };
        Ok(O::from_elements(values, &shape)?)
    }
}

//! Values of which some are missing, by a mask.

use crate::selection::Selection;

use super::array::Array;
use super::fault::{Result, Rule, broken};
use super::values::{Source, Type, Values};

/// Values and a mask, true where a value is missing. What lies under the mask means nothing.
#[derive(Clone, Debug)]
pub struct Nullable {
    values: Array,
    mask: Source,
    na_value: Option<String>,
}

impl Nullable {
    pub(super) fn new(path: &str, values: Array, mask: Source, na_value: Option<String>) -> Result<Self> {
        if Type::of(mask.datatype()) != Some(Type::Bool) {
            return broken(Rule::BadType, path, format!("a mask that is stored as {}", mask.datatype()));
        }
        if mask.shape() != values.shape() {
            let text = format!("a mask of {:?} entries over values of {:?}", mask.shape(), values.shape());
            return broken(Rule::LengthMismatch, path, text);
        }
        Ok(Self { values, mask, na_value })
    }

    /// The values, also those under the mask.
    #[must_use]
    pub fn values(&self) -> &Array {
        &self.values
    }

    /// What is said of the missing text values, `NA` or `NaN`; `None` where nothing is.
    #[must_use]
    pub fn na_value(&self) -> Option<&str> {
        self.na_value.as_deref()
    }

    /// For each selected entry whether it is missing.
    ///
    /// # Errors
    /// What the file below cannot give.
    pub fn missing(&self, selection: impl Into<Selection>) -> Result<Vec<bool>> {
        Ok(self.mask.read(&selection.into())?)
    }

    /// The selected values, those under the mask included, and which are missing.
    ///
    /// # Errors
    /// As [`Array::values`].
    pub fn read(&self, selection: impl Into<Selection>) -> Result<(Values, Vec<bool>)> {
        let selection = selection.into();
        Ok((self.values.values(&selection)?, self.missing(&selection)?))
    }

    /// The selected values as options.
    ///
    /// # Errors
    /// As [`Array::read`].
    pub fn options<T: crate::element::Element>(&self, selection: impl Into<Selection>) -> Result<Vec<Option<T>>> {
        let selection = selection.into();
        let values: Vec<T> = self.values.read(&selection)?;
        let missing = self.missing(&selection)?;
        Ok(values.into_iter().zip(missing).map(|(value, missing)| (!missing).then_some(value)).collect())
    }
}

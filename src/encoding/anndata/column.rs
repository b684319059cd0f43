//! Values of columns as Rust types.

use crate::element;
use crate::selection::Selection;

use super::categorical::Categorical;
use super::element::{Element, Kind};
use super::fault::{Result, Rule, broken};
use super::frame::DataFrame;

impl Element {
    /// The selected values as any type that they convert to without loss: of arrays, of columns with missing values
    /// where none is missing, and of categories.
    ///
    /// # Errors
    /// `BadType` where a value is missing, naming how many, or for an element that has no such values; what is wrong
    /// with the element; what the file below cannot give.
    pub fn read<T: element::Element + Clone>(&self, selection: impl Into<Selection>) -> Result<Vec<T>> {
        let selection = selection.into();
        if let Kind::Array(a) | Kind::StringArray(a) | Kind::NumericScalar(a) | Kind::String(a) = &self.kind {
            return a.read(&selection);
        }
        let values = self.options(&selection)?;
        match values.iter().filter(|value| value.is_none()).count() {
            0 => Ok(values.into_iter().flatten().collect()),
            missing => broken(Rule::BadType, &self.path, format!("{missing} of {} values are missing", values.len())),
        }
    }

    /// The same with `None` for what is missing: codes of -1, and what a mask covers.
    ///
    /// # Errors
    /// As [`read`](Self::read), but for missing values.
    pub fn options<T: element::Element + Clone>(&self, selection: impl Into<Selection>) -> Result<Vec<Option<T>>> {
        let selection = selection.into();
        match &self.kind {
            Kind::Array(a) | Kind::StringArray(a) | Kind::NumericScalar(a) | Kind::String(a) => {
                Ok(a.read::<Vec<T>>(&selection)?.into_iter().map(Some).collect())
            }
            Kind::NullableInteger(n) | Kind::NullableBoolean(n) | Kind::NullableStrings(n) => n.options(&selection),
            Kind::Categorical(categorical) => categorical.options(&selection),
            _ => broken(Rule::BadType, &self.path, format!("a {} where values should be", self.encoding())),
        }
    }
}

impl Categorical {
    /// The category of each selected entry, `None` where it is missing.
    ///
    /// # Errors
    /// As [`codes`](Self::codes), and as [`Array::read`](super::Array::read) for the categories.
    pub fn options<T: element::Element + Clone>(&self, selection: impl Into<Selection>) -> Result<Vec<Option<T>>> {
        let (codes, categories) = (self.codes(selection)?, self.categories().read::<Vec<T>>(..)?);
        // Every code is that of a category.
        Ok(codes.into_iter().map(|code| code.map(|code| categories[code as usize].clone())).collect())
    }
}

impl DataFrame {
    /// The values of a column: [`Element::read`].
    ///
    /// # Errors
    /// As [`column`](Self::column) and [`Element::read`].
    pub fn read<T: element::Element + Clone>(&self, column: &str) -> Result<Vec<T>> {
        self.column(column)?.read(..)
    }

    /// The values of a column, `None` where one is missing: [`Element::options`].
    ///
    /// # Errors
    /// As [`column`](Self::column) and [`Element::options`].
    pub fn options<T: element::Element + Clone>(&self, column: &str) -> Result<Vec<Option<T>>> {
        self.column(column)?.options(..)
    }

    /// A column of codes and categories.
    ///
    /// # Errors
    /// As [`column`](Self::column); `BadType` where it is none.
    pub fn categorical(&self, column: &str) -> Result<Categorical> {
        match self.column(column)? {
            Element { kind: Kind::Categorical(categorical), .. } => Ok(categorical),
            other => broken(Rule::BadType, &other.path, format!("a column that is a {}", other.encoding())),
        }
    }
}

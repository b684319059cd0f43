//! Categories and a code for each entry.

use crate::selection::Selection;

use super::array::Array;
use super::fault::{Fault, Result, Rule, broken};
use super::values::{Source, Type};

/// A column of few different values: codes that number its categories, -1 for what is missing.
#[derive(Clone, Debug)]
pub struct Categorical {
    path: String,
    codes: Source,
    code_type: Type,
    categories: Array,
    /// Whether the categories have an order of their own.
    ordered: bool,
}

impl Categorical {
    pub(super) fn new(path: &str, codes: Source, categories: Array, ordered: bool) -> Result<Self> {
        let code_type = match Type::of(codes.datatype()) {
            Some(of) if of.is_integer() => of,
            _ => return broken(Rule::BadType, path, format!("codes that are stored as {}", codes.datatype())),
        };
        if codes.shape().len() != 1 {
            return broken(Rule::WrongRank, path, "codes of more than one dimension, or of none");
        }
        Ok(Self { path: path.to_owned(), codes, code_type, categories, ordered })
    }

    /// Number of entries.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.codes.shape().first().copied().unwrap_or(0)
    }

    /// True without an entry.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether the categories have an order.
    #[must_use]
    pub fn is_ordered(&self) -> bool {
        self.ordered
    }

    /// What the codes are stored as.
    #[must_use]
    pub fn code_type(&self) -> Type {
        self.code_type
    }

    /// The categories.
    #[must_use]
    pub fn categories(&self) -> &Array {
        &self.categories
    }

    /// Number of categories.
    #[must_use]
    pub fn n_categories(&self) -> u64 {
        self.categories.shape().iter().product()
    }

    /// The number of the category of each selected entry, `None` where it is missing.
    ///
    /// # Errors
    /// `CodeOutOfRange` for a code without a category; what the file below cannot give.
    pub fn codes(&self, selection: impl Into<Selection>) -> Result<Vec<Option<u64>>> {
        let n = self.n_categories();
        let mut wrong = None;
        let codes = self.codes.integers(&selection.into(), |at, code| match u64::try_from(code) {
            Ok(code) if code < n => Some(code),
            _ => {
                if code != -1 {
                    wrong.get_or_insert((at, code));
                }
                None
            }
        })?;
        match wrong {
            None => Ok(codes),
            Some((at, code)) => {
                broken(Rule::CodeOutOfRange, &self.path, format!("code {code} of entry {at}, and {n} categories"))
            }
        }
    }

    /// The codes of the selected entries as they are stored.
    #[cfg(feature = "arrow")]
    pub(super) fn stored_codes(&self, selection: &Selection) -> Result<super::values::Values> {
        self.codes.values(self.code_type, selection, &self.path)
    }

    /// Faults that only the values tell: a category twice, a code without a category.
    pub(super) fn verify(&self) -> Result<()> {
        if let Some(label) = self.categories.values(..)?.twice() {
            return Err(
                Fault::new(Rule::DuplicateName, &self.path, format!("the category {label} is there twice")).into()
            );
        }
        self.codes(..).map(|_| ())
    }
}

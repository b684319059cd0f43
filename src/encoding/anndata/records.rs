//! Arrays of records.

use crate::Dataset;
use crate::bytes::Text;
use crate::format::message::datatype::Class;

use super::array::Array;
use super::fault::{Fault, Result, Rule, broken};
use super::values::{Source, sub_shape};

/// Records with named fields, one or more dimensions of them.
#[derive(Clone, Debug)]
pub struct Records {
    path: String,
    dataset: Dataset,
}

impl Records {
    pub(super) fn new(dataset: &Dataset, path: &str) -> Result<Self> {
        match dataset.datatype().class {
            Class::Compound { .. } => Ok(Self { path: path.to_owned(), dataset: dataset.clone() }),
            _ => broken(Rule::BadType, path, format!("records that are stored as {}", dataset.datatype())),
        }
    }

    /// Records in each dimension.
    #[must_use]
    pub fn shape(&self) -> &[u64] {
        self.dataset.shape()
    }

    /// The dataset that holds the records.
    #[must_use]
    pub fn dataset(&self) -> &Dataset {
        &self.dataset
    }

    /// The names of the fields in their order.
    ///
    /// # Errors
    /// `BadText` for a name that is not UTF-8.
    pub fn names(&self) -> Result<Vec<String>> {
        let name = |name: &Text| match name.as_str() {
            Some(name) => Ok(name.to_owned()),
            None => Err(Fault::new(Rule::BadText, &self.path, "a field name that is not UTF-8").into()),
        };
        self.dataset.datatype().members().iter().map(|member| name(&member.name)).collect()
    }

    /// The shape of each value of a field; empty where it is single.
    #[must_use]
    pub fn field_shape(&self, name: &str) -> Vec<u64> {
        let members = self.dataset.datatype().members();
        members.iter().find(|member| member.name == *name).map_or_else(Vec::new, |member| sub_shape(&member.datatype))
    }

    /// A field. Text of one length is text.
    ///
    /// # Errors
    /// `MissingMember` where there is none of this name, `BadType`.
    pub fn field(&self, name: &str) -> Result<Array> {
        let members = self.dataset.datatype().members();
        if !members.iter().any(|member| member.name == *name) {
            return broken(Rule::MissingMember, &self.path, format!("there is no field {name}"));
        }
        Array::untagged(Source::field(&self.dataset, name)?, &self.path)
    }
}

//! Awkward arrays: a form that says how buffers make up ragged lists.

mod form;
mod node;
mod ragged;

use crate::error::ErrorKind;
use crate::object::{Dataset, Group, Link};

use super::array::Array;
use super::fault::{Fault, Result, Rule, broken};
use super::values::Source;

use form::Form;
use node::Node;
pub use ragged::Ragged;

/// An array of ragged lists and records, as a form and its buffers.
#[derive(Clone, Debug)]
pub struct Awkward {
    path: String,
    group: Group,
    form: String,
    length: u64,
}

impl Awkward {
    pub(super) fn new(group: &Group, form: String, length: u64, path: &str) -> Result<Self> {
        let awkward = Self { path: path.to_owned(), group: group.clone(), form, length };
        awkward.parsed()?;
        Ok(awkward)
    }

    /// The form, in JSON as stored.
    #[must_use]
    pub fn form(&self) -> &str {
        &self.form
    }

    /// Number of outermost entries.
    #[must_use]
    pub fn length(&self) -> u64 {
        self.length
    }

    /// The names of the buffers that are there, sorted by their bytes.
    ///
    /// # Errors
    /// What the file cannot give.
    pub fn buffers(&self) -> Result<Vec<String>> {
        let name = |link: crate::Result<Link>| Ok(link?.name().display().into_owned());
        self.group.links()?.map(name).collect()
    }

    /// A buffer.
    ///
    /// # Errors
    /// `MissingMember` where there is none of this name.
    pub fn buffer(&self, name: &str) -> Result<Dataset> {
        match self.group.dataset(name) {
            Ok(dataset) => Ok(dataset),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                broken(Rule::MissingMember, &format!("{}/{name}", self.path), "an awkward array without this buffer")
            }
            Err(error) => Err(error.into()),
        }
    }

    /// A buffer as an array.
    ///
    /// # Errors
    /// As [`buffer`](Self::buffer); `BadType` where its values are none that an array has.
    pub fn buffer_array(&self, name: &str) -> Result<Array> {
        Array::new(Source::Dataset(self.buffer(name)?), &format!("{}/{name}", self.path))
    }

    fn parsed(&self) -> Result<Form> {
        Form::parse(&self.form).map_err(|text| Fault::new(Rule::BadForm, &self.path, text).into())
    }

    /// Faults that only the buffers tell.
    pub(super) fn verify(&self) -> Result<()> {
        Node::open(&self.parsed()?, self, self.length, true).map(|_| ())
    }
}

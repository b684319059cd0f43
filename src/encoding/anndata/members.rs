//! Keys and the elements they stand for.

use crate::Dataset;
use crate::object::Group;

use super::array::Array;
use super::element::{Element, Kind, Legacy, member};
use super::fault::{Result, Rule, broken};
use super::values::Source;

/// A mapping: elements by their keys.
#[derive(Clone, Debug)]
pub struct Members {
    path: String,
    store: Store,
}

#[derive(Clone, Debug)]
enum Store {
    /// A group; keys that are left out; where its members are in the file, if not at their paths.
    Group(Group, Vec<String>, Option<String>),
    /// The fields of a dataset of records.
    Records(Dataset),
    /// Elements that are somewhere else each.
    Listed(Vec<Element>),
}

impl Members {
    pub(super) fn of_group(group: &Group, path: &str) -> Self {
        Self { path: path.to_owned(), store: Store::Group(group.clone(), Vec::new(), None) }
    }

    /// A group without some keys, whose members are below `at` in the file.
    pub(super) fn of_part(group: &Group, path: &str, without: Vec<String>, at: Option<String>) -> Self {
        Self { path: path.to_owned(), store: Store::Group(group.clone(), without, at) }
    }

    pub(super) fn of_records(dataset: &Dataset, path: &str) -> Self {
        Self { path: path.to_owned(), store: Store::Records(dataset.clone()) }
    }

    pub(super) fn listed(elements: Vec<Element>, path: &str) -> Self {
        Self { path: path.to_owned(), store: Store::Listed(elements) }
    }

    /// The path of the mapping, without a slash at the beginning.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The group of a mapping that is one.
    #[must_use]
    pub fn group(&self) -> Option<&Group> {
        match &self.store {
            Store::Group(group, ..) => Some(group),
            _ => None,
        }
    }

    /// The keys, sorted by their bytes.
    ///
    /// # Errors
    /// What the file below cannot give.
    pub fn keys(&self) -> Result<Vec<String>> {
        let mut keys: Vec<String> = match &self.store {
            Store::Group(group, without, _) => {
                let names: crate::Result<Vec<_>> =
                    group.links()?.map(|link| Ok(link?.name().display().into_owned())).collect();
                names?.into_iter().filter(|name| !without.contains(name)).collect()
            }
            Store::Records(dataset) => {
                dataset.datatype().members().iter().map(|member| member.name.display().into_owned()).collect()
            }
            Store::Listed(elements) => elements
                .iter()
                .map(|element| element.path[self.path.len()..].trim_start_matches('/').to_owned())
                .collect(),
        };
        keys.sort();
        Ok(keys)
    }

    /// True where there is such a key.
    ///
    /// # Errors
    /// What the file below cannot give.
    pub fn contains(&self, key: &str) -> Result<bool> {
        Ok(self.keys()?.iter().any(|other| other == key))
    }

    /// The element of a key.
    ///
    /// # Errors
    /// `MissingMember`, and what is wrong with the element.
    pub fn get(&self, key: &str) -> Result<Element> {
        let path = join(&self.path, key);
        match &self.store {
            Store::Group(group, without, at) if !without.iter().any(|name| name == key) => {
                let mut element = Element::open(&member(group, key, &path)?, &path)?;
                element.at = at.as_ref().map(|at| format!("{at}/{key}"));
                Ok(element)
            }
            Store::Records(dataset) if dataset.datatype().members().iter().any(|member| member.name == *key) => {
                let array = Array::untagged(Source::field(dataset, key)?, &path)?;
                let mut element = Element::legacy(&path, Kind::Array(array), Legacy::RecordField);
                element.at = Some(dataset.path().trim_start_matches('/').to_owned());
                Ok(element)
            }
            Store::Listed(elements) if elements.iter().any(|element| element.path == path) => elements
                .iter()
                .find(|element| element.path == path)
                .cloned()
                .map_or_else(|| broken(Rule::MissingMember, &path, "it is not there"), Ok),
            _ => broken(Rule::MissingMember, &path, "it is not there"),
        }
    }
}

/// A path below another.
pub(super) fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}/{key}") }
}

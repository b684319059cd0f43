//! Everything in an AnnData, one element after the other, and what is wrong with it.

use std::collections::{BTreeMap, HashMap};

use super::container::{AnnData, MEMBERS};
use super::element::{Element, Kind};
use super::fault::{Error, Fault, Result, Rule};
use super::members::{Members, join};

/// An element, or why it cannot be opened, at its path.
#[derive(Debug)]
pub struct Found {
    /// Where it is, without a slash at the beginning.
    pub path: String,
    /// The element.
    pub element: Result<Element>,
}

/// The deepest nesting of mappings.
const DEPTH: usize = 200;

/// Paths of one group that are followed: links to links to groups have more paths than anybody can go.
const PATHS: usize = 16;

impl AnnData {
    /// Every element, sorted by the bytes of their paths: mappings with all that is in them, data frames with index and
    /// columns. One that cannot be opened does not hide the others.
    #[must_use]
    pub fn elements(&self) -> Vec<Found> {
        let mut walk = Walk::default();
        walk.visit("", Ok(self.element().clone()));
        walk.found.into_iter().map(|(path, element)| Found { path, element }).collect()
    }

    /// Every rule that is broken, also those that only the values tell. Reads all values of text, codes and indices.
    #[must_use]
    pub fn faults(&self) -> Vec<Error> {
        let mut faults = Vec::new();
        let mut note = |result: Result<()>| {
            if let Err(error) = result {
                faults.push(error);
            }
        };
        note(self.ambiguous());
        note(self.raw().and_then(|raw| raw.map_or(Ok(()), |raw| raw.x(self.n_obs()).map(|_| ()))));
        note(self.repeated_labels());
        for Found { path, element } in self.elements() {
            let element = match element {
                Ok(element) => element,
                Err(error) => {
                    note(Err(error));
                    continue;
                }
            };
            for warning in &element.warnings {
                note(Err(warning.clone().into()));
            }
            let top = path.split('/').next().unwrap_or_default();
            if !path.is_empty() && !path.contains('/') && !MEMBERS.contains(&top) {
                let text = "a member of the whole that AnnData does not have";
                note(Err(Fault::warning(Rule::UnknownMember, &path, text).into()));
            }
            note(self.fit(&element));
            note(element.verify());
        }
        faults
    }

    /// `raw` both as a group and as members whose names begin with it.
    fn ambiguous(&self) -> Result<()> {
        let Some(group) = self.members().group() else { return Ok(()) };
        if group.exists("raw")? && group.exists("raw.X")? {
            let text = "unfiltered values both in raw and in raw.X";
            return Err(Fault::new(Rule::Ambiguous, "raw.X", text).into());
        }
        Ok(())
    }

    fn repeated_labels(&self) -> Result<()> {
        for frame in [self.obs(), self.var()] {
            let mut labels = frame.labels()?;
            labels.sort_unstable();
            if let Some(twice) = labels.windows(2).find(|pair| pair[0] == pair[1]) {
                let text = format!("the label {:?} is there twice", twice[0]);
                return Err(Fault::warning(Rule::DuplicateName, frame.path(), text).into());
            }
        }
        Ok(())
    }
}

#[derive(Default)]
struct Walk {
    found: BTreeMap<String, Result<Element>>,
    /// Addresses of the groups that lead to where the walk is.
    above: Vec<u64>,
    /// How often the group at an address was gone through.
    visits: HashMap<u64, usize>,
}

impl Walk {
    fn visit(&mut self, path: &str, element: Result<Element>) {
        if self.found.contains_key(path) {
            return;
        }
        let kind = element.as_ref().ok().map(|element| element.kind.clone());
        self.found.insert(path.to_owned(), element);
        match kind {
            Some(Kind::AnnData(members) | Kind::Raw(members) | Kind::Dict(members)) => self.members(path, &members),
            Some(Kind::DataFrame(frame)) => {
                self.visit(&join(path, frame.index_name()), frame.index());
                for column in frame.columns() {
                    self.visit(&join(path, column), frame.column(column));
                }
            }
            _ => {}
        }
    }

    fn members(&mut self, path: &str, members: &Members) {
        let address = members.group().map(|group| group.info().address());
        if address.is_some_and(|address| self.above.contains(&address)) || self.above.len() > DEPTH {
            let fault = Fault::new(Rule::Cycle, path, "a group that is within itself");
            self.found.insert(path.to_owned(), Err(fault.into()));
            return;
        }
        if let Some(address) = address {
            let visits = self.visits.entry(address).or_default();
            *visits += 1;
            if *visits > PATHS {
                let fault =
                    Fault::new(Rule::Cycle, path, "a group that many paths lead to, of which this one is not followed");
                self.found.insert(path.to_owned(), Err(fault.into()));
                return;
            }
        }
        self.above.extend(address);
        match members.keys() {
            Ok(keys) => keys.iter().for_each(|key| self.visit(&join(path, key), members.get(key))),
            Err(error) => {
                self.found.insert(path.to_owned(), Err(error));
            }
        }
        if address.is_some() {
            self.above.pop();
        }
    }
}

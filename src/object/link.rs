use std::fmt;

use super::group::Group;
use super::lookup::{self, Object};
use super::path::ObjectPath;
use crate::bytes::Text;
use crate::error::{InObject, Result};
use crate::format::message::link::{self, LinkTarget};
use crate::order::sort_by;

/// A link of a group: a name, and what it leads to.
#[derive(Clone, Debug)]
pub struct Link {
    group: Group,
    link: link::Link,
}

/// The links of a group, one after the other; a damaged one is an error and does not hide the rest.
#[derive(Debug)]
pub struct Links(std::vec::IntoIter<Result<Link>>);

impl Links {
    /// Sorted by the bytes of their names; damaged ones, whose names are not known, come last.
    pub(super) fn new(group: &Group, stored: Vec<Result<link::Link>>) -> Self {
        let link = |link| Link::new(group.clone(), link);
        let mut links: Vec<_> = stored.into_iter().map(|l| l.map(link).in_object(group.info().object_path())).collect();
        sort_by(&mut links, |a, b| match (a, b) {
            (Ok(a), Ok(b)) => a.name().cmp(b.name()),
            (a, b) => a.is_err().cmp(&b.is_err()),
        });
        Self(links.into_iter())
    }

    /// The links in the order in which they were made; `None` where a link does not tell it.
    ///
    /// # Errors
    /// The first damaged link.
    pub fn in_creation_order(self) -> Result<Option<Vec<Link>>> {
        let mut links = self.0.collect::<Result<Vec<_>>>()?;
        if links.iter().any(|link| link.creation_order().is_none()) {
            return Ok(None);
        }
        links.sort_by_key(Link::creation_order);
        Ok(Some(links))
    }
}

impl Iterator for Links {
    type Item = Result<Link>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl ExactSizeIterator for Links {}

/// What a link leads to.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// An object of this file: the address of its header, in bytes from the base address.
    Hard(u64),
    /// A path in this file.
    Soft(Text),
    /// A path in another file.
    External {
        /// The file's name.
        file: Text,
        /// The path in it.
        path: Text,
    },
    /// Something that only the class of the link knows.
    UserDefined {
        /// The class, 65 to 255.
        class: u8,
        /// What the link holds.
        data: Vec<u8>,
    },
}

impl Link {
    pub(super) fn new(group: Group, link: link::Link) -> Self {
        Self { group, link }
    }

    /// The name.
    #[must_use]
    pub fn name(&self) -> &Text {
        &self.link.name
    }

    /// The path of the link from the root.
    #[must_use]
    pub fn path(&self) -> String {
        self.object_path().written()
    }

    /// The same path as a value of its own, which takes little room however long it is.
    #[must_use]
    pub fn object_path(&self) -> ObjectPath {
        self.group.info().object_path().child(&self.link.name)
    }

    /// What the link leads to.
    #[must_use]
    pub fn target(&self) -> Target {
        match &self.link.target {
            LinkTarget::Hard { header } => Target::Hard(header.0),
            LinkTarget::Soft { path } => Target::Soft(path.clone()),
            LinkTarget::External { file, path, .. } => Target::External { file: file.clone(), path: path.clone() },
            LinkTarget::User { class, data } => Target::UserDefined { class: *class, data: data.clone() },
        }
    }

    /// Number of the link in the order in which the group's links were made, where the group tracks it.
    #[must_use]
    pub fn creation_order(&self) -> Option<u64> {
        self.link.creation_order
    }

    /// The object that the link leads to. Further links on the way are followed.
    ///
    /// # Errors
    /// `NotFound` where it leads nowhere, `Unsupported` for a user-defined link, `Usage` where links go in
    /// a circle, `Corrupt`.
    pub fn open(&self) -> Result<Object> {
        lookup::follow(&self.group, &self.link)
    }
}

impl fmt::Display for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.name())?;
        match &self.link.target {
            LinkTarget::Hard { .. } => Ok(()),
            LinkTarget::Soft { path } => write!(f, " -> {path}"),
            LinkTarget::External { file, path, .. } => write!(f, " -> {file}:{path}"),
            LinkTarget::User { class, .. } => write!(f, " (user-defined, class {class})"),
        }
    }
}

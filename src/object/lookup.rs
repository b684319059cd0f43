//! From paths to objects.

use super::attribute::{Attribute, Attributes};
use super::dataset::Dataset;
use super::file::File;
use super::group::Group;
use super::info::ObjectInfo;
use super::named_datatype::NamedDatatype;
use super::path::ObjectPath;
use super::virtual_read::Nesting;
use crate::bytes::{Addr, Text};
use crate::error::{Cause, Error, ErrorKind, InObject, Result, Structure, Unsupported, Usage};
use crate::format::message::link::{Link, LinkTarget};
use crate::format::object_header::MessageType;
use crate::order::sort_by;
use crate::walk::object::ObjectHeader;

/// An object of any kind.
#[derive(Clone, Debug)]
pub enum Object {
    /// A group.
    Group(Group),
    /// A dataset.
    Dataset(Dataset),
    /// A committed datatype.
    NamedDatatype(NamedDatatype),
}

impl Object {
    /// The object whose header is at an address; `path` is how it was found.
    pub(crate) fn at(file: &File, address: Addr, path: ObjectPath) -> Result<Self> {
        Self::within(file, address, path, Nesting::default())
    }

    /// The same for the source of a virtual dataset.
    fn within(file: &File, address: Addr, path: ObjectPath, nesting: Nesting) -> Result<Self> {
        let header = ObjectHeader::read(file.storage(), address)?;
        let info = ObjectInfo::new(file.clone(), header, path);
        let has = |kind| info.header().has(kind);
        if has(MessageType::DATA_LAYOUT) {
            Dataset::open(info, nesting).map(Self::Dataset)
        } else if has(MessageType::SYMBOL_TABLE) || has(MessageType::LINK_INFO) {
            Ok(Self::Group(Group::new(info)))
        } else if info.header().is_of_dataset() {
            // What else it has says that it is no committed datatype.
            Err(info.header().absent(file.storage(), Structure::DataLayout))
        } else if has(MessageType::DATATYPE) {
            NamedDatatype::open(info).map(Self::NamedDatatype)
        } else {
            Err(info.header().absent(file.storage(), Structure::ObjectHeader))
        }
    }

    /// What all objects have.
    #[must_use]
    pub fn info(&self) -> &ObjectInfo {
        match self {
            Self::Group(group) => group.info(),
            Self::Dataset(dataset) => dataset.info(),
            Self::NamedDatatype(datatype) => datatype.info(),
        }
    }

    /// How the object was found: its path from the root.
    #[must_use]
    pub fn path(&self) -> &str {
        self.info().path()
    }

    /// The attributes.
    ///
    /// # Errors
    /// An index or heap that cannot be read; a damaged attribute is an error of its own.
    pub fn attributes(&self) -> Result<Attributes> {
        self.info().attributes()
    }

    /// The attribute of a name.
    ///
    /// # Errors
    /// `NotFound`, `Corrupt`.
    pub fn attribute(&self, name: &str) -> Result<Attribute> {
        self.info().attribute(name)
    }

    /// `group`, `dataset` or `datatype`.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Group(_) => "group",
            Self::Dataset(_) => "dataset",
            Self::NamedDatatype(_) => "datatype",
        }
    }

    pub(crate) fn is_not(&self, wanted: &'static str) -> Error {
        Error::from(Usage::Kind { found: self.kind(), wanted }).in_object(self.path())
    }
}

/// The parts of a path: `/` separates, empty parts and `.` count nothing.
fn parts(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    path.split(|b| *b == b'/').filter(|part| !part.is_empty() && *part != b".")
}

/// A place where a path led to: an object header of a file.
struct Place {
    file: File,
    address: Addr,
    path: ObjectPath,
}

impl Place {
    fn open(self) -> Result<Object> {
        Object::at(&self.file, self.address, self.path.clone()).in_object(&self.path)
    }
}

/// A walk along a path, which counts the links that lead to other paths, and the parts of these.
#[derive(Default)]
struct Walk {
    followed: u32,
    parts: u64,
}

/// The object at a path from a group.
pub(super) fn object(group: &Group, path: &[u8]) -> Result<Object> {
    Walk::default().resolve(group, path)?.open()
}

/// The object at a path from a group, as the source of a virtual dataset.
pub(super) fn source(group: &Group, path: &str, nesting: Nesting) -> Result<Object> {
    let place = Walk::default().resolve(group, path.as_bytes())?;
    Object::within(&place.file, place.address, place.path.clone(), nesting).in_object(&place.path)
}

/// The link at a path from a group, not followed.
pub(super) fn link(group: &Group, path: &[u8]) -> Result<(Group, Link)> {
    let Some(last) = parts(path).last() else {
        return Err(Error::not_found("link", Text::from(path).to_string(), Vec::new()));
    };
    let root: &[u8] = if path.starts_with(b"/") { b"/" } else { b"" };
    let mut before: Vec<&[u8]> = parts(path).collect();
    before.pop();
    let before = [root, &before.join(&b'/')].concat();
    let parent = match object(group, &before)? {
        Object::Group(parent) => parent,
        other => return Err(other.is_not("group")),
    };
    let link = find(&parent, last)?;
    Ok((parent, link))
}

/// What a link of a group leads to.
pub(super) fn follow(group: &Group, link: &Link) -> Result<Object> {
    Walk::default().step(group, link)?.open()
}

impl Walk {
    fn resolve(&mut self, start: &Group, path: &[u8]) -> Result<Place> {
        let root = path.starts_with(b"/");
        let refreshes = start.file().refreshes();
        let mut group = if root { start.file().root() } else { start.clone() };
        let mut rest = path;
        // The next object is mostly wanted of the same group.
        let end = path.iter().rposition(|byte| *byte == b'/').unwrap_or(0);
        let (before, last) = path.split_at(end);
        let remembered = root && self.followed == 0 && !before.is_empty() && parts(last).next().is_some();
        if remembered && let Some(last_group) = group.file().last_group(before) {
            (group, rest) = (last_group, last);
        }
        let searched = rest.len() == path.len();
        let mut place: Option<Place> = None;
        for part in parts(rest) {
            if let Some(place) = place {
                group = match place.open()? {
                    Object::Group(group) => group,
                    other => return Err(other.is_not("group")),
                };
            }
            place = Some(self.step(&group, &find(&group, part)?)?);
        }
        // Links that lead to other paths are counted for each path, so that what is behind them is not remembered.
        if remembered && searched && self.followed == 0 {
            start.file().remember_group(before, &group, refreshes);
        }
        Ok(place.unwrap_or_else(|| Place {
            file: group.file().clone(),
            address: group.info().address_raw(),
            path: group.info().object_path().clone(),
        }))
    }

    /// Goes where a link of a group leads.
    fn step(&mut self, group: &Group, link: &Link) -> Result<Place> {
        let path = group.info().object_path().child(&link.name);
        if let LinkTarget::Hard { header } = link.target {
            return Ok(Place { file: group.file().clone(), address: header, path });
        }
        self.follow(group, link, path.clone()).in_object(&path)
    }

    fn follow(&mut self, group: &Group, link: &Link, path: ObjectPath) -> Result<Place> {
        self.followed += 1;
        let allowed = group.file().limits().link_traversals;
        if self.followed > allowed {
            return Err(Usage::LinkLoop(allowed).into());
        }
        let mut place = match &link.target {
            LinkTarget::Soft { path } => {
                self.count_parts(group, path)?;
                self.resolve(group, path.as_bytes())?
            }
            LinkTarget::External { file, path, .. } => {
                self.count_parts(group, path)?;
                let other = group.file().other(&file.display())?;
                self.resolve(&other.root(), path.as_bytes())?
            }
            LinkTarget::User { class, .. } => {
                let feature = Unsupported::UserDefinedLink(*class);
                let at = group.file().storage().position(group.info().address_raw());
                return Err(Cause::Unsupported { feature, at }.into());
            }
            LinkTarget::Hard { header } => Place { file: group.file().clone(), address: *header, path: path.clone() },
        };
        place.path = path;
        Ok(place)
    }

    /// Counts the parts of the path that a link leads to: links that lead through each other many times are few bytes.
    fn count_parts(&mut self, group: &Group, path: &Text) -> Result<()> {
        self.parts += parts(path.as_bytes()).count() as u64;
        let allowed = group.file().limits().path_parts.into();
        if self.parts > allowed { Err(Error::limit("path_parts", self.parts, allowed)) } else { Ok(()) }
    }
}

/// The link of a name; where there is none, the error names those that are like it.
fn find(group: &Group, name: &[u8]) -> Result<Link> {
    match group.find_link(name) {
        Ok(Some(link)) => Ok(link),
        Ok(None) => {
            let name = Text::from(name).to_string();
            let nearest = group.few_names()?.map(|names| nearest(&name, names)).unwrap_or_default();
            Err(Error::not_found("object", name, nearest).in_object(group.path()))
        }
        Err(e) => Err(e.in_object(group.path())),
    }
}

/// The three names that are most like one, best first.
pub(super) fn nearest(name: &str, names: Vec<String>) -> Vec<String> {
    let mut rated: Vec<(usize, String)> = names
        .into_iter()
        .map(|candidate| (distance(name, &candidate), candidate))
        .filter(|(distance, candidate)| *distance <= 2 + name.len().max(candidate.len()) / 3)
        .collect();
    sort_by(&mut rated, Ord::cmp);
    rated.into_iter().take(3).map(|(_, name)| name).collect()
}

/// Letters to change, add or leave out (letter case counts little).
fn distance(a: &str, b: &str) -> usize {
    let letters = |text: &str| text.chars().take(64).map(|c| c.to_ascii_lowercase()).collect::<Vec<char>>();
    let (a, b) = (letters(a), letters(b));
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = i;
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

/// True where a path leads to an object.
pub(super) fn exists(group: &Group, path: &[u8]) -> Result<bool> {
    let mut walk = Walk::default();
    match walk.resolve(group, path) {
        Ok(_) => Ok(true),
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(false),
        Err(e) => match e.cause() {
            // A part of the path is no group: nothing can be below it.
            Cause::Usage(Usage::Kind { .. } | Usage::LinkLoop(_)) => Ok(false),
            _ => Err(e),
        },
    }
}

#[cfg(test)]
#[test]
fn near_names() {
    let names = || ["temperature", "Temp", "pressure", "humidity"].map(String::from).to_vec();
    assert_eq!(nearest("temprature", names()), ["temperature"]);
    assert_eq!(nearest("temp", names()), ["Temp"]);
    assert!(nearest("velocity", names()).is_empty());
    assert_eq!((distance("kitten", "sitting"), distance("", "abc"), distance("same", "SAME")), (3, 3, 0));
}

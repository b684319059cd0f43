//! A survey: everything that can be reached in a file, what each of its bytes is for, and all that is wrong.
//!
//! Where the walks of a reader stop at the first fault, a survey notes it and goes on with the siblings: one
//! damaged node, object, attribute or chunk does not hide the others. Each object header and each index is
//! visited once, however many ways lead to it, so that the work is bounded by the length of the file.
//!
//! Faults are found in two ways: by decoding every structure (signatures, versions, checksums, bounds), and by
//! holding together what the file says twice: order of keys, hashes of names, counts, siblings, hard links and
//! reference counts, stretches that overlap.

mod attributes;
mod btree_v1;
mod btree_v2;
mod chunks;
mod dataset;
mod elements;
mod extensible_array;
mod extent;
mod file;
mod fixed_array;
mod free_space;
mod group;
mod header;
mod heap;
mod local_heap;
mod map;
mod shared_messages;
// Much of the test data is deflated.
#[cfg(all(test, feature = "deflate"))]
mod tests;

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use super::global_heap::Collection;
use super::{Frame, Storage};
use crate::bytes::{Addr, Text};
use crate::error::{Corrupt, Error, ErrorKind, Fault, Result, Structure};
use crate::format::driver_info::DriverInfo;
use crate::format::reference::HeapPlace;
use crate::format::superblock::Superblock;
pub use extent::Extent;
pub(crate) use extent::{ArrayContext, Context, TreeContext};

/// What a file is made of and what is wrong with it.
#[derive(Debug, Default)]
pub struct Survey {
    /// Objects, in the order in which they were met: the root group first.
    pub(crate) objects: Vec<Object>,
    /// What the bytes of the file are for; sorted by position. Only faulty files have some that overlap.
    pub extents: Vec<Extent>,
    /// Structures that stand inside others: messages, links and attributes in heaps, mappings.
    pub parts: Vec<Extent>,
    /// All that is wrong.
    pub findings: Vec<Finding>,
    /// Findings left out: of one object only the first thousand are told.
    pub more_findings: u64,
    /// How many of what.
    pub counts: Counts,
    /// Bytes before the superblock.
    pub user_block: u64,
    /// Stretches between the superblock and the end of the file that belong to nothing, by position.
    pub unused: Vec<Range<u64>>,
    /// Bytes after the end of file address.
    pub trailing: u64,
}

/// An object of the file.
#[derive(Debug)]
pub(crate) struct Object {
    /// The group it was first met in: its number among the objects; `None` for the root and for objects that
    /// no link leads to.
    pub(crate) parent: Option<u32>,
    /// Its name there.
    pub(crate) name: Text,
    /// Address of its header.
    pub(crate) header: Addr,
    /// What it is; `None` where its header could not be read.
    pub(crate) kind: Option<ObjectKind>,
    /// Hard links and messages that lead to it.
    references: u64,
    /// The count of them that its header holds.
    stored_references: Option<u32>,
}

/// What an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectKind {
    /// A group.
    Group,
    /// A dataset.
    Dataset,
    /// A committed datatype.
    Datatype,
}

/// Something wrong.
#[derive(Debug)]
pub struct Finding {
    /// The object it concerns, as a number among the objects; `None` where it concerns the whole file.
    pub(crate) object: Option<u32>,
    /// What it is.
    pub error: Error,
}

/// How many of what there is.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Counts {
    /// Groups.
    pub groups: u64,
    /// Datasets.
    pub datasets: u64,
    /// Committed datatypes.
    pub datatypes: u64,
    /// Hard links.
    pub hard_links: u64,
    /// Soft links.
    pub soft_links: u64,
    /// External links.
    pub external_links: u64,
    /// User-defined links.
    pub user_links: u64,
    /// Attributes.
    pub attributes: u64,
    /// Chunks that are in the file.
    pub chunks: u64,
    /// Messages of types that are not known.
    pub unknown_messages: u64,
}

/// Most findings of one object that are told.
const MOST_FINDINGS: u32 = 1000;

/// Times that structures, and chunks, may have the bytes of the file: there is no end of those that overlap.
const MOST_MET: u64 = 4;

/// Whether elements are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Data {
    /// Raw data is located and not read, except that of attributes; global heap collections that only raw data
    /// leads to are not found and count as unused.
    Locate,
    /// Raw data is read: filters are undone, and what elements say of the global heap is followed.
    Read,
}

impl Survey {
    /// The path of the object that an extent was reached from; `None` where it belongs to the file as a whole.
    #[must_use]
    pub fn path_of(&self, extent: &Extent) -> Option<String> {
        extent.object.map(|object| self.path(object))
    }

    /// The path of the object that a finding concerns; `None` where it concerns the whole file.
    #[must_use]
    pub fn path_of_finding(&self, finding: &Finding) -> Option<String> {
        finding.object.map(|object| self.path(object))
    }

    /// The paths of all datasets, and whether nothing is wrong with each.
    pub fn datasets(&self) -> impl Iterator<Item = (String, bool)> {
        let unsound = |finding: &&Finding| finding.error.kind() != ErrorKind::Unsupported;
        let damaged: HashSet<u32> = self.findings.iter().filter(unsound).filter_map(|finding| finding.object).collect();
        let datasets = (0u32..).zip(&self.objects).filter(|(_, object)| object.kind == Some(ObjectKind::Dataset));
        datasets.map(move |(number, _)| (self.path(number), !damaged.contains(&number)))
    }

    /// The path of an object; one that no link leads to goes by its address.
    pub(crate) fn path(&self, object: u32) -> String {
        let mut names = Vec::new();
        let mut next = self.objects.get(object as usize);
        while let Some(object) = next {
            match object.parent {
                Some(_) => names.push(object.name.to_string()),
                None if object.name.is_empty() => {}
                None => return object.name.to_string(),
            }
            next = object.parent.and_then(|parent| self.objects.get(parent as usize));
        }
        names.reverse();
        format!("/{}", names.join("/"))
    }
}

/// A file to be surveyed: one that is open, or of which not even the root group could be read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Subject<'f> {
    storage: &'f Storage,
    superblock: &'f Superblock,
    position: u64,
    driver_info: Option<&'f DriverInfo>,
}

impl<'f> From<&'f Frame> for Subject<'f> {
    fn from(file: &'f Frame) -> Self {
        let Frame { storage, superblock, position, driver_info, .. } = file;
        Self { storage, superblock, position: *position, driver_info: driver_info.as_ref() }
    }
}

/// Surveys a file.
///
/// # Errors
/// Only where the source lacks something or the system fails; what is wrong with the file is in the survey.
pub(crate) fn survey<'f>(file: impl Into<Subject<'f>>, data: Data) -> Result<Survey> {
    let mut pass = Pass::new(file.into(), data);
    pass.file();
    pass.objects();
    pass.compare_references();
    pass.finish()
}

/// A survey under way.
struct Pass<'f> {
    file: Subject<'f>,
    storage: &'f Storage,
    data: Data,
    survey: Survey,
    /// The object being visited.
    object: Option<u32>,
    /// Objects by the addresses of their headers.
    by_address: HashMap<Addr, u32>,
    /// Bytes of the structures that were met.
    met: u64,
    /// Bytes of the chunks that were read.
    read: u64,
    /// Nodes and blocks that were visited, with the number of the index they belong to.
    visited: HashMap<Addr, u64>,
    /// Number of the index being visited.
    index: u64,
    /// Headers that shared messages point to, and how many do.
    shares: HashMap<Addr, u64>,
    /// Messages in heaps of shared messages, by heap and ID: how many uses were met.
    uses: HashMap<(Addr, [u8; 8]), u64>,
    /// What the indexes of shared messages say of the same: position of the record, and the count.
    stored_uses: Vec<((Addr, [u8; 8]), u64, u32)>,
    /// Global heap collections that were visited; false for those that cannot be read.
    collections: HashMap<Addr, bool>,
    last_collection: Option<(Addr, Arc<Collection>)>,
    /// Objects of the global heap that lead on and were visited.
    heap_objects: HashSet<HeapPlace>,
    /// Stretches that free-space managers list, with the position of the list.
    free: Vec<(Range<u64>, u64)>,
    /// Some structure could not be read, so that counts of what leads where are too low.
    incomplete: bool,
    /// The object that the last finding concerns, and how many concern it.
    told: (Option<u32>, u32),
    /// What they say.
    texts: HashSet<String>,
    /// What the source lacks, or what the system says: an error that is not the file's.
    stopped: Option<Error>,
}

impl<'f> Pass<'f> {
    fn new(file: Subject<'f>, data: Data) -> Self {
        Self {
            file,
            storage: file.storage,
            data,
            survey: Survey::default(),
            object: None,
            by_address: HashMap::new(),
            met: 0,
            read: 0,
            visited: HashMap::new(),
            index: 0,
            shares: HashMap::new(),
            uses: HashMap::new(),
            stored_uses: Vec::new(),
            collections: HashMap::new(),
            last_collection: None,
            heap_objects: HashSet::new(),
            free: Vec::new(),
            incomplete: false,
            told: (None, 0),
            texts: HashSet::new(),
            stopped: None,
        }
    }

    /// Visits the root group and all that links lead to, then what only messages lead to.
    fn objects(&mut self) {
        let (field, root) = ("root group object header address", self.file.superblock.root());
        if let Some(root) = self.defined(Structure::Superblock, field, self.file.position, root) {
            self.link_to(None, Text::default(), root);
        }
        let mut next = 0;
        loop {
            while next < self.survey.objects.len() {
                self.object = Some(next as u32);
                self.visit(self.survey.objects[next].header);
                next += 1;
            }
            let mut unlinked: Vec<Addr> =
                self.shares.keys().copied().filter(|header| !self.by_address.contains_key(header)).collect();
            if unlinked.is_empty() {
                break;
            }
            unlinked.sort_unstable();
            for header in unlinked {
                self.by_address.insert(header, self.survey.objects.len() as u32);
                let name = Text::from(format!("({header})").as_str());
                self.survey.objects.push(Object::new(None, name, header));
            }
        }
        self.object = None;
    }

    /// Notes a hard link to an object, which will be visited unless it was met before.
    fn link_to(&mut self, parent: Option<u32>, name: Text, header: Addr) {
        let objects = &mut self.survey.objects;
        let object = *self.by_address.entry(header).or_insert_with(|| {
            objects.push(Object::new(parent, name, header));
            objects.len() as u32 - 1
        });
        objects[object as usize].references += 1;
    }

    /// Holds the links found against the reference counts stored. Where something could not be read there may be
    /// links in it, and nothing can be said.
    fn compare_references(&mut self) {
        if self.incomplete {
            return;
        }
        for number in 0..self.survey.objects.len() {
            let object = &self.survey.objects[number];
            let (header, stored) = (object.header, object.stored_references.map(u64::from));
            let found = object.references + self.shares.get(&header).copied().unwrap_or(0);
            self.object = Some(number as u32);
            if let Some(stored) = stored {
                let at = self.storage.position(header);
                self.equal(Structure::ObjectHeader, "object reference count", at, stored, found);
            }
        }
        self.object = None;
        for (place, at, stored) in std::mem::take(&mut self.stored_uses) {
            let found = self.uses.get(&place).copied().unwrap_or(0);
            // libhdf5 sometimes counts one too many, which only wastes the message's bytes. One too few would let
            // a writer take away what is still in use.
            if u64::from(stored) < found {
                self.equal(Structure::SharedMessageList, "reference count", at, stored.into(), found);
            }
        }
    }

    /// Notes what a stretch of the file is for.
    fn keep(&mut self, structure: Structure, address: Addr, length: u64, context: Context) {
        self.keep_allocated(structure, address, length, length, context);
    }

    /// The same for a structure that uses only a part of its room. Where the file ends inside the room, the rest
    /// of it was never allocated.
    fn keep_allocated(&mut self, structure: Structure, address: Addr, used: u64, allocated: u64, context: Context) {
        let at = self.storage.position(address);
        let length = allocated.min(self.storage.end().saturating_sub(at)).max(used);
        if !matches!(context, Context::Raw) {
            self.met = self.met.saturating_add(used);
        }
        self.survey.extents.push(Extent { structure, at, length, used, object: self.object, context });
    }

    /// Notes a structure that stands inside another.
    fn part(&mut self, structure: Structure, at: u64, length: usize, context: Context) {
        let length = length as u64;
        self.survey.parts.push(Extent { structure, at, length, used: length, object: self.object, context });
    }

    /// Begins an index: a node met twice in it is a cycle, one met in two of them an overlap.
    fn begin_index(&mut self) {
        self.index += 1;
    }

    /// Notes a visit to a node or block; false, and a finding, where it was visited before, or where many overlap.
    fn enter(&mut self, structure: Structure, address: Addr) -> bool {
        let (at, end) = (self.storage.position(address), self.storage.end());
        if self.met > end.saturating_mul(MOST_MET) {
            self.fault(Corrupt::new(structure, "address", at, Fault::Repeated { total: self.met, end }));
            return false;
        }
        match self.visited.insert(address, self.index) {
            None => return true,
            Some(index) if index == self.index => self.fault(Corrupt::new(structure, "address", at, Fault::Cycle)),
            Some(_) => self.fault(Corrupt::new(structure, "address", at, Fault::Overlap { other: structure, at })),
        }
        false
    }

    /// The value of a result; its fault becomes a finding.
    fn check<T, E: Into<Error>>(&mut self, result: Result<T, E>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(e) => {
                self.fault(e);
                None
            }
        }
    }

    /// Notes something that could not be read.
    fn fault(&mut self, error: impl Into<Error>) {
        self.incomplete = true;
        self.note(error);
    }

    /// Notes something that was read and is wrong.
    fn note(&mut self, error: impl Into<Error>) {
        let error = error.into();
        if error.kind() == ErrorKind::Io {
            self.stopped.get_or_insert(error);
            return;
        }
        if self.told.0 != self.object {
            self.told = (self.object, 0);
            self.texts.clear();
        }
        if self.told.1 < MOST_FINDINGS {
            // A block that cannot be read is met again by every record that leads into it.
            if !self.texts.insert(error.to_string()) {
                return;
            }
            self.told.1 += 1;
            self.survey.findings.push(Finding { object: self.object, error });
        } else {
            self.survey.more_findings += 1;
        }
    }

    /// Holds a number against another that must be the same.
    fn equal(&mut self, structure: Structure, field: &'static str, at: u64, found: u64, expected: u64) {
        if found != expected {
            self.note(Corrupt::new(structure, field, at, Fault::Mismatch { found, expected }));
        }
    }

    /// The address, or a finding where it is undefined.
    fn defined(&mut self, structure: Structure, field: &'static str, at: u64, address: Option<Addr>) -> Option<Addr> {
        if address.is_none() {
            self.fault(Corrupt::new(structure, field, at, Fault::Undefined));
        }
        address
    }
}

impl Object {
    fn new(parent: Option<u32>, name: Text, header: Addr) -> Self {
        Self { parent, name, header, kind: None, references: 0, stored_references: None }
    }
}

//! The objects and groups whose headers decode.

use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};

use super::scan::Marks;
use super::{dense_groups, old_groups};
use crate::bytes::{Addr, Text};
use crate::error::{Error, ErrorKind, Result, Structure};
use crate::format::message::data_layout::DataLayout;
use crate::format::message::dataspace::Dataspace;
use crate::format::message::datatype::Datatype;
use crate::format::message::link::{Link, LinkTarget};
use crate::format::message::link_info::LinkInfo;
use crate::format::message::symbol_table::SymbolTable;
use crate::format::object_header::MessageType;
use crate::walk::group::Links;
use crate::walk::object::ObjectHeader;
use crate::walk::{Frame, Storage, Total};

/// What an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Group,
    Dataset,
    Datatype,
}

/// The hard links of a group.
#[derive(Debug)]
pub(super) struct Members {
    /// True where the group's own header is lost.
    pub(super) rebuilt: bool,
    /// By name.
    pub(super) links: BTreeSet<(Text, Addr)>,
}

/// Where an old group whose header decodes keeps its links.
#[derive(Clone, Copy, Debug)]
pub(super) struct OldGroup {
    pub(super) group: Addr,
    pub(super) btree: Addr,
    pub(super) heap: Addr,
    /// True where all its links were read.
    pub(super) whole: bool,
}

/// What was found, by addresses.
#[derive(Debug)]
pub(super) struct Found {
    /// Objects whose headers decode.
    pub(super) objects: BTreeMap<Addr, Kind>,
    pub(super) members: BTreeMap<Addr, Members>,
    /// What is wrong, with the header of the object that it concerns.
    pub(super) damage: Vec<(Addr, Error)>,
    pub(super) old: Vec<OldGroup>,
    /// Fractal heaps and trees of groups whose headers decode.
    pub(super) dense: Vec<(Addr, Addr)>,
    /// Headers that links lead to and that cannot be read.
    lost: HashSet<Addr>,
    /// Bytes of names, of which the file can hold so many.
    names: Total,
}

impl Found {
    /// Looks at all that the marks say, and at what that leads to.
    ///
    /// # Errors
    /// Only what the source lacks.
    pub(super) fn of(frame: &Frame, marks: &Marks) -> Result<Self> {
        let mut found = Self {
            objects: BTreeMap::new(),
            members: BTreeMap::new(),
            damage: Vec::new(),
            old: Vec::new(),
            dense: Vec::new(),
            lost: HashSet::new(),
            names: Total::new(Structure::Link),
        };
        let storage = &frame.storage;
        let mut groups = VecDeque::new();
        // What links lead to comes first: whatever looks like a header may cost all the effort.
        if let Some(root) = frame.superblock.root() {
            found.visit(storage, root, &mut groups)?;
        }
        found.list_all(storage, &mut groups)?;
        for address in frame.addresses(&marks.headers) {
            if found.objects.contains_key(&address) {
                continue;
            }
            if let Some(kind) = sound(whole_object(storage, address))?.flatten() {
                found.objects.insert(address, kind);
                if kind == Kind::Group {
                    groups.push_back(address);
                }
            }
        }
        found.list_all(storage, &mut groups)?;
        old_groups::rebuild(frame, marks, &mut found)?;
        dense_groups::rebuild(frame, marks, &mut found)?;
        Ok(found)
    }

    /// How many links lead to objects, and how many there are.
    pub(super) fn links(&self) -> (usize, usize) {
        let links = || self.members.values().flat_map(|members| &members.links);
        (links().filter(|(_, target)| self.objects.contains_key(target)).count(), links().count())
    }

    /// Looks at what a link leads to, where that was not met before.
    fn visit(&mut self, storage: &Storage, address: Addr, groups: &mut VecDeque<Addr>) -> Result<()> {
        if self.objects.contains_key(&address) || self.lost.contains(&address) {
            return Ok(());
        }
        let what = ObjectHeader::read(storage, address).and_then(|header| match kind(&header) {
            Some(kind) => Ok((kind, header)),
            None => Err(header.absent(storage, Structure::ObjectHeader)),
        });
        match what {
            Ok((kind, header)) => {
                self.objects.insert(address, kind);
                self.damage.extend(header.forgiven.as_deref().map(|fault| (address, fault.clone().into())));
                if kind == Kind::Group {
                    groups.push_back(address);
                }
            }
            Err(e) if e.is_missing() => return Err(e),
            // That the search is at its end is told once, of the whole file.
            Err(e) if e.kind() == ErrorKind::Limit => {}
            Err(e) => {
                self.lost.insert(address);
                self.damage.push((address, e));
            }
        }
        Ok(())
    }

    /// Notes the links of groups and of what is below them.
    fn list_all(&mut self, storage: &Storage, groups: &mut VecDeque<Addr>) -> Result<()> {
        while let Some(group) = groups.pop_front() {
            self.list(storage, group, groups)?;
        }
        Ok(())
    }

    /// Notes the links of a group.
    fn list(&mut self, storage: &Storage, group: Addr, groups: &mut VecDeque<Addr>) -> Result<()> {
        let before = self.damage.len();
        let links = links(storage, group).or_else(|e| {
            if e.is_missing() {
                return Err(e);
            }
            Ok(vec![Err(e)])
        })?;
        let mut kept = BTreeSet::new();
        for link in links {
            match link.and_then(|link| self.hard(storage, group, link)) {
                Ok(Some(link)) => drop(kept.insert(link)),
                Ok(None) => {}
                Err(e) => self.damage.push((group, e)),
            }
        }
        let whole = self.damage.len() == before;
        for (_, target) in &kept {
            self.visit(storage, *target, groups)?;
        }
        self.members.insert(group, Members { rebuilt: false, links: kept });
        // What is wrong with it is told already.
        let Some(header) = sound(ObjectHeader::read(storage, group))? else { return Ok(()) };
        match places(storage, &header) {
            Ok(Places::Old(btree, heap)) => self.old.push(OldGroup { group, btree, heap, whole }),
            Ok(Places::Dense(heap, tree)) => self.dense.push((heap, tree)),
            _ => {}
        }
        Ok(())
    }

    /// The name and target of a hard link.
    pub(super) fn hard(&mut self, storage: &Storage, group: Addr, link: Link) -> Result<Option<(Text, Addr)>> {
        let LinkTarget::Hard { header } = link.target else { return Ok(None) };
        self.names.add(storage, group, link.name.as_bytes().len())?;
        Ok(Some((link.name, header)))
    }

    /// Notes a group whose header is lost, with those of its links that lead to something.
    pub(super) fn put_together(&mut self, storage: &Storage, group: Addr, links: Vec<Result<Link>>) {
        let mut kept = Vec::new();
        for link in links.into_iter().flatten() {
            if let Ok(Some((name, target))) = self.hard(storage, group, link)
                && target != group
                && (self.objects.contains_key(&target) || self.members.contains_key(&target))
            {
                kept.push((name, target));
            }
        }
        if kept.is_empty() {
            return;
        }
        kept.sort();
        let links = &mut self.members.entry(group).or_insert(Members { rebuilt: true, links: BTreeSet::new() }).links;
        for (name, target) in kept {
            let first = (name, Addr(0));
            let known = links.range(&first..).next().is_some_and(|(known, _)| *known == first.0);
            if !known {
                links.insert((first.0, target));
            }
        }
    }
}

/// A value, or none where the file is at fault.
///
/// # Errors
/// Only what the source lacks.
pub(super) fn sound<T>(result: Result<T>) -> Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(e) if e.is_missing() => Err(e),
        Err(_) => Ok(None),
    }
}

/// True for the header that describes the file as a whole.
pub(super) fn is_extension(header: &ObjectHeader) -> bool {
    const OF_THE_FILE: [MessageType; 4] =
        [MessageType::SHARED_MESSAGE_TABLE, MessageType::BTREE_K, MessageType::CACHE_IMAGE, MessageType::DRIVER_INFO];
    OF_THE_FILE.into_iter().any(|kind| header.has(kind))
}

fn kind(header: &ObjectHeader) -> Option<Kind> {
    let has = |kind| header.has(kind);
    if has(MessageType::DATA_LAYOUT) {
        Some(Kind::Dataset)
    } else if has(MessageType::SYMBOL_TABLE) || has(MessageType::LINK_INFO) {
        Some(Kind::Group)
    } else if header.is_of_dataset() {
        Some(Kind::Dataset)
    } else if has(MessageType::DATATYPE) {
        Some(Kind::Datatype)
    } else {
        None
    }
}

/// What stands at an address that nothing led to: an object only where all decodes that makes it one.
fn whole_object(storage: &Storage, address: Addr) -> Result<Option<Kind>> {
    let header = ObjectHeader::read(storage, address)?;
    if let Some(fault) = &header.forgiven {
        return Err(fault.as_ref().clone().into());
    }
    let datatype = || -> Result<()> {
        let run = header.needed(storage, MessageType::DATATYPE, Structure::Datatype)?;
        Datatype::decode(run.block(), storage.limits().datatype_depth)?;
        Ok(())
    };
    let found = kind(&header);
    match found {
        Some(Kind::Dataset) => {
            datatype()?;
            Dataspace::decode(header.needed(storage, MessageType::DATASPACE, Structure::Dataspace)?.block())?;
            DataLayout::decode(header.needed(storage, MessageType::DATA_LAYOUT, Structure::DataLayout)?.block())?;
        }
        Some(Kind::Datatype) => datatype()?,
        Some(Kind::Group) => {
            places(storage, &header)?;
        }
        None => {}
    }
    Ok(found)
}

/// Where a group keeps its links.
enum Places {
    Old(Addr, Addr),
    Dense(Addr, Addr),
    Header,
}

fn places(storage: &Storage, header: &ObjectHeader) -> Result<Places> {
    if let Some(run) = header.body(storage, MessageType::SYMBOL_TABLE)? {
        let table = SymbolTable::decode(run.block())?;
        return match (table.btree, table.heap) {
            (Some(btree), Some(heap)) => Ok(Places::Old(btree, heap)),
            _ => Err(header.absent(storage, Structure::SymbolTable)),
        };
    }
    let info = LinkInfo::decode(header.needed(storage, MessageType::LINK_INFO, Structure::LinkInfo)?.block())?;
    match info.fractal_heap.zip(info.name_index.or(info.creation_order_index.flatten())) {
        Some((heap, tree)) => Ok(Places::Dense(heap, tree)),
        None => Ok(Places::Header),
    }
}

fn links(storage: &Storage, group: Addr) -> Result<Vec<Result<Link>>> {
    let header = ObjectHeader::read(storage, group)?;
    match Links::of(storage, &header)? {
        Some(links) => links.all(storage, &header),
        None => Err(header.absent(storage, Structure::LinkInfo)),
    }
}

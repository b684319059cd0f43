//! Groups: all links, or the one of a name.

use std::cmp::Ordering;
use std::sync::{Arc, OnceLock};

use super::btree_v1;
use super::btree_v2::{Records, Tree};
use super::heap::Heap;
use super::local_heap::Names;
use super::object::ObjectHeader;
use super::{Held, Siblings, Storage, Total, each};
use crate::bytes::checksum::lookup3;
use crate::bytes::{Addr, Text};
use crate::error::{Corrupt, Fault, Result, Structure};
use crate::format::btree_v1::{Keys, Node};
use crate::format::btree_v2::{LinkRecord, RecordType};
use crate::format::message::link::{Link, LinkTarget};
use crate::format::message::link_info::LinkInfo;
use crate::format::message::symbol_table::SymbolTable;
use crate::format::object_header::MessageType;
use crate::format::symbol_table_entry::SymbolTableEntry;
use crate::format::symbol_table_node::SymbolTableNode;

/// Where a group keeps its links.
#[derive(Debug)]
pub(crate) enum Links {
    /// B-tree, symbol table nodes and local heap.
    Old { btree: Addr, heap: Arc<Names> },
    /// In the object header.
    Compact,
    /// Fractal heap and version 2 B-trees; both as they were opened for the last search by name.
    Dense { info: LinkInfo, heap: Addr, opened: OnceLock<(Arc<Tree>, Arc<Heap>)> },
}

impl Links {
    /// Where the group with this header keeps its links; `None` where it is no group.
    pub(crate) fn of<'h>(storage: &Storage, header: &'h ObjectHeader) -> Result<Option<&'h Self>> {
        if let Some(links) = header.links.get() {
            return Ok(Some(links));
        }
        Ok(Self::decode(storage, header)?.map(|links| header.links.get_or_init(|| links)))
    }

    fn decode(storage: &Storage, header: &ObjectHeader) -> Result<Option<Self>> {
        if let Some(run) = header.body(storage, MessageType::SYMBOL_TABLE)? {
            let table = SymbolTable::decode(run.block())?;
            let undefined = |field| run.block().corrupt(Structure::SymbolTable, field, Fault::Undefined);
            let btree = table.btree.ok_or_else(|| undefined("v1 B-tree address"))?;
            let heap = table.heap.ok_or_else(|| undefined("local heap address"))?;
            return Ok(Some(Self::Old { btree, heap: Names::open(storage, heap)? }));
        }
        if let Some(run) = header.body(storage, MessageType::LINK_INFO)? {
            let info = LinkInfo::decode(run.block())?;
            return Ok(Some(match info.fractal_heap {
                None => Self::Compact,
                Some(heap) => Self::Dense { info, heap, opened: OnceLock::new() },
            }));
        }
        Ok(None)
    }

    /// All links, each on its own: one that is damaged does not hide the others. They come in the order in which
    /// they are stored: by name in old groups, by the hash of the name in dense ones.
    ///
    /// # Errors
    /// A heap or the root of an index that cannot be read.
    pub(crate) fn all(&self, storage: &Storage, header: &ObjectHeader) -> Result<Vec<Result<Link>>> {
        storage.retrying(|| self.all_now(storage, header))
    }

    fn all_now(&self, storage: &Storage, header: &ObjectHeader) -> Result<Vec<Result<Link>>> {
        match self {
            Self::Old { btree, heap } => all_old(storage, *btree, heap, held(storage, header.address)),
            Self::Compact => Ok(compact(header).collect()),
            Self::Dense { info, heap, .. } => {
                let Some(index) = info.name_index.or(info.creation_order_index.flatten()) else {
                    return Ok(Vec::new());
                };
                if storage.source().is_far() {
                    // Heap and tree are fetched side by side. What is wrong with the heap is told when it is read.
                    let _ = Heap::open(storage, *heap).and_then(|heap| heap.ahead(storage));
                }
                let tree = Tree::open(storage, index, &[RecordType::LINK_NAME, RecordType::LINK_ORDER])?;
                let records = tree.all(storage)?;
                dense(storage, *heap, &records, tree.header.record_type, held(storage, header.address))
            }
        }
    }

    /// The link of a name, found through the index.
    pub(crate) fn find(&self, storage: &Storage, header: &ObjectHeader, name: &[u8]) -> Result<Option<Link>> {
        storage.retrying(|| self.find_now(storage, header, name))
    }

    fn find_now(&self, storage: &Storage, header: &ObjectHeader, name: &[u8]) -> Result<Option<Link>> {
        // A damaged neighbour is no obstacle, unless what is looked for may be there.
        let pick = |links: &mut dyn Iterator<Item = Result<Link>>| {
            let mut fault = None;
            for link in links {
                match link {
                    Ok(link) if link.name.as_bytes() == name => return Ok(Some(link)),
                    Ok(_) => {}
                    Err(e) => fault = fault.or(Some(e)),
                }
            }
            fault.map_or(Ok(None), Err)
        };
        match self {
            Self::Old { btree, heap } => match find_sorted(storage, *btree, heap, name) {
                Ok(Some((node, entry))) => old_link(storage, node, &entry, Text::from(name), heap).map(Some),
                Err(e) if e.is_missing() => Err(e),
                // What is out of order is found all the same, and what is at fault is told.
                _ => find_old(storage, *btree, heap, name),
            },
            Self::Compact => match header.link_named(name) {
                Some(message) => Ok(Some(Link::decode(message)?)),
                None => pick(&mut compact(header)),
            },
            Self::Dense { info, heap, opened } => {
                let Some(index) = info.name_index else {
                    return pick(&mut self.all_now(storage, header)?.into_iter());
                };
                let hash = lookup3(name);
                // The hash is what the record begins with. Several names may have the same.
                let place =
                    |record: &[u8]| record.first_chunk().map_or(Ordering::Less, |h| u32::from_le_bytes(*h).cmp(&hash));
                let quick = || {
                    if opened.get().is_none() {
                        let tree = Tree::open(storage, index, &[RecordType::LINK_NAME])?;
                        let heap = Heap::open(storage, *heap)?;
                        opened.get_or_init(|| (Arc::new(tree), heap));
                    }
                    let Some((tree, heap)) = opened.get() else { return Ok(None) };
                    find_dense(storage, heap, tree, &place, name)
                };
                match quick() {
                    Ok(Some(link)) => Ok(Some(link)),
                    Err(e) if e.is_missing() => Err(e),
                    // What is out of order is found all the same, and what is at fault is told.
                    _ => {
                        let tree = Tree::open(storage, index, &[RecordType::LINK_NAME])?;
                        let records = tree.range(storage, &place)?;
                        let held = held(storage, header.address);
                        pick(&mut dense(storage, *heap, &records, RecordType::LINK_NAME, held)?.into_iter())
                    }
                }
            }
        }
    }
}

/// What a group's links hold of the file.
pub(super) fn held(storage: &Storage, group: Addr) -> Held {
    Held::by(Structure::Link, storage.position(group))
}

/// The links in an object header.
fn compact(header: &ObjectHeader) -> impl Iterator<Item = Result<Link>> {
    header.stored(MessageType::LINK).map(|(_, block)| Ok(Link::decode(block)?))
}

/// The links that the records of a tree have in a heap.
pub(super) fn dense(
    storage: &Storage,
    heap: Addr,
    records: &Records,
    kind: RecordType,
    mut held: Held,
) -> Result<Vec<Result<Link>>> {
    let heap = Heap::open(storage, heap)?;
    let mut links = Siblings::new();
    each(records.iter(), |record| {
        let link = || {
            let record = LinkRecord::decode(record, kind)?;
            heap.with_object(storage, record.id(), |object| Ok(Link::decode(object)?))
        };
        let link = storage.retrying(link);
        held.add(storage, link.as_ref().map_or(0, size) as u64)?;
        links.keep(storage, link, size)
    })?;
    Ok(links.into_found())
}

/// True where the records of a tree by name are those of the links, one after the other.
pub(super) fn hashes(records: &Records, links: &[Link]) -> bool {
    let hash = |record| match LinkRecord::decode(record, RecordType::LINK_NAME) {
        Ok(LinkRecord::Name { hash, .. }) => Some(hash),
        _ => None,
    };
    records.iter().map(hash).eq(links.iter().map(|link| Some(lookup3(link.name.as_bytes()))))
}

/// The link of a name, found as in a tree whose records are in order.
fn find_dense(
    storage: &Storage,
    heap: &Heap,
    tree: &Tree,
    place: &dyn Fn(&[u8]) -> Ordering,
    name: &[u8],
) -> Result<Option<Link>> {
    let Some(records) = tree.search(storage, place)? else { return Ok(None) };
    for record in records.iter() {
        let record = LinkRecord::decode(record, RecordType::LINK_NAME)?;
        let link = heap.with_object(storage, record.id(), |object| Ok(Link::decode(object)?))?;
        if link.name.as_bytes() == name {
            return Ok(Some(link));
        }
    }
    Ok(None)
}

/// Bytes of a link.
fn size(link: &Link) -> usize {
    let target = match &link.target {
        LinkTarget::Hard { .. } => 8,
        LinkTarget::Soft { path } => path.as_bytes().len(),
        LinkTarget::External { file, path, .. } => file.as_bytes().len() + path.as_bytes().len(),
        LinkTarget::User { data, .. } => data.len(),
    };
    link.name.as_bytes().len() + target
}

/// How the nodes of a group's tree are read.
pub(super) fn group_tree(storage: &Storage) -> btree_v1::Tree<'static, u64> {
    let (k, decode) = (storage.k().group_internal, &Node::<u64>::decode);
    btree_v1::Tree { keys: Keys::Group, decode, k, kept: None, ends: None }
}

/// The symbol table node at an address.
pub(crate) fn symbol_table_node(storage: &Storage, address: Addr) -> Result<SymbolTableNode> {
    const S: Structure = Structure::SymbolTableNode;
    let usual = SymbolTableNode::size(storage.k().group_leaf, storage.widths()) as u64;
    let run = storage.read_up_to(address, usual, S)?;
    let n = SymbolTableNode::decode_count(run.block())?;
    let needed = SymbolTableNode::HEAD + usize::from(n) * SymbolTableEntry::size(storage.widths());
    let run = if needed <= run.block().bytes().len() { run } else { storage.read(address, needed as u64, S)? };
    Ok(SymbolTableNode::decode(run.block())?)
}

/// The link that an entry of a symbol table node is.
pub(super) fn old_link(
    storage: &Storage,
    at: Addr,
    entry: &SymbolTableEntry,
    name: Text,
    heap: &Names,
) -> Result<Link> {
    let target = match (entry.soft_link(), entry.object_header) {
        (Some(offset), _) => LinkTarget::Soft { path: heap.name(storage, offset)? },
        (None, Some(header)) => LinkTarget::Hard { header },
        (None, None) => {
            let at = storage.position(at);
            let fault = Fault::Undefined;
            return Err(Corrupt::new(Structure::SymbolTableEntry, "object header address", at, fault).into());
        }
    };
    Ok(Link::old(name, target))
}

/// All links of a tree and its heap.
pub(super) fn all_old(storage: &Storage, btree: Addr, heap: &Names, mut held: Held) -> Result<Vec<Result<Link>>> {
    let mut nodes = Vec::new();
    let mut links = Siblings::new();
    let traversal = group_tree(storage).leaves(storage, btree, &|_, _| Ok(true), &mut |leaf| {
        nodes.push(leaf.child);
        Ok(())
    });
    if let Err(e) = traversal {
        links.keep(storage, Err(e), size)?;
    }
    if nodes.is_empty() {
        return Ok(links.into_found());
    }
    let node_size = SymbolTableNode::size(storage.k().group_leaf, storage.widths()) as u64;
    // Both are asked for before either is needed.
    let segment = heap.segment(storage);
    storage.prefetch_structures(nodes.iter().map(|node| (*node, node_size)))?;
    let segment = segment?;
    let mut total = Total::new(Structure::SymbolTableNode);
    each(nodes, |node| {
        let entries = match symbol_table_node(storage, node) {
            Ok(node) => node.entries,
            Err(e) => return links.keep(storage, Err(e), size),
        };
        let bytes = entries.len() * SymbolTableEntry::size(storage.widths());
        total.add(storage, node, bytes)?;
        held.add(storage, bytes as u64)?;
        each(entries, |entry| {
            let link =
                heap.in_segment(&segment, entry.name).and_then(|name| old_link(storage, node, &entry, name, heap));
            held.add(storage, link.as_ref().map_or(0, |link| link.name.as_bytes().len()) as u64)?;
            links.keep(storage, link, size)
        })
    })?;
    Ok(links.into_found())
}

/// The entry of a name, found as in a tree whose names are in order: one node of each level is read.
fn find_sorted(storage: &Storage, btree: Addr, heap: &Names, name: &[u8]) -> Result<Option<(Addr, SymbolTableEntry)>> {
    let segment = heap.kept_segment(storage)?;
    let compare = |offset: u64| match &segment {
        Some(segment) => heap.bytes_in_segment(segment, offset).map(|found| found.cmp(name)),
        None => heap.name(storage, offset).map(|found| found.as_bytes().cmp(name)),
    };
    let (mut address, mut level) = (btree, None);
    loop {
        let node = storage.memo(address, Structure::BTreeV1, || {
            let node = group_tree(storage).node(storage, address, level)?;
            let bytes = 24 * node.keys.len() as u64;
            Ok((node, bytes))
        })?;
        if level.is_some_and(|level| level != node.level) {
            return Ok(None);
        }
        // The first child whose right key is not before the name: it holds the names up to that one.
        let (mut low, mut high) = (0, node.children.len());
        while low < high {
            let middle = (low + high) / 2;
            if compare(node.keys[middle + 1])? == Ordering::Less { low = middle + 1 } else { high = middle }
        }
        let Some(child) = node.children.get(low).copied().flatten() else { return Ok(None) };
        if node.level > 0 {
            (address, level) = (child, Some(node.level - 1));
            continue;
        }
        let node = storage.memo(child, Structure::SymbolTableNode, || {
            let node = symbol_table_node(storage, child)?;
            let bytes = size_of::<SymbolTableEntry>() as u64 * node.entries.len() as u64;
            Ok((node, bytes))
        })?;
        for entry in &node.entries {
            if compare(entry.name)? == Ordering::Equal {
                return Ok(Some((child, entry.clone())));
            }
        }
        return Ok(None);
    }
}

fn find_old(storage: &Storage, btree: Addr, heap: &Names, name: &[u8]) -> Result<Option<Link>> {
    // A child holds the names above its left key, up to and including its right one.
    let wanted = |left: &u64, right: &u64| {
        Ok(heap.name(storage, *right)?.as_bytes() >= name && heap.name(storage, *left)?.as_bytes() < name)
    };
    let mut nodes = Vec::new();
    group_tree(storage).leaves(storage, btree, &wanted, &mut |leaf| {
        nodes.push(leaf.child);
        Ok(())
    })?;
    for node in nodes {
        for entry in symbol_table_node(storage, node)?.entries {
            let found = heap.name(storage, entry.name)?;
            if found.as_bytes() == name {
                return old_link(storage, node, &entry, found, heap).map(Some);
            }
        }
    }
    Ok(None)
}

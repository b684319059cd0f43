//! Groups: all links, or the one of a name.

use std::cmp::Ordering;
use std::sync::Arc;

use super::btree_v1;
use super::btree_v2::{Records, Tree};
use super::heap::Heap;
use super::local_heap::Names;
use super::object::ObjectHeader;
use super::{Storage, each};
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
pub(crate) enum Links {
    /// B-tree, symbol table nodes and local heap.
    Old { btree: Addr, heap: Arc<Names> },
    /// In the object header.
    Compact,
    /// Fractal heap and version 2 B-trees.
    Dense { info: LinkInfo, heap: Addr },
}

impl Links {
    /// Where the group with this header keeps its links; `None` where it is no group.
    pub(crate) fn of(storage: &Storage, header: &ObjectHeader) -> Result<Option<Self>> {
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
                Some(heap) => Self::Dense { info, heap },
            }));
        }
        Ok(None)
    }

    /// All links, in the order in which they are stored: by name in old groups, by the hash of the name in
    /// dense ones.
    pub(crate) fn all(&self, storage: &Storage, header: &ObjectHeader) -> Result<Vec<Link>> {
        match self {
            Self::Old { btree, heap } => all_old(storage, *btree, heap),
            Self::Compact => compact(header),
            Self::Dense { info, heap } => {
                let Some(index) = info.name_index.or(info.creation_order_index.flatten()) else {
                    return Ok(Vec::new());
                };
                let tree = Tree::open(storage, index, &[RecordType::LINK_NAME, RecordType::LINK_ORDER])?;
                let records = tree.all(storage)?;
                dense(storage, *heap, &records, tree.header.record_type)
            }
        }
    }

    /// The link of a name, found through the index.
    pub(crate) fn find(&self, storage: &Storage, header: &ObjectHeader, name: &[u8]) -> Result<Option<Link>> {
        let is_it = |link: &Link| link.name.as_bytes() == name;
        match self {
            Self::Old { btree, heap } => find_old(storage, *btree, heap, name),
            Self::Compact => Ok(compact(header)?.into_iter().find(is_it)),
            Self::Dense { info, heap } => {
                let Some(index) = info.name_index else {
                    return Ok(self.all(storage, header)?.into_iter().find(is_it));
                };
                let tree = Tree::open(storage, index, &[RecordType::LINK_NAME])?;
                let hash = lookup3(name);
                // The hash is what the record begins with. Several names may have the same.
                let records = tree.range(storage, &|record| {
                    record.first_chunk().map_or(Ordering::Less, |h| u32::from_le_bytes(*h).cmp(&hash))
                })?;
                Ok(dense(storage, *heap, &records, RecordType::LINK_NAME)?.into_iter().find(is_it))
            }
        }
    }
}

/// The links in an object header.
fn compact(header: &ObjectHeader) -> Result<Vec<Link>> {
    header.stored(MessageType::LINK).map(|(_, block)| Ok(Link::decode(block)?)).collect()
}

fn dense(storage: &Storage, heap: Addr, records: &Records, kind: RecordType) -> Result<Vec<Link>> {
    let heap = Heap::open(storage, heap)?;
    let mut links = Vec::new();
    each(records.iter(), |record| {
        let record = LinkRecord::decode(record, kind)?;
        links.push(Link::decode(heap.object(storage, record.id())?.block())?);
        Ok(())
    })?;
    Ok(links)
}

fn group_tree(storage: &Storage) -> btree_v1::Tree<'static, u64> {
    btree_v1::Tree { keys: Keys::Group, decode: &Node::<u64>::decode, k: storage.k().group_internal }
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

fn old_link(storage: &Storage, at: Addr, entry: &SymbolTableEntry, name: Text, heap: &Names) -> Result<Link> {
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

fn all_old(storage: &Storage, btree: Addr, heap: &Names) -> Result<Vec<Link>> {
    let mut nodes = Vec::new();
    group_tree(storage).leaves(storage, btree, &|_, _| Ok(true), &mut |leaf| {
        nodes.push(leaf.child);
        Ok(())
    })?;
    if nodes.is_empty() {
        return Ok(Vec::new());
    }
    let node_size = SymbolTableNode::size(storage.k().group_leaf, storage.widths()) as u64;
    let names_missing = match heap.segment(storage) {
        Err(e) if e.is_missing() => Some(e),
        Err(e) => return Err(e),
        Ok(_) => None,
    };
    storage.prefetch(nodes.iter().map(|node| (*node, node_size)))?;
    if let Some(missing) = names_missing {
        return Err(missing);
    }
    let segment = heap.segment(storage)?;
    let mut links = Vec::new();
    each(nodes, |node| {
        for entry in symbol_table_node(storage, node)?.entries {
            let name = heap.in_segment(&segment, entry.name)?;
            links.push(old_link(storage, node, &entry, name, heap)?);
        }
        Ok(())
    })?;
    Ok(links)
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

//! Groups: every link, wherever they are kept.

use std::collections::HashSet;

use super::btree_v1::Nodes;
use super::header::Header;
use super::local_heap::Segment;
use super::{Context, Pass};
use crate::bytes::checksum::lookup3;
use crate::bytes::{Addr, Block, Text};
use crate::error::{Corrupt, Fault, Structure};
use crate::format::btree_v1::{Keys, Node};
use crate::format::btree_v2::{LinkRecord, RecordType};
use crate::format::message::link::{Link, LinkTarget};
use crate::format::message::link_info::LinkInfo;
use crate::format::message::symbol_table::SymbolTable;
use crate::format::object_header::MessageType;
use crate::format::symbol_table_entry::SymbolTableEntry;
use crate::format::symbol_table_node::SymbolTableNode;
use crate::walk::btree_v1::{Leaf, Tree};
use crate::walk::group::symbol_table_node;
use crate::walk::heap::Heap;

/// The names of an old-style group, in the order in which they are met.
struct OldNames<'s> {
    segment: Option<Segment<'s>>,
    last: Option<Text>,
}

impl<'f> Pass<'f> {
    pub(super) fn group(&mut self, header: &Header) {
        if let Some(run) = self.first(header, MessageType::SYMBOL_TABLE)
            && let Ok(table) = SymbolTable::decode(run.block())
        {
            self.old_group(table, run.block().at());
        }
        let mut names = HashSet::new();
        for message in header.all(MessageType::LINK) {
            let Some(link) = self.body(message).and_then(|run| Link::decode(run.block()).ok()) else { continue };
            if !names.insert(link.name.clone()) {
                self.note(message.body.block().corrupt(Structure::Link, "link name", Fault::Order));
            }
            self.link(link);
        }
        if let Some(run) = self.first(header, MessageType::LINK_INFO)
            && let Ok(info) = LinkInfo::decode(run.block())
        {
            self.dense_group(&info, run.block().at());
        }
    }

    /// Counts a link and notes what it leads to.
    fn link(&mut self, link: Link) {
        let counts = &mut self.survey.counts;
        match link.target {
            LinkTarget::Hard { header } => {
                counts.hard_links += 1;
                self.link_to(self.object, link.name, header);
            }
            LinkTarget::Soft { .. } => counts.soft_links += 1,
            LinkTarget::External { .. } => counts.external_links += 1,
            LinkTarget::User { .. } => counts.user_links += 1,
        }
    }

    fn old_group(&mut self, table: SymbolTable, at: u64) -> Option<()> {
        let heap = self.defined(Structure::SymbolTable, "local heap address", at, table.heap);
        // Without its heap a group's links have no names, and lead on all the same.
        let segment = heap.and_then(|heap| self.local_heap(heap));
        let root = self.defined(Structure::SymbolTable, "v1 B-tree address", at, table.btree)?;
        let k = self.storage.k().group_internal;
        let tree = Tree { keys: Keys::Group, decode: &Node::<u64>::decode, k, kept: None, ends: None };
        // Keys are offsets of names: their order shows where the names are met.
        let nodes = Nodes::new(tree, Context::GroupNode, &|_, _| true);
        let mut names = OldNames { segment, last: None };
        self.btree_v1(nodes, root, &mut |pass, at, leaf| {
            pass.symbols(&mut names, at, leaf);
        });
        Some(())
    }

    fn symbols(&mut self, names: &mut OldNames<'f>, at: u64, leaf: Leaf<'_, u64>) -> Option<()> {
        const S: Structure = Structure::SymbolTableNode;
        let storage = self.storage;
        if !self.enter(S, leaf.child) {
            return None;
        }
        let node = self.check(symbol_table_node(storage, leaf.child))?;
        let w = storage.widths();
        let used = SymbolTableNode::HEAD + node.entries.len() * SymbolTableEntry::size(w);
        let room = SymbolTableNode::size(storage.k().group_leaf, w).max(used);
        self.keep_allocated(S, leaf.child, used as u64, room as u64, Context::Plain);
        let node_at = storage.position(leaf.child);
        self.count_of_symbols(&node, &leaf);
        let mut first = None;
        for entry in &node.entries {
            let name = match &names.segment {
                Some(segment) => self.name(segment, entry.name),
                None => None,
            };
            if let Some(name) = &name {
                if names.last.as_ref().is_some_and(|last| last >= name) {
                    self.note(Corrupt::new(S, "group entries", node_at, Fault::Order));
                }
                first.get_or_insert_with(|| name.clone());
                names.last = Some(name.clone());
            }
            let name = name.unwrap_or_else(|| "?".into());
            let target = match (entry.soft_link(), entry.object_header) {
                (Some(offset), _) => {
                    let path = match &names.segment {
                        Some(segment) => self.name(segment, offset),
                        None => None,
                    };
                    LinkTarget::Soft { path: path.unwrap_or_default() }
                }
                (None, header) => {
                    let field = "object header address";
                    match self.defined(Structure::SymbolTableEntry, field, node_at, header) {
                        Some(header) => LinkTarget::Hard { header },
                        None => continue,
                    }
                }
            };
            self.link(Link::old(name, target));
        }
        // A child holds the names above its left key, up to and including its right one.
        if let (Some(segment), Some(first), Some(last)) = (&names.segment, first, &names.last.clone()) {
            let left = self.name(segment, *leaf.left);
            let right = self.name(segment, *leaf.right);
            if left.is_some_and(|left| left >= first) || right.is_some_and(|right| right < *last) {
                self.note(Corrupt::new(Structure::BTreeV1, "key", at, Fault::Order));
            }
        }
        Some(())
    }

    /// Holds the number of a node's entries against the tree: its right key is the name of an entry, and that may stand
    /// behind those that are said to be in use. Writers do not leave nodes without an entry in a tree.
    fn count_of_symbols(&mut self, node: &SymbolTableNode, leaf: &Leaf<'_, u64>) {
        const FIELD: &str = "number of symbols";
        let (storage, count) = (self.storage, node.entries.len());
        let size = SymbolTableEntry::size(storage.widths());
        let room = SymbolTableNode::size(storage.k().group_leaf, storage.widths()) as u64;
        let Ok(run) = storage.read_up_to(leaf.child, room, Structure::SymbolTableNode) else { return };
        let entries = run.block().bytes().get(SymbolTableNode::HEAD..).unwrap_or_default().chunks_exact(size);
        let name = |entry: &[u8]| {
            Block::new(entry, 0, storage.widths())
                .run(Structure::SymbolTableEntry, SymbolTableEntry::parse(storage.widths()))
                .map(|entry| entry.name)
        };
        let behind = { entries }.skip(count).position(|entry| name(entry).is_ok_and(|name| name == *leaf.right));
        let at = storage.position(leaf.child);
        if let Some(behind) = behind.filter(|_| *leaf.right > 0) {
            self.equal(Structure::SymbolTableNode, FIELD, at, count as u64, (count + behind + 1) as u64);
        } else if count == 0 {
            self.note(Corrupt::new(Structure::SymbolTableNode, FIELD, at, Fault::Value(0)));
        }
    }

    fn dense_group(&mut self, info: &LinkInfo, at: u64) -> Option<()> {
        let heap_address = info.fractal_heap?;
        let heap = self.heap(heap_address);
        let by_name = info.name_index.map(|index| self.link_index(index, RecordType::LINK_NAME, heap.as_deref(), true));
        let by_order = info.creation_order_index.flatten().map(|index| {
            // Links are taken from the index of names, unless there is none.
            self.link_index(index, RecordType::LINK_ORDER, heap.as_deref(), by_name.is_none())
        });
        let (by_name, by_order) = (by_name.flatten(), by_order.flatten());
        if let (Some(by_name), Some(by_order)) = (by_name, by_order) {
            self.equal(Structure::LinkInfo, "links in the creation order index", at, by_order, by_name);
        }
        if let (Some(heap), Some(links)) = (heap, by_name.or(by_order)) {
            let at = self.storage.position(heap_address);
            self.equal(Structure::FractalHeap, "number of objects in heap", at, Self::counted_objects(&heap), links);
        }
        Some(())
    }

    /// Visits an index of links, resolves each record, and follows the links where `follow` says so.
    fn link_index(&mut self, index: Addr, kind: RecordType, heap: Option<&Heap>, follow: bool) -> Option<u64> {
        let mut last: Option<(u32, Text)> = None;
        self.btree_v2(index, &[kind], None, &mut |pass, record, kind| {
            let Some(link) = pass.dense_link(record, kind, heap, follow) else { return };
            let hash = lookup3(link.name.as_bytes());
            let this = (hash, link.name.clone());
            if kind == RecordType::LINK_NAME && last.as_ref().is_some_and(|last| *last >= this) {
                pass.note(Corrupt::new(Structure::BTreeV2Leaf, "records", record.at(), Fault::Order));
            }
            last = Some(this);
            if follow {
                pass.link(link);
            }
        })
    }

    fn dense_link(
        &mut self,
        record: crate::bytes::Block<'_>,
        kind: RecordType,
        heap: Option<&Heap>,
        follow: bool,
    ) -> Option<Link> {
        let decoded = self.check(LinkRecord::decode(record, kind))?;
        let heap = heap?;
        let run = self.check(heap.object(self.storage, decoded.id()))?;
        let link = self.check(Link::decode(run.block()))?;
        if follow {
            let context = Context::Message(MessageType::LINK);
            self.heap_part(heap, decoded.id(), Structure::Link, run.block(), context);
        }
        match decoded {
            LinkRecord::Name { hash, .. } if hash != lookup3(link.name.as_bytes()) => {
                self.note(Self::wrong_hash(record.at(), hash));
            }
            LinkRecord::Order { order, .. } if link.creation_order != Some(order) => {
                let expected = link.creation_order.unwrap_or(u64::MAX);
                self.equal(Structure::BTreeV2Leaf, "creation order", record.at(), order, expected);
            }
            _ => {}
        }
        Some(link)
    }
}

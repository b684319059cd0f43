//! Version 2 B-trees, node by node.

use std::cmp::Ordering;
use std::sync::Arc;

use super::{Context, Pass, TreeContext};
use crate::bytes::{Addr, Block, Widths};
use crate::error::{Corrupt, Fault, Structure};
use crate::format::btree_v2::{BTreeV2, Child, Node, RecordType};
use crate::walk::btree_v2::Tree;

const S: Structure = Structure::BTreeV2Header;

/// Called with every record and the type of the tree's records.
pub(super) type OnRecord<'v, 'f> = dyn FnMut(&mut Pass<'f>, Block<'_>, RecordType) + 'v;

/// A walk over one tree.
struct Nodes {
    tree: Tree,
    context: Arc<TreeContext>,
    /// The record visited last.
    last: Vec<u8>,
}

impl<'f> Pass<'f> {
    /// Visits the nodes of a tree and calls `each` with every record, in order. Gives the number of records;
    /// `None` where the tree could not be read in full. `chunks` is the rank of the dataset whose chunks the
    /// records are, and the width of their size field.
    pub(super) fn btree_v2(
        &mut self,
        address: Addr,
        types: &[RecordType],
        chunks: Option<(usize, Option<u8>)>,
        each: &mut OnRecord<'_, 'f>,
    ) -> Option<u64> {
        self.begin_index();
        let tree = self.check(Tree::open(self.storage, address, types))?;
        let (w, at) = (self.storage.widths(), self.storage.position(address));
        if !self.enter(S, address) {
            return None;
        }
        let context = Arc::new(TreeContext { header: tree.header.clone(), geometry: tree.geometry.clone(), chunks });
        self.keep(S, address, BTreeV2::size(w) as u64, Context::Tree(context.clone()));
        if let Some(expected) = record_size(tree.header.record_type, w, chunks)
            && tree.geometry.record_size != expected
        {
            let fault = Fault::Mismatch { found: tree.geometry.record_size as u64, expected: expected as u64 };
            self.fault(Corrupt::new(S, "record size", at, fault));
            return None;
        }
        let root = Child { address: tree.header.root, records: tree.header.root_records.into(), total: None };
        let (depth, total) = (tree.header.depth, tree.header.total_records);
        let mut nodes = Nodes { tree, context, last: Vec::new() };
        let counted = if root.records > 0 { self.node_v2(&mut nodes, root, depth, each) } else { Some(0) }?;
        self.equal(S, "total number of records in B-tree", at, total, counted);
        Some(counted)
    }

    fn node_v2(&mut self, nodes: &mut Nodes, child: Child, depth: u16, each: &mut OnRecord<'_, 'f>) -> Option<u64> {
        let s = Node::structure(depth);
        let storage = self.storage;
        let address = self.defined(s, "address", storage.position(nodes.tree.address), child.address)?;
        if !self.enter(s, address) {
            return None;
        }
        let header = &nodes.tree.header;
        let (kind, node_size) = (header.record_type, u64::from(header.node_size));
        let run = self.check(storage.read_up_to(address, node_size, s))?;
        let node = Node::decode(run.block(), kind, &nodes.tree.geometry, depth, child.records);
        let node = self.check(node)?;
        let used = used_bytes(&nodes.context, storage.widths(), depth, child.records);
        let context = Context::TreeNode { tree: nodes.context.clone(), depth, records: child.records };
        self.keep_allocated(s, address, used, node_size, context);
        let at = run.block().at();
        let mut counted = Some(node.records.len() as u64);
        for i in 0..=node.records.len() {
            if let Some(child) = node.children.get(i) {
                let below = if child.records > 0 { self.node_v2(nodes, *child, depth - 1, each) } else { Some(0) };
                if let (Some(total), Some(below)) = (child.total, below) {
                    self.equal(s, "total number of records in child", at, total, below);
                }
                counted = counted.zip(below).map(|(n, below)| n.saturating_add(below));
            }
            if let Some(record) = node.records.get(i) {
                if !nodes.last.is_empty() && !ascending(kind, storage.widths(), &nodes.last, record) {
                    self.note(Corrupt::new(s, "records", at, Fault::Order));
                }
                nodes.last.clear();
                nodes.last.extend_from_slice(record);
                let within = (record.as_ptr() as usize).saturating_sub(run.block().bytes().as_ptr() as usize);
                each(self, Block::new(record, at + within as u64, storage.widths()), kind);
            }
        }
        counted
    }
}

/// Bytes of a node that are in use.
fn used_bytes(tree: &TreeContext, w: Widths, depth: u16, records: u64) -> u64 {
    let geometry = &tree.geometry;
    let pointer = match usize::from(depth).checked_sub(1).and_then(|below| geometry.levels.get(below)) {
        Some(below) => u64::from(w.offsets + geometry.count_width + below.cumulative_width),
        None => return Node::OVERHEAD + records * geometry.record_size as u64,
    };
    Node::OVERHEAD + records * geometry.record_size as u64 + (records + 1) * pointer
}

/// Bytes of a record, where its type says.
fn record_size(kind: RecordType, w: Widths, chunks: Option<(usize, Option<u8>)>) -> Option<usize> {
    let (o, l) = (usize::from(w.offsets), usize::from(w.lengths));
    Some(match kind {
        RecordType::HUGE_INDIRECT => o + 2 * l,
        RecordType::HUGE_INDIRECT_FILTERED => o + 3 * l + 4,
        RecordType::HUGE_DIRECT => o + l,
        RecordType::HUGE_DIRECT_FILTERED => o + 2 * l + 4,
        RecordType::LINK_NAME => 11,
        RecordType::LINK_ORDER => 15,
        RecordType::SHARED_MESSAGE => crate::format::btree_v2::shared_record_size(w),
        RecordType::ATTRIBUTE_NAME => 17,
        RecordType::ATTRIBUTE_ORDER => 13,
        RecordType::CHUNK | RecordType::CHUNK_FILTERED => {
            let (rank, size_width) = chunks?;
            o + size_width.map_or(0, |width| usize::from(width) + 4) + 8 * rank
        }
        _ => return None,
    })
}

/// True where a record may stand before another: names of one hash are told apart elsewhere.
fn ascending(kind: RecordType, w: Widths, before: &[u8], after: &[u8]) -> bool {
    let number = |bytes: &[u8]| bytes.iter().rev().fold(0u64, |n, byte| n << 8 | u64::from(*byte));
    let compare = |from: usize, width: usize| {
        let field = |record: &[u8]| record.get(from..from + width).map(number);
        field(before).cmp(&field(after))
    };
    let (o, l) = (usize::from(w.offsets), usize::from(w.lengths));
    match kind {
        RecordType::HUGE_INDIRECT | RecordType::HUGE_INDIRECT_FILTERED => {
            compare(before.len().saturating_sub(l), l.min(8)) == Ordering::Less
        }
        RecordType::HUGE_DIRECT | RecordType::HUGE_DIRECT_FILTERED => compare(0, o.min(8)) == Ordering::Less,
        RecordType::LINK_NAME => compare(0, 4) != Ordering::Greater,
        RecordType::LINK_ORDER => compare(0, 8) == Ordering::Less,
        RecordType::SHARED_MESSAGE => compare(1, 4) != Ordering::Greater,
        RecordType::ATTRIBUTE_NAME => compare(13, 4) != Ordering::Greater,
        RecordType::ATTRIBUTE_ORDER => compare(9, 4) == Ordering::Less,
        _ => true,
    }
}

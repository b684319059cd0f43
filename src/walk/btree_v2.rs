//! Version 2 B-trees: all records, or those of a range.

use std::cmp::Ordering;
use std::sync::Arc;

use super::{Storage, Visited, each};
use crate::bytes::{Addr, Block};
use crate::error::{Corrupt, Fault, Result, Structure};
use crate::format::btree_v2::{BTreeV2, Child, Geometry, Node, RecordType};

/// A tree, opened.
#[derive(Debug)]
pub(crate) struct Tree {
    pub(crate) address: Addr,
    pub(crate) header: BTreeV2,
    pub(crate) geometry: Geometry,
}

/// A node that is kept for the next search.
#[derive(Debug)]
struct KeptNode {
    depth: u16,
    record_type: RecordType,
    records: Vec<u8>,
    children: Vec<Child>,
}

/// Nodes that a search among records in order goes through at most.
const MOST_NODES: u32 = 256;

/// Records in the tree's order, one after the other.
#[derive(Debug)]
pub(crate) struct Records {
    bytes: Vec<u8>,
    size: usize,
    /// Position of the tree, for errors in records.
    at: u64,
    widths: crate::bytes::Widths,
}

impl Records {
    /// Bytes that they have in the file.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes.len() as u64
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = Block<'_>> {
        self.bytes.chunks_exact(self.size).map(|record| Block::new(record, self.at, self.widths))
    }
}

impl Tree {
    /// Opens the tree at an address, whose records must be of one of these types.
    pub(crate) fn open(storage: &Storage, address: Addr, types: &[RecordType]) -> Result<Self> {
        const S: Structure = Structure::BTreeV2Header;
        let run = storage.read(address, BTreeV2::size(storage.widths()) as u64, S)?;
        let header = BTreeV2::decode(run.block())?;
        if !types.contains(&header.record_type) {
            let fault = Fault::Value(header.record_type.0.into());
            return Err(Corrupt::new(S, "type", run.block().at(), fault).into());
        }
        if u32::from(header.depth) > storage.limits().tree_depth {
            let allowed = storage.limits().tree_depth.into();
            return Err(crate::Error::limit("tree_depth", header.depth.into(), allowed));
        }
        let geometry = Geometry::new(&header, storage.widths(), run.block().at())?;
        Ok(Self { address, header, geometry })
    }

    /// The tree at an address, from the memo where it is there.
    pub(crate) fn kept(storage: &Storage, address: Addr, types: &[RecordType]) -> Result<Arc<Self>> {
        let open = || Ok((Self::open(storage, address, types)?, size_of::<Self>() as u64));
        let tree = storage.memo(address, Structure::BTreeV2Header, open)?;
        if types.contains(&tree.header.record_type) {
            Ok(tree)
        } else {
            Self::open(storage, address, types).map(Arc::new)
        }
    }

    /// The records that `place` finds equal, as [`range`](Self::range) finds them, in a tree whose records are in order:
    /// nodes are searched, and kept for the next search. `None` where too many nodes would have to be.
    pub(crate) fn search(&self, storage: &Storage, place: &dyn Fn(&[u8]) -> Ordering) -> Result<Option<Records>> {
        let mut records = self.no_records(storage);
        let root = self.root();
        let mut left = MOST_NODES;
        let whole = root.records == 0
            || self.search_node(storage, root, self.header.depth, place, &mut left, &mut records.bytes)?;
        Ok(whole.then_some(records))
    }

    /// True where all of the node was searched.
    fn search_node(
        &self,
        storage: &Storage,
        child: Child,
        depth: u16,
        place: &dyn Fn(&[u8]) -> Ordering,
        left: &mut u32,
        found: &mut Vec<u8>,
    ) -> Result<bool> {
        let Some((address, rest)) = child.address.zip(left.checked_sub(1)) else { return Ok(false) };
        *left = rest;
        let size = self.geometry.record_size;
        let node = storage.memo(address, Node::structure(depth), || {
            let node = self.with_node(storage, child, depth, |node, _| {
                Ok(KeptNode {
                    depth,
                    record_type: node.record_type,
                    records: node.records.concat(),
                    children: node.children.clone(),
                })
            })?;
            let bytes = node.records.len() + node.children.len() * size_of::<Child>();
            Ok((node, bytes as u64))
        })?;
        let n = node.records.len() / size;
        if (node.depth, node.record_type, n as u64) != (depth, self.header.record_type, child.records) {
            return Ok(false);
        }
        let record = |i: usize| &node.records[i * size..(i + 1) * size];
        let (mut low, mut high) = (0, n);
        while low < high {
            let middle = (low + high) / 2;
            if place(record(middle)) == Ordering::Less { low = middle + 1 } else { high = middle }
        }
        // Between the children beside them stand the records that are equal.
        for i in low..=n {
            if let Some(child) = node.children.get(i)
                && child.records > 0
                && !self.search_node(storage, *child, depth - 1, place, left, found)?
            {
                return Ok(false);
            }
            if i == n || place(record(i)) != Ordering::Equal {
                break;
            }
            found.extend_from_slice(record(i));
        }
        Ok(true)
    }

    fn no_records(&self, storage: &Storage) -> Records {
        Records {
            bytes: Vec::new(),
            size: self.geometry.record_size,
            at: storage.position(self.address),
            widths: storage.widths(),
        }
    }

    fn root(&self) -> Child {
        Child { address: self.header.root, records: self.header.root_records.into(), total: None }
    }

    /// All records.
    pub(crate) fn all(&self, storage: &Storage) -> Result<Records> {
        self.range(storage, &|_| Ordering::Equal)
    }

    /// The records that `place` finds equal: it says whether a record comes before, in, or after the range
    /// asked for. Only the nodes that can hold such records are read.
    pub(crate) fn range(&self, storage: &Storage, place: &dyn Fn(&[u8]) -> Ordering) -> Result<Records> {
        let mut records = self.no_records(storage);
        let root = self.root();
        let mut visited = Visited::new(Structure::BTreeV2Internal, ("index_nodes", storage.limits().index_nodes));
        if root.records > 0 {
            self.descend(storage, root, self.header.depth, place, &mut visited, &mut records.bytes)?;
        }
        Ok(records)
    }

    /// The record that `place` finds equal, of a tree without two of them: nodes beside the way to it are not read. Where the
    /// records are not in order it may not be found.
    pub(crate) fn only(&self, storage: &Storage, place: &dyn Fn(&[u8]) -> Ordering) -> Result<Option<Records>> {
        let (mut child, mut depth) = (self.root(), self.header.depth);
        while child.records > 0 {
            let mut found = self.no_records(storage);
            let next = self.with_node(storage, child, depth, |node, _| {
                let i = node.records.partition_point(|record| place(record) == Ordering::Less);
                let equal = node.records.get(i).filter(|record| place(record) == Ordering::Equal);
                found.bytes.extend_from_slice(equal.copied().unwrap_or_default());
                Ok(node.children.get(i).copied())
            })?;
            if !found.bytes.is_empty() {
                return Ok(Some(found));
            }
            let Some(next) = next else { break };
            (child, depth) = (next, depth.saturating_sub(1));
        }
        Ok(None)
    }

    /// Reads and decodes one node; `use_node` gets it.
    pub(crate) fn with_node<T>(
        &self,
        storage: &Storage,
        child: Child,
        depth: u16,
        use_node: impl FnOnce(&Node<'_>, Block<'_>) -> Result<T>,
    ) -> Result<T> {
        let s = Node::structure(depth);
        let Some(address) = child.address else {
            let at = storage.position(self.address);
            return Err(Corrupt::new(s, "address", at, Fault::Undefined).into());
        };
        let run = storage.read_up_to(address, self.header.node_size.into(), s)?;
        let node = Node::decode(run.block(), self.header.record_type, &self.geometry, depth, child.records)?;
        use_node(&node, run.block())
    }

    fn descend(
        &self,
        storage: &Storage,
        child: Child,
        depth: u16,
        place: &dyn Fn(&[u8]) -> Ordering,
        visited: &mut Visited,
        found: &mut Vec<u8>,
    ) -> Result<()> {
        if let Some(address) = child.address {
            visited.enter(storage, address)?;
        }
        self.with_node(storage, child, depth, |node, block| {
            if let Some(address) = child.address {
                visited.read(
                    storage,
                    address,
                    block.bytes().len().min(node.records.len() * self.geometry.record_size),
                )?;
            }
            let places: Vec<Ordering> = node.records.iter().map(|record| place(record)).collect();
            each(0..=node.records.len(), |i| {
                if let Some(child) = node.children.get(i) {
                    // A child holds what lies between the records beside it.
                    let after = i == 0 || places[i - 1] != Ordering::Greater;
                    let before = i == places.len() || places[i] != Ordering::Less;
                    if after && before && child.records > 0 {
                        self.descend(storage, *child, depth - 1, place, visited, found)?;
                    }
                }
                if places.get(i) == Some(&Ordering::Equal) {
                    found.extend_from_slice(node.records[i]);
                }
                Ok(())
            })
        })
    }
}

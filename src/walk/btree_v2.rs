//! Version 2 B-trees: all records, or those of a range.

use std::cmp::Ordering;

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

    /// All records.
    pub(crate) fn all(&self, storage: &Storage) -> Result<Records> {
        self.range(storage, &|_| Ordering::Equal)
    }

    /// The records that `place` finds equal: it says whether a record comes before, in, or after the range
    /// asked for. Only the nodes that can hold such records are read.
    pub(crate) fn range(&self, storage: &Storage, place: &dyn Fn(&[u8]) -> Ordering) -> Result<Records> {
        let mut records = Records {
            bytes: Vec::new(),
            size: self.geometry.record_size,
            at: storage.position(self.address),
            widths: storage.widths(),
        };
        let root = Child { address: self.header.root, records: self.header.root_records.into(), total: None };
        let mut visited = Visited::new(Structure::BTreeV2Internal, ("index_nodes", storage.limits().index_nodes));
        if root.records > 0 {
            self.descend(storage, root, self.header.depth, place, &mut visited, &mut records.bytes)?;
        }
        Ok(records)
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
        self.with_node(storage, child, depth, |node, _| {
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

//! Chunks in a version 1 B-tree. Its nodes have no checksum, and a search that goes by wrong keys takes for never written what
//! is there: what cannot be true of a node is looked for, and is an error.

use std::cell::Cell;

use super::{ChunkBox, ChunkEntry, ChunkGrid, StoredChunks, inside};
use crate::bytes::{Addr, Block};
use crate::error::{Corrupt, Fault, Result, Structure};
use crate::format::btree_v1::{ChunkKey, Keys, Node};
use crate::order::sort_by;
use crate::walk::Storage;
use crate::walk::btree_v1::Tree;

const S: Structure = Structure::BTreeV1;

/// What a node of chunks begins with.
const HEAD: &[u8] = b"TREE\x01";

impl ChunkGrid {
    pub(super) fn btree_v1(
        &self,
        storage: &Storage,
        root: Addr,
        wanted: &ChunkBox,
        found: &mut StoredChunks,
    ) -> Result<()> {
        let rank = self.layout.rank();
        let decode = |block: Block<'_>| {
            let node = decode_used(block, rank)?;
            match self.doubt(storage, &node) {
                Some((field, fault)) => Err(block.corrupt(S, field, fault)),
                None => Ok(node),
            }
        };
        let is_ours = |node: &Node<ChunkKey>| node.keys.iter().all(|key| key.offsets.len() == rank + 1);
        let lone_leaf = Cell::new(false);
        let ends = |node: &Node<ChunkKey>, beside: Option<[&ChunkKey; 2]>| {
            lone_leaf.set(node.level == 0 && beside.is_none());
            self.wrong_ends(node, beside)
        };
        let (keys, k) = (Keys::Chunk { rank }, storage.k().chunk);
        let tree = Tree { keys, decode: &decode, k, kept: Some(&is_ours), ends: Some(&ends) };
        let corners = self.corners(wanted);
        let between = |left: &ChunkKey, right: &ChunkKey| Ok(is_between(&left.offsets, &right.offsets, &corners));
        tree.leaves(storage, root, &between, &mut |leaf| {
            if let Some(offset) = self.misplaced(leaf.left) {
                // The node was read for another dataset, which has other chunks.
                let fault = Fault::Value(offset);
                return Err(Corrupt::new(S, "chunk offset", storage.position(root), fault).into());
            }
            self.push_key(storage, (leaf.left, leaf.child), wanted, found)
        })?;
        if lone_leaf.get() && !found.covers(wanted) {
            self.leads_to_chunks(storage, root, found)?;
        }
        Ok(())
    }

    /// Notes the chunk of a record, where it is in a box.
    ///
    /// # Errors
    /// Of more chunks than the file has room for.
    pub(super) fn push_key(
        &self,
        storage: &Storage,
        (key, address): (&ChunkKey, Addr),
        wanted: &ChunkBox,
        found: &mut StoredChunks,
    ) -> Result<()> {
        let scaled: Vec<u64> = key.offsets.iter().zip(self.layout.chunk()).map(|(offset, n)| offset / n).collect();
        if inside(&scaled, wanted) {
            let entry = ChunkEntry { address, size: key.size.into(), mask: key.filter_mask };
            found.push(storage, &scaled, entry)?;
        }
        Ok(())
    }

    /// Holds that a root without a node below it is a leaf: one that only says so leads to nodes, and with it most chunks
    /// would be missing.
    fn leads_to_chunks(&self, storage: &Storage, root: Addr, found: &StoredChunks) -> Result<()> {
        let Some((_, first)) = found.iter().next() else { return Ok(()) };
        if is_chunk_node(storage, first.address)? {
            return Err(Corrupt::new(S, "node level", storage.position(root), Fault::Value(0)).into());
        }
        Ok(())
    }

    /// The coordinates of the first and the last chunk of a box.
    pub(super) fn corners(&self, wanted: &ChunkBox) -> [Vec<u64>; 2] {
        let corner = |pick: fn(&std::ops::Range<u64>) -> u64| {
            wanted.iter().zip(self.layout.chunk()).map(|(range, chunk)| pick(range).saturating_mul(*chunk)).collect()
        };
        [corner(|range| range.start), corner(|range| range.end - 1)]
    }

    /// A coordinate of a key at which no chunk begins.
    pub(crate) fn misplaced(&self, key: &ChunkKey) -> Option<u64> {
        let (offsets, in_element) = key.offsets.split_at(self.layout.rank());
        let mut off = offsets.iter().zip(self.layout.chunk()).filter(|(offset, chunk)| *offset % *chunk != 0);
        off.next().map(|(offset, _)| offset).or(in_element.iter().find(|n| **n != 0)).copied()
    }

    /// What cannot be true of a node by itself.
    pub(super) fn doubt(&self, storage: &Storage, node: &Node<ChunkKey>) -> Option<(&'static str, Fault)> {
        if node.keys.windows(2).any(|keys| keys[0].offsets >= keys[1].offsets) {
            return Some(("key", Fault::Order));
        }
        if let Some(offset) = node.keys.iter().zip(&node.children).find_map(|(key, _)| self.misplaced(key)) {
            return Some(("chunk offset", Fault::Value(offset)));
        }
        if node.level > 0 {
            return None;
        }
        let (first, _) = overlaps(node).next()?;
        let at = storage.position(node.children[first]?);
        Some(("child pointer", Fault::Overlap { other: Structure::Chunk, at }))
    }

    /// What is wrong with the first and the last key of a node, given the keys that its parent has beside it.
    pub(crate) fn wrong_ends(&self, node: &Node<ChunkKey>, beside: Option<[&ChunkKey; 2]>) -> Option<Fault> {
        self.wrong_ends_in(node, beside.map(|keys| keys.map(|key| &key.offsets[..])))
    }

    /// The same, given the coordinates of these keys. They are those of the node, and the last one of all is not that of a
    /// chunk of the dataset: where a node says that it has fewer children than it has, it is.
    pub(super) fn wrong_ends_in(&self, node: &Node<ChunkKey>, beside: Option<[&[u64]; 2]>) -> Option<Fault> {
        let ends = node.keys.first().zip(node.keys.last());
        let Some(beside) = beside else {
            let (_, last) = ends?;
            let inside = last.offsets.iter().zip(&self.dims).all(|(offset, dim)| offset < dim);
            let chunk = inside && last.size > 0 && last.offsets.last() == Some(&0);
            return chunk.then_some(Fault::Mismatch { found: last.size.into(), expected: 0 });
        };
        let Some((first, last)) = ends else { return Some(Fault::Absent) };
        let pairs = [first, last].into_iter().zip(beside).flat_map(|(key, beside)| key.offsets.iter().zip(beside));
        let different = { pairs }.find(|(found, expected)| found != expected);
        different.map(|(found, expected)| Fault::Mismatch { found: *found, expected: *expected })
    }
}

/// True where a child with these keys beside it can hold chunks of a box with these corners. Keys are coordinates of elements,
/// in row-major order; a child holds the chunks from its left key on, up to and without its right one. No coordinates come
/// before all others. That after the last
/// chunk may differ from it by the coordinate in the element alone, which chunks have as 0.
pub(super) fn is_between(left: &[u64], right: &[u64], [low, high]: &[Vec<u64>; 2]) -> bool {
    let (right, in_element) = right.split_at(low.len());
    let left = &left[..left.len().min(low.len())];
    *left <= high[..] && (right, in_element) > (&low[..], &[0][..])
}

/// A node, unless it says that it is empty and is not: a writer that takes the last chunk away clears its record.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn decode_used(block: Block<'_>, rank: usize) -> Result<Node<ChunkKey>, Corrupt> {
    let node = Node::<ChunkKey>::decode(block, rank)?;
    let widths = block.widths();
    let first = Node::<ChunkKey>::head(widths)..Keys::Chunk { rank }.used(1, widths);
    let empty =
        node.children.is_empty() && block.bytes().get(first).is_some_and(|record| record.iter().any(|b| *b != 0));
    if empty { Err(block.corrupt(S, "entries used", Fault::Value(0))) } else { Ok(node) }
}

/// True where a node of chunks begins at an address.
///
/// # Errors
/// What the source lacks.
pub(crate) fn is_chunk_node(storage: &Storage, address: Addr) -> Result<bool> {
    match storage.read_raw(address, HEAD.len() as u64, S) {
        Ok(bytes) => Ok(*bytes == *HEAD),
        Err(e) if e.is_missing() => Err(e),
        // What stands there is told where it is read.
        Err(_) => Ok(false),
    }
}

/// Chunks of a leaf that have bytes in common, in pairs, by their numbers: each with one that reaches into it.
pub(super) fn overlaps(node: &Node<ChunkKey>) -> impl Iterator<Item = (usize, usize)> + use<> {
    let chunks = node.keys.iter().zip(&node.children).enumerate();
    let stretch = |(i, (key, child)): (usize, (&ChunkKey, &Option<Addr>))| {
        child.filter(|_| key.size > 0).map(|child| (child.0, child.0.saturating_add(key.size.into()), i))
    };
    let mut stretches: Vec<(u64, u64, usize)> = chunks.filter_map(stretch).collect();
    sort_by(&mut stretches, Ord::cmp);
    let mut furthest = (0, 0);
    stretches.into_iter().filter_map(move |(start, end, i)| {
        let overlap = (start < furthest.0).then_some((furthest.1, i));
        furthest = furthest.max((end, i));
        overlap
    })
}

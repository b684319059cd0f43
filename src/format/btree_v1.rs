//! Version 1 B-tree nodes (III.A.1): the index of old-style groups and of old chunked datasets.

use crate::bytes::parse::{Parsed, addr, counted, fail, field, length, signature, u8, u16, u32, u64};
use crate::bytes::{Addr, Block, Emit, Widths};
use crate::error::{Corrupt, Fault, Structure};

/// What a tree's keys are, and so how long they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keys {
    /// Node type 0: names, as offsets in a local heap.
    Group,
    /// Node type 1: chunks of a dataset with this rank (without the element size's dimension).
    Chunk {
        /// Rank of the dataset.
        rank: usize,
    },
}

impl Keys {
    fn node_type(self) -> u8 {
        match self {
            Self::Group => 0,
            Self::Chunk { .. } => 1,
        }
    }

    /// Bytes of a key.
    #[must_use]
    pub fn size(self, widths: Widths) -> usize {
        match self {
            Self::Group => widths.lengths.into(),
            Self::Chunk { rank } => 8 + 8 * (rank + 1),
        }
    }

    /// Bytes of a node with room for `2 * k` children.
    #[must_use]
    pub fn node_size(self, k: u16, widths: Widths) -> usize {
        self.used(2 * usize::from(k), widths)
    }

    /// Bytes of a node that are in use where it has so many children.
    #[must_use]
    pub fn used(self, children: usize, widths: Widths) -> usize {
        Node::<()>::head(widths) + children * usize::from(widths.offsets) + (children + 1) * self.size(widths)
    }
}

/// A chunk as a key of the tree describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChunkKey {
    /// Bytes of the chunk in the file.
    pub size: u32,
    /// Filters that were not applied to it, by bits.
    pub filter_mask: u32,
    /// Coordinates of its first element, and one more number that is zero.
    pub offsets: Vec<u64>,
}

/// A node with keys of one kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node<K> {
    /// 0 for a leaf.
    pub level: u8,
    /// The node before this one on its level.
    pub left: Option<Addr>,
    /// The node after this one on its level.
    pub right: Option<Addr>,
    /// One key more than there are children; empty where there is no child.
    pub keys: Vec<K>,
    /// Symbol table nodes, chunks, or nodes of the level below.
    pub children: Vec<Option<Addr>>,
}

impl<K> Node<K> {
    /// Bytes before the first key.
    #[must_use]
    pub fn head(widths: Widths) -> usize {
        8 + 2 * usize::from(widths.offsets)
    }
}

impl Node<u64> {
    /// Decodes a node of a group's tree.
    ///
    /// # Errors
    /// Another signature or node type, or more entries than bytes.
    pub fn decode(block: Block<'_>) -> Result<Self, Corrupt> {
        decode(block, Keys::Group, length(block.widths()))
    }

    /// Encodes the part of the node that is in use.
    pub fn encode(&self, to: &mut Emit) {
        encode(self, Keys::Group, to, |key, to| to.length(*key));
    }
}

impl Node<ChunkKey> {
    /// Decodes a node of a dataset's tree.
    ///
    /// # Errors
    /// Another signature or node type, or more entries than bytes.
    pub fn decode(block: Block<'_>, rank: usize) -> Result<Self, Corrupt> {
        decode(block, Keys::Chunk { rank }, move |i| {
            let (i, size) = field("chunk size", u32)(i)?;
            let (i, filter_mask) = field("filter mask", u32)(i)?;
            let (i, offsets) = field("chunk offset", counted(rank as u64 + 1, 8, u64))(i)?;
            Ok((i, ChunkKey { size, filter_mask, offsets }))
        })
    }

    /// Encodes the part of the node that is in use.
    pub fn encode(&self, to: &mut Emit) {
        encode(self, Keys::Chunk { rank: 0 }, to, |key, to| {
            to.u32(key.size);
            to.u32(key.filter_mask);
            key.offsets.iter().for_each(|n| to.u64(*n));
        });
    }
}

fn decode<'a, K>(
    block: Block<'a>,
    keys: Keys,
    mut key: impl FnMut(&'a [u8]) -> Parsed<'a, K>,
) -> Result<Node<K>, Corrupt> {
    let w = block.widths();
    block.run(Structure::BTreeV1, move |i| {
        let (i, ()) = field("signature", signature(b"TREE"))(i)?;
        let (after, node_type) = field("node type", u8)(i)?;
        if node_type != keys.node_type() {
            return field("node type", |i| fail(i, Fault::Value(node_type.into())))(i);
        }
        let (i, level) = field("node level", u8)(after)?;
        let (i, n) = field("entries used", u16)(i)?;
        let (i, left) = field("address of left sibling", addr(w))(i)?;
        let (mut i, right) = field("address of right sibling", addr(w))(i)?;
        let mut node = Node { level, left, right, keys: Vec::new(), children: Vec::new() };
        let needed = (keys.size(w) + usize::from(w.offsets)) * usize::from(n);
        if needed > i.len() {
            return field("entries used", |i: &'a [u8]| {
                fail(i, Fault::Truncated { needed: (needed - i.len()) as u64 })
            })(i);
        }
        for _ in 0..n {
            let (after, k) = field("key", &mut key)(i)?;
            let (after, child) = field("child pointer", addr(w))(after)?;
            node.keys.push(k);
            node.children.push(child);
            i = after;
        }
        if n > 0 {
            let (after, last) = field("key", key)(i)?;
            node.keys.push(last);
            i = after;
        }
        Ok((i, node))
    })
}

fn encode<K>(node: &Node<K>, keys: Keys, to: &mut Emit, mut key: impl FnMut(&K, &mut Emit)) {
    to.bytes(b"TREE");
    to.u8(keys.node_type());
    to.u8(node.level);
    to.u16(node.children.len() as u16);
    to.addr(node.left);
    to.addr(node.right);
    let mut keys = node.keys.iter();
    for child in &node.children {
        keys.next().into_iter().for_each(|k| key(k, to));
        to.addr(*child);
    }
    keys.for_each(|k| key(k, to));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::testing::both_ways;

    #[test]
    fn a_group_node() {
        #[rustfmt::skip]
        let bytes = [
            b'T', b'R', b'E', b'E', 0, 1, 2, 0,        // signature, type, level, entries used
            0xff, 0xff, 0xff, 0xff, 0x40, 0, 0, 0,     // siblings
            0, 0, 0, 0,  0x10, 0, 0, 0,                // key, child
            8, 0, 0, 0,  0x20, 0, 0, 0,                // key, child
            24, 0, 0, 0,                               // last key
        ];
        let node = both_ways(&bytes, 4, Node::<u64>::decode, Node::<u64>::encode);
        assert_eq!((node.level, node.left, node.right), (1, None, Some(Addr(0x40))));
        assert_eq!((node.keys, node.children), (vec![0, 8, 24], vec![Some(Addr(0x10)), Some(Addr(0x20))]));
    }

    #[test]
    fn a_chunk_node() {
        #[rustfmt::skip]
        let bytes = [
            b'T', b'R', b'E', b'E', 1, 0, 1, 0,
            0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
            80, 0, 0, 0, 1, 0, 0, 0,  20, 0, 0, 0, 0, 0, 0, 0,  0, 0, 0, 0, 0, 0, 0, 0,
            0, 2, 0, 0,                                // child
            0, 0, 0, 0, 0, 0, 0, 0,   30, 0, 0, 0, 0, 0, 0, 0,  0, 0, 0, 0, 0, 0, 0, 0,
        ];
        let node = both_ways(&bytes, 4, |b| Node::<ChunkKey>::decode(b, 1), Node::<ChunkKey>::encode);
        assert_eq!(node.keys[0], ChunkKey { size: 80, filter_mask: 1, offsets: vec![20, 0] });
        assert_eq!(node.children, [Some(Addr(0x200))]);
    }
}

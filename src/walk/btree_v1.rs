//! Version 1 B-trees: the nodes under a root.

use std::sync::Arc;

use super::{Storage, Visited, each};
use crate::bytes::{Addr, Block};
use crate::error::{Corrupt, Error, Fault, Result, Structure};
use crate::format::btree_v1::{Keys, Node};

/// Tells whether a node that is kept is one of a tree.
type IsOurs<'t, K> = &'t dyn Fn(&Node<K>) -> bool;

/// Tells what is wrong with the first and the last key of a node, given those that its parent has beside it. The root has
/// no parent.
type Ends<'t, K> = &'t dyn Fn(&Node<K>, Option<[&K; 2]>) -> Option<Fault>;

/// How the nodes of one tree are read.
pub(crate) struct Tree<'t, K> {
    pub(crate) keys: Keys,
    pub(crate) decode: &'t dyn Fn(Block<'_>) -> Result<Node<K>, Corrupt>,
    /// Half the room of a node.
    pub(crate) k: u16,
    /// Whether nodes are kept for the next walk, given one that stands where a node of this tree does: one of another tree
    /// may be kept there.
    pub(crate) kept: Option<IsOurs<'t, K>>,
    /// Asked of each node, in walks that must not pass over anything.
    pub(crate) ends: Option<Ends<'t, K>>,
}

/// A child of a leaf and the keys beside it.
#[derive(Debug)]
pub(crate) struct Leaf<'n, K> {
    pub(crate) left: &'n K,
    pub(crate) right: &'n K,
    pub(crate) child: Addr,
}

impl<K: Send + Sync + 'static> Tree<'_, K> {
    /// Calls `visit` with the children of all leaves for which `wanted` holds, in order. `wanted` is asked
    /// about inner children too, with the keys beside them.
    pub(crate) fn leaves(
        &self,
        storage: &Storage,
        root: Addr,
        wanted: &dyn Fn(&K, &K) -> Result<bool>,
        visit: &mut dyn FnMut(Leaf<'_, K>) -> Result<()>,
    ) -> Result<()> {
        let mut visited = Visited::new(Structure::BTreeV1, ("index_nodes", storage.limits().index_nodes));
        self.descend(storage, (root, None), None, wanted, visit, &mut visited)
    }

    /// Reads one node, `expected_level` levels above the leaves where that is known.
    pub(crate) fn node(&self, storage: &Storage, address: Addr, expected_level: Option<u8>) -> Result<Node<K>> {
        const S: Structure = Structure::BTreeV1;
        let size = self.keys.node_size(self.k, storage.widths()) as u64;
        let run = storage.read_up_to(address, size, S)?;
        let node = match (self.decode)(run.block()) {
            // A node with more entries than the K of the file allows is read all the same, if it is there.
            Err(fault) if matches!(fault.fault(), Fault::Truncated { .. }) => {
                let largest = self.keys.node_size(u16::MAX / 2, storage.widths()) as u64;
                (self.decode)(storage.read_up_to(address, largest, S)?.block())?
            }
            decoded => decoded?,
        };
        if let Some(expected) = expected_level.filter(|expected| *expected != node.level) {
            let fault = Fault::Mismatch { found: node.level.into(), expected: expected.into() };
            return Err(run.block().corrupt(S, "node level", fault).into());
        }
        if u32::from(node.level) > storage.limits().tree_depth {
            let allowed = storage.limits().tree_depth.into();
            return Err(Error::limit("tree_depth", node.level.into(), allowed));
        }
        Ok(node)
    }

    /// A node, from the memo where it is there.
    fn kept_node(&self, storage: &Storage, address: Addr, expected_level: Option<u8>) -> Result<Arc<Node<K>>> {
        let read = || self.node(storage, address, expected_level);
        let Some(is_ours) = self.kept else { return read().map(Arc::new) };
        let node = storage.memo(address, Structure::BTreeV1, || {
            let node = read()?;
            let bytes =
                node.children.len() * (self.keys.size(storage.widths()) + size_of::<K>() + size_of::<Option<Addr>>());
            Ok((node, bytes as u64))
        })?;
        let as_expected = expected_level.is_none_or(|level| level == node.level);
        if as_expected && is_ours(&node) { Ok(node) } else { read().map(Arc::new) }
    }

    fn descend(
        &self,
        storage: &Storage,
        (address, level): (Addr, Option<u8>),
        beside: Option<[&K; 2]>,
        wanted: &dyn Fn(&K, &K) -> Result<bool>,
        visit: &mut dyn FnMut(Leaf<'_, K>) -> Result<()>,
        visited: &mut Visited,
    ) -> Result<()> {
        visited.enter(storage, address)?;
        let node = self.kept_node(storage, address, level)?;
        if let Some(fault) = self.ends.and_then(|ends| ends(&node, beside)) {
            return Err(Corrupt::new(Structure::BTreeV1, "key", storage.position(address), fault).into());
        }
        visited.read(storage, address, self.keys.used(node.children.len(), storage.widths()))?;
        each(node.children.iter().zip(node.keys.windows(2)), |(child, keys)| {
            let [left, right] = [&keys[0], &keys[1]];
            if !wanted(left, right)? {
                return Ok(());
            }
            let Some(child) = *child else {
                let at = storage.position(address);
                return Err(Corrupt::new(Structure::BTreeV1, "child pointer", at, Fault::Undefined).into());
            };
            match node.level {
                0 => visit(Leaf { left, right, child }),
                level => self.descend(storage, (child, Some(level - 1)), Some([left, right]), wanted, visit, visited),
            }
        })
    }
}

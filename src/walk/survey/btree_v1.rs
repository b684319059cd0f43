//! Version 1 B-trees, node by node.

use super::{Context, Pass};
use crate::bytes::Addr;
use crate::error::{Corrupt, Fault, Structure};
use crate::format::btree_v1::Node;
use crate::walk::btree_v1::{Leaf, Tree};

const S: Structure = Structure::BTreeV1;

/// What a walk over one tree needs at every node.
pub(super) struct Nodes<'t, K> {
    pub(super) tree: Tree<'t, K>,
    pub(super) context: Context,
    /// True where a key may come before another.
    pub(super) ascending: &'t dyn Fn(&K, &K) -> bool,
    /// By level: the node visited last, and what it says is to its right.
    last: Vec<Option<(Addr, Option<Addr>)>>,
    /// Some node could not be read: what is beside it has no neighbour to be held against.
    torn: bool,
}

impl<'t, K> Nodes<'t, K> {
    pub(super) fn new(tree: Tree<'t, K>, context: Context, ascending: &'t dyn Fn(&K, &K) -> bool) -> Self {
        Self { tree, context, ascending, last: Vec::new(), torn: false }
    }
}

/// Called with the children of leaves and the position of the leaf.
pub(super) type OnLeaf<'v, 'f, K> = dyn FnMut(&mut Pass<'f>, u64, Leaf<'_, K>) + 'v;

impl<'f> Pass<'f> {
    /// Visits the nodes under `root` and calls `leaf` with the children of all leaves, in order.
    pub(super) fn btree_v1<K: Send + Sync + 'static>(
        &mut self,
        mut nodes: Nodes<'_, K>,
        root: Addr,
        leaf: &mut OnLeaf<'_, 'f, K>,
    ) {
        self.begin_index();
        self.node_v1(&mut nodes, root, None, None, leaf);
        if nodes.torn {
            return;
        }
        for (address, right) in nodes.last.iter().flatten() {
            if let Some(right) = right {
                let fault = Fault::Value(right.0);
                self.note(Corrupt::new(S, "address of right sibling", self.storage.position(*address), fault));
            }
        }
    }

    fn node_v1<K: Send + Sync + 'static>(
        &mut self,
        nodes: &mut Nodes<'_, K>,
        address: Addr,
        level: Option<u8>,
        beside: Option<[&K; 2]>,
        leaf: &mut OnLeaf<'_, 'f, K>,
    ) -> Option<()> {
        if !self.enter(S, address) {
            return None;
        }
        let (storage, keys, k) = (self.storage, nodes.tree.keys, nodes.tree.k);
        let node = self.check(nodes.tree.node(storage, address, level))?;
        let w = storage.widths();
        let used = Node::<K>::head(w) + node.keys.len() * keys.size(w) + node.children.len() * usize::from(w.offsets);
        self.keep_allocated(S, address, used as u64, keys.node_size(k, w) as u64, nodes.context.clone());
        let at = storage.position(address);
        self.siblings(nodes, address, &node);
        if node.keys.windows(2).any(|keys| !(nodes.ascending)(&keys[0], &keys[1])) {
            self.note(Corrupt::new(S, "key", at, Fault::Order));
        }
        if let Some(fault) = nodes.tree.ends.and_then(|ends| ends(&node, beside)) {
            self.note(Corrupt::new(S, "key", at, fault));
        }
        for (child, keys) in node.children.iter().zip(node.keys.windows(2)) {
            let Some(child) = self.defined(S, "child pointer", at, *child) else { continue };
            match node.level {
                0 => leaf(self, at, Leaf { left: &keys[0], right: &keys[1], child }),
                level => {
                    let read = self.node_v1(nodes, child, Some(level - 1), Some([&keys[0], &keys[1]]), leaf);
                    nodes.torn |= read.is_none();
                }
            }
        }
        Some(())
    }

    /// Holds the siblings of a node against the node visited before it on its level.
    fn siblings<K>(&mut self, nodes: &mut Nodes<'_, K>, address: Addr, node: &Node<K>) {
        let at = self.storage.position(address);
        let level = usize::from(node.level);
        if nodes.torn {
            return;
        }
        if nodes.last.len() <= level {
            nodes.last.resize(level + 1, None);
        }
        let before = nodes.last[level].replace((address, node.right));
        let (left, announced) = match before {
            Some((left, right)) => (Some(left), right == Some(address)),
            None => (None, true),
        };
        if node.left != left {
            self.note(Corrupt::new(
                S,
                "address of left sibling",
                at,
                Fault::Value(node.left.map_or(u64::MAX, |a| a.0)),
            ));
        }
        if !announced {
            let at = before.map_or(at, |(left, _)| self.storage.position(left));
            self.note(Corrupt::new(S, "address of right sibling", at, Fault::Value(address.0)));
        }
    }
}

//! What can be relied on of a damaged version 1 B-tree of chunks.

use super::btree_v1::{decode_used, is_between, is_chunk_node, overlaps};
use super::{ChunkBox, ChunkGrid, StoredChunks, step};
use crate::bytes::{Addr, Block};
use crate::error::{Corrupt, Error, Fault, Result, Structure};
use crate::format::btree_v1::{ChunkKey, Keys, Node};
use crate::order::sort_by;
use crate::walk::btree_v1::Tree;
use crate::walk::{Storage, Visited, each};

const S: Structure = Structure::BTreeV1;

/// From the coordinates of one chunk on, up to those of another that is not part of it, where there is one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Span {
    from: Vec<u64>,
    to: Option<Vec<u64>>,
}

impl Span {
    fn has(&self, key: &[u64]) -> bool {
        *key >= self.from[..] && self.ends_after(key)
    }

    fn ends_after(&self, key: &[u64]) -> bool {
        self.to.as_deref().is_none_or(|to| *key < *to)
    }
}

/// A walk over a damaged tree.
pub(super) struct DamagedTree<'w> {
    grid: &'w ChunkGrid,
    storage: &'w Storage,
    wanted: &'w ChunkBox,
    corners: [Vec<u64>; 2],
    visited: Visited,
    /// Chunks whose records can be relied on.
    pub(super) found: StoredChunks,
    /// Where there may be others, and why.
    unsure: Vec<(Span, Corrupt)>,
}

impl<'w> DamagedTree<'w> {
    /// Goes through all that can be reached below a root.
    ///
    /// # Errors
    /// What is no damage.
    pub(super) fn walk(grid: &'w ChunkGrid, storage: &'w Storage, root: Addr, wanted: &'w ChunkBox) -> Result<Self> {
        let visited = Visited::new(S, ("index_nodes", storage.limits().index_nodes));
        let (corners, found) = (grid.corners(wanted), StoredChunks::of(grid));
        let mut walk = Self { grid, storage, wanted, corners, visited, found, unsure: Vec::new() };
        walk.node(root, None, &Span { from: Vec::new(), to: None })?;
        Ok(walk)
    }

    /// The chunks of the box that may be in the file all the same, and why they are not found.
    pub(super) fn lost(&mut self) -> impl Iterator<Item = (Vec<u64>, Error)> {
        let unsure = united(std::mem::take(&mut self.unsure));
        let seen = self.found.seen(self.wanted);
        let first: Vec<u64> = self.wanted.iter().map(|range| range.start).collect();
        let mut places = seen.into_iter().scan(first, |next, seen| {
            let place = next.clone();
            step(next, self.wanted);
            Some((place, seen))
        });
        let mut spans = unsure.into_iter().peekable();
        std::iter::from_fn(move || {
            for (place, seen) in places.by_ref() {
                let mut key = self.grid.offset(&place);
                key.push(0);
                while spans.next_if(|(span, _)| !span.ends_after(&key)).is_some() {}
                if let Some((_, why)) = spans.peek().filter(|(span, _)| !seen && span.has(&key)) {
                    return Some((place, why.clone().into()));
                }
            }
            None
        })
    }

    /// Takes what can be relied on of a node that holds the chunks of a span.
    fn node(&mut self, address: Addr, level: Option<u8>, span: &Span) -> Result<()> {
        let node = match self.read(address, level) {
            Ok(node) => node,
            Err(e) => return self.doubt(span, e),
        };
        let at = self.storage.position(address);
        if let (None, 0, Some(Some(first))) = (level, node.level, node.children.first())
            && is_chunk_node(self.storage, *first)?
        {
            return self.doubt(span, Corrupt::new(S, "node level", at, Fault::Value(0)).into());
        }
        let beside = level.and(span.to.as_deref()).map(|to| [&span.from[..], to]);
        let begins = span.from.is_empty() || node.keys.first().is_some_and(|key| key.offsets == span.from);
        let ends = || match begins {
            true => self.grid.wrong_ends_in(&node, beside).map(|fault| ("key", fault)),
            false => Some(("key", Fault::Order)),
        };
        let reliable = match self.grid.doubt(self.storage, &node).or_else(ends) {
            None => vec![true; node.children.len()],
            Some((field, fault)) => {
                self.doubt(span, Corrupt::new(S, field, at, fault).into())?;
                self.reliable(&node, span)
            }
        };
        let all = reliable.iter().all(|reliable| *reliable);
        each(0..node.children.len(), |i| {
            if !reliable[i] {
                return Ok(());
            }
            let next = (i + 1..reliable.len()).find(|next| reliable[*next]);
            // The last one has all up to the end, whatever the last key says.
            let to = match next.or((all && i + 1 < reliable.len()).then_some(i + 1)) {
                Some(next) => Some(node.keys[next].offsets.clone()),
                None => span.to.clone(),
            };
            // What comes before the first record can only be under it.
            let from = if i == 0 && node.level > 0 { &span.from } else { &node.keys[i].offsets };
            self.child(&node, i, &Span { from: from.clone(), to }, at)
        })
    }

    fn read(&mut self, address: Addr, level: Option<u8>) -> Result<Node<ChunkKey>> {
        let rank = self.grid.layout.rank();
        let decode = |block: Block<'_>| decode_used(block, rank);
        let (keys, k) = (Keys::Chunk { rank }, self.storage.k().chunk);
        self.visited.enter(self.storage, address)?;
        let tree = Tree { keys, decode: &decode, k, kept: None, ends: None };
        let node = tree.node(self.storage, address, level)?;
        self.visited.read(self.storage, address, keys.used(node.children.len(), self.storage.widths()))?;
        Ok(node)
    }

    fn child(&mut self, node: &Node<ChunkKey>, i: usize, span: &Span, at: u64) -> Result<()> {
        if span.to.as_deref().is_some_and(|to| !is_between(&span.from, to, &self.corners)) {
            return Ok(());
        }
        match (node.children[i], node.level) {
            (None, _) => self.doubt(span, Corrupt::new(S, "child pointer", at, Fault::Undefined).into()),
            (Some(chunk), 0) => self.grid.push_key(self.storage, (&node.keys[i], chunk), self.wanted, &mut self.found),
            (Some(child), level) => self.node(child, Some(level - 1), span),
        }
    }

    /// Notes that nothing is known of a span but what is found.
    fn doubt(&mut self, span: &Span, error: Error) -> Result<()> {
        match error.corrupt() {
            Some(fault) => {
                self.unsure.push((span.clone(), fault.clone()));
                Ok(())
            }
            None => Err(error),
        }
    }

    /// Which records of a node that is damaged can be relied on: those that can be true, and that come after all such
    /// records before them, and before all after them.
    fn reliable(&self, node: &Node<ChunkKey>, span: &Span) -> Vec<bool> {
        let records = node.keys.iter().zip(&node.children);
        let mut reliable: Vec<bool> = records.map(|(key, child)| self.can_be(node.level, key, *child, span)).collect();
        if node.level == 0 {
            overlaps(node).for_each(|(one, other)| [one, other].into_iter().for_each(|i| reliable[i] = false));
        }
        let possible: Vec<usize> = (0..reliable.len()).filter(|i| reliable[*i]).collect();
        let key = |i: usize| &node.keys[i].offsets;
        let mut greatest: Option<&Vec<u64>> = None;
        for i in &possible {
            reliable[*i] &= greatest.is_none_or(|greatest| greatest < key(*i));
            greatest = greatest.max(Some(key(*i)));
        }
        let mut least: Option<&Vec<u64>> = None;
        for i in possible.iter().rev() {
            reliable[*i] &= least.is_none_or(|least| key(*i) < least);
            least = Some(least.map_or(key(*i), |least| least.min(key(*i))));
        }
        reliable
    }

    /// True where nothing says by itself that a record is wrong.
    fn can_be(&self, level: u8, key: &ChunkKey, child: Option<Addr>, span: &Span) -> bool {
        let sized = |child| match level {
            0 => {
                let whole =
                    self.grid.filtered || self.grid.chunk_bytes().is_ok_and(|bytes| bytes == u64::from(key.size));
                whole && self.storage.raw_range(child, key.size.into(), S).is_ok()
            }
            _ => self.storage.raw_range(child, 1, S).is_ok(),
        };
        key.size > 0 && self.grid.misplaced(key).is_none() && span.has(&key.offsets) && child.is_some_and(sized)
    }
}

/// Spans in order, those that meet as one, with what was wrong first.
fn united(mut spans: Vec<(Span, Corrupt)>) -> Vec<(Span, Corrupt)> {
    sort_by(&mut spans, |(a, _), (b, _)| a.from.cmp(&b.from));
    let mut all: Vec<(Span, Corrupt)> = Vec::new();
    for (span, why) in spans {
        match all.last_mut() {
            Some((last, _)) if last.ends_after(&span.from) => {
                let to = last.to.take().zip(span.to).map(|(last, this)| last.max(this));
                last.to = to;
            }
            _ => all.push((span, why)),
        }
    }
    all
}

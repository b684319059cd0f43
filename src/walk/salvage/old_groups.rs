//! Groups of symbol tables whose headers or trees are lost.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use super::objects::{Found, OldGroup, sound};
use super::scan::Marks;
use crate::bytes::{Addr, Text};
use crate::error::Result;
use crate::format::btree_v1::Node;
use crate::format::message::link::Link;
use crate::format::superblock::Form;
use crate::format::symbol_table_entry::SymbolTableEntry;
use crate::format::symbol_table_node::SymbolTableNode;
use crate::walk::group::{all_old, group_tree, held, old_link, symbol_table_node};
use crate::walk::local_heap::Names;
use crate::walk::{Frame, Run, Storage};

/// Heaps that are tried for names.
const NEAREST: usize = 32;

/// What was found of the trees of groups.
struct Parts {
    trees: BTreeMap<Addr, Node<u64>>,
    nodes: BTreeMap<Addr, SymbolTableNode>,
    /// Trees and nodes that belong to a group.
    claimed: BTreeSet<Addr>,
}

/// Puts groups together from what belongs to none.
///
/// # Errors
/// Only what the source lacks.
pub(super) fn rebuild(frame: &Frame, marks: &Marks, found: &mut Found) -> Result<()> {
    let storage = &frame.storage;
    let mut parts = Parts { trees: BTreeMap::new(), nodes: BTreeMap::new(), claimed: BTreeSet::new() };
    for address in frame.addresses(&marks.trees) {
        if let Some(tree) = sound(group_tree(storage).node(storage, address, None))? {
            parts.trees.insert(address, tree);
        }
    }
    for address in frame.addresses(&marks.nodes) {
        if let Some(node) = sound(symbol_table_node(storage, address))? {
            parts.nodes.insert(address, node);
        }
    }
    for group in &found.old {
        parts.claim(group.btree);
    }
    for (group, btree, heap) in parts.hints(frame, found) {
        let links = Names::open(storage, heap).and_then(|names| all_old(storage, btree, &names, held(storage, group)));
        let Some(links) = sound(links)? else { continue };
        let whole = links.iter().all(Result::is_ok);
        parts.claim(btree);
        found.old.push(OldGroup { group, btree, heap, whole });
        found.put_together(storage, group, links);
    }
    parts.join_loose(frame, marks, found)
}

impl Parts {
    /// Takes a tree for that of a group.
    fn claim(&mut self, root: Addr) {
        let mut below = vec![root];
        while let Some(address) = below.pop() {
            if self.claimed.insert(address)
                && let Some(tree) = self.trees.get(&address)
            {
                below.extend(tree.children.iter().flatten());
            }
        }
    }

    /// Groups whose headers are lost, and where the links that lead to them say that their trees and heaps are. Those
    /// come first that others may be in.
    fn hints(&self, frame: &Frame, found: &Found) -> Vec<(Addr, Addr, Addr)> {
        let root = match &frame.superblock.form {
            Form::Old(old) => Some(&old.root),
            Form::New { .. } => None,
        };
        let widths = frame.storage.widths();
        let entries = self.nodes.values().flat_map(|node| &node.entries).chain(root);
        let lost: BTreeMap<Addr, (Addr, Addr)> = entries
            .filter_map(|entry| {
                let group = entry.object_header?;
                let (btree, heap) = entry.symbol_table(widths)?;
                (!found.objects.contains_key(&group)).then_some((group, (Addr(btree), Addr(heap))))
            })
            .collect();
        // A group is mostly written before what is in it, and its links count only where they lead to something.
        lost.into_iter().rev().map(|(group, (btree, heap))| (group, btree, heap)).collect()
    }

    /// Finds the names of nodes that belong to no group.
    fn join_loose(&self, frame: &Frame, marks: &Marks, found: &mut Found) -> Result<()> {
        let storage = &frame.storage;
        let mut owners: HashMap<Addr, Option<Addr>> = frame.addresses(&marks.heaps).map(|heap| (heap, None)).collect();
        for group in &found.old {
            if group.whole {
                owners.remove(&group.heap);
            } else {
                owners.insert(group.heap, Some(group.group));
            }
        }
        let mut heaps: Vec<Addr> = owners.keys().copied().collect();
        heaps.sort_unstable();
        let mut segments = Segments::default();
        for (address, nodes) in self.loose() {
            let entries: Vec<&SymbolTableEntry> =
                nodes.iter().filter_map(|node| self.nodes.get(node)).flat_map(|node| &node.entries).collect();
            let Some((heap, links)) = named(storage, address, &entries, &heaps, &mut segments)? else { continue };
            let group = owners.get(&heap).copied().flatten().unwrap_or(heap);
            found.put_together(storage, group, links);
        }
        Ok(())
    }

    /// Symbol table nodes that belong to no group, as far as their trees hold them together, with the addresses near
    /// which their names are.
    fn loose(&self) -> Vec<(Addr, Vec<Addr>)> {
        let mut roots: Vec<(&Addr, &Node<u64>)> =
            self.trees.iter().filter(|(address, _)| !self.claimed.contains(address)).collect();
        roots.sort_by_key(|(address, tree)| (Reverse(tree.level), **address));
        let mut taken = BTreeSet::new();
        let mut runs = Vec::new();
        for (address, _) in roots {
            let (mut nodes, mut below) = (Vec::new(), vec![*address]);
            while let Some(next) = below.pop() {
                if self.claimed.contains(&next) || !taken.insert(next) {
                    continue;
                }
                if let Some(tree) = self.trees.get(&next) {
                    below.extend(tree.children.iter().rev().flatten());
                } else if self.nodes.contains_key(&next) {
                    nodes.push(next);
                }
            }
            runs.push((*address, nodes));
        }
        let alone = self.nodes.keys().filter(|node| !self.claimed.contains(node) && !taken.contains(node));
        runs.extend(alone.map(|node| (*node, vec![*node])));
        runs.retain(|(_, nodes)| !nodes.is_empty());
        runs
    }
}

/// A heap and its data segment.
type Opened = (Arc<Names>, Arc<Run<'static>>);

/// Heaps that were tried: nodes that stand near one another try the same.
#[derive(Default)]
struct Segments {
    /// `None` for heaps that cannot be read.
    kept: HashMap<Addr, Option<Opened>>,
    bytes: u64,
}

impl Segments {
    fn get(&mut self, storage: &Storage, heap: Addr) -> Result<Option<Opened>> {
        if let Some(kept) = self.kept.get(&heap) {
            return Ok(kept.clone());
        }
        let open = || {
            let names = Names::open(storage, heap)?;
            let segment = names.segment(storage)?.into_owned();
            Ok((names, Arc::new(segment)))
        };
        let opened = sound(open())?;
        let bytes = opened.as_ref().map_or(0, |(names, _)| names.heap.data_size);
        if self.bytes.saturating_add(bytes) > storage.limits().cache_bytes {
            (self.kept, self.bytes) = (HashMap::new(), 0);
        }
        self.bytes = self.bytes.saturating_add(bytes);
        self.kept.insert(heap, opened.clone());
        Ok(opened)
    }
}

/// The nearest heap that has a name for each entry, in order as a tree has them, and the links by these names.
fn named(
    storage: &Storage,
    near: Addr,
    entries: &[&SymbolTableEntry],
    heaps: &[Addr],
    segments: &mut Segments,
) -> Result<Option<(Addr, Vec<Result<Link>>)>> {
    let middle = heaps.partition_point(|heap| *heap < near);
    let mut nearest = heaps[middle.saturating_sub(NEAREST)..heaps.len().min(middle + NEAREST)].to_vec();
    nearest.sort_by_key(|heap| heap.0.abs_diff(near.0));
    for heap in nearest.into_iter().take(NEAREST) {
        let Some((names, segment)) = segments.get(storage, heap)? else { continue };
        let Some(found) = sound(all_names(&names, &segment, entries))?.flatten() else { continue };
        let links = found.into_iter().zip(entries).map(|(name, entry)| old_link(storage, near, entry, name, &names));
        return Ok(Some((heap, links.collect())));
    }
    Ok(None)
}

fn all_names(heap: &Names, segment: &Run<'_>, entries: &[&SymbolTableEntry]) -> Result<Option<Vec<Text>>> {
    let names: Result<Vec<Text>> = entries.iter().map(|entry| heap.in_segment(segment, entry.name)).collect();
    let names = names?;
    let in_order = names.windows(2).all(|pair| pair[0] < pair[1]);
    Ok((in_order && names.first().is_some_and(|name| !name.is_empty())).then_some(names))
}

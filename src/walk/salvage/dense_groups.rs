//! Groups that keep their links in a fractal heap, and whose headers are lost.

use std::collections::BTreeSet;

use super::objects::{Found, sound};
use super::scan::Marks;
use crate::bytes::Addr;
use crate::error::{Corrupt, Fault, Result, Structure};
use crate::format::btree_v2::RecordType;
use crate::format::message::link::Link;
use crate::walk::btree_v2::{Records, Tree};
use crate::walk::group::{dense, hashes, held};
use crate::walk::{Frame, Storage};

/// Heaps that are tried for a tree.
const NEAREST: usize = 32;

/// Puts groups together from trees and heaps that belong to none.
///
/// # Errors
/// Only what the source lacks.
pub(super) fn rebuild(frame: &Frame, marks: &Marks, found: &mut Found) -> Result<()> {
    let storage = &frame.storage;
    let taken: BTreeSet<Addr> = found.dense.iter().flat_map(|(heap, tree)| [*heap, *tree]).collect();
    let mut heaps: Vec<Addr> = frame.addresses(&marks.fractal_heaps).filter(|heap| !taken.contains(heap)).collect();
    let types = [RecordType::LINK_NAME, RecordType::LINK_ORDER];
    let mut trees = Vec::new();
    for address in frame.addresses(&marks.link_trees).filter(|tree| !taken.contains(tree)) {
        trees.extend(sound(Tree::open(storage, address, &types))?);
    }
    // Names have hashes, so that the heap is known for sure.
    trees.sort_by_key(|tree| (tree.header.record_type != RecordType::LINK_NAME, tree.address));
    for tree in trees {
        let Some(records) = sound(tree.all(storage))? else { continue };
        let mut nearest = heaps.clone();
        nearest.sort_by_key(|heap| heap.0.abs_diff(tree.address.0));
        for heap in nearest.into_iter().take(NEAREST) {
            let Some(links) = sound(links(storage, heap, &records, tree.header.record_type))? else { continue };
            heaps.retain(|other| *other != heap);
            found.put_together(storage, tree.address, links.into_iter().map(Ok).collect());
            break;
        }
    }
    Ok(())
}

/// The links of a tree and a heap that belong together.
fn links(storage: &Storage, heap: Addr, records: &Records, kind: RecordType) -> Result<Vec<Link>> {
    let links: Vec<Link> =
        dense(storage, heap, records, kind, held(storage, heap))?.into_iter().collect::<Result<_>>()?;
    if kind == RecordType::LINK_NAME && !hashes(records, &links) {
        let at = storage.position(heap);
        return Err(Corrupt::new(Structure::FractalHeap, "hash of name", at, Fault::Absent).into());
    }
    Ok(links)
}

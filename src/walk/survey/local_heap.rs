//! Local heaps: head, data segment, free list.

use std::sync::Arc;

use super::{Context, Pass};
use crate::bytes::{Addr, Block, Text};
use crate::error::{Corrupt, Fault, Structure};
use crate::format::local_heap::LocalHeap;
use crate::walk::Run;
use crate::walk::local_heap::Names;

const S: Structure = Structure::LocalHeap;

/// A local heap whose data segment has been read.
pub(super) struct Segment<'s> {
    names: Arc<Names>,
    run: Run<'s>,
}

impl<'f> Pass<'f> {
    pub(super) fn local_heap(&mut self, address: Addr) -> Option<Segment<'f>> {
        let storage = self.storage;
        self.begin_index();
        let names = self.check(Names::open(storage, address))?;
        if !self.enter(S, address) {
            return None;
        }
        self.keep(S, address, LocalHeap::size(storage.widths()) as u64, Context::Plain);
        let run = self.check(names.segment(storage))?;
        if let Some(data) = names.heap.data {
            self.keep(S, data, names.heap.data_size, Context::Raw);
        }
        self.free_list(&names.heap, run.block());
        Some(Segment { names, run })
    }

    /// The name at an offset.
    pub(super) fn name(&mut self, segment: &Segment<'_>, offset: u64) -> Option<Text> {
        self.check(segment.names.in_segment(&segment.run, offset))
    }

    /// Follows the free list. Blocks have at least room for a pointer and a length, so that a list that is longer
    /// than the segment allows leads in a circle.
    fn free_list(&mut self, heap: &LocalHeap, segment: Block<'_>) {
        let w = segment.widths();
        let width = usize::from(w.lengths);
        let end = |offset: u64| offset == 1 || offset == u64::MAX >> (64 - 8 * u32::from(w.lengths.min(8)));
        let mut next = heap.free_list;
        let mut left = segment.bytes().len() / (2 * width) + 1;
        while !end(next) {
            let wrong = |fault| Corrupt::new(S, "offset to head of free-list", segment.at(), fault);
            if left == 0 {
                return self.note(wrong(Fault::Cycle));
            }
            left -= 1;
            let Some(start) = usize::try_from(next).ok().filter(|start| *start < segment.bytes().len()) else {
                return self.note(wrong(Fault::Value(next)));
            };
            let block = segment.sub(S, "free-list", start..segment.bytes().len());
            let fields = block.and_then(|block| {
                block.run(S, |i| {
                    let (i, next) =
                        crate::bytes::parse::field("offset of next free block", crate::bytes::parse::length(w))(i)?;
                    let (i, size) =
                        crate::bytes::parse::field("size of free block", crate::bytes::parse::length(w))(i)?;
                    Ok((i, (next, size)))
                })
            });
            let Some((after, size)) = self.check(fields) else { return };
            if size > segment.bytes().len() as u64 - start as u64 {
                return self.note(Corrupt::new(
                    S,
                    "size of free block",
                    segment.at() + start as u64,
                    Fault::Value(size),
                ));
            }
            next = after;
        }
    }
}

//! Free-space managers of the file and of heaps.

use std::sync::Arc;

use super::{Context, Pass};
use crate::bytes::Addr;
use crate::error::{Corrupt, Fault, Structure};
use crate::format::fractal_heap::FractalHeap;
use crate::format::free_space_manager::{FreeSpaceManager, FreeSpaceSections};

impl Pass<'_> {
    /// Visits a manager of a heap, or of the file where there is none.
    pub(super) fn free_space(&mut self, address: Addr, heap: Option<&FractalHeap>) -> Option<()> {
        const S: Structure = Structure::FreeSpaceManager;
        self.begin_index();
        let size = FreeSpaceManager::size(self.storage.widths()) as u64;
        let run = self.check(self.storage.read(address, size, S))?;
        let manager = self.check(FreeSpaceManager::decode(run.block()))?;
        if !self.enter(S, address) {
            return None;
        }
        self.keep(S, address, size, Context::Plain);
        let at = run.block().at();
        self.equal(S, "client ID", at, manager.client.into(), u64::from(heap.is_none()));
        let [space, sections, serialized, ghosts] = manager.totals;
        self.equal(S, "number of sections", at, sections, serialized.saturating_add(ghosts));
        let Some(list) = manager.sections else {
            self.equal(S, "number of serialized sections", at, serialized, 0);
            return Some(());
        };
        let heap_offset_width = heap.map_or(0, |heap| heap.table.offset_width());
        self.sections(address, list, Arc::new(manager), heap_offset_width, (space, ghosts == 0))
    }

    fn sections(
        &mut self,
        owner: Addr,
        address: Addr,
        manager: Arc<FreeSpaceManager>,
        heap_offset_width: u8,
        (space, complete): (u64, bool),
    ) -> Option<()> {
        const S: Structure = Structure::FreeSpaceSections;
        let run = self.check(self.storage.read(address, manager.used, S))?;
        let list = self.check(FreeSpaceSections::decode(run.block(), &manager, heap_offset_width))?;
        if !self.enter(S, address) {
            return None;
        }
        let (used, allocated) = (manager.used, manager.allocated.max(manager.used));
        let of_the_file = manager.client == 1;
        self.keep_allocated(S, address, used, allocated, Context::Sections { manager, heap_offset_width });
        let at = run.block().at();
        self.equal(S, "free space manager header address", at, list.manager.0, owner.0);
        let listed = list.sections.iter().fold(0u64, |sum, section| sum.saturating_add(section.size));
        if complete {
            self.equal(S, "total space tracked", at, space, listed);
        }
        if of_the_file {
            for section in &list.sections {
                let start = self.storage.position(Addr(section.offset));
                match start.checked_add(section.size) {
                    Some(end) => self.free.push((start..end, at)),
                    None => self.note(Corrupt::new(S, "section offset", at, Fault::Value(section.offset))),
                }
            }
        }
        Some(())
    }
}

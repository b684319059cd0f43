//! Fractal heaps: every block, every huge object.

use std::sync::Arc;

use super::{Context, Pass};
use crate::bytes::{Addr, Block};
use crate::error::{Corrupt, Error, Fault, Structure};
use crate::format::btree_v2::{HugeRecord, RecordType};
use crate::format::fractal_heap::{FractalHeap, HeapId, IndirectEntry};
use crate::walk::heap::{Heap, IndirectPlace};

const S: Structure = Structure::FractalHeap;

/// A walk over the blocks of one heap.
struct Blocks {
    heap: Arc<Heap>,
    header: Arc<FractalHeap>,
}

impl Pass<'_> {
    /// Visits a heap. Its objects are visited by those who have their IDs.
    pub(super) fn heap(&mut self, address: Addr) -> Option<Arc<Heap>> {
        let storage = self.storage;
        self.begin_index();
        let heap = self.check(Heap::open(storage, address))?;
        if !self.enter(S, address) {
            return None;
        }
        let header = Arc::new(heap.header.clone());
        let length = crate::bytes::Emit::count(storage.widths(), |to| header.encode(to));
        self.keep(S, address, length as u64, Context::Plain);
        let at = storage.position(address);
        // The allocated space is not held against the header: libhdf5 does not always count it right.
        let blocks = Blocks { heap: heap.clone(), header: header.clone() };
        if let Some(root) = header.root {
            if header.current_rows == 0 {
                let filtered = header.filtered.as_ref().map(|f| (f.size, f.mask));
                let entry = IndirectEntry { address: Some(root), filtered };
                self.direct(&blocks, entry, header.table.start, 0);
            } else {
                let place = IndirectPlace { address: root, rows: header.current_rows.into() };
                self.indirect(&blocks, place, 0, 0);
            }
        }
        if let Some(index) = header.huge_index {
            self.huge_objects(&header, index, at);
        }
        if let Some(manager) = header.free_space_manager {
            self.free_space(manager, Some(&header));
        }
        Some(heap)
    }

    /// Visits the blocks below an indirect block that begins `offset` bytes into the heap.
    fn indirect(&mut self, blocks: &Blocks, place: IndirectPlace, offset: u64, depth: u32) -> Option<()> {
        const S: Structure = Structure::FractalHeapIndirect;
        let storage = self.storage;
        if depth > storage.limits().tree_depth {
            self.fault(Error::limit("tree_depth", depth.into(), storage.limits().tree_depth.into()));
            return None;
        }
        if !self.enter(S, place.address) {
            return None;
        }
        let block = self.check(blocks.heap.indirect(storage, place))?;
        let table = blocks.header.table;
        let size = table.indirect_size(place.rows, blocks.header.filtered.is_some(), storage.widths());
        let context = Context::Indirect { heap: blocks.header.clone(), rows: place.rows };
        self.keep(S, place.address, size, context);
        let at = storage.position(place.address);
        self.equal(S, "heap header address", at, block.heap.0, blocks.heap.address.0);
        self.equal(S, "block offset", at, block.offset, offset);
        for (n, entry) in block.entries.iter().enumerate() {
            let Some(address) = entry.address else { continue };
            let row = (n / usize::from(table.width)) as u32;
            let column = (n % usize::from(table.width)) as u64;
            let size = table.block_size(row);
            let begin = offset.saturating_add(table.row_offset(row)).saturating_add(column.saturating_mul(size));
            if row < table.direct_rows() {
                self.direct(blocks, *entry, size, begin);
            } else {
                let place = IndirectPlace { address, rows: table.rows_of(size) };
                self.indirect(blocks, place, begin, depth + 1);
            }
        }
        Some(())
    }

    fn direct(&mut self, blocks: &Blocks, entry: IndirectEntry, size: u64, offset: u64) -> Option<()> {
        const S: Structure = Structure::FractalHeapDirect;
        let address = entry.address?;
        if !self.enter(S, address) {
            return None;
        }
        let block = self.check(blocks.heap.direct(self.storage, entry, size))?;
        match entry.filtered {
            None => self.keep(S, address, size, Context::Direct(blocks.header.clone())),
            Some((stored, _)) => self.keep(S, address, stored, Context::Raw),
        }
        let at = self.storage.position(address);
        self.equal(S, "heap header address", at, block.head.heap.0, blocks.heap.address.0);
        self.equal(S, "block offset", at, block.head.offset, offset);
        Some(())
    }

    fn huge_objects(&mut self, header: &FractalHeap, index: Addr, at: u64) -> Option<()> {
        let types = if header.filtered.is_some() {
            [RecordType::HUGE_INDIRECT_FILTERED, RecordType::HUGE_DIRECT_FILTERED]
        } else {
            [RecordType::HUGE_INDIRECT, RecordType::HUGE_DIRECT]
        };
        let mut bytes = 0u64;
        let counted = self.btree_v2(index, &types, None, &mut |pass, record, kind| {
            const S: Structure = Structure::FractalHeapHuge;
            let Some(huge) = pass.check(HugeRecord::decode(record, kind)) else { return };
            let Some(address) = pass.defined(S, "address", record.at(), huge.address) else { return };
            bytes = bytes.saturating_add(huge.filtered.map_or(huge.length, |(_, memory)| memory));
            pass.keep(S, address, huge.length, Context::Raw);
        })?;
        self.equal(S, "number of huge objects in heap", at, header.statistics[5], counted);
        self.equal(S, "size of huge objects in heap", at, header.statistics[4], bytes);
        Some(())
    }

    /// Notes an object of a heap as a part of the file, where its bytes stand in the file as they are.
    pub(super) fn heap_part(
        &mut self,
        heap: &Heap,
        id: &[u8],
        structure: Structure,
        object: Block<'_>,
        context: Context,
    ) {
        let decoded = HeapId::decode(Block::new(id, 0, object.widths()), &heap.header);
        let in_place = heap.header.filtered.is_none() && !matches!(decoded, Ok(HeapId::Tiny(_)) | Err(_));
        if in_place {
            self.part(structure, object.at(), object.bytes().len(), context);
        }
    }

    /// Objects of a heap as its header counts them.
    pub(super) fn counted_objects(heap: &Heap) -> u64 {
        let [_, _, _, managed, _, huge, _, tiny] = heap.header.statistics;
        managed.saturating_add(huge).saturating_add(tiny)
    }

    /// The fault that a record of an index has another hash than the name it leads to.
    pub(super) fn wrong_hash(at: u64, hash: u32) -> Corrupt {
        Corrupt::new(Structure::BTreeV2Leaf, "hash of name", at, Fault::Value(hash.into()))
    }
}

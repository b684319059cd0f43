//! Fractal heaps: objects by their IDs.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::ops::Range;
use std::sync::Arc;

use super::btree_v2::Tree;
use super::{Run, Storage};
use crate::bytes::{Addr, Block};
use crate::error::{Corrupt, Error, Fault, Result, Structure};
use crate::filter::{self, Step};
use crate::format::btree_v2::{HugeRecord, RecordType};
use crate::format::fractal_heap::{DirectBlock, FractalHeap, HeapId, IndirectBlock, IndirectEntry};
use crate::format::message::filter_pipeline::FilterPipeline;

/// A heap, opened.
#[derive(Debug)]
pub(crate) struct Heap {
    pub(crate) address: Addr,
    pub(crate) header: FractalHeap,
    filters: Vec<Step>,
}

/// A direct block with its filters undone.
#[derive(Debug)]
pub(crate) struct Direct {
    pub(crate) head: DirectBlock,
    bytes: Vec<u8>,
    at: u64,
}

/// An indirect block as a survey or a search meets it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct IndirectPlace {
    pub(crate) address: Addr,
    pub(crate) rows: u32,
}

impl Heap {
    /// Opens the heap at an address.
    pub(crate) fn open(storage: &Storage, address: Addr) -> Result<Arc<Self>> {
        const S: Structure = Structure::FractalHeap;
        storage.memo(address, S, || {
            let run = storage.read_up_to(address, FractalHeap::size(storage.widths()) as u64, S)?;
            let length = FractalHeap::decode_size(run.block())? as u64;
            let run = storage.read(address, length, S)?;
            let header = FractalHeap::decode(run.block())?;
            let filters = match &header.filtered {
                Some(filtered) => {
                    let block = Block::new(&filtered.pipeline, run.block().at(), storage.widths());
                    steps(&FilterPipeline::decode(block)?)
                }
                None => Vec::new(),
            };
            Ok((Self { address, header, filters }, length))
        })
    }

    /// Asks for the blocks of the first level: for those who are about to read most of what is in the heap.
    pub(crate) fn ahead(&self, storage: &Storage) -> Result<()> {
        let table = &self.header.table;
        let Some(root) = self.header.root else { return Ok(()) };
        if self.header.current_rows == 0 {
            let size = self.header.filtered.as_ref().map_or(table.start, |filtered| filtered.size);
            return storage.prefetch([(root, size)]);
        }
        let block = self.indirect(storage, IndirectPlace { address: root, rows: self.header.current_rows.into() })?;
        let direct = (0..table.direct_rows()).flat_map(|row| (0..table.width).map(move |_| table.block_size(row)));
        let stored = |(entry, size): (&IndirectEntry, u64)| {
            Some((entry.address?, entry.filtered.map_or(size, |(stored, _)| stored)))
        };
        storage.prefetch(block.entries.iter().zip(direct).filter_map(stored))
    }

    /// The object with this ID.
    ///
    /// # Errors
    /// An ID of another heap, or blocks that break the format.
    pub(crate) fn object(&self, storage: &Storage, id: &[u8]) -> Result<Run<'static>> {
        self.with_object(storage, id, |block| Ok(Run::from(block).into_owned()))
    }

    /// Calls `with` with the object of this ID.
    ///
    /// # Errors
    /// As [`object`](Self::object), and what `with` says.
    pub(crate) fn with_object<T>(
        &self,
        storage: &Storage,
        id: &[u8],
        with: impl FnOnce(Block<'_>) -> Result<T>,
    ) -> Result<T> {
        let at = storage.position(self.address);
        let w = storage.widths();
        let run = match HeapId::decode(Block::new(id, at, w), &self.header)? {
            HeapId::Managed { offset, length } => {
                let (block, range) = self.managed(storage, offset, length)?;
                let at = block.at + range.start as u64;
                return with(Block::new(&block.bytes[range], at, w));
            }
            HeapId::Tiny(bytes) => Run::new(Cow::Owned(bytes), at, w),
            HeapId::HugeDirect { address, length, filtered } => {
                self.huge(storage, &HugeRecord { address, length, filtered, key: None })?
            }
            HeapId::HugeIndirect { key } => self.huge(storage, &self.huge_record(storage, key)?)?,
        };
        with(run.block())
    }

    fn corrupt(&self, storage: &Storage, field: &'static str, fault: Fault) -> Error {
        Corrupt::new(Structure::HeapId, field, storage.position(self.address), fault).into()
    }

    fn huge_record(&self, storage: &Storage, key: u64) -> Result<HugeRecord> {
        let Some(address) = self.header.huge_index else {
            return Err(self.corrupt(storage, "v2 B-tree address of huge objects", Fault::Undefined));
        };
        let kind = if self.filters.is_empty() { RecordType::HUGE_INDIRECT } else { RecordType::HUGE_INDIRECT_FILTERED };
        let tree = Tree::open(storage, address, &[kind])?;
        let w = storage.widths();
        let key_of = |record: &[u8]| HugeRecord::decode(Block::new(record, 0, w), kind).ok().and_then(|r| r.key);
        let records = tree.range(storage, &|record| key_of(record).map_or(Ordering::Less, |k| k.cmp(&key)))?;
        match records.iter().next() {
            Some(record) => Ok(HugeRecord::decode(record, kind)?),
            None => Err(self.corrupt(storage, "v2 B-tree key", Fault::Value(key))),
        }
    }

    fn huge(&self, storage: &Storage, record: &HugeRecord) -> Result<Run<'static>> {
        let Some(address) = record.address else {
            return Err(self.corrupt(storage, "huge object address", Fault::Undefined));
        };
        let run = storage.read(address, record.length, Structure::HeapId)?;
        match record.filtered {
            None => Ok(run.into_owned()),
            Some((mask, memory)) => self.unfilter(storage, run, mask, memory),
        }
    }

    fn unfilter(&self, storage: &Storage, run: Run<'_>, mask: u32, memory: u64) -> Result<Run<'static>> {
        let (at, limits) = (run.block().at(), storage.limits());
        if memory > limits.metadata_bytes {
            return Err(Error::limit("metadata_bytes", memory, limits.metadata_bytes));
        }
        let bytes = filter::decode(&self.filters, mask, run.into_bytes().into(), memory as usize, limits).map_err(
            |failed| {
                let fault = Fault::Filter { id: failed.id, fault: failed.fault };
                Corrupt::new(Structure::FractalHeapDirect, "filtered bytes", at, fault)
            },
        )?;
        Ok(Run::new(Cow::Owned(bytes.into_owned()), at, storage.widths()))
    }

    /// The direct block that holds an object, and where in it.
    fn managed(&self, storage: &Storage, offset: u64, length: u64) -> Result<(Arc<Direct>, Range<usize>)> {
        let table = &self.header.table;
        let Some(root) = self.header.root else {
            return Err(self.corrupt(storage, "address of root block", Fault::Undefined));
        };
        if self.header.current_rows == 0 {
            let filtered = self.header.filtered.as_ref().map(|f| (f.size, f.mask));
            let entry = IndirectEntry { address: Some(root), filtered };
            return self.in_direct(storage, entry, table.start, offset, length);
        }
        let mut place = IndirectPlace { address: root, rows: self.header.current_rows.into() };
        let mut offset = offset;
        for _ in 0..storage.limits().tree_depth {
            let block = self.indirect(storage, place)?;
            let (row, column, rest) = table.find(offset);
            let n = u64::from(row) * u64::from(table.width) + column;
            let entry = usize::try_from(n).ok().and_then(|n| block.entries.get(n)).copied();
            let Some((entry, address)) = entry.and_then(|entry| Some((entry, entry.address?))) else {
                return Err(self.corrupt(storage, "offset", Fault::Value(offset)));
            };
            let size = table.block_size(row);
            if row < table.direct_rows() {
                return self.in_direct(storage, entry, size, rest, length);
            }
            place = IndirectPlace { address, rows: table.rows_of(size) };
            offset = rest;
        }
        let depth = storage.limits().tree_depth.into();
        Err(Error::limit("tree_depth", depth, depth))
    }

    /// The indirect block at a place.
    pub(crate) fn indirect(&self, storage: &Storage, place: IndirectPlace) -> Result<Arc<IndirectBlock>> {
        const S: Structure = Structure::FractalHeapIndirect;
        storage.memo(place.address, S, || {
            let filtered = self.header.filtered.is_some();
            let size = self.header.table.indirect_size(place.rows, filtered, storage.widths());
            let run = storage.read(place.address, size, S)?;
            Ok((IndirectBlock::decode(run.block(), &self.header, place.rows)?, size))
        })
    }

    /// A direct block; `size` is its size without filters.
    pub(crate) fn direct(&self, storage: &Storage, entry: IndirectEntry, size: u64) -> Result<Arc<Direct>> {
        const S: Structure = Structure::FractalHeapDirect;
        let Some(address) = entry.address else {
            return Err(self.corrupt(storage, "child block address", Fault::Undefined));
        };
        storage.memo(address, S, || {
            let run = match entry.filtered {
                None => storage.read(address, size, S)?,
                Some((stored, mask)) => {
                    let run = storage.read(address, stored, S)?;
                    self.unfilter(storage, run, mask, size)?
                }
            };
            let head = DirectBlock::decode(run.block(), &self.header)?;
            let at = run.block().at();
            Ok((Direct { head, bytes: run.into_bytes(), at }, size))
        })
    }

    fn in_direct(
        &self,
        storage: &Storage,
        entry: IndirectEntry,
        size: u64,
        offset: u64,
        length: u64,
    ) -> Result<(Arc<Direct>, Range<usize>)> {
        let block = self.direct(storage, entry, size)?;
        let end = offset.checked_add(length).filter(|end| *end <= block.bytes.len() as u64);
        match end {
            Some(end) if offset >= self.header.direct_head(storage.widths()) => {
                Ok((block, offset as usize..end as usize))
            }
            _ => Err(self.corrupt(storage, "offset", Fault::Value(offset))),
        }
    }
}

/// A pipeline message as calls to filters.
pub(crate) fn steps(pipeline: &FilterPipeline) -> Vec<Step> {
    let step = |filter: &crate::format::message::filter_pipeline::FilterDescription| Step {
        id: filter.id,
        optional: filter.is_optional(),
        values: filter.values.clone(),
    };
    pipeline.filters.iter().map(step).collect()
}

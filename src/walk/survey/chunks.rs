//! Chunks and the indexes that are trees; arrays have rooms of their own.

use std::sync::Arc;

use super::btree_v1::Nodes;
use super::{Context, Data, MOST_MET, Pass};
use crate::bytes::{Addr, Block};
use crate::error::{Corrupt, Fault, Structure};
use crate::filter::{self, Step};
use crate::format::btree_v1::{ChunkKey, Keys, Node};
use crate::format::btree_v2::{ChunkRecord, RecordType};
use crate::format::message::data_layout::{ChunkIndex, Chunked};
use crate::format::message::datatype::Datatype;
use crate::walk::btree_v1::Tree;
use crate::walk::chunks::{ChunkGrid, decode_used, is_chunk_node, step};

const S: Structure = Structure::Chunk;

/// A chunked dataset.
pub(super) struct Chunks {
    pub(super) grid: ChunkGrid,
    /// Bytes of a chunk without filters.
    pub(super) bytes: u64,
    pub(super) steps: Vec<Step>,
    pub(super) datatype: Arc<Datatype>,
    /// Elements lead to the global heap.
    pub(super) leads: bool,
    /// Chunks are read.
    pub(super) read: bool,
}

impl Chunks {
    /// True where the place of a chunk matters.
    pub(super) fn placed(&self) -> bool {
        self.read && (self.leads || self.grid.layout.edges_unfiltered())
    }

    /// True where a chunk sticks out of the dataset.
    fn is_edge(&self, scaled: &[u64]) -> bool {
        let ends =
            scaled.iter().zip(self.grid.layout.chunk()).map(|(s, chunk)| s.saturating_add(1).saturating_mul(*chunk));
        ends.zip(&self.grid.dims).any(|(end, dim)| end > *dim)
    }
}

impl Pass<'_> {
    pub(super) fn chunks(&mut self, chunks: &Chunks) -> Option<()> {
        let address = chunks.grid.layout.address?;
        match chunks.grid.layout.index {
            ChunkIndex::SingleChunk { filtered } => {
                let (size, mask) = filtered.unwrap_or((chunks.bytes, 0));
                self.chunk(chunks, address, size, mask, &vec![0; chunks.grid.layout.rank()]);
                Some(())
            }
            ChunkIndex::Implicit => self.implicit(chunks, address),
            ChunkIndex::BTreeV1 => self.chunk_btree_v1(chunks, address),
            ChunkIndex::BTreeV2 { .. } => self.chunk_btree_v2(chunks, address),
            ChunkIndex::FixedArray { page_bits } => self.fixed_array(chunks, address, page_bits),
            ChunkIndex::ExtensibleArray { .. } => self.extensible_array(chunks, address),
        }
    }

    /// Notes a chunk, and reads it where that was asked for. `scaled` is its place in the grid where it matters.
    pub(super) fn chunk(&mut self, chunks: &Chunks, address: Addr, size: u64, mask: u32, scaled: &[u64]) -> Option<()> {
        let storage = self.storage;
        self.survey.counts.chunks += 1;
        self.check(storage.raw_range(address, size, S))?;
        self.keep(S, address, size, Context::Raw);
        if chunks.steps.is_empty() && size != chunks.bytes {
            self.equal(S, "chunk size", storage.position(address), size, chunks.bytes);
            return None;
        }
        // A chunk met again is an overlap, found later; to read it once is enough.
        if !chunks.read || self.visited.insert(address, self.index).is_some() {
            return None;
        }
        let limit = storage.limits().chunk_bytes;
        if size > limit {
            self.fault(crate::Error::limit("chunk_bytes", size, limit));
            return None;
        }
        self.check(storage.limits().check_expansion(chunks.bytes, size))?;
        self.read = self.read.saturating_add(size);
        let (total, end) = (self.read, storage.end());
        if total > end.saturating_mul(MOST_MET) {
            self.fault(Corrupt::new(S, "address", storage.position(address), Fault::Repeated { total, end }));
            return None;
        }
        let edge = chunks.placed() && chunks.is_edge(scaled);
        let mask = if edge && chunks.grid.layout.edges_unfiltered() { u32::MAX } else { mask };
        let bytes = self.check(storage.read_raw(address, size, S))?;
        let decoded = filter::decode(&chunks.steps, mask, bytes, chunks.bytes as usize, storage.limits());
        let decoded = decoded.map_err(|failed| Corrupt::new(S, "data", storage.position(address), failed.into()));
        let bytes = self.check(decoded)?;
        if !edge {
            self.elements(&chunks.datatype, &bytes);
        } else if chunks.leads {
            self.edge_elements(chunks, scaled, &bytes);
        }
        Some(())
    }

    /// The elements of an edge chunk that lie inside the dataset; what the others hold means nothing.
    fn edge_elements(&mut self, chunks: &Chunks, scaled: &[u64], bytes: &[u8]) {
        let shape: Vec<_> = chunks.grid.layout.chunk().iter().map(|n| 0..*n).collect();
        let mut place = vec![0; shape.len()];
        for element in bytes.chunks_exact(chunks.datatype.size as usize) {
            let places = place.iter().zip(scaled).zip(&shape);
            let places = places.map(|((p, s), chunk)| s.saturating_mul(chunk.end).saturating_add(*p));
            if places.zip(&chunks.grid.dims).all(|(place, dim)| place < *dim) {
                self.elements(&chunks.datatype, element);
            }
            step(&mut place, &shape);
        }
    }

    /// All chunks stand in a row, whether they were written or not.
    fn implicit(&mut self, chunks: &Chunks, first: Addr) -> Option<()> {
        let numbers = self.all_numbers(chunks)?;
        let Some(length) = numbers.checked_mul(chunks.bytes) else {
            self.note(Corrupt::new(Structure::DataLayout, "dimension size", chunks.grid.at, Fault::Value(numbers)));
            return None;
        };
        self.check(self.storage.raw_range(first, length, S))?;
        self.survey.counts.chunks += numbers;
        self.keep(S, first, length, Context::Raw);
        if self.data == Data::Read && chunks.leads {
            let whole = chunks.grid.whole();
            let found = self.check(chunks.grid.find(self.storage, &whole))?;
            for (scaled, entry) in found.iter() {
                let bytes = self.check(self.storage.read_raw(entry.address, entry.size, S))?;
                self.edge_elements(chunks, scaled, &bytes);
            }
        }
        Some(())
    }

    /// Chunks of the largest extent, which is how many numbers an index without a tree gives out.
    pub(super) fn all_numbers(&mut self, chunks: &Chunks) -> Option<u64> {
        let (grid, at) = (&chunks.grid, chunks.grid.at);
        let each = grid.max_dims.iter().zip(grid.layout.chunk());
        let mut numbers = each.map(|(max, chunk)| max.map(|max| max.div_ceil(*chunk)));
        let product = numbers.try_fold(1u64, |product, n| product.checked_mul(n?));
        if product.is_none() {
            let fault = Fault::Value(u64::MAX);
            self.note(Corrupt::new(Structure::DataLayout, "dimension maximum size", at, fault));
        }
        product
    }

    fn chunk_btree_v1(&mut self, chunks: &Chunks, root: Addr) -> Option<()> {
        const S: Structure = Structure::BTreeV1;
        let rank = chunks.grid.layout.rank();
        let decode = |block: Block<'_>| decode_used(block, rank);
        let ends = |node: &Node<ChunkKey>, beside: Option<[&ChunkKey; 2]>| chunks.grid.wrong_ends(node, beside);
        let (keys, k) = (Keys::Chunk { rank }, self.storage.k().chunk);
        let tree = Tree { keys, decode: &decode, k, kept: None, ends: Some(&ends) };
        let ascending = |a: &ChunkKey, b: &ChunkKey| a.offsets < b.offsets;
        let nodes = Nodes::new(tree, Context::ChunkNode { rank: rank as u8 }, &ascending);
        let mut last: Option<Vec<u64>> = None;
        let mut scaled = vec![0; rank];
        self.btree_v1(nodes, root, &mut |pass, at, leaf| {
            let offsets = &leaf.left.offsets;
            for ((s, offset), chunk) in scaled.iter_mut().zip(offsets).zip(chunks.grid.layout.chunk()) {
                *s = offset / chunk;
            }
            if let Some(offset) = chunks.grid.misplaced(leaf.left) {
                pass.note(Corrupt::new(S, "chunk offset", at, Fault::Value(offset)));
            }
            if last.is_none() && pass.check(is_chunk_node(pass.storage, leaf.child)) == Some(true) {
                pass.note(Corrupt::new(S, "node level", at, Fault::Value(0)));
            }
            if last.as_ref().is_some_and(|last| last >= offsets) {
                pass.note(Corrupt::new(S, "chunk offset", at, Fault::Order));
            }
            last.get_or_insert_default().clone_from(offsets);
            pass.chunk(chunks, leaf.child, leaf.left.size.into(), leaf.left.filter_mask, &scaled);
        });
        Some(())
    }

    fn chunk_btree_v2(&mut self, chunks: &Chunks, root: Addr) -> Option<()> {
        let rank = chunks.grid.layout.rank();
        let (kind, size_width) = if chunks.grid.filtered {
            let width = Chunked::size_width(chunks.grid.version, chunks.bytes, self.storage.widths());
            (RecordType::CHUNK_FILTERED, Some(width))
        } else {
            (RecordType::CHUNK, None)
        };
        let mut last: Option<Vec<u64>> = None;
        self.btree_v2(root, &[kind], Some((rank, size_width)), &mut |pass, record, _| {
            let Some(chunk) = pass.check(ChunkRecord::decode(record, rank, size_width)) else { return };
            if last.as_ref().is_some_and(|last| *last >= chunk.scaled) {
                pass.note(Corrupt::new(Structure::BTreeV2Leaf, "scaled offset", record.at(), Fault::Order));
            }
            if let Some(address) = chunk.address {
                let (size, mask) = chunk.filtered.unwrap_or((chunks.bytes, 0));
                pass.chunk(chunks, address, size, mask, &chunk.scaled);
            }
            last = Some(chunk.scaled);
        })?;
        Some(())
    }
}

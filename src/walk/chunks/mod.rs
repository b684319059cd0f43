//! The chunks of a dataset, by every index.
//!
//! A search is for a box of the grid of chunks and touches only the parts of the index that can hold chunks
//! of the box. What is not in the index was never written.

mod arrays;
mod btree_v1;
mod btree_v2;
mod damaged;
mod damaged_btree;

pub(crate) use btree_v1::{decode_used, is_chunk_node};

use std::ops::Range;

use super::{Held, Storage};
use crate::bytes::Addr;
use crate::error::{Corrupt, Error, Fault, Result, Structure};
use crate::format::chunk_index::ElementForm;
use crate::format::message::data_layout::{ChunkIndex, Chunked};

/// A chunked dataset as its index sees it.
#[derive(Clone, Debug)]
pub(crate) struct ChunkGrid {
    pub(crate) layout: Chunked,
    /// Version of the layout message.
    pub(crate) version: u8,
    /// Elements of each dimension.
    pub(crate) dims: Vec<u64>,
    /// Largest elements of each dimension, `None` without an end.
    pub(crate) max_dims: Vec<Option<u64>>,
    /// Bytes of an element.
    pub(crate) element_size: u64,
    /// There are filters.
    pub(crate) filtered: bool,
    /// Position of the object, for errors.
    pub(crate) at: u64,
}

/// A box of the grid: chunks from and to (exclusive) in each dimension.
pub(crate) type ChunkBox = [Range<u64>];

/// Chunks that are in the file.
#[derive(Debug)]
pub(crate) struct StoredChunks {
    rank: usize,
    /// Places in the grid, chunk after chunk.
    scaled: Vec<u64>,
    entries: Vec<ChunkEntry>,
    /// What finding them tells that the dataset has of the file.
    held: Held,
    /// They stand in a row, without an index.
    in_a_row: bool,
}

/// Where one chunk is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ChunkEntry {
    pub(crate) address: Addr,
    /// Bytes in the file.
    pub(crate) size: u64,
    /// Filters not applied, by bits.
    pub(crate) mask: u32,
}

impl StoredChunks {
    fn of(grid: &ChunkGrid) -> Self {
        let held = Held::by(Structure::DataLayout, grid.at);
        let in_a_row = matches!(grid.layout.index, ChunkIndex::Implicit);
        Self { rank: grid.layout.rank(), scaled: Vec::new(), entries: Vec::new(), held, in_a_row }
    }

    /// Adds a chunk. The dataset alone has its address in the index or, where there is none, its bytes.
    fn push(&mut self, storage: &Storage, scaled: &[u64], entry: ChunkEntry) -> Result<()> {
        self.scaled.extend_from_slice(scaled);
        self.entries.push(entry);
        let own = if self.in_a_row { entry.size } else { storage.widths().offsets.into() };
        self.held.add(storage, own)
    }

    fn append(&mut self, mut others: Self) {
        self.scaled.append(&mut others.scaled);
        self.entries.append(&mut others.entries);
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// The place and the entry of chunk `i` of those found.
    pub(crate) fn get(&self, i: usize) -> (&[u64], ChunkEntry) {
        (&self.scaled[i * self.rank..(i + 1) * self.rank], self.entries[i])
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&[u64], ChunkEntry)> {
        self.scaled.chunks_exact(self.rank).zip(self.entries.iter().copied())
    }

    /// True where every chunk of the box is there. A damaged index may hold one twice and another not at all.
    pub(crate) fn covers(&self, wanted: &ChunkBox) -> bool {
        (self.entries.len() as u64) >= cells(wanted) && self.seen(wanted).into_iter().all(|seen| seen)
    }

    /// Which chunks of the box are there, row-major.
    fn seen(&self, wanted: &ChunkBox) -> Vec<bool> {
        let mut seen = vec![false; cells(wanted) as usize];
        for scaled in self.scaled.chunks_exact(self.rank) {
            let places = scaled.iter().zip(wanted);
            let cell = places.fold(0, |n, (s, range)| n * (range.end - range.start) + (s - range.start));
            seen[cell as usize] = true;
        }
        seen
    }
}

impl ChunkGrid {
    /// Bytes of a chunk without filters.
    ///
    /// # Errors
    /// More bytes than 64 bits can count.
    pub(crate) fn chunk_bytes(&self) -> Result<u64> {
        let bytes = self.layout.chunk_elements().and_then(|n| n.checked_mul(self.element_size));
        bytes.ok_or_else(|| self.corrupt("dimension size", Fault::Value(u64::MAX)))
    }

    /// The coordinates of the first element of a chunk.
    pub(crate) fn offset(&self, scaled: &[u64]) -> Vec<u64> {
        scaled.iter().zip(self.layout.chunk()).map(|(s, n)| s * n).collect()
    }

    /// Chunks that cover the dataset, in each dimension.
    pub(crate) fn whole(&self) -> Vec<Range<u64>> {
        self.dims.iter().zip(self.layout.chunk()).map(|(dim, chunk)| 0..dim.div_ceil(*chunk)).collect()
    }

    /// The chunks of a box that are in the file.
    pub(crate) fn find(&self, storage: &Storage, wanted: &ChunkBox) -> Result<StoredChunks> {
        storage.retrying(|| self.find_now(storage, wanted))
    }

    fn find_now(&self, storage: &Storage, wanted: &ChunkBox) -> Result<StoredChunks> {
        let mut found = StoredChunks::of(self);
        let Some(address) = self.layout.address else { return Ok(found) };
        if wanted.iter().any(|range| range.is_empty()) {
            return Ok(found);
        }
        match self.layout.index {
            ChunkIndex::SingleChunk { filtered } => {
                let (size, mask) = match filtered {
                    Some(stored) => stored,
                    None => (self.chunk_bytes()?, 0),
                };
                if wanted.iter().all(|range| range.start == 0) {
                    found.push(storage, &vec![0; self.layout.rank()], ChunkEntry { address, size, mask })?;
                }
            }
            ChunkIndex::Implicit => self.implicit(storage, address, wanted, &mut found)?,
            ChunkIndex::BTreeV1 => self.btree_v1(storage, address, wanted, &mut found)?,
            ChunkIndex::BTreeV2 { .. } => self.btree_v2(storage, address, wanted, &mut found)?,
            ChunkIndex::FixedArray { .. } => self.fixed_array(storage, address, wanted, &mut found)?,
            ChunkIndex::ExtensibleArray { .. } => self.extensible_array(storage, address, wanted, &mut found)?,
        }
        Ok(found)
    }

    fn implicit(&self, storage: &Storage, first: Addr, wanted: &ChunkBox, found: &mut StoredChunks) -> Result<()> {
        let size = self.chunk_bytes()?;
        let numbering = self.numbering(None)?;
        let mut scaled: Vec<u64> = wanted.iter().map(|range| range.start).collect();
        loop {
            let number = numbering.number(&scaled);
            let address = number.checked_mul(size).and_then(|n| n.checked_add(first.0)).map(Addr);
            let Some(address) = address else {
                return Err(self.corrupt("dimension size", Fault::Value(u64::MAX)));
            };
            // Numbers only grow: the first chunk that is not in the file ends the loop.
            storage.raw_range(address, size, Structure::Chunk)?;
            found.push(storage, &scaled, ChunkEntry { address, size, mask: 0 })?;
            if !step(&mut scaled, wanted) {
                return Ok(());
            }
        }
    }

    pub(super) fn corrupt(&self, field: &'static str, fault: Fault) -> Error {
        Corrupt::new(Structure::DataLayout, field, self.at, fault).into()
    }

    /// How the elements of the two arrays are written.
    pub(crate) fn element_form(&self, storage: &Storage) -> Result<ElementForm> {
        Ok(if self.filtered {
            let size_width = Chunked::size_width(self.version, self.chunk_bytes()?, storage.widths());
            ElementForm::Filtered { size_width }
        } else {
            ElementForm::Plain
        })
    }

    fn entry(&self, address: Addr, filtered: Option<(u64, u32)>) -> Result<ChunkEntry> {
        let (size, mask) = match filtered {
            Some(stored) => stored,
            None => (self.chunk_bytes()?, 0),
        };
        Ok(ChunkEntry { address, size, mask })
    }

    /// How chunks are numbered in the arrays: row-major over the largest extent, `first` moved to the front.
    pub(crate) fn numbering(&self, first: Option<usize>) -> Result<Numbering> {
        let rank = self.layout.rank();
        let mut order: Vec<usize> = (0..rank).collect();
        if let Some(first) = first {
            order.remove(first);
            order.insert(0, first);
        }
        let mut strides = vec![1u64; rank];
        let mut stride = Some(1u64);
        for (i, dim) in order.iter().enumerate().rev() {
            strides[*dim] = stride.ok_or_else(|| self.corrupt("dimension size", Fault::Value(u64::MAX)))?;
            let chunks = self.max_dims[*dim].map(|max| max.div_ceil(self.layout.chunk()[*dim]).max(1));
            match chunks {
                Some(chunks) => stride = stride.and_then(|n| n.checked_mul(chunks)),
                // Only the slowest dimension can be without an end.
                None if i == 0 => {}
                None => return Err(self.corrupt("dimension maximum size", Fault::Value(u64::MAX))),
            }
        }
        Ok(Numbering { order, strides })
    }
}

/// How chunks are numbered.
#[derive(Debug)]
pub(crate) struct Numbering {
    /// Dimensions, slowest first.
    order: Vec<usize>,
    /// By dimension: numbers from one chunk to the next.
    strides: Vec<u64>,
}

impl Numbering {
    /// The number of a chunk.
    fn number(&self, scaled: &[u64]) -> u64 {
        scaled.iter().zip(&self.strides).fold(0u64, |n, (s, stride)| n.saturating_add(s.saturating_mul(*stride)))
    }

    /// The place of the chunk with this number.
    pub(crate) fn place(&self, mut number: u64, scaled: &mut [u64]) {
        for dim in &self.order {
            scaled[*dim] = number / self.strides[*dim];
            number %= self.strides[*dim];
        }
    }

    /// The least and the greatest number of a box's chunks.
    fn span(&self, wanted: &ChunkBox) -> (u64, u64) {
        let low: Vec<u64> = wanted.iter().map(|range| range.start).collect();
        let high: Vec<u64> = wanted.iter().map(|range| range.end - 1).collect();
        (self.number(&low), self.number(&high))
    }
}

/// Chunks that a box has room for.
fn cells(wanted: &ChunkBox) -> u64 {
    wanted.iter().fold(1, |n, range| n.saturating_mul(range.end - range.start))
}

fn inside(scaled: &[u64], wanted: &ChunkBox) -> bool {
    scaled.iter().zip(wanted).all(|(s, range)| range.contains(s))
}

/// The next place of a box in row-major order; false after the last.
pub(crate) fn step(place: &mut [u64], within: &ChunkBox) -> bool {
    for (n, range) in place.iter_mut().zip(within).rev() {
        *n += 1;
        if *n < range.end {
            return true;
        }
        *n = range.start;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(dims: &[u64], max: &[Option<u64>], chunk: &[u64]) -> ChunkGrid {
        let dims_and_size = [chunk, &[4]].concat();
        let index = ChunkIndex::Implicit;
        ChunkGrid {
            layout: Chunked { flags: 0, dims: dims_and_size, dim_width: 1, index, address: None },
            version: 4,
            dims: dims.to_vec(),
            max_dims: max.to_vec(),
            element_size: 4,
            filtered: false,
            at: 0,
        }
    }

    #[test]
    fn numbers_follow_the_largest_extent() {
        let grid = grid(&[4, 4], &[Some(10), Some(9)], &[2, 2]);
        let numbering = grid.numbering(None).expect("numbers");
        // ceil(9 / 2) = 5 chunks in a row, though only two hold something now.
        assert_eq!(numbering.number(&[1, 1]), 6);
        let mut place = [0; 2];
        numbering.place(6, &mut place);
        assert_eq!(place, [1, 1]);
        assert_eq!(numbering.span(&[0..2, 1..2]), (1, 6));
    }

    #[test]
    fn the_endless_dimension_comes_first() {
        let grid = grid(&[4, 4, 4], &[Some(4), None, Some(6)], &[2, 2, 2]);
        let numbering = grid.numbering(Some(1)).expect("numbers");
        // Order: dimension 1, then 0 (2 chunks), then 2 (3 chunks).
        assert_eq!(numbering.number(&[1, 5, 2]), 5 * 6 + 3 + 2);
        let mut place = [0; 3];
        numbering.place(35, &mut place);
        assert_eq!(place, [1, 5, 2]);
        assert!(grid.numbering(None).is_err());
    }

    #[test]
    fn steps_are_row_major() {
        let within = [1..3, 5..7];
        let mut place = vec![1, 5];
        let mut seen = vec![place.clone()];
        while step(&mut place, &within) {
            seen.push(place.clone());
        }
        assert_eq!(seen, [[1, 5], [1, 6], [2, 5], [2, 6]]);
    }
}

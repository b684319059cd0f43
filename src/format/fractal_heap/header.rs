use super::table::DoublingTable;
use crate::bytes::parse::{addr, field, length, signature, take, u8, u16, u32, version};
use crate::bytes::{Addr, Block, Emit, Widths};
use crate::error::{Corrupt, Fault, Structure};
use crate::format::verified;

/// The header of a heap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FractalHeap {
    /// Bytes of a heap ID.
    pub id_length: u16,
    /// Flags: huge IDs wrapped (0), direct blocks have checksums (1).
    pub flags: u8,
    /// Bytes of the largest managed object.
    pub max_managed: u32,
    /// Next key for a huge object.
    pub next_huge: u64,
    /// Index of the huge objects.
    pub huge_index: Option<Addr>,
    /// Free bytes in managed blocks.
    pub free_space: u64,
    /// Free-space manager of the managed blocks.
    pub free_space_manager: Option<Addr>,
    /// Managed space, allocated managed space, iterator offset, managed objects; huge bytes and objects; tiny
    /// bytes and objects.
    pub statistics: [u64; 8],
    /// The doubling table.
    pub table: DoublingTable,
    /// Rows that the root indirect block had when it was created.
    pub starting_rows: u16,
    /// The root block.
    pub root: Option<Addr>,
    /// Rows of the root indirect block; 0 where the root is a direct block.
    pub current_rows: u16,
    /// For heaps with filters.
    pub filtered: Option<FilteredRoot>,
}

/// What the header of a heap with filters has more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilteredRoot {
    /// Bytes of the root direct block in the file.
    pub size: u64,
    /// Filters not applied to it.
    pub mask: u32,
    /// The filter pipeline message.
    pub pipeline: Vec<u8>,
}

impl FractalHeap {
    /// Bytes of a header without filters.
    #[must_use]
    pub fn size(w: Widths) -> usize {
        26 + 12 * usize::from(w.lengths) + 3 * usize::from(w.offsets)
    }

    /// Bytes of the header, from its first 9 bytes.
    ///
    /// # Errors
    /// Another signature or version.
    pub fn decode_size(block: Block<'_>) -> Result<usize, Corrupt> {
        let w = block.widths();
        block.run(Structure::FractalHeap, |i| {
            let (i, ()) = field("signature", signature(b"FRHP"))(i)?;
            let (i, _) = field("version", version(&[0]))(i)?;
            let (i, _) = field("heap ID length", u16)(i)?;
            let (i, filters) = field("I/O filters' encoded length", u16)(i)?;
            let more = if filters == 0 { 0 } else { usize::from(w.lengths) + 4 + usize::from(filters) };
            Ok((i, Self::size(w) + more))
        })
    }

    /// Decodes the header.
    ///
    /// # Errors
    /// Another signature or version, a wrong checksum, an impossible doubling table.
    pub fn decode(block: Block<'_>) -> Result<Self, Corrupt> {
        const S: Structure = Structure::FractalHeap;
        let w = block.widths();
        let block = block.sub(S, "length", 0..Self::decode_size(block)?)?;
        let header = verified(block, S)?.run(S, move |i| {
            let (i, ()) = field("signature", signature(b"FRHP"))(i)?;
            let (i, _) = field("version", version(&[0]))(i)?;
            let (i, id_length) = field("heap ID length", u16)(i)?;
            let (i, filters) = field("I/O filters' encoded length", u16)(i)?;
            let (i, flags) = field("flags", u8)(i)?;
            let (i, max_managed) = field("maximum size of managed objects", u32)(i)?;
            let (i, next_huge) = field("next huge object ID", length(w))(i)?;
            let (i, huge_index) = field("v2 B-tree address of huge objects", addr(w))(i)?;
            let (i, free_space) = field("amount of free space in managed blocks", length(w))(i)?;
            let (mut i, free_space_manager) = field("address of managed block free space manager", addr(w))(i)?;
            let mut statistics = [0; 8];
            for value in &mut statistics {
                (i, *value) = field("statistics", length(w))(i)?;
            }
            let (i, width) = field("table width", u16)(i)?;
            let (i, start) = field("starting block size", length(w))(i)?;
            let (i, max_direct) = field("maximum direct block size", length(w))(i)?;
            let (i, bits) = field("maximum heap size", u16)(i)?;
            let (i, starting_rows) = field("starting # of rows in root indirect block", u16)(i)?;
            let (i, root) = field("address of root block", addr(w))(i)?;
            let (i, current_rows) = field("current # of rows in root indirect block", u16)(i)?;
            let (i, filtered) = if filters == 0 {
                (i, None)
            } else {
                let (i, size) = field("size of filtered root direct block", length(w))(i)?;
                let (i, mask) = field("I/O filter mask", u32)(i)?;
                let (i, pipeline) = field("I/O filter information", take(filters.into()))(i)?;
                (i, Some(FilteredRoot { size, mask, pipeline: pipeline.to_vec() }))
            };
            let table = DoublingTable { width, start, max_direct, bits };
            Ok((
                i,
                Self {
                    id_length,
                    flags,
                    max_managed,
                    next_huge,
                    huge_index,
                    free_space,
                    free_space_manager,
                    statistics,
                    table,
                    starting_rows,
                    root,
                    current_rows,
                    filtered,
                },
            ))
        })?;
        header.table.check(block.at())?;
        if u32::from(header.current_rows) > header.table.max_rows() {
            let found = header.current_rows.into();
            let fault = Fault::Mismatch { found, expected: header.table.max_rows().into() };
            return Err(block.corrupt(S, "current # of rows in root indirect block", fault));
        }
        Ok(header)
    }

    /// Encodes the header.
    pub fn encode(&self, to: &mut Emit) {
        to.checksummed(|to| {
            to.bytes(b"FRHP");
            to.u8(0);
            to.u16(self.id_length);
            to.uint(2, self.filtered.as_ref().map_or(0, |f| f.pipeline.len()) as u64);
            to.u8(self.flags);
            to.u32(self.max_managed);
            to.length(self.next_huge);
            to.addr(self.huge_index);
            to.length(self.free_space);
            to.addr(self.free_space_manager);
            self.statistics.iter().for_each(|n| to.length(*n));
            to.u16(self.table.width);
            to.length(self.table.start);
            to.length(self.table.max_direct);
            to.u16(self.table.bits);
            to.u16(self.starting_rows);
            to.addr(self.root);
            to.u16(self.current_rows);
            if let Some(filtered) = &self.filtered {
                to.length(filtered.size);
                to.u32(filtered.mask);
                to.bytes(&filtered.pipeline);
            }
        });
    }

    /// True where direct blocks carry a checksum.
    #[must_use]
    pub fn checksums(&self) -> bool {
        self.flags & 2 != 0
    }

    /// Bytes of a direct block's head, checksum included.
    #[must_use]
    pub fn direct_head(&self, w: Widths) -> u64 {
        let checksum = if self.checksums() { 4 } else { 0 };
        5 + u64::from(w.offsets) + u64::from(self.table.offset_width()) + checksum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::testing::both_ways;

    #[test]
    fn with_and_without_filters() {
        let mut heap = FractalHeap {
            id_length: 7,
            flags: 2,
            max_managed: 4096,
            next_huge: 0,
            huge_index: None,
            free_space: 100,
            free_space_manager: Some(Addr(0x400)),
            statistics: [512, 512, 0, 9, 0, 0, 0, 0],
            table: DoublingTable { width: 4, start: 512, max_direct: 65536, bits: 32 },
            starting_rows: 1,
            root: Some(Addr(0x200)),
            current_rows: 0,
            filtered: None,
        };
        let widths = Widths { offsets: 4, lengths: 4 };
        for filtered in [None, Some(FilteredRoot { size: 77, mask: 1, pipeline: vec![2, 0, 9] })] {
            heap.filtered = filtered;
            let bytes = Emit::encode(widths, |to| heap.encode(to)).expect("it fits");
            assert_eq!(both_ways(&bytes, 4, FractalHeap::decode, FractalHeap::encode), heap);
        }
        assert_eq!(heap.direct_head(widths), 17);
        heap.table.width = 3;
        let bytes = Emit::encode(widths, |to| heap.encode(to)).expect("it fits");
        let fault = FractalHeap::decode(Block::new(&bytes, 0, widths)).expect_err("three columns");
        assert_eq!(fault.field(), "table width");
    }
}

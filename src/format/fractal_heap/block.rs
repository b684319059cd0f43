use super::header::FractalHeap;
use crate::bytes::checksum::{lookup3, lookup3_without};
use crate::bytes::parse::{addr, cond, defined, field, length, signature, u32, uint, version};
use crate::bytes::{Addr, Block, Emit};
use crate::error::{Corrupt, Fault, Structure};
use crate::format::verified;

/// The head of a direct block. Objects follow; offsets in the heap count from the block's first byte.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DirectBlock {
    /// The heap's header.
    pub heap: Addr,
    /// Offset of the block in the heap's linear space, in bytes.
    pub offset: u64,
    /// Checksum of the whole block with these four bytes as zeros.
    pub checksum: Option<u32>,
}

impl DirectBlock {
    /// Decodes a whole block, its filters undone, and verifies its checksum.
    ///
    /// # Errors
    /// Another signature or version, a wrong checksum.
    pub fn decode(block: Block<'_>, heap: &FractalHeap) -> Result<Self, Corrupt> {
        const S: Structure = Structure::FractalHeapDirect;
        let w = block.widths();
        let (head, rest) = block.run_rest(S, |i| {
            let (i, ()) = field("signature", signature(b"FHDB"))(i)?;
            let (i, _) = field("version", version(&[0]))(i)?;
            let (i, owner) = field("heap header address", defined(w))(i)?;
            let (i, offset) = field("block offset", uint(heap.table.offset_width()))(i)?;
            let (i, checksum) = field("checksum", cond(heap.checksums(), u32))(i)?;
            Ok((i, Self { heap: owner, offset, checksum }))
        })?;
        if let Some(stored) = head.checksum {
            let end = block.bytes().len() - rest.bytes().len();
            let computed = lookup3_without(block.bytes(), end - 4..end);
            if stored != computed && !cfg!(fuzzing) {
                let at = block.at() + end as u64 - 4;
                return Err(Corrupt::new(S, "checksum", at, Fault::Checksum { stored, computed }));
            }
        }
        Ok(head)
    }

    /// Encodes a block of these `objects` (all bytes after the head), with a fresh checksum.
    pub fn encode(&self, heap: &FractalHeap, objects: &[u8], to: &mut Emit) {
        let write = |checksum: u32, to: &mut Emit| {
            to.bytes(b"FHDB");
            to.u8(0);
            to.addr(Some(self.heap));
            to.uint(heap.table.offset_width(), self.offset);
            if heap.checksums() {
                to.u32(checksum);
            }
            to.bytes(objects);
        };
        let zeroed = Emit::encode(to.widths(), |to| write(0, to)).unwrap_or_default();
        write(lookup3(&zeroed), to);
    }
}

/// One entry of an indirect block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndirectEntry {
    /// The block; undefined where it is not allocated.
    pub address: Option<Addr>,
    /// For direct blocks of heaps with filters: bytes in the file, and the mask of filters not applied.
    pub filtered: Option<(u64, u32)>,
}

/// An indirect block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndirectBlock {
    /// The heap's header.
    pub heap: Addr,
    /// Offset of the block in the heap's linear space, in bytes.
    pub offset: u64,
    /// Entries row by row.
    pub entries: Vec<IndirectEntry>,
}

impl IndirectBlock {
    /// Decodes a block of `rows` rows.
    ///
    /// # Errors
    /// Another signature or version, a wrong checksum.
    pub fn decode(block: Block<'_>, heap: &FractalHeap, rows: u32) -> Result<Self, Corrupt> {
        const S: Structure = Structure::FractalHeapIndirect;
        let w = block.widths();
        verified(block, S)?.run(S, |i| {
            let (i, ()) = field("signature", signature(b"FHIB"))(i)?;
            let (i, _) = field("version", version(&[0]))(i)?;
            let (i, owner) = field("heap header address", defined(w))(i)?;
            let (mut i, offset) = field("block offset", uint(heap.table.offset_width()))(i)?;
            let mut entries = Vec::new();
            for row in 0..rows {
                let with_size = heap.filtered.is_some() && row < heap.table.direct_rows();
                for _ in 0..heap.table.width {
                    let (after, address) = field("child block address", addr(w))(i)?;
                    let (after, size) = field("size of filtered direct block", cond(with_size, length(w)))(after)?;
                    let (after, mask) = field("filter mask", cond(with_size, u32))(after)?;
                    entries.push(IndirectEntry { address, filtered: size.zip(mask) });
                    i = after;
                }
            }
            Ok((i, Self { heap: owner, offset, entries }))
        })
    }

    /// Encodes the block.
    pub fn encode(&self, heap: &FractalHeap, to: &mut Emit) {
        to.checksummed(|to| {
            to.bytes(b"FHIB");
            to.u8(0);
            to.addr(Some(self.heap));
            to.uint(heap.table.offset_width(), self.offset);
            for entry in &self.entries {
                to.addr(entry.address);
                if let Some((size, mask)) = entry.filtered {
                    to.length(size);
                    to.u32(mask);
                }
            }
        });
    }
}

//! Chunks in a version 2 B-tree.

use std::cmp::Ordering;

use super::{ChunkBox, ChunkGrid, StoredChunks, cells, inside};
use crate::bytes::Addr;
use crate::error::{Corrupt, Fault, Result, Structure};
use crate::format::btree_v2::{ChunkRecord, RecordType};
use crate::format::message::data_layout::Chunked;
use crate::walk::btree_v2::Tree;
use crate::walk::{Storage, each};

impl ChunkGrid {
    pub(super) fn btree_v2(
        &self,
        storage: &Storage,
        root: Addr,
        wanted: &ChunkBox,
        found: &mut StoredChunks,
    ) -> Result<()> {
        let rank = self.layout.rank();
        let (kind, size_width) = if self.filtered {
            let width = Chunked::size_width(self.version, self.chunk_bytes()?, storage.widths());
            (RecordType::CHUNK_FILTERED, Some(width))
        } else {
            (RecordType::CHUNK, None)
        };
        let tree = Tree::open(storage, root, &[kind])?;
        let filter_fields = size_width.map_or(0, |width| usize::from(width) + 4);
        let needed = usize::from(storage.widths().offsets) + filter_fields + 8 * rank;
        if tree.geometry.record_size != needed {
            let fault = Fault::Mismatch { found: tree.geometry.record_size as u64, expected: needed as u64 };
            return Err(Corrupt::new(Structure::BTreeV2Header, "record size", storage.position(root), fault).into());
        }
        // A record ends with its place in the grid; they are in row-major order.
        let place = |record: &[u8]| {
            let places = record[needed - 8 * rank..].chunks_exact(8).zip(wanted);
            let mut low = Ordering::Equal;
            let mut high = Ordering::Equal;
            for (bytes, range) in places {
                let n = u64::from_le_bytes(bytes.try_into().unwrap_or_default());
                low = low.then(n.cmp(&range.start));
                high = high.then(n.cmp(&(range.end - 1)));
            }
            match (low, high) {
                (Ordering::Less, _) => Ordering::Less,
                (_, Ordering::Greater) => Ordering::Greater,
                _ => Ordering::Equal,
            }
        };
        let only = if cells(wanted) == 1 { tree.only(storage, &place) } else { Ok(None) };
        let records = match only {
            Ok(Some(only)) => only,
            Err(e) if e.is_missing() => return Err(e),
            // What is out of order is found all the same, and what is at fault is told.
            _ => tree.range(storage, &place)?,
        };
        each(records.iter(), |record| {
            let chunk = ChunkRecord::decode(record, rank, size_width)?;
            if let Some(address) = chunk.address.filter(|_| inside(&chunk.scaled, wanted)) {
                found.push(storage, &chunk.scaled, self.entry(address, chunk.filtered)?)?;
            }
            Ok(())
        })
    }
}

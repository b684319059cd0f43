use std::cmp::Ordering;

use super::{ChunkBox, ChunkEntry, ChunkGrid, StoredChunks, cells, inside};
use crate::bytes::{Addr, Block};
use crate::error::{Corrupt, Fault, Result, Structure};
use crate::format::btree_v1::{ChunkKey, Keys, Node};
use crate::format::btree_v2::{ChunkRecord, RecordType};
use crate::format::message::data_layout::Chunked;
use crate::walk::btree_v1;
use crate::walk::btree_v2::Tree;
use crate::walk::{Storage, each};

impl ChunkGrid {
    pub(super) fn btree_v1(
        &self,
        storage: &Storage,
        root: Addr,
        wanted: &ChunkBox,
        found: &mut StoredChunks,
    ) -> Result<()> {
        let rank = self.layout.rank();
        let chunk = self.layout.chunk();
        // Keys are coordinates of elements, in row-major order.
        let corner = |pick: &dyn Fn(&std::ops::Range<u64>) -> u64| -> Vec<u64> {
            wanted.iter().zip(chunk).map(|(range, chunk)| pick(range).saturating_mul(*chunk)).collect()
        };
        let (low, high) = (corner(&|range| range.start), corner(&|range| range.end - 1));
        let between = |left: &ChunkKey, right: &ChunkKey| {
            // A child holds the chunks from its left key on, up to and without its right one. That after the last chunk may
            // differ from it by the coordinate in the element alone, which chunks have as 0.
            let (right, in_element) = right.offsets.split_at(rank);
            Ok(left.offsets[..rank] <= high[..] && (right, in_element) > (&low[..], &[0][..]))
        };
        let decode = |block: Block<'_>| {
            let node = Node::<ChunkKey>::decode(block, rank)?;
            // A search goes by the order; what is out of it would pass for never written.
            let ascend = node.keys.windows(2).all(|keys| keys[0].offsets < keys[1].offsets);
            if ascend { Ok(node) } else { Err(block.corrupt(Structure::BTreeV1, "key", Fault::Order)) }
        };
        let is_ours = |node: &Node<ChunkKey>| node.keys.iter().all(|key| key.offsets.len() == rank + 1);
        let (keys, k) = (Keys::Chunk { rank }, storage.k().chunk);
        let tree = btree_v1::Tree { keys, decode: &decode, k, kept: Some(&is_ours) };
        let mut scaled = vec![0; rank];
        tree.leaves(storage, root, &between, &mut |leaf| {
            for ((s, offset), chunk) in scaled.iter_mut().zip(&leaf.left.offsets).zip(chunk) {
                if offset % chunk != 0 {
                    let at = storage.position(root);
                    let fault = Fault::Value(*offset);
                    return Err(Corrupt::new(Structure::BTreeV1, "chunk offset", at, fault).into());
                }
                *s = offset / chunk;
            }
            if inside(&scaled, wanted) {
                let (size, mask) = (leaf.left.size.into(), leaf.left.filter_mask);
                found.push(storage, &scaled, ChunkEntry { address: leaf.child, size, mask })?;
            }
            Ok(())
        })
    }

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

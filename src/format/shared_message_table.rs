//! The shared object header message table (III.I): messages that several objects have in common.

use super::btree_v2::{SharedRecord, shared_record_size};
use super::verified;
use crate::bytes::parse::{addr, field, signature, u8, u16, u32, version};
use crate::bytes::{Addr, Block, Emit, Widths};
use crate::error::{Corrupt, Structure};

/// The table: one index for each set of message types.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedMessageTable {
    /// The indexes.
    pub indexes: Vec<SharedIndex>,
}

/// One index of shared messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedIndex {
    /// 0 a list, 1 a version 2 B-tree.
    pub kind: u8,
    /// Types it holds: bit `1 << type`.
    pub types: u16,
    /// Fewest bytes of a message that is shared.
    pub minimum_size: u32,
    /// Most messages of a list, fewest of a B-tree.
    pub cutoff: (u16, u16),
    /// Messages in the index.
    pub count: u16,
    /// The list or the B-tree.
    pub index: Option<Addr>,
    /// The heap that holds the messages.
    pub heap: Option<Addr>,
}

impl SharedMessageTable {
    /// Bytes of a table.
    #[must_use]
    pub fn size(indexes: u8, w: Widths) -> usize {
        8 + usize::from(indexes) * (14 + 2 * usize::from(w.offsets))
    }

    /// Decodes a table of so many indexes.
    ///
    /// # Errors
    /// Another signature or version, a wrong checksum.
    pub fn decode(block: Block<'_>, indexes: u8) -> Result<Self, Corrupt> {
        const S: Structure = Structure::SharedMessageTable;
        let w = block.widths();
        let block = block.sub(S, "length", 0..Self::size(indexes, w))?;
        verified(block, S)?.run(S, |i| {
            let (mut i, ()) = field("signature", signature(b"SMTB"))(i)?;
            let mut table = Self { indexes: Vec::new() };
            for _ in 0..indexes {
                let (after, _) = field("version", version(&[0]))(i)?;
                let (after, kind) = field("index type", u8)(after)?;
                let (after, types) = field("message type flags", u16)(after)?;
                let (after, minimum_size) = field("minimum message size", u32)(after)?;
                let (after, list) = field("list cutoff", u16)(after)?;
                let (after, tree) = field("v2 B-tree cutoff", u16)(after)?;
                let (after, count) = field("number of messages", u16)(after)?;
                let (after, index) = field("index address", addr(w))(after)?;
                let (after, heap) = field("fractal heap address", addr(w))(after)?;
                let cutoff = (list, tree);
                table.indexes.push(SharedIndex { kind, types, minimum_size, cutoff, count, index, heap });
                i = after;
            }
            Ok((i, table))
        })
    }

    /// Encodes the table.
    pub fn encode(&self, to: &mut Emit) {
        to.checksummed(|to| {
            to.bytes(b"SMTB");
            for index in &self.indexes {
                to.u8(0);
                to.u8(index.kind);
                to.u16(index.types);
                to.u32(index.minimum_size);
                to.u16(index.cutoff.0);
                to.u16(index.cutoff.1);
                to.u16(index.count);
                to.addr(index.index);
                to.addr(index.heap);
            }
        });
    }

    /// The index that holds messages of a type. Old fill values (type 4) go with the new ones (type 5).
    #[must_use]
    pub fn index_of(&self, message_type: u16) -> Option<&SharedIndex> {
        let message_type = if message_type == 4 { 5 } else { message_type };
        let bit = 1u16.checked_shl(message_type.into())?;
        self.indexes.iter().find(|index| index.types & bit != 0)
    }
}

/// The list form of an index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedMessageList {
    /// The messages.
    pub records: Vec<SharedRecord>,
}

impl SharedMessageList {
    /// Bytes of a list in use.
    #[must_use]
    pub fn size(count: u16, w: Widths) -> usize {
        8 + usize::from(count) * shared_record_size(w)
    }

    /// Decodes a list of `count` messages.
    ///
    /// # Errors
    /// Another signature, a wrong checksum.
    pub fn decode(block: Block<'_>, count: u16) -> Result<Self, Corrupt> {
        const S: Structure = Structure::SharedMessageList;
        let w = block.widths();
        let block = block.sub(S, "length", 0..Self::size(count, w))?;
        verified(block, S)?.run(S, |i| {
            let (mut i, ()) = field("signature", signature(b"SMLI"))(i)?;
            let mut list = Self { records: Vec::new() };
            for _ in 0..count {
                let (after, record) = SharedRecord::parse(w)(i)?;
                list.records.push(record);
                i = after;
            }
            Ok((i, list))
        })
    }

    /// Encodes the list.
    pub fn encode(&self, to: &mut Emit) {
        to.checksummed(|to| {
            to.bytes(b"SMLI");
            self.records.iter().for_each(|r| r.encode(to));
        });
    }
}

#[cfg(test)]
mod tests {
    use super::super::btree_v2::SharedLocation;
    use super::super::testing::both_ways;
    use super::*;

    #[test]
    fn table_and_list() {
        let index = SharedIndex {
            kind: 0,
            types: 0x0802,
            minimum_size: 50,
            cutoff: (50, 40),
            count: 1,
            index: Some(Addr(0x100)),
            heap: Some(Addr(0x200)),
        };
        let table = SharedMessageTable { indexes: vec![index.clone()] };
        let w = Widths::default();
        let bytes = Emit::encode(w, |to| table.encode(to)).expect("it fits");
        both_ways(&bytes, 8, |b| SharedMessageTable::decode(b, 1), SharedMessageTable::encode);
        assert_eq!(table.index_of(0x0b), Some(&index));
        assert_eq!(table.index_of(0x03), None);
        let location = SharedLocation::Heap { reference_count: 2, id: [1; 8] };
        let list = SharedMessageList { records: vec![SharedRecord { hash: 7, location }] };
        let bytes = Emit::encode(w, |to| list.encode(to)).expect("it fits");
        both_ways(&bytes, 8, |b| SharedMessageList::decode(b, 1), SharedMessageList::encode);
    }
}

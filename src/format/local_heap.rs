//! The local heap (III.D): the names of an old-style group.

use crate::bytes::parse::{addr, array, field, length, signature, version};
use crate::bytes::{Addr, Block, Emit, Widths};
use crate::error::{Corrupt, Structure};

/// The head of a local heap; its data segment stands elsewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalHeap {
    /// Reserved.
    pub reserved: [u8; 3],
    /// Bytes of the data segment.
    pub data_size: u64,
    /// Offset of the first free block in the data segment; 1 (or all bits set) for none.
    pub free_list: u64,
    /// The data segment.
    pub data: Option<Addr>,
}

impl LocalHeap {
    /// Bytes of the head.
    #[must_use]
    pub fn size(widths: Widths) -> usize {
        8 + 2 * usize::from(widths.lengths) + usize::from(widths.offsets)
    }

    /// Decodes the head.
    ///
    /// # Errors
    /// Another signature or version.
    pub fn decode(block: Block<'_>) -> Result<Self, Corrupt> {
        let w = block.widths();
        block.run(Structure::LocalHeap, move |i| {
            let (i, ()) = field("signature", signature(b"HEAP"))(i)?;
            let (i, _) = field("version", version(&[0]))(i)?;
            let (i, reserved) = field("reserved", array)(i)?;
            let (i, data_size) = field("data segment size", length(w))(i)?;
            let (i, free_list) = field("offset to head of free-list", length(w))(i)?;
            let (i, data) = field("address of data segment", addr(w))(i)?;
            Ok((i, Self { reserved, data_size, free_list, data }))
        })
    }

    /// Encodes the head.
    pub fn encode(&self, to: &mut Emit) {
        to.bytes(b"HEAP");
        to.u8(0);
        to.bytes(&self.reserved);
        to.length(self.data_size);
        to.length(self.free_list);
        to.addr(self.data);
    }
}

#[cfg(test)]
#[test]
fn reads_like_the_table() {
    #[rustfmt::skip]
    let bytes = [
        b'H', b'E', b'A', b'P', 0, 0, 0, 0,     // signature, version, reserved
        88, 0, 0, 0,                            // data segment size
        1, 0, 0, 0,                             // offset to head of free-list
        0xc8, 2, 0, 0,                          // address of data segment
    ];
    let heap = super::testing::both_ways(&bytes, 4, LocalHeap::decode, LocalHeap::encode);
    assert_eq!((heap.data_size, heap.free_list, heap.data), (88, 1, Some(Addr(0x2c8))));
}

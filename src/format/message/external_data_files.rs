//! The external data files message, type 0x0007 (IV.A.2.h).

use crate::bytes::parse::{addr, array, counted, field, length, optional_uint, u16, version};
use crate::bytes::{Addr, Block, Emit};
use crate::error::{Corrupt, Structure};

/// The raw files that hold a dataset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExternalDataFiles {
    /// Reserved.
    pub reserved: [u8; 3],
    /// Slots that the message has room for.
    pub allocated: u16,
    /// Local heap with the names.
    pub heap: Option<Addr>,
    /// The pieces, in the order of the dataset's bytes.
    pub slots: Vec<ExternalSlot>,
}

/// One piece of a dataset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExternalSlot {
    /// Offset of the file's name in the local heap, in bytes.
    pub name: u64,
    /// Where the piece begins in the file, in bytes.
    pub offset: u64,
    /// Its bytes, `None` where it has no end.
    pub size: Option<u64>,
}

impl ExternalDataFiles {
    /// Decodes a message body.
    ///
    /// # Errors
    /// An unknown version, or more slots than bytes.
    pub fn decode(block: Block<'_>) -> Result<Self, Corrupt> {
        let w = block.widths();
        block.run(Structure::ExternalDataFiles, move |i| {
            let (i, _) = field("version", version(&[1]))(i)?;
            let (i, reserved) = field("reserved", array)(i)?;
            let (i, allocated) = field("allocated slots", u16)(i)?;
            let (i, used) = field("used slots", u16)(i)?;
            let (i, heap) = field("heap address", addr(w))(i)?;
            let slot = |i| {
                let (i, name) = length(w)(i)?;
                let (i, offset) = length(w)(i)?;
                let (i, size) = optional_uint(w.lengths)(i)?;
                Ok((i, ExternalSlot { name, offset, size }))
            };
            let (i, slots) = field("slot definitions", counted(used.into(), 3 * usize::from(w.lengths), slot))(i)?;
            Ok((i, Self { reserved, allocated, heap, slots }))
        })
    }

    /// Encodes the message body.
    pub fn encode(&self, to: &mut Emit) {
        to.u8(1);
        to.bytes(&self.reserved);
        to.u16(self.allocated);
        to.uint(2, self.slots.len() as u64);
        to.addr(self.heap);
        let lengths = to.widths().lengths;
        for slot in &self.slots {
            to.length(slot.name);
            to.length(slot.offset);
            to.optional_uint(lengths, slot.size);
        }
    }
}

#[cfg(test)]
#[test]
fn both_ways() {
    let bytes = [1, 0, 0, 0, 2, 0, 1, 0, 0x60, 0, 8, 0, 4, 0, 0xff, 0xff];
    let files = crate::format::testing::both_ways(&bytes, 2, ExternalDataFiles::decode, ExternalDataFiles::encode);
    assert_eq!(files.slots, [ExternalSlot { name: 8, offset: 4, size: None }]);
}

//! The link info message, type 0x0002 (IV.A.2.c).
//!
//! Tells where a new-style group keeps its links once they no longer fit in its header.

use crate::bytes::parse::{addr, cond, field, u8, u64, version};
use crate::bytes::{Addr, Block, Emit};
use crate::error::{Corrupt, Structure};

/// Where a group's links are stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkInfo {
    /// The next creation order index to hand out, where the group tracks creation order.
    pub maximum_creation_index: Option<u64>,
    /// Heap holding the links, or `None` while they are still in the object header.
    pub fractal_heap: Option<Addr>,
    /// Index of the links by name.
    pub name_index: Option<Addr>,
    /// Index of the links by creation order; the outer `None` means the group has no such index.
    pub creation_order_index: Option<Option<Addr>>,
    /// Flag bits that the specification does not define.
    pub reserved_flags: u8,
}

const TRACKED: u8 = 1;
const INDEXED: u8 = 2;

impl LinkInfo {
    /// Decodes a message body.
    ///
    /// # Errors
    /// An unknown version, or a body that ends too early.
    pub fn decode(block: Block<'_>) -> Result<Self, Corrupt> {
        let w = block.widths();
        block.run(Structure::LinkInfo, move |i| {
            let (i, _) = field("version", version(&[0]))(i)?;
            let (i, flags) = field("flags", u8)(i)?;
            let (i, maximum_creation_index) = field("maximum creation index", cond(flags & TRACKED != 0, u64))(i)?;
            let (i, fractal_heap) = field("fractal heap address", addr(w))(i)?;
            let (i, name_index) = field("name index address", addr(w))(i)?;
            let (i, creation_order_index) =
                field("creation order index address", cond(flags & INDEXED != 0, addr(w)))(i)?;
            let reserved_flags = flags & !(TRACKED | INDEXED);
            Ok((i, Self { maximum_creation_index, fractal_heap, name_index, creation_order_index, reserved_flags }))
        })
    }

    /// Encodes the message body.
    pub fn encode(&self, to: &mut Emit) {
        to.u8(0);
        to.u8(self.reserved_flags
            | if self.maximum_creation_index.is_some() { TRACKED } else { 0 }
            | if self.creation_order_index.is_some() { INDEXED } else { 0 });
        if let Some(index) = self.maximum_creation_index {
            to.u64(index);
        }
        to.addr(self.fractal_heap);
        to.addr(self.name_index);
        if let Some(address) = self.creation_order_index {
            to.addr(address);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::testing::both_ways;

    #[test]
    fn reads_like_the_table() {
        #[rustfmt::skip]
        let bytes = [
            0,                          // version
            3,                          // flags: tracked, indexed
            5, 0, 0, 0, 0, 0, 0, 0,     // maximum creation index
            0x10, 0x20, 0, 0,           // fractal heap address
            0x30, 0x20, 0, 0,           // name index address
            0xff, 0xff, 0xff, 0xff,     // creation order index address
        ];
        let decoded = both_ways(&bytes, 4, LinkInfo::decode, LinkInfo::encode);
        assert_eq!(
            decoded,
            LinkInfo {
                maximum_creation_index: Some(5),
                fractal_heap: Some(Addr(0x2010)),
                name_index: Some(Addr(0x2030)),
                creation_order_index: Some(None),
                reserved_flags: 0,
            }
        );
    }
}

//! The attribute info message, type 0x0015 (IV.A.2.v): where an object's attributes are once there are many.

use crate::bytes::parse::{addr, cond, field, u8, u16, version};
use crate::bytes::{Addr, Block, Emit};
use crate::error::{Corrupt, Structure};

/// Where an object's attributes are stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttributeInfo {
    /// The next creation order index to hand out, where the object tracks creation order.
    pub maximum_creation_index: Option<u16>,
    /// Heap holding the attributes, or `None` while they are still in the object header.
    pub fractal_heap: Option<Addr>,
    /// Index of the attributes by name.
    pub name_index: Option<Addr>,
    /// Index by creation order; the outer `None` means there is no such index.
    pub creation_order_index: Option<Option<Addr>>,
    /// Flag bits that the specification does not define.
    pub reserved_flags: u8,
}

impl AttributeInfo {
    /// Decodes a message body.
    ///
    /// # Errors
    /// An unknown version, or a body that ends too early.
    pub fn decode(block: Block<'_>) -> Result<Self, Corrupt> {
        let w = block.widths();
        block.run(Structure::AttributeInfo, move |i| {
            let (i, _) = field("version", version(&[0]))(i)?;
            let (i, flags) = field("flags", u8)(i)?;
            let (i, maximum_creation_index) = field("maximum creation index", cond(flags & 1 != 0, u16))(i)?;
            let (i, fractal_heap) = field("fractal heap address", addr(w))(i)?;
            let (i, name_index) = field("attribute name v2 B-tree address", addr(w))(i)?;
            let (i, creation_order_index) =
                field("attribute creation order v2 B-tree address", cond(flags & 2 != 0, addr(w)))(i)?;
            let reserved_flags = flags & !3;
            Ok((i, Self { maximum_creation_index, fractal_heap, name_index, creation_order_index, reserved_flags }))
        })
    }

    /// Encodes the message body.
    pub fn encode(&self, to: &mut Emit) {
        to.u8(0);
        to.u8(self.reserved_flags
            | u8::from(self.maximum_creation_index.is_some())
            | if self.creation_order_index.is_some() { 2 } else { 0 });
        if let Some(index) = self.maximum_creation_index {
            to.u16(index);
        }
        to.addr(self.fractal_heap);
        to.addr(self.name_index);
        if let Some(address) = self.creation_order_index {
            to.addr(address);
        }
    }
}

#[cfg(test)]
#[test]
fn both_ways() {
    use crate::format::testing::both_ways;
    let bytes = [0, 3, 5, 0, 1, 0, 2, 0, 0xff, 0xff];
    let info = both_ways(&bytes, 2, AttributeInfo::decode, AttributeInfo::encode);
    assert_eq!((info.fractal_heap, info.name_index), (Some(Addr(1)), Some(Addr(2))));
    assert_eq!((info.maximum_creation_index, info.creation_order_index), (Some(5), Some(None)));
}

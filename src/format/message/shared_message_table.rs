//! The shared message table message, type 0x000f (IV.A.2.p), of the superblock extension.

use crate::bytes::parse::{addr, field, u8, version};
use crate::bytes::{Addr, Block, Emit};
use crate::error::{Corrupt, Structure};

/// Where the table of shared messages is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SharedMessageTableLocation {
    /// The table.
    pub address: Option<Addr>,
    /// Indexes in it.
    pub indexes: u8,
}

impl SharedMessageTableLocation {
    /// Decodes a message body.
    ///
    /// # Errors
    /// An unknown version, or a body that ends too early.
    pub fn decode(block: Block<'_>) -> Result<Self, Corrupt> {
        let w = block.widths();
        block.run(Structure::SharedMessageTableMessage, move |i| {
            let (i, _) = field("version", version(&[0]))(i)?;
            let (i, address) = field("shared object header message table address", addr(w))(i)?;
            let (i, indexes) = field("number of indices", u8)(i)?;
            Ok((i, Self { address, indexes }))
        })
    }

    /// Encodes the message body.
    pub fn encode(&self, to: &mut Emit) {
        to.u8(0);
        to.addr(self.address);
        to.u8(self.indexes);
    }
}

#[cfg(test)]
#[test]
fn both_ways() {
    use SharedMessageTableLocation as Message;
    let at = crate::format::testing::both_ways(&[0, 0x60, 0, 2], 2, Message::decode, Message::encode);
    assert_eq!(at, Message { address: Some(Addr(0x60)), indexes: 2 });
}

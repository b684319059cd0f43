//! The object header continuation message, type 0x0010 (IV.A.2.q).

use crate::bytes::parse::{addr, field, length};
use crate::bytes::{Addr, Block, Emit};
use crate::error::{Corrupt, Structure};

/// Where more messages of the object are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Continuation {
    /// The block.
    pub address: Option<Addr>,
    /// Its bytes; in version 2, signature and checksum are counted.
    pub length: u64,
}

impl Continuation {
    /// Decodes a message body.
    ///
    /// # Errors
    /// A body that ends too early.
    pub fn decode(block: Block<'_>) -> Result<Self, Corrupt> {
        let w = block.widths();
        block.run(Structure::Continuation, move |i| {
            let (i, address) = field("offset", addr(w))(i)?;
            let (i, length) = field("length", length(w))(i)?;
            Ok((i, Self { address, length }))
        })
    }

    /// Encodes the message body.
    pub fn encode(&self, to: &mut Emit) {
        to.addr(self.address);
        to.length(self.length);
    }
}

#[cfg(test)]
#[test]
fn both_ways() {
    let bytes = [0x40, 0, 0x20, 0];
    let found = crate::format::testing::both_ways(&bytes, 2, Continuation::decode, Continuation::encode);
    assert_eq!(found, Continuation { address: Some(Addr(0x40)), length: 0x20 });
}

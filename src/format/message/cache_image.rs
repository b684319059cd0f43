//! The metadata cache image message, type 0x0018 (IV.A.2.y): where the image block is.

use crate::bytes::parse::{addr, field, length, version};
use crate::bytes::{Addr, Block, Emit};
use crate::error::{Corrupt, Structure};

/// Where the cache image is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheImageLocation {
    /// The block; undefined where there is none.
    pub address: Option<Addr>,
    /// Its bytes.
    pub length: u64,
}

impl CacheImageLocation {
    /// Decodes a message body.
    ///
    /// # Errors
    /// An unknown version, or a body that ends too early.
    pub fn decode(block: Block<'_>) -> Result<Self, Corrupt> {
        let w = block.widths();
        block.run(Structure::CacheImageMessage, move |i| {
            let (i, _) = field("version", version(&[0]))(i)?;
            let (i, address) = field("metadata cache image block address", addr(w))(i)?;
            let (i, length) = field("metadata cache image block length", length(w))(i)?;
            Ok((i, Self { address, length }))
        })
    }

    /// Encodes the message body.
    pub fn encode(&self, to: &mut Emit) {
        to.u8(0);
        to.addr(self.address);
        to.length(self.length);
    }
}

#[cfg(test)]
#[test]
fn both_ways() {
    use crate::format::testing::both_ways;
    let bytes = [0, 9, 0, 0, 0, 7, 0, 0, 0];
    let at = both_ways(&bytes, 4, CacheImageLocation::decode, CacheImageLocation::encode);
    assert_eq!(at, CacheImageLocation { address: Some(Addr(9)), length: 7 });
}

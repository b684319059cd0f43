//! The B-tree 'K' values message, type 0x0013 (IV.A.2.t), of the superblock extension.

use crate::bytes::parse::{field, u16, version};
use crate::bytes::{Block, Emit};
use crate::error::{Corrupt, Structure};

/// Half the room of version 1 nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BTreeK {
    /// Children of a chunk B-tree node, halved.
    pub chunk: u16,
    /// Children of a group B-tree node, halved.
    pub group_internal: u16,
    /// Entries of a symbol table node, halved.
    pub group_leaf: u16,
}

impl Default for BTreeK {
    /// libhdf5's values where the file gives none.
    fn default() -> Self {
        Self { chunk: 32, group_internal: 16, group_leaf: 4 }
    }
}

impl BTreeK {
    /// Decodes a message body.
    ///
    /// # Errors
    /// An unknown version, or a body that ends too early.
    pub fn decode(block: Block<'_>) -> Result<Self, Corrupt> {
        block.run(Structure::BTreeK, |i| {
            let (i, _) = field("version", version(&[0]))(i)?;
            let (i, chunk) = field("indexed storage internal node K", u16)(i)?;
            let (i, group_internal) = field("group internal node K", u16)(i)?;
            let (i, group_leaf) = field("group leaf node K", u16)(i)?;
            Ok((i, Self { chunk, group_internal, group_leaf }))
        })
    }

    /// Encodes the message body.
    pub fn encode(&self, to: &mut Emit) {
        to.u8(0);
        to.u16(self.chunk);
        to.u16(self.group_internal);
        to.u16(self.group_leaf);
    }
}

#[cfg(test)]
#[test]
fn both_ways() {
    use crate::format::testing::both_ways;
    let k = both_ways(&[0, 1, 0, 2, 0, 3, 0], 8, BTreeK::decode, BTreeK::encode);
    assert_eq!(k, BTreeK { chunk: 1, group_internal: 2, group_leaf: 3 });
}

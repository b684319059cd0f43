//! The symbol table message, type 0x0011 (IV.A.2.r), of old-style groups.

use crate::bytes::parse::{addr, field};
use crate::bytes::{Addr, Block, Emit};
use crate::error::{Corrupt, Structure};

/// Where an old-style group's links are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SymbolTable {
    /// The version 1 B-tree.
    pub btree: Option<Addr>,
    /// The local heap with the names.
    pub heap: Option<Addr>,
}

impl SymbolTable {
    /// Decodes a message body.
    ///
    /// # Errors
    /// A body that ends too early.
    pub fn decode(block: Block<'_>) -> Result<Self, Corrupt> {
        let w = block.widths();
        block.run(Structure::SymbolTable, move |i| {
            let (i, btree) = field("v1 B-tree address", addr(w))(i)?;
            let (i, heap) = field("local heap address", addr(w))(i)?;
            Ok((i, Self { btree, heap }))
        })
    }

    /// Encodes the message body.
    pub fn encode(&self, to: &mut Emit) {
        to.addr(self.btree);
        to.addr(self.heap);
    }
}

#[cfg(test)]
#[test]
fn both_ways() {
    let found = crate::format::testing::both_ways(&[8, 0, 9, 0], 2, SymbolTable::decode, SymbolTable::encode);
    assert_eq!(found, SymbolTable { btree: Some(Addr(8)), heap: Some(Addr(9)) });
}

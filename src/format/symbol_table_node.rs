//! The symbol table node (III.B): the leaves of an old-style group.

use super::symbol_table_entry::SymbolTableEntry;
use crate::bytes::parse::{counted, field, signature, u8, u16, version};
use crate::bytes::{Block, Emit, Widths};
use crate::error::{Corrupt, Structure};

/// Links of an old-style group, sorted by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymbolTableNode {
    /// Reserved.
    pub reserved: u8,
    /// The entries in use.
    pub entries: Vec<SymbolTableEntry>,
}

impl SymbolTableNode {
    /// Bytes of the node's head.
    pub const HEAD: usize = 8;

    /// Bytes of a node with room for `2 * leaf_k` entries.
    #[must_use]
    pub fn size(leaf_k: u16, widths: Widths) -> usize {
        Self::HEAD + 2 * usize::from(leaf_k) * SymbolTableEntry::size(widths)
    }

    /// Number of entries in use, from the first [`HEAD`](Self::HEAD) bytes.
    ///
    /// # Errors
    /// Another signature or version.
    pub fn decode_count(block: Block<'_>) -> Result<u16, Corrupt> {
        block.run(Structure::SymbolTableNode, |i| {
            let (i, ()) = field("signature", signature(b"SNOD"))(i)?;
            let (i, _) = field("version", version(&[1]))(i)?;
            let (i, _) = field("reserved", u8)(i)?;
            field("number of symbols", u16)(i)
        })
    }

    /// Decodes the node; room that is not in use is not looked at.
    ///
    /// # Errors
    /// Another signature or version, or more symbols than bytes.
    pub fn decode(block: Block<'_>) -> Result<Self, Corrupt> {
        let w = block.widths();
        block.run(Structure::SymbolTableNode, move |i| {
            let (i, ()) = field("signature", signature(b"SNOD"))(i)?;
            let (i, _) = field("version", version(&[1]))(i)?;
            let (i, reserved) = field("reserved", u8)(i)?;
            let (i, n) = field("number of symbols", u16)(i)?;
            let entry = SymbolTableEntry::parse(w);
            let (i, entries) = field("group entries", counted(n.into(), SymbolTableEntry::size(w), entry))(i)?;
            Ok((i, Self { reserved, entries }))
        })
    }

    /// Encodes the head and the entries in use.
    pub fn encode(&self, to: &mut Emit) {
        to.bytes(b"SNOD");
        to.u8(1);
        to.u8(self.reserved);
        to.u16(self.entries.len() as u16);
        for entry in &self.entries {
            entry.encode(to);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::Addr;
    use crate::format::testing::both_ways;

    #[test]
    fn reads_like_the_table() {
        #[rustfmt::skip]
        let bytes = [
            b'S', b'N', b'O', b'D', 1, 0,      // signature, version, reserved
            2, 0,                              // number of symbols
            8, 0, 0, 0,                        // link name offset
            0x20, 3, 0, 0,                     // object header address
            1, 0, 0, 0, 0, 0, 0, 0,            // cache type, reserved
            0x88, 0, 0, 0, 0xa8, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
            16, 0, 0, 0,                       // link name offset
            0xff, 0xff, 0xff, 0xff,            // object header address
            2, 0, 0, 0, 0, 0, 0, 0,            // cache type: a soft link
            24, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        ];
        let node = both_ways(&bytes, 4, SymbolTableNode::decode, SymbolTableNode::encode);
        assert_eq!(node.entries[0].object_header, Some(Addr(0x320)));
        assert_eq!(node.entries[0].symbol_table(Widths { offsets: 4, lengths: 4 }), Some((0x88, 0x2a8)));
        assert_eq!((node.entries[1].object_header, node.entries[1].soft_link()), (None, Some(24)));
    }
}

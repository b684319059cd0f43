//! The symbol table entry (III.C): one link of an old-style group.

use crate::bytes::parse::{Parsed, addr, array, field, length, u32, uint};
use crate::bytes::{Addr, Emit, Widths};

/// One link of an old-style group, or the root group in superblocks 0 and 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymbolTableEntry {
    /// Offset of the name in the group's local heap, in bytes; as wide as a length, which the specification
    /// leaves open.
    pub name: u64,
    /// The object; undefined for a soft link.
    pub object_header: Option<Addr>,
    /// What the scratch-pad holds: 0 nothing, 1 a group's B-tree and heap, 2 a soft link.
    pub cache_type: u32,
    /// Reserved.
    pub reserved: u32,
    /// Scratch-pad.
    pub scratch: [u8; 16],
}

impl SymbolTableEntry {
    /// Bytes of an entry.
    #[must_use]
    pub fn size(widths: Widths) -> usize {
        usize::from(widths.lengths) + usize::from(widths.offsets) + 24
    }

    /// For a soft link: the offset of its target in the local heap, in bytes.
    #[must_use]
    pub fn soft_link(&self) -> Option<u64> {
        let [a, b, c, d, ..] = self.scratch;
        (self.cache_type == 2).then(|| u32::from_le_bytes([a, b, c, d]).into())
    }

    pub(crate) fn parse<'a>(widths: Widths) -> impl FnMut(&'a [u8]) -> Parsed<'a, Self> {
        move |i| {
            let (i, name) = field("link name offset", length(widths))(i)?;
            let (i, object_header) = field("object header address", addr(widths))(i)?;
            let (i, cache_type) = field("cache type", u32)(i)?;
            let (i, reserved) = field("reserved", u32)(i)?;
            let (i, scratch) = field("scratch-pad space", array::<16>)(i)?;
            Ok((i, Self { name, object_header, cache_type, reserved, scratch }))
        }
    }

    /// For a group: the addresses of its B-tree and local heap, a hint that the object header repeats.
    #[must_use]
    pub fn symbol_table(&self, widths: Widths) -> Option<(u64, u64)> {
        if self.cache_type != 1 {
            return None;
        }
        let (i, btree) = uint(widths.offsets)(&self.scratch).ok()?;
        let (_, heap) = uint(widths.offsets)(i).ok()?;
        Some((btree, heap))
    }

    /// Encodes the entry.
    pub fn encode(&self, to: &mut Emit) {
        to.length(self.name);
        to.addr(self.object_header);
        to.u32(self.cache_type);
        to.u32(self.reserved);
        to.bytes(&self.scratch);
    }
}

//! The group info message, type 0x000a (IV.A.2.k).

use crate::bytes::parse::{cond, field, u8, u16, version};
use crate::bytes::{Block, Emit};
use crate::error::{Corrupt, Structure};

/// How a new-style group stores its links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupInfo {
    /// Flags as stored.
    pub flags: u8,
    /// Most links kept in the header, and fewest kept outside it.
    pub phase_change: Option<(u16, u16)>,
    /// Links expected, and bytes expected of a name.
    pub estimates: Option<(u16, u16)>,
}

impl GroupInfo {
    /// Decodes a message body.
    ///
    /// # Errors
    /// An unknown version, or a body that ends too early.
    pub fn decode(block: Block<'_>) -> Result<Self, Corrupt> {
        block.run(Structure::GroupInfo, |i| {
            let (i, _) = field("version", version(&[0]))(i)?;
            let (i, flags) = field("flags", u8)(i)?;
            let (i, compact) = field("link phase change: maximum compact value", cond(flags & 1 != 0, u16))(i)?;
            let (i, dense) = field("link phase change: minimum dense value", cond(flags & 1 != 0, u16))(i)?;
            let (i, entries) = field("estimated number of entries", cond(flags & 2 != 0, u16))(i)?;
            let (i, length) = field("estimated link name length", cond(flags & 2 != 0, u16))(i)?;
            Ok((i, Self { flags, phase_change: compact.zip(dense), estimates: entries.zip(length) }))
        })
    }

    /// Encodes the message body.
    pub fn encode(&self, to: &mut Emit) {
        to.u8(0);
        to.u8(self.flags);
        for (a, b) in self.phase_change.into_iter().chain(self.estimates) {
            to.u16(a);
            to.u16(b);
        }
    }
}

#[cfg(test)]
#[test]
fn both_ways() {
    use crate::format::testing::both_ways;
    let info = both_ways(&[0, 3, 8, 0, 6, 0, 4, 0, 9, 0], 8, GroupInfo::decode, GroupInfo::encode);
    assert_eq!((info.phase_change, info.estimates), (Some((8, 6)), Some((4, 9))));
}

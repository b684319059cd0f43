use crate::bytes::parse::{cond, field, signature, u8, u16, u32, uint, version};
use crate::bytes::{Block, Emit};
use crate::error::{Corrupt, Fault, Structure};

/// What stands before the messages of an object header's first chunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Prefix {
    /// Version 1 (IV.A.1.a).
    V1(PrefixV1),
    /// Version 2 (IV.A.1.b).
    V2(PrefixV2),
}

/// The prefix of version 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrefixV1 {
    /// Reserved.
    pub reserved: u8,
    /// Number of messages; wrong in some old files.
    pub message_count: u16,
    /// Hard links to the object.
    pub reference_count: u32,
    /// Bytes of messages in the first chunk.
    pub chunk_size: u32,
    /// Padding.
    pub padding: u32,
}

/// The prefix of version 2.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrefixV2 {
    /// Flags: width of the chunk size (bits 0-1), attribute creation order tracked (2) and indexed (3),
    /// attribute phase change stored (4), times stored (5).
    pub flags: u8,
    /// When the object was used.
    pub times: Option<Times>,
    /// Most attributes kept in the header, and fewest kept outside it.
    pub phase_change: Option<(u16, u16)>,
    /// Bytes of messages (and gap) in the first chunk.
    pub chunk_size: u64,
}

/// Times of an object, in seconds since 1970 (UTC).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Times {
    /// Last access.
    pub access: u32,
    /// Last modification of the data.
    pub modification: u32,
    /// Last change of the header.
    pub change: u32,
    /// Creation.
    pub birth: u32,
}

const TRACKED: u8 = 1 << 2;
const INDEXED: u8 = 1 << 3;
const PHASE_CHANGE: u8 = 1 << 4;
const TIMES: u8 = 1 << 5;

impl Prefix {
    /// Most bytes of a prefix.
    pub const LARGEST: usize = 4 + 2 + 16 + 4 + 8;

    /// Decodes a prefix and gives what follows it in the block.
    ///
    /// # Errors
    /// Neither version, or a block that ends too early.
    pub fn decode(block: Block<'_>) -> Result<(Self, Block<'_>), Corrupt> {
        match block.bytes().first() {
            Some(b'O') => PrefixV2::decode(block).map(|(prefix, rest)| (Self::V2(prefix), rest)),
            Some(_) => PrefixV1::decode(block).map(|(prefix, rest)| (Self::V1(prefix), rest)),
            None => Err(block.corrupt(Structure::ObjectHeader, "version", Fault::Truncated { needed: 1 })),
        }
    }

    /// Encodes the prefix.
    pub fn encode(&self, to: &mut Emit) {
        match self {
            Self::V1(prefix) => prefix.encode(to),
            Self::V2(prefix) => prefix.encode(to),
        }
    }

    /// 1 or 2.
    #[must_use]
    pub fn version(&self) -> u8 {
        match self {
            Self::V1(_) => 1,
            Self::V2(_) => 2,
        }
    }

    /// Bytes of messages (and gap) in the first chunk.
    #[must_use]
    pub fn chunk_size(&self) -> u64 {
        match self {
            Self::V1(prefix) => prefix.chunk_size.into(),
            Self::V2(prefix) => prefix.chunk_size,
        }
    }

    /// True where every message carries the creation order of attributes.
    #[must_use]
    pub fn creation_order_tracked(&self) -> bool {
        matches!(self, Self::V2(prefix) if prefix.flags & TRACKED != 0)
    }

    /// True where attributes are indexed by creation order.
    #[must_use]
    pub fn creation_order_indexed(&self) -> bool {
        matches!(self, Self::V2(prefix) if prefix.flags & INDEXED != 0)
    }
}

impl PrefixV1 {
    fn decode(block: Block<'_>) -> Result<(Self, Block<'_>), Corrupt> {
        block.run_rest(Structure::ObjectHeader, |i| {
            let (i, _) = field("version", version(&[1]))(i)?;
            let (i, reserved) = field("reserved", u8)(i)?;
            let (i, message_count) = field("total number of header messages", u16)(i)?;
            let (i, reference_count) = field("object reference count", u32)(i)?;
            let (i, chunk_size) = field("object header size", u32)(i)?;
            let (i, padding) = field("padding", u32)(i)?;
            Ok((i, Self { reserved, message_count, reference_count, chunk_size, padding }))
        })
    }

    fn encode(&self, to: &mut Emit) {
        to.u8(1);
        to.u8(self.reserved);
        to.u16(self.message_count);
        to.u32(self.reference_count);
        to.u32(self.chunk_size);
        to.u32(self.padding);
    }
}

impl PrefixV2 {
    fn decode(block: Block<'_>) -> Result<(Self, Block<'_>), Corrupt> {
        block.run_rest(Structure::ObjectHeader, |i| {
            let (i, ()) = field("signature", signature(b"OHDR"))(i)?;
            let (i, _) = field("version", version(&[2]))(i)?;
            let (i, flags) = field("flags", u8)(i)?;
            let (i, times) = field("times", cond(flags & TIMES != 0, Times::parse))(i)?;
            let stored = flags & PHASE_CHANGE != 0;
            let (i, compact) = field("maximum # of compact attributes", cond(stored, u16))(i)?;
            let (i, dense) = field("minimum # of dense attributes", cond(stored, u16))(i)?;
            let (i, chunk_size) = field("size of chunk #0", uint(1 << (flags & 3)))(i)?;
            Ok((i, Self { flags, times, phase_change: compact.zip(dense), chunk_size }))
        })
    }

    fn encode(&self, to: &mut Emit) {
        to.bytes(b"OHDR");
        to.u8(2);
        to.u8(self.flags);
        if let Some(times) = self.times {
            [times.access, times.modification, times.change, times.birth].into_iter().for_each(|t| to.u32(t));
        }
        if let Some((compact, dense)) = self.phase_change {
            to.u16(compact);
            to.u16(dense);
        }
        to.uint(1 << (self.flags & 3), self.chunk_size);
    }
}

impl Times {
    fn parse(i: &[u8]) -> crate::bytes::parse::Parsed<'_, Self> {
        let (i, access) = u32(i)?;
        let (i, modification) = u32(i)?;
        let (i, change) = u32(i)?;
        let (i, birth) = u32(i)?;
        Ok((i, Self { access, modification, change, birth }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::testing::both_ways;

    fn decode(block: Block<'_>) -> Result<Prefix, Corrupt> {
        Prefix::decode(block).map(|(prefix, _)| prefix)
    }

    #[test]
    fn version_1() {
        let bytes = [1, 0, 3, 0, 2, 0, 0, 0, 0x60, 0, 0, 0, 0, 0, 0, 0];
        let prefix = both_ways(&bytes, 8, decode, Prefix::encode);
        assert_eq!((prefix.version(), prefix.chunk_size()), (1, 0x60));
    }

    #[test]
    fn version_2_with_everything() {
        #[rustfmt::skip]
        let bytes = [
            b'O', b'H', b'D', b'R', 2, 0x3d,                            // signature, version, flags
            1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0,             // times
            8, 0, 6, 0,                                                 // phase change
            0x34, 0x12,                                                 // size of chunk 0
        ];
        let prefix = both_ways(&bytes, 8, decode, Prefix::encode);
        assert_eq!(
            prefix,
            Prefix::V2(PrefixV2 {
                flags: 0x3d,
                times: Some(Times { access: 1, modification: 2, change: 3, birth: 4 }),
                phase_change: Some((8, 6)),
                chunk_size: 0x1234,
            })
        );
        assert!(prefix.creation_order_tracked() && prefix.creation_order_indexed());
    }
}

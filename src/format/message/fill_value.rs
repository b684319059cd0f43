//! The fill value messages, types 0x0004 (IV.A.2.e) and 0x0005 (IV.A.2.f).

use crate::bytes::parse::{Parsed, cond, fail, field, take, u8, u32, version};
use crate::bytes::{Block, Emit};
use crate::error::{Corrupt, Fault, Structure};

/// What never-written elements give.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fill {
    /// The library's default: zeros.
    Default,
    /// Nothing in particular.
    Undefined,
    /// One element in the file's datatype.
    Value(Vec<u8>),
}

/// The fill value message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FillValue {
    /// 1 to 3.
    pub version: u8,
    /// When space is allocated: 1 early, 2 late, 3 incrementally.
    pub allocation_time: u8,
    /// When fill values are written: 0 on allocation, 1 never, 2 where set by the user.
    pub write_time: u8,
    /// The value.
    pub fill: Fill,
    /// Version 3: flag bits that the specification does not define. Before: the size as stored, where it is
    /// another than the value's.
    pub reserved: u32,
}

const UNDEFINED: u8 = 1 << 4;
const PRESENT: u8 = 1 << 5;

impl FillValue {
    /// Decodes a message body.
    ///
    /// # Errors
    /// An unknown version, or a value that leaves the body.
    pub fn decode(block: Block<'_>) -> Result<Self, Corrupt> {
        block.run(Structure::FillValue, |i| {
            let (i, version) = field("version", version(&[1, 2, 3]))(i)?;
            if version == 3 { Self::version_3(i) } else { Self::version_1_2(i, version) }
        })
    }

    fn version_1_2(i: &[u8], version: u8) -> Parsed<'_, Self> {
        let (i, allocation_time) = field("space allocation time", u8)(i)?;
        let (i, write_time) = field("fill value write time", u8)(i)?;
        let (i, defined) = field("fill value defined", u8)(i)?;
        let (i, size) = field("size", cond(defined != 0, u32))(i)?;
        let (i, fill, reserved) = match size {
            None => (i, Fill::Undefined, 0),
            Some(0) => (i, Fill::Default, 0),
            Some(negative) if negative > i32::MAX as u32 => (i, Fill::Undefined, negative),
            Some(size) => {
                let (i, value) = field("fill value", take(size as usize))(i)?;
                (i, Fill::Value(value.to_vec()), 0)
            }
        };
        Ok((i, Self { version, allocation_time, write_time, fill, reserved }))
    }

    fn version_3(i: &[u8]) -> Parsed<'_, Self> {
        let (after, flags) = field("flags", u8)(i)?;
        let (i, fill) = match (flags & UNDEFINED != 0, flags & PRESENT != 0) {
            (false, false) => (after, Fill::Default),
            (true, false) => (after, Fill::Undefined),
            (false, true) => {
                let (i, size) = field("size", u32)(after)?;
                let (i, value) = field("fill value", take(size as usize))(i)?;
                (i, Fill::Value(value.to_vec()))
            }
            (true, true) => return field("flags", |i| fail(i, Fault::Value(flags.into())))(i),
        };
        Ok((
            i,
            Self {
                version: 3,
                allocation_time: flags & 3,
                write_time: flags >> 2 & 3,
                fill,
                reserved: u32::from(flags & 0xc0),
            },
        ))
    }

    /// Encodes the message body.
    pub fn encode(&self, to: &mut Emit) {
        to.u8(self.version);
        if self.version == 3 {
            let state = match self.fill {
                Fill::Default => 0,
                Fill::Undefined => UNDEFINED,
                Fill::Value(_) => PRESENT,
            };
            to.u8(self.reserved as u8 | self.allocation_time | self.write_time << 2 | state);
        } else {
            to.bytes(&[self.allocation_time, self.write_time]);
            match self.fill {
                Fill::Undefined if self.reserved == 0 => to.u8(0),
                Fill::Undefined => {
                    to.u8(1);
                    to.u32(self.reserved);
                }
                Fill::Default => {
                    to.u8(1);
                    to.u32(0);
                }
                Fill::Value(_) => to.u8(1),
            }
        }
        if let Fill::Value(value) = &self.fill {
            to.uint(4, value.len() as u64);
            to.bytes(value);
        }
    }
}

/// Decodes the body of a fill value (old) message.
///
/// # Errors
/// A value that leaves the body.
pub fn decode_old(block: Block<'_>) -> Result<Fill, Corrupt> {
    block.run(Structure::FillValueOld, |i| {
        let (i, size) = field("size", u32)(i)?;
        if size == 0 {
            return Ok((i, Fill::Undefined));
        }
        let (i, value) = field("fill value", take(size as usize))(i)?;
        Ok((i, Fill::Value(value.to_vec())))
    })
}

/// Encodes the body of a fill value (old) message.
pub fn encode_old(fill: &Fill, to: &mut Emit) {
    match fill {
        Fill::Value(value) => {
            to.uint(4, value.len() as u64);
            to.bytes(value);
        }
        Fill::Default | Fill::Undefined => to.u32(0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::testing::both_ways;

    #[test]
    fn every_state_of_every_version() {
        let value = || Fill::Value(vec![7, 8]);
        for (bytes, fill) in [
            (&[1, 2, 0, 0][..], Fill::Undefined),
            (&[2, 2, 0, 1, 0, 0, 0, 0], Fill::Default),
            (&[2, 2, 0, 1, 0xff, 0xff, 0xff, 0xff], Fill::Undefined),
            (&[2, 2, 0, 1, 2, 0, 0, 0, 7, 8], value()),
            (&[3, 0x0a], Fill::Default),
            (&[3, 0x1a], Fill::Undefined),
            (&[3, 0x2b, 2, 0, 0, 0, 7, 8], value()),
        ] {
            assert_eq!(both_ways(bytes, 8, FillValue::decode, FillValue::encode).fill, fill);
        }
        let both = Block::new(&[3, 0x3a, 0, 0, 0, 0], 0, crate::bytes::Widths::default());
        assert!(FillValue::decode(both).is_err());
        assert_eq!(both_ways(&[2, 0, 0, 0, 7, 8], 8, decode_old, encode_old), value());
    }
}

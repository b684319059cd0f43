//! Driver information (II.B and IV.A.2.u): how the file is spread over several.

use crate::bytes::parse::{Parsed, array, field, take, u16, u32, version};
use crate::bytes::{Block, Emit, Text};
use crate::error::{Corrupt, Structure};

/// The driver and what it stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DriverInfo {
    /// Driver identification, eight ASCII characters.
    pub id: [u8; 8],
    /// What the driver stored.
    pub info: Vec<u8>,
}

impl DriverInfo {
    /// Bytes of the block's head.
    pub const HEAD: usize = 16;

    /// Bytes of the information, from the first [`HEAD`](Self::HEAD) bytes of a block.
    ///
    /// # Errors
    /// An unknown version.
    pub fn decode_size(block: Block<'_>) -> Result<u32, Corrupt> {
        block.run(Structure::DriverInfo, |i| {
            let (i, _) = field("version", version(&[0]))(i)?;
            let (i, _) = field("reserved", array::<3>)(i)?;
            field("driver information size", u32)(i)
        })
    }

    /// Decodes a driver information block (superblocks 0 and 1).
    ///
    /// # Errors
    /// An unknown version, or a block that ends too early.
    pub fn decode_block(block: Block<'_>) -> Result<Self, Corrupt> {
        block.run(Structure::DriverInfo, |i| {
            let (i, _) = field("version", version(&[0]))(i)?;
            let (i, _) = field("reserved", array::<3>)(i)?;
            let (i, size) = field("driver information size", u32)(i)?;
            Self::body(i, size as usize)
        })
    }

    /// Decodes a driver info message, type 0x0014 (superblocks 2 and 3).
    ///
    /// # Errors
    /// An unknown version, or a body that ends too early.
    pub fn decode_message(block: Block<'_>) -> Result<Self, Corrupt> {
        block.run(Structure::DriverInfoMessage, |i| {
            let (i, _) = field("version", version(&[0]))(i)?;
            let (i, id) = field("driver identification", array)(i)?;
            let (i, size) = field("driver information size", u16)(i)?;
            let (i, info) = field("driver information", take(size.into()))(i)?;
            Ok((i, Self { id, info: info.to_vec() }))
        })
    }

    fn body(i: &[u8], size: usize) -> Parsed<'_, Self> {
        let (i, id) = field("driver identification", array)(i)?;
        let (i, info) = field("driver information", take(size))(i)?;
        Ok((i, Self { id, info: info.to_vec() }))
    }

    /// Encodes the block.
    pub fn encode_block(&self, to: &mut Emit) {
        to.zeros(4);
        to.uint(4, self.info.len() as u64);
        to.bytes(&self.id);
        to.bytes(&self.info);
    }

    /// Encodes the message.
    pub fn encode_message(&self, to: &mut Emit) {
        to.u8(0);
        to.bytes(&self.id);
        to.uint(2, self.info.len() as u64);
        to.bytes(&self.info);
    }

    /// For a family: bytes of each member.
    #[must_use]
    pub fn family_member_size(&self) -> Option<u64> {
        let size = self.info.first_chunk::<8>()?;
        (&self.id == b"NCSAfami").then(|| u64::from_le_bytes(*size))
    }

    /// For a multi file: its members, in the order of their numbers.
    #[must_use]
    pub fn multi_members(&self) -> Option<Vec<Member>> {
        if &self.id != b"NCSAmult" {
            return None;
        }
        let (map, rest) = self.info.split_first_chunk::<8>()?;
        let mut numbers: Vec<u8> = Vec::new();
        // A kind of use that is mapped to nothing has a member of its own.
        for number in (1..=6).map(|kind| if map[kind - 1] == 0 { kind as u8 } else { map[kind - 1] }) {
            if !numbers.contains(&number) {
                numbers.push(number);
            }
        }
        let (addresses, mut names) = rest.split_at_checked(16 * numbers.len())?;
        let mut members = Vec::new();
        for address in addresses.chunks_exact(16) {
            let end = names.iter().position(|b| *b == 0)?;
            let start = u64::from_le_bytes(*address.first_chunk()?);
            members.push(Member { start, name: Text::from(&names[..end]) });
            names = names.get((end + 1).next_multiple_of(8)..).unwrap_or_default();
        }
        Some(members)
    }
}

/// One member of a multi file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// First address it holds, in bytes.
    pub start: u64,
    /// Its name with `%s` for the name of the whole.
    pub name: Text,
}

#[cfg(test)]
#[test]
fn both_forms() {
    use super::testing::both_ways;
    let block = b"\0\0\0\0\x08\0\0\0NCSAfami\0\x04\0\0\0\0\0\0";
    let info = both_ways(block, 8, DriverInfo::decode_block, DriverInfo::encode_block);
    assert_eq!(info.family_member_size(), Some(1024));
    let message = b"\0NCSAfami\x08\0\0\x04\0\0\0\0\0\0";
    assert_eq!(both_ways(message, 8, DriverInfo::decode_message, DriverInfo::encode_message), info);
}

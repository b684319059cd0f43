//! The attribute message, type 0x000c (IV.A.2.m), versions 1 to 3.

use crate::bytes::parse::{cond, field, padding_to_8, rest, take, u8, u16, version};
use crate::bytes::{Block, Emit, Text};
use crate::error::{Corrupt, Structure};

/// An attribute, its datatype and dataspace still encoded: either may be a pointer to a shared message.
#[derive(Clone, Copy, Debug)]
pub struct Attribute<'a> {
    /// 1 to 3.
    pub version: u8,
    /// Flags: the datatype is shared (0), the dataspace is (1).
    pub flags: u8,
    /// Character set of the name, 0 ASCII or 1 UTF-8; version 3.
    pub charset: Option<u8>,
    /// The name, its NUL included, as long as stored.
    pub name: &'a [u8],
    /// The datatype message or a pointer to it.
    pub datatype: Block<'a>,
    /// The dataspace message or a pointer to it.
    pub dataspace: Block<'a>,
    /// The value, and whatever follows it in the message.
    pub data: Block<'a>,
}

impl<'a> Attribute<'a> {
    /// Decodes a message body.
    ///
    /// # Errors
    /// An unknown version, or parts that leave the body.
    pub fn decode(block: Block<'a>) -> Result<Self, Corrupt> {
        const S: Structure = Structure::Attribute;
        let start = block.bytes();
        let offset = |i: &[u8]| start.len() - i.len();
        let ((version, flags, charset, name, parts), data) = block.run_rest(S, |i| {
            let (i, version) = field("version", version(&[1, 2, 3]))(i)?;
            let (i, flags) = field("flags", u8)(i)?;
            let (i, name_size) = field("name size", u16)(i)?;
            let (i, datatype_size) = field("datatype size", u16)(i)?;
            let (i, dataspace_size) = field("dataspace size", u16)(i)?;
            let (i, charset) = field("name character set encoding", cond(version == 3, u8))(i)?;
            let pad = |n: u16| padding_to_8(if version == 1 { n.into() } else { 0 });
            let (i, name) = field("name", take(name_size.into()))(i)?;
            let (i, ()) = pad(name_size)(i)?;
            let datatype = offset(i)..offset(i) + usize::from(datatype_size);
            let (i, _) = field("datatype", take(datatype_size.into()))(i)?;
            let (i, ()) = pad(datatype_size)(i)?;
            let dataspace = offset(i)..offset(i) + usize::from(dataspace_size);
            let (i, _) = field("dataspace", take(dataspace_size.into()))(i)?;
            let (i, ()) = pad(dataspace_size)(i)?;
            Ok((i, (version, flags, charset, name, (datatype, dataspace))))
        })?;
        let datatype = block.sub(S, "datatype", parts.0)?;
        let dataspace = block.sub(S, "dataspace", parts.1)?;
        Ok(Self { version, flags, charset, name, datatype, dataspace, data })
    }

    /// Decodes the name alone.
    ///
    /// # Errors
    /// An unknown version, or a name that leaves the body.
    pub fn decode_name(block: Block<'a>) -> Result<&'a [u8], Corrupt> {
        block.run(Structure::Attribute, |i| {
            let (i, version) = field("version", version(&[1, 2, 3]))(i)?;
            let (i, _) = field("flags", u8)(i)?;
            let (i, size) = field("name size", u16)(i)?;
            let (i, _) = field("sizes", take(if version == 3 { 5 } else { 4 }))(i)?;
            let (_, name) = field("name", take(size.into()))(i)?;
            rest(until_nul(name))
        })
    }

    /// The name up to its NUL.
    #[must_use]
    pub fn name(&self) -> Text {
        until_nul(self.name).into()
    }

    /// True where the datatype is a pointer to a shared message.
    #[must_use]
    pub fn datatype_shared(&self) -> bool {
        self.version > 1 && self.flags & 1 != 0
    }

    /// True where the dataspace is a pointer to a shared message.
    #[must_use]
    pub fn dataspace_shared(&self) -> bool {
        self.version > 1 && self.flags & 2 != 0
    }

    /// Encodes the message body.
    pub fn encode(&self, to: &mut Emit) {
        to.u8(self.version);
        to.u8(self.flags);
        for part in [self.name, self.datatype.bytes(), self.dataspace.bytes()] {
            to.uint(2, part.len() as u64);
        }
        if let Some(charset) = self.charset {
            to.u8(charset);
        }
        for part in [self.name, self.datatype.bytes(), self.dataspace.bytes()] {
            let start = to.len();
            to.bytes(part);
            if self.version == 1 {
                to.pad_to_8(start);
            }
        }
        to.bytes(self.data.bytes());
    }
}

fn until_nul(bytes: &[u8]) -> &[u8] {
    bytes.split(|b| *b == 0).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::Widths;

    fn both_ways(bytes: &[u8]) -> Attribute<'_> {
        let attribute = Attribute::decode(Block::new(bytes, 0, Widths::default())).expect("it decodes");
        assert_eq!(Emit::encode(Widths::default(), |to| attribute.encode(to)).expect("it fits"), bytes);
        attribute
    }

    #[test]
    fn version_1_pads_every_part() {
        #[rustfmt::skip]
        let bytes = [
            1, 0,  3, 0,  5, 0,  4, 0,                   // version, reserved, sizes
            b'a', b'b', 0, 0, 0, 0, 0, 0,
            1, 2, 3, 4, 5, 0, 0, 0,
            6, 7, 8, 9, 0, 0, 0, 0,
            42,
        ];
        let attribute = both_ways(&bytes);
        assert_eq!(attribute.name(), "ab");
        assert_eq!(attribute.datatype.bytes(), [1, 2, 3, 4, 5]);
        assert_eq!((attribute.dataspace.at(), attribute.data.bytes()), (24, &[42][..]));
    }

    #[test]
    fn version_3_does_not() {
        let bytes = [3, 1, 2, 0, 1, 0, 1, 0, 1, b'x', 0, 7, 8, 42, 43];
        let attribute = both_ways(&bytes);
        assert!(attribute.datatype_shared() && !attribute.dataspace_shared());
        assert_eq!((attribute.charset, attribute.data.bytes()), (Some(1), &[42, 43][..]));
        let block = Block::new(&bytes, 0, Widths::default());
        assert_eq!(Attribute::decode_name(block).expect("a name"), b"x");
    }
}

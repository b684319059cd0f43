//! The link message, type 0x0006 (IV.A.2.g).

use crate::bytes::parse::{Parsed, cond, defined, fail, field, nul_terminated, take, u8, u16, u64, uint, version};
use crate::bytes::{Addr, Block, Emit, Text};
use crate::error::{Corrupt, Fault, Structure};

/// A link of a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// Flags: width of the name's length (bits 0-1), creation order (2), type (3) and character set (4) present.
    pub flags: u8,
    /// Creation order, where tracked.
    pub creation_order: Option<u64>,
    /// Character set of the name, 0 ASCII or 1 UTF-8, where stored.
    pub charset: Option<u8>,
    /// The name.
    pub name: Text,
    /// What the link leads to.
    pub target: LinkTarget,
}

/// What a link leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkTarget {
    /// An object of this file.
    Hard {
        /// Its object header.
        header: Addr,
    },
    /// A path in this file.
    Soft {
        /// The path, relative to the group that holds the link unless it begins with a slash.
        path: Text,
    },
    /// A path in another file.
    External {
        /// Version and flags, one byte.
        flags: u8,
        /// The file's name.
        file: Text,
        /// The path in it.
        path: Text,
    },
    /// Something only its user knows.
    User {
        /// Its class, 65 to 255 (without 64).
        class: u8,
        /// Its data.
        data: Vec<u8>,
    },
}

const ORDER: u8 = 1 << 2;
const KIND: u8 = 1 << 3;
const CHARSET: u8 = 1 << 4;

impl Link {
    /// Decodes a message body.
    ///
    /// # Errors
    /// An unknown version or type, or a name or target that leaves the body.
    pub fn decode(block: Block<'_>) -> Result<Self, Corrupt> {
        let w = block.widths();
        block.run(Structure::Link, move |i| {
            let (i, _) = field("version", version(&[1]))(i)?;
            let (start, flags) = field("flags", u8)(i)?;
            let (i, kind) = field("link type", cond(flags & KIND != 0, u8))(start)?;
            let (i, creation_order) = field("creation order", cond(flags & ORDER != 0, u64))(i)?;
            let (i, charset) = field("link name character set", cond(flags & CHARSET != 0, u8))(i)?;
            let (i, length) = field("length of link name", uint(1 << (flags & 3)))(i)?;
            let length = usize::try_from(length).unwrap_or(usize::MAX);
            let (i, name) = field("link name", take(length))(i)?;
            let (i, target) = match kind.unwrap_or(0) {
                0 => {
                    field("object header address", defined(w))(i).map(|(i, header)| (i, LinkTarget::Hard { header }))?
                }
                1 => {
                    let (i, path) = field("soft link value", sized)(i)?;
                    (i, LinkTarget::Soft { path: path.into() })
                }
                64 => {
                    let (i, value) = field("external link value", sized)(i)?;
                    let (value, flags) = field("external link flags", u8)(value)?;
                    let (value, file) = field("external link file", nul_terminated)(value)?;
                    let (_, path) = field("external link path", nul_terminated)(value)?;
                    (i, LinkTarget::External { flags, file: file.into(), path: path.into() })
                }
                class @ 65.. => {
                    let (i, data) = field("user-defined link value", sized)(i)?;
                    (i, LinkTarget::User { class, data: data.to_vec() })
                }
                other => return field("link type", |i| fail(i, Fault::Value(other.into())))(start),
            };
            Ok((i, Self { flags, creation_order, charset, name: name.into(), target }))
        })
    }

    /// Encodes the message body.
    pub fn encode(&self, to: &mut Emit) {
        to.u8(1);
        to.u8(self.flags);
        if self.flags & KIND != 0 {
            to.u8(match &self.target {
                LinkTarget::Hard { .. } => 0,
                LinkTarget::Soft { .. } => 1,
                LinkTarget::External { .. } => 64,
                LinkTarget::User { class, .. } => *class,
            });
        }
        if let Some(order) = self.creation_order {
            to.u64(order);
        }
        if let Some(charset) = self.charset {
            to.u8(charset);
        }
        to.uint(1 << (self.flags & 3), self.name.as_bytes().len() as u64);
        to.bytes(self.name.as_bytes());
        match &self.target {
            LinkTarget::Hard { header } => to.addr(Some(*header)),
            LinkTarget::Soft { path } => {
                to.uint(2, path.as_bytes().len() as u64);
                to.bytes(path.as_bytes());
            }
            LinkTarget::External { flags, file, path } => {
                to.uint(2, (file.as_bytes().len() + path.as_bytes().len() + 3) as u64);
                to.u8(*flags);
                to.nul_terminated(file.as_bytes());
                to.nul_terminated(path.as_bytes());
            }
            LinkTarget::User { data, .. } => {
                to.uint(2, data.len() as u64);
                to.bytes(data);
            }
        }
    }

    /// A link as an old-style group has it: a name and what it leads to.
    #[must_use]
    pub fn old(name: Text, target: LinkTarget) -> Self {
        Self { flags: 0, creation_order: None, charset: None, name, target }
    }
}

fn sized(i: &[u8]) -> Parsed<'_, &[u8]> {
    let (i, length) = u16(i)?;
    take(length.into())(i)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::Widths;
    use crate::format::testing::both_ways;

    #[test]
    fn every_kind() {
        let target = |bytes: &[u8]| both_ways(bytes, 2, Link::decode, Link::encode).target;
        assert_eq!(target(&[1, 0, 1, b'x', 0x40, 0]), LinkTarget::Hard { header: Addr(0x40) });
        assert_eq!(target(&[1, 8, 1, 1, b'x', 2, 0, b'/', b'a']), LinkTarget::Soft { path: "/a".into() });
        assert_eq!(
            target(&[1, 8, 64, 1, b'x', 7, 0, 0, b'f', b'g', 0, b'/', b'a', 0]),
            LinkTarget::External { flags: 0, file: "fg".into(), path: "/a".into() }
        );
        assert_eq!(target(&[1, 8, 187, 1, b'x', 1, 0, 9]), LinkTarget::User { class: 187, data: vec![9] });
    }

    #[test]
    fn every_optional_field() {
        let bytes = [1, 0x1d, 0, 3, 0, 0, 0, 0, 0, 0, 0, 1, 2, 0, 0xc3, 0xa9, 0x40, 0];
        let link = both_ways(&bytes, 2, Link::decode, Link::encode);
        assert_eq!((link.creation_order, link.charset, link.name), (Some(3), Some(1), "é".into()));
    }

    #[test]
    fn unknown_types_are_refused() {
        let w = Widths { offsets: 2, lengths: 2 };
        assert!(Link::decode(Block::new(&[1, 8, 2, 1, b'x', 0, 0], 0, w)).is_err());
        assert!(Link::decode(Block::new(&[1, 0, 1, b'x', 0xff, 0xff], 0, w)).is_err());
    }
}

use crate::bytes::parse::{Parsed, addr, counted, field, u32, uint};
use crate::bytes::{Addr, Block, Emit, Widths};
use crate::error::{Corrupt, Structure};

/// How the elements of a fixed or extensible array are written: client 0 or 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ElementForm {
    /// An address.
    Plain,
    /// An address, the bytes of the chunk in the file, and its filter mask.
    Filtered {
        /// Bytes of the size field.
        size_width: u8,
    },
}

/// One chunk as an array knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChunkElement {
    /// Where it is; undefined where it was never written.
    pub address: Option<Addr>,
    /// Bytes in the file, and the mask of filters not applied.
    pub filtered: Option<(u64, u32)>,
}

impl ElementForm {
    /// Bytes of an element.
    #[must_use]
    pub fn size(self, w: Widths) -> usize {
        usize::from(w.offsets) + if let Self::Filtered { size_width } = self { usize::from(size_width) + 4 } else { 0 }
    }

    /// The client ID that goes with the form.
    #[must_use]
    pub fn client(self) -> u8 {
        u8::from(self != Self::Plain)
    }

    pub(crate) fn parse<'a>(self, w: Widths) -> impl FnMut(&'a [u8]) -> Parsed<'a, ChunkElement> {
        move |i| {
            let (i, address) = field("address", addr(w))(i)?;
            let (i, filtered) = match self {
                Self::Plain => (i, None),
                Self::Filtered { size_width } => {
                    let (i, size) = field("chunk size", uint(size_width))(i)?;
                    let (i, mask) = field("filter mask", u32)(i)?;
                    (i, Some((size, mask)))
                }
            };
            Ok((i, ChunkElement { address, filtered }))
        }
    }

    pub(crate) fn parse_many<'a>(self, n: u64, w: Widths) -> impl FnMut(&'a [u8]) -> Parsed<'a, Vec<ChunkElement>> {
        field("elements", counted(n, self.size(w), self.parse(w)))
    }

    /// Decodes `n` elements, the body of a page (its checksum verified and left out).
    ///
    /// # Errors
    /// A block that is too short.
    pub fn decode_page(self, block: Block<'_>, n: u64, structure: Structure) -> Result<Vec<ChunkElement>, Corrupt> {
        block.run(structure, self.parse_many(n, block.widths()))
    }

    pub(crate) fn encode(self, elements: &[ChunkElement], to: &mut Emit) {
        for element in elements {
            to.addr(element.address);
            if let (Self::Filtered { size_width }, Some((size, mask))) = (self, element.filtered) {
                to.uint(size_width, size);
                to.u32(mask);
            }
        }
    }

    /// Encodes a page, checksum included.
    pub fn encode_page(self, elements: &[ChunkElement], to: &mut Emit) {
        to.checksummed(|to| self.encode(elements, to));
    }
}

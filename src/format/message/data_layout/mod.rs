//! The data layout message, type 0x0008 (IV.A.2.i), versions 1 to 5.

mod chunked;
mod old;

use crate::bytes::parse::{Parsed, addr, fail, field, length, take, u8, u16, u32};
use crate::bytes::{Addr, Block, Emit};
use crate::error::{Corrupt, Fault, Structure};

pub use chunked::{ChunkIndex, Chunked};

/// Where and how a dataset's elements are stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataLayout {
    /// 1 to 5.
    pub version: u8,
    /// The storage.
    pub class: LayoutClass,
    /// Versions 1 and 2: the dimensions that storage has no use for, and the reserved bytes.
    pub old: Option<OldDimensions>,
}

/// What versions 1 and 2 store more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OldDimensions {
    /// Reserved.
    pub reserved: [u8; 5],
    /// Dimensions of contiguous and compact storage, the element size last.
    pub dims: Vec<u32>,
}

/// The storage of a dataset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LayoutClass {
    /// In the message itself.
    Compact {
        /// The elements' bytes.
        data: Vec<u8>,
    },
    /// In one piece of the file.
    Contiguous {
        /// Where it is; undefined where nothing was written, or it is in external files.
        address: Option<Addr>,
        /// Its bytes; not stored in versions 1 and 2.
        size: Option<u64>,
    },
    /// In chunks of one shape.
    Chunked(Chunked),
    /// In other datasets.
    Virtual {
        /// The global heap collection that holds the mappings.
        heap: Option<Addr>,
        /// The object in the collection.
        index: u32,
    },
}

impl DataLayout {
    /// Decodes a message body.
    ///
    /// # Errors
    /// An unknown version, class or index, dimensions that cannot be, or a body that ends too early.
    pub fn decode(block: Block<'_>) -> Result<Self, Corrupt> {
        let w = block.widths();
        block.run(Structure::DataLayout, move |start| {
            let (i, version) = field("version", u8)(start)?;
            let (i, class, old) = match version {
                1 | 2 => {
                    let (i, (class, old)) = old::parse(i, w)?;
                    (i, class, Some(old))
                }
                3..=5 => {
                    let (after, class) = field("layout class", u8)(i)?;
                    let (i, class) = match class {
                        0 => compact(after)?,
                        1 => {
                            let (i, address) = field("address", addr(w))(after)?;
                            let (i, size) = field("size", length(w))(i)?;
                            (i, LayoutClass::Contiguous { address, size: Some(size) })
                        }
                        2 => Chunked::parse(version, w)(after).map(|(i, c)| (i, LayoutClass::Chunked(c)))?,
                        3 if version > 3 => {
                            let (i, heap) = field("address", addr(w))(after)?;
                            let (i, index) = field("index", u32)(i)?;
                            (i, LayoutClass::Virtual { heap, index })
                        }
                        other => return field("layout class", |i| fail(i, Fault::Value(other.into())))(i),
                    };
                    (i, class, None)
                }
                other => return field("version", |i| fail(i, Fault::Version(other)))(start),
            };
            Ok((i, Self { version, class, old }))
        })
    }

    /// Encodes the message body.
    pub fn encode(&self, to: &mut Emit) {
        to.u8(self.version);
        if let Some(old) = &self.old {
            return old::encode(&self.class, old, to);
        }
        match &self.class {
            LayoutClass::Compact { data } => {
                to.u8(0);
                to.uint(2, data.len() as u64);
                to.bytes(data);
            }
            LayoutClass::Contiguous { address, size } => {
                to.u8(1);
                to.addr(*address);
                to.length(size.unwrap_or(0));
            }
            LayoutClass::Chunked(chunked) => {
                to.u8(2);
                chunked.encode(self.version, to);
            }
            LayoutClass::Virtual { heap, index } => {
                to.u8(3);
                to.addr(*heap);
                to.u32(*index);
            }
        }
    }
}

fn compact(i: &[u8]) -> Parsed<'_, LayoutClass> {
    let (i, size) = field("size", u16)(i)?;
    let (i, data) = field("raw data", take(size.into()))(i)?;
    Ok((i, LayoutClass::Compact { data: data.to_vec() }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::testing::both_ways;

    fn class(bytes: &[u8], width: u8) -> LayoutClass {
        both_ways(bytes, width, DataLayout::decode, DataLayout::encode).class
    }

    #[test]
    fn compact_contiguous_and_virtual() {
        assert_eq!(class(&[3, 0, 2, 0, 7, 8], 8), LayoutClass::Compact { data: vec![7, 8] });
        let contiguous = LayoutClass::Contiguous { address: None, size: Some(6) };
        assert_eq!(class(&[3, 1, 0xff, 0xff, 6, 0], 2), contiguous);
        assert_eq!(class(&[4, 3, 0x40, 0, 1, 0, 0, 0], 2), LayoutClass::Virtual { heap: Some(Addr(0x40)), index: 1 });
    }

    #[test]
    fn chunks_of_every_version() {
        let v3 = [3, 2, 3, 0x40, 0, 10, 0, 0, 0, 20, 0, 0, 0, 4, 0, 0, 0];
        let LayoutClass::Chunked(chunked) = class(&v3, 2) else { panic!("chunked") };
        assert_eq!((chunked.dims, chunked.index), (vec![10, 20, 4], ChunkIndex::BTreeV1));
        // Extensible array: pointers come before elements here, the other way round in its header.
        let v4 = [4, 2, 0, 2, 1, 10, 4, 4, 32, 4, 8, 16, 10, 0x40, 0];
        let LayoutClass::Chunked(chunked) = class(&v4, 2) else { panic!("chunked") };
        assert_eq!(
            chunked.index,
            ChunkIndex::ExtensibleArray {
                max_bits: 32,
                index_elements: 4,
                min_pointers: 8,
                min_elements: 16,
                page_bits: 10
            }
        );
        let v5 = [5, 2, 2, 2, 1, 10, 4, 1, 9, 0, 1, 0, 0, 0, 0x40, 0];
        let LayoutClass::Chunked(chunked) = class(&v5, 2) else { panic!("chunked") };
        assert_eq!(chunked.index, ChunkIndex::SingleChunk { filtered: Some((9, 1)) });
    }

    #[test]
    fn old_versions() {
        let contiguous = [1, 2, 1, 0, 0, 0, 0, 0, 0x40, 0, 6, 0, 0, 0, 4, 0, 0, 0];
        assert_eq!(class(&contiguous, 2), LayoutClass::Contiguous { address: Some(Addr(0x40)), size: None });
        let chunked = [2, 2, 2, 0, 0, 0, 0, 0, 0x40, 0, 6, 0, 0, 0, 4, 0, 0, 0];
        assert!(matches!(class(&chunked, 2), LayoutClass::Chunked(c) if c.dims == [6, 4]));
        let compact = [1, 1, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 7, 8];
        assert_eq!(class(&compact, 2), LayoutClass::Compact { data: vec![7, 8] });
    }

    #[test]
    fn chunks_without_elements_are_refused() {
        let block = Block::new(&[4, 2, 0, 2, 1, 0, 4, 1, 0x40, 0], 0, crate::bytes::Widths { offsets: 2, lengths: 2 });
        assert_eq!(DataLayout::decode(block).expect_err("refused").field(), "dimension size");
    }
}

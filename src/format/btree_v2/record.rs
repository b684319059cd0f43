use crate::bytes::parse::{Parsed, addr, array, counted, fail, field, length, u8, u16, u32, u64, uint};
use crate::bytes::{Addr, Block, Emit, Widths};
use crate::error::{Corrupt, Fault, Structure};

/// The type of a tree's records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RecordType(pub u8);

#[allow(missing_docs)]
impl RecordType {
    pub const HUGE_INDIRECT: Self = Self(1);
    pub const HUGE_INDIRECT_FILTERED: Self = Self(2);
    pub const HUGE_DIRECT: Self = Self(3);
    pub const HUGE_DIRECT_FILTERED: Self = Self(4);
    pub const LINK_NAME: Self = Self(5);
    pub const LINK_ORDER: Self = Self(6);
    pub const SHARED_MESSAGE: Self = Self(7);
    pub const ATTRIBUTE_NAME: Self = Self(8);
    pub const ATTRIBUTE_ORDER: Self = Self(9);
    pub const CHUNK: Self = Self(10);
    pub const CHUNK_FILTERED: Self = Self(11);
}

/// A huge object of a fractal heap (types 1 to 4).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HugeRecord {
    /// Where it is.
    pub address: Option<Addr>,
    /// Bytes in the file.
    pub length: u64,
    /// For filtered ones: the mask of filters not applied, and the bytes without filters.
    pub filtered: Option<(u32, u64)>,
    /// Its number in the heap; types 1 and 2.
    pub key: Option<u64>,
}

impl HugeRecord {
    /// Decodes a record of one of the types 1 to 4.
    ///
    /// # Errors
    /// A record that is too short.
    pub fn decode(record: Block<'_>, record_type: RecordType) -> Result<Self, Corrupt> {
        let w = record.widths();
        let filtered = matches!(record_type, RecordType::HUGE_INDIRECT_FILTERED | RecordType::HUGE_DIRECT_FILTERED);
        let keyed = matches!(record_type, RecordType::HUGE_INDIRECT | RecordType::HUGE_INDIRECT_FILTERED);
        record.run(Structure::BTreeV2Leaf, move |i| {
            let (i, address) = field("huge object address", addr(w))(i)?;
            let (i, size) = field("huge object length", length(w))(i)?;
            let (i, filtered) = if filtered {
                let (i, mask) = field("filter mask", u32)(i)?;
                let (i, memory) = field("huge object memory size", length(w))(i)?;
                (i, Some((mask, memory)))
            } else {
                (i, None)
            };
            let (i, key) =
                if keyed { field("huge object ID", length(w))(i).map(|(i, key)| (i, Some(key)))? } else { (i, None) };
            Ok((i, Self { address, length: size, filtered, key }))
        })
    }

    /// Encodes the record.
    pub fn encode(&self, to: &mut Emit) {
        to.addr(self.address);
        to.length(self.length);
        if let Some((mask, memory)) = self.filtered {
            to.u32(mask);
            to.length(memory);
        }
        if let Some(key) = self.key {
            to.length(key);
        }
    }
}

/// A link of a group (types 5 and 6).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkRecord {
    /// Type 5: by name.
    Name {
        /// lookup3 of the name.
        hash: u32,
        /// The link message in the group's heap.
        id: [u8; 7],
    },
    /// Type 6: by creation order.
    Order {
        /// Creation order.
        order: u64,
        /// The link message in the group's heap.
        id: [u8; 7],
    },
}

impl LinkRecord {
    /// Decodes a record.
    ///
    /// # Errors
    /// A record that is too short, or of another type than 5 and 6.
    pub fn decode(record: Block<'_>, record_type: RecordType) -> Result<Self, Corrupt> {
        record.run(Structure::BTreeV2Leaf, |i| match record_type {
            RecordType::LINK_NAME => {
                let (i, hash) = field("hash of name", u32)(i)?;
                let (i, id) = field("ID", array)(i)?;
                Ok((i, Self::Name { hash, id }))
            }
            RecordType::LINK_ORDER => {
                let (i, order) = field("creation order", u64)(i)?;
                let (i, id) = field("ID", array)(i)?;
                Ok((i, Self::Order { order, id }))
            }
            other => unexpected(i, other),
        })
    }

    /// The link message in the group's heap.
    #[must_use]
    pub fn id(&self) -> &[u8] {
        match self {
            Self::Name { id, .. } | Self::Order { id, .. } => id,
        }
    }

    /// Encodes the record.
    pub fn encode(&self, to: &mut Emit) {
        match self {
            Self::Name { hash, .. } => to.u32(*hash),
            Self::Order { order, .. } => to.u64(*order),
        }
        to.bytes(self.id());
    }
}

/// An attribute of an object (types 8 and 9).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttributeRecord {
    /// The attribute message in the object's heap, or in the shared messages' heap.
    pub id: [u8; 8],
    /// Message flags; bit 1: the ID belongs to the heap of shared messages.
    pub flags: u8,
    /// Creation order.
    pub order: u32,
    /// lookup3 of the name; type 8.
    pub hash: Option<u32>,
}

impl AttributeRecord {
    /// Decodes a record.
    ///
    /// # Errors
    /// A record that is too short, or of another type than 8 and 9.
    pub fn decode(record: Block<'_>, record_type: RecordType) -> Result<Self, Corrupt> {
        record.run(Structure::BTreeV2Leaf, |i| {
            let (i, id) = field("heap ID", array)(i)?;
            let (i, flags) = field("message flags", u8)(i)?;
            let (i, order) = field("creation order", u32)(i)?;
            let (i, hash) = match record_type {
                RecordType::ATTRIBUTE_NAME => field("hash of name", u32)(i).map(|(i, hash)| (i, Some(hash)))?,
                RecordType::ATTRIBUTE_ORDER => (i, None),
                other => return unexpected(i, other),
            };
            Ok((i, Self { id, flags, order, hash }))
        })
    }

    /// Encodes the record.
    pub fn encode(&self, to: &mut Emit) {
        to.bytes(&self.id);
        to.u8(self.flags);
        to.u32(self.order);
        if let Some(hash) = self.hash {
            to.u32(hash);
        }
    }
}

/// A chunk of a dataset (types 10 and 11).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChunkRecord {
    /// Where it is.
    pub address: Option<Addr>,
    /// Type 11: bytes in the file, and the mask of filters not applied.
    pub filtered: Option<(u64, u32)>,
    /// Its place in the grid of chunks.
    pub scaled: Vec<u64>,
}

impl ChunkRecord {
    /// Decodes a record of a dataset of `rank`, filtered with a size field of `size_width` bytes or not.
    ///
    /// # Errors
    /// A record that is too short.
    pub fn decode(record: Block<'_>, rank: usize, size_width: Option<u8>) -> Result<Self, Corrupt> {
        let w = record.widths();
        record.run(Structure::BTreeV2Leaf, move |i| {
            let (i, address) = field("chunk address", addr(w))(i)?;
            let (i, filtered) = match size_width {
                Some(width) => {
                    let (i, size) = field("chunk size", uint(width))(i)?;
                    let (i, mask) = field("filter mask", u32)(i)?;
                    (i, Some((size, mask)))
                }
                None => (i, None),
            };
            let (i, scaled) = field("scaled offset", counted(rank as u64, 8, u64))(i)?;
            Ok((i, Self { address, filtered, scaled }))
        })
    }

    /// Encodes the record.
    pub fn encode(&self, size_width: u8, to: &mut Emit) {
        to.addr(self.address);
        if let Some((size, mask)) = self.filtered {
            to.uint(size_width, size);
            to.u32(mask);
        }
        self.scaled.iter().for_each(|n| to.u64(*n));
    }
}

/// A shared object header message (type 7).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedRecord {
    /// lookup3 of the message.
    pub hash: u32,
    /// Where it is.
    pub location: SharedLocation,
}

/// Where a shared message is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SharedLocation {
    /// In the heap.
    Heap {
        /// Messages that point to it.
        reference_count: u32,
        /// Fractal heap ID.
        id: [u8; 8],
    },
    /// In an object header.
    Header {
        /// Reserved.
        reserved: u8,
        /// Type of the message.
        message_type: u8,
        /// Which of the header's messages of that type.
        index: u16,
        /// The object header.
        header: Option<Addr>,
    },
}

/// Bytes of a shared message record.
#[must_use]
pub fn shared_record_size(w: Widths) -> usize {
    5 + (4 + usize::from(w.offsets)).max(12)
}

impl SharedRecord {
    /// Decodes a record.
    ///
    /// # Errors
    /// A record that is too short, or at neither place.
    pub fn decode(record: Block<'_>) -> Result<Self, Corrupt> {
        let w = record.widths();
        record.run(Structure::SharedMessageList, Self::parse(w))
    }

    pub(crate) fn parse<'a>(w: Widths) -> impl FnMut(&'a [u8]) -> Parsed<'a, Self> {
        move |start| {
            let (i, place) = field("message location", u8)(start)?;
            let (i, hash) = field("hash value", u32)(i)?;
            let (i, location) = match place {
                0 => {
                    let (i, reference_count) = field("reference count", u32)(i)?;
                    let (i, id) = field("fractal heap ID", array)(i)?;
                    (i, SharedLocation::Heap { reference_count, id })
                }
                1 => {
                    let (i, reserved) = field("reserved", u8)(i)?;
                    let (i, message_type) = field("message type", u8)(i)?;
                    let (i, index) = field("creation index", u16)(i)?;
                    let (i, header) = field("object header address", addr(w))(i)?;
                    (i, SharedLocation::Header { reserved, message_type, index, header })
                }
                other => return field("message location", |i| fail(i, Fault::Value(other.into())))(start),
            };
            let used = start.len() - i.len();
            let rest = i.get(shared_record_size(w).saturating_sub(used)..);
            rest.map_or_else(|| fail(i, Fault::Truncated { needed: 1 }), |rest| Ok((rest, Self { hash, location })))
        }
    }

    /// Encodes the record.
    pub fn encode(&self, to: &mut Emit) {
        let end = to.len() + shared_record_size(to.widths());
        to.u8(u8::from(matches!(self.location, SharedLocation::Header { .. })));
        to.u32(self.hash);
        match &self.location {
            SharedLocation::Heap { reference_count, id } => {
                to.u32(*reference_count);
                to.bytes(id);
            }
            SharedLocation::Header { reserved, message_type, index, header } => {
                to.u8(*reserved);
                to.u8(*message_type);
                to.u16(*index);
                to.addr(*header);
            }
        }
        to.zeros(end.saturating_sub(to.len()));
    }
}

fn unexpected<T>(i: &[u8], record_type: RecordType) -> Parsed<'_, T> {
    field("type", |i| fail(i, Fault::Value(record_type.0.into())))(i)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::testing::both_ways;

    #[test]
    fn huge_objects() {
        let bytes = [0x10, 0, 0, 0, 5, 0, 0, 0, 1, 0, 0, 0, 9, 0, 0, 0, 2, 0, 0, 0];
        let decode = |b: Block<'_>| HugeRecord::decode(b, RecordType::HUGE_INDIRECT_FILTERED);
        let record = both_ways(&bytes, 4, decode, HugeRecord::encode);
        assert_eq!(record, HugeRecord { address: Some(Addr(16)), length: 5, filtered: Some((1, 9)), key: Some(2) });
    }

    #[test]
    fn the_hash_is_first_for_links_and_last_for_attributes() {
        let bytes = [1, 2, 3, 4, 10, 11, 12, 13, 14, 15, 16];
        let decode = |b: Block<'_>| LinkRecord::decode(b, RecordType::LINK_NAME);
        let record = both_ways(&bytes, 8, decode, LinkRecord::encode);
        assert_eq!(record, LinkRecord::Name { hash: 0x0403_0201, id: [10, 11, 12, 13, 14, 15, 16] });
        let bytes = [1, 2, 3, 4, 5, 6, 7, 8, 2, 9, 0, 0, 0, 0xd, 0xc, 0xb, 0xa];
        let decode = |b: Block<'_>| AttributeRecord::decode(b, RecordType::ATTRIBUTE_NAME);
        let record = both_ways(&bytes, 8, decode, AttributeRecord::encode);
        assert_eq!((record.flags, record.order, record.hash), (2, 9, Some(0x0a0b_0c0d)));
    }

    #[test]
    fn shared_messages_are_padded_to_the_longer_form() {
        let bytes = [1, 1, 2, 3, 4, 0, 3, 7, 0, 0x60, 0, 0, 0, 0, 0, 0, 0];
        let record = both_ways(&bytes, 4, SharedRecord::decode, SharedRecord::encode);
        let header = Some(Addr(0x60));
        assert_eq!(record.location, SharedLocation::Header { reserved: 0, message_type: 3, index: 7, header });
    }
}

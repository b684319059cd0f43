use std::fmt;
use std::ops::Range;

use super::Prefix;
use crate::bytes::parse::{array, cond, field, take, u8, u16};
use crate::bytes::{Block, Emit};
use crate::error::{Corrupt, Structure};

/// The type of a message. Unknown ones are kept.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MessageType(pub u16);

macro_rules! message_types {
    ($($name:ident $id:literal $text:literal;)*) => {
        #[allow(missing_docs)]
        impl MessageType {
            $(pub const $name: Self = Self($id);)*

            /// The specification's name, `None` for an unknown type.
            #[must_use]
            pub fn name(self) -> Option<&'static str> {
                match self.0 { $($id => Some($text),)* _ => None }
            }
        }
    };
}

message_types! {
    NIL 0x00 "NIL";
    DATASPACE 0x01 "dataspace";
    LINK_INFO 0x02 "link info";
    DATATYPE 0x03 "datatype";
    FILL_VALUE_OLD 0x04 "fill value (old)";
    FILL_VALUE 0x05 "fill value";
    LINK 0x06 "link";
    EXTERNAL_DATA_FILES 0x07 "external data files";
    DATA_LAYOUT 0x08 "data layout";
    BOGUS 0x09 "bogus";
    GROUP_INFO 0x0a "group info";
    FILTER_PIPELINE 0x0b "filter pipeline";
    ATTRIBUTE 0x0c "attribute";
    COMMENT 0x0d "object comment";
    MODIFICATION_TIME_OLD 0x0e "object modification time (old)";
    SHARED_MESSAGE_TABLE 0x0f "shared message table";
    CONTINUATION 0x10 "object header continuation";
    SYMBOL_TABLE 0x11 "symbol table";
    MODIFICATION_TIME 0x12 "object modification time";
    BTREE_K 0x13 "B-tree 'K' values";
    DRIVER_INFO 0x14 "driver info";
    ATTRIBUTE_INFO 0x15 "attribute info";
    REFERENCE_COUNT 0x16 "object reference count";
    FILE_SPACE_INFO 0x17 "file space info";
    CACHE_IMAGE 0x18 "metadata cache image";
}

impl MessageType {
    /// True for the types that mean something: not for those that nobody defined, nor for the one that is
    /// there to test what happens then.
    #[must_use]
    pub fn is_understood(self) -> bool {
        self.name().is_some() && self != Self::BOGUS
    }

    /// True for the types that only datasets have.
    #[must_use]
    pub fn is_of_dataset(self) -> bool {
        const OF_DATASETS: [MessageType; 6] = [
            MessageType::DATASPACE,
            MessageType::FILL_VALUE_OLD,
            MessageType::FILL_VALUE,
            MessageType::EXTERNAL_DATA_FILES,
            MessageType::DATA_LAYOUT,
            MessageType::FILTER_PIPELINE,
        ];
        OF_DATASETS.contains(&self)
    }
}

impl fmt::Debug for MessageType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => write!(f, "{:#06x} ({name})", self.0),
            None => write!(f, "{:#06x}", self.0),
        }
    }
}

/// The flags of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageFlags(pub u8);

impl MessageFlags {
    /// Bit 1: the body stands elsewhere.
    #[must_use]
    pub fn shared(self) -> bool {
        self.0 & 2 != 0
    }

    /// Bit 7: a reader that does not know the type must refuse the object.
    #[must_use]
    pub fn fail_if_unknown(self) -> bool {
        self.0 & 0x80 != 0
    }
}

/// One message: its head, and where its body stands in the chunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Type.
    pub kind: MessageType,
    /// Flags.
    pub flags: MessageFlags,
    /// Reserved: version 1 only.
    pub reserved: [u8; 3],
    /// Creation order of an attribute, where tracked.
    pub creation_order: Option<u16>,
    /// The body, as a range of the block that was decoded.
    pub body: Range<usize>,
}

/// The messages of one chunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Messages {
    /// In the file's order.
    pub messages: Vec<Message>,
    /// What is left at the end: too short for a message.
    pub gap: Range<usize>,
}

impl Messages {
    /// Decodes the messages that fill `block` (signature, prefix and checksum left out).
    ///
    /// `structure` is the chunk they stand in, for errors.
    ///
    /// # Errors
    /// A message that leaves the block.
    pub fn decode(block: Block<'_>, prefix: &Prefix, structure: Structure) -> Result<Self, Corrupt> {
        let mut messages = Vec::new();
        let gap = Self::each(block, prefix, structure, |message| messages.push(message))?;
        Ok(Self { messages, gap })
    }

    /// Decodes the messages one by one, and gives the gap after them.
    ///
    /// # Errors
    /// As [`decode`](Self::decode); `visit` has seen the messages before the one at fault.
    pub fn each(
        block: Block<'_>,
        prefix: &Prefix,
        structure: Structure,
        mut visit: impl FnMut(Message),
    ) -> Result<Range<usize>, Corrupt> {
        let old = prefix.version() == 1;
        let ordered = prefix.creation_order_tracked();
        let head = if old { 8 } else { 4 + 2 * usize::from(ordered) };
        block.run(structure, move |start| {
            let mut i = start;
            while i.len() >= head {
                let (after, kind) = if old {
                    field("message type", u16)(i)?
                } else {
                    field("message type", u8)(i).map(|(i, kind)| (i, kind.into()))?
                };
                let (after, size) = field("size of message data", u16)(after)?;
                let (after, flags) = field("message flags", u8)(after)?;
                let (after, reserved) = field("reserved", cond(old, array::<3>))(after)?;
                let (after, creation_order) = field("creation order", cond(ordered, u16))(after)?;
                let at = start.len() - after.len();
                let (after, body) = field("message data", take(size.into()))(after)?;
                visit(Message {
                    kind: MessageType(kind),
                    flags: MessageFlags(flags),
                    reserved: reserved.unwrap_or_default(),
                    creation_order,
                    body: at..at + body.len(),
                });
                i = after;
            }
            let gap = start.len() - i.len()..start.len();
            Ok((&i[i.len()..], gap))
        })
    }

    /// Encodes the messages; `bytes` is the block that was decoded, of which the bodies are taken.
    pub fn encode(&self, bytes: &[u8], prefix: &Prefix, to: &mut Emit) {
        for message in &self.messages {
            if prefix.version() == 1 {
                to.u16(message.kind.0);
            } else {
                to.uint(1, message.kind.0.into());
            }
            to.uint(2, message.body.len() as u64);
            to.u8(message.flags.0);
            if prefix.version() == 1 {
                to.bytes(&message.reserved);
            }
            if let Some(order) = message.creation_order {
                to.u16(order);
            }
            to.bytes(&bytes[message.body.clone()]);
        }
        to.bytes(&bytes[self.gap.clone()]);
    }
}

#[cfg(test)]
mod tests {
    use super::super::{PrefixV1, PrefixV2};
    use super::*;
    use crate::bytes::Widths;

    fn both_ways(bytes: &[u8], prefix: &Prefix) -> Messages {
        let widths = Widths::default();
        let block = Block::new(bytes, 0, widths);
        let messages = Messages::decode(block, prefix, Structure::ObjectHeader).expect("they decode");
        let encoded = Emit::encode(widths, |to| messages.encode(bytes, prefix, to)).expect("they fit");
        assert_eq!(encoded, bytes);
        messages
    }

    #[test]
    fn version_1_keeps_unknown_types() {
        let prefix =
            Prefix::V1(PrefixV1 { reserved: 0, message_count: 2, reference_count: 1, chunk_size: 32, padding: 0 });
        #[rustfmt::skip]
        let bytes = [
            0x1c, 0x01, 8, 0, 0x80, 0, 0, 0,  1, 2, 3, 4, 5, 6, 7, 8,
            0, 0, 8, 0, 0, 0, 0, 0,           0, 0, 0, 0, 0, 0, 0, 0,
        ];
        let found = both_ways(&bytes, &prefix);
        assert_eq!(found.messages[0].kind, MessageType(0x11c));
        assert!(found.messages[0].flags.fail_if_unknown());
        assert_eq!(found.messages[1].kind, MessageType::NIL);
        assert!(found.gap.is_empty());
    }

    #[test]
    fn version_2_with_creation_order_and_a_gap() {
        let prefix = Prefix::V2(PrefixV2 { flags: 4, times: None, phase_change: None, chunk_size: 0 });
        let bytes = [0x0c, 2, 0, 0x40, 7, 0, 0xaa, 0xbb, 0, 0, 0, 0, 0];
        let found = both_ways(&bytes, &prefix);
        assert_eq!((found.messages[0].creation_order, found.messages[0].body.clone()), (Some(7), 6..8));
        assert_eq!(found.gap, 8..13);
    }

    #[test]
    fn a_body_cannot_leave_the_chunk() {
        let prefix = Prefix::V2(PrefixV2 { flags: 0, times: None, phase_change: None, chunk_size: 0 });
        let block = Block::new(&[1, 9, 0, 0, 1, 2], 0x40, Widths::default());
        let fault = Messages::decode(block, &prefix, Structure::ObjectHeader).expect_err("too long");
        assert_eq!(fault.to_string(), "object header at 0x44, message data: 7 bytes more are needed than there are");
    }
}

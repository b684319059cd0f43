//! The pointer that stands in place of a shared message's body (IV.A.1, "shared message").

use crate::bytes::parse::{array, defined, fail, field, length, u8, version};
use crate::bytes::{Addr, Block, Emit};
use crate::error::{Corrupt, Fault, Structure};

/// Where the body of a shared message stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SharedMessage {
    /// In the object header of a committed datatype.
    Committed {
        /// Version of the pointer, 1 to 3.
        version: u8,
        /// Its type as stored: 0 or 2.
        kind: u8,
        /// Reserved bytes and, in version 1, the length field that is skipped.
        skipped: Vec<u8>,
        /// The object header.
        header: Addr,
    },
    /// In the heap of the file's shared object header messages (version 3, type 1).
    Heap {
        /// Fractal heap ID.
        id: [u8; 8],
    },
}

impl SharedMessage {
    /// Decodes the pointer.
    ///
    /// # Errors
    /// An unknown version or type, an undefined address.
    pub fn decode(block: Block<'_>) -> Result<Self, Corrupt> {
        let w = block.widths();
        block.run(Structure::SharedMessage, move |i| {
            let (i, version) = field("version", version(&[1, 2, 3]))(i)?;
            let (after, kind) = field("type", u8)(i)?;
            match (version, kind) {
                (1, _) => {
                    let (i, reserved) = field("reserved", array::<6>)(after)?;
                    let before = i;
                    let (i, _) = field("reserved", length(w))(i)?;
                    let skipped = [&reserved, &before[..before.len() - i.len()]].concat();
                    let (i, header) = field("address", defined(w))(i)?;
                    Ok((i, Self::Committed { version, kind, skipped, header }))
                }
                (3, 1) => {
                    let (i, id) = field("fractal heap ID", array)(after)?;
                    Ok((i, Self::Heap { id }))
                }
                (2, _) | (3, 0 | 2 | 3) => {
                    let (i, header) = field("address", defined(w))(after)?;
                    Ok((i, Self::Committed { version, kind, skipped: Vec::new(), header }))
                }
                _ => field("type", |i| fail(i, Fault::Value(kind.into())))(i),
            }
        })
    }

    /// Encodes the pointer.
    pub fn encode(&self, to: &mut Emit) {
        match self {
            Self::Committed { version, kind, skipped, header } => {
                to.u8(*version);
                to.u8(*kind);
                to.bytes(skipped);
                to.addr(Some(*header));
            }
            Self::Heap { id } => {
                to.bytes(&[3, 1]);
                to.bytes(id);
            }
        }
    }
}

#[cfg(test)]
#[test]
fn version_1_skips_a_length() {
    use super::testing::both_ways;
    let bytes = [1, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0x40, 1, 0, 0];
    let pointer = both_ways(&bytes, 4, SharedMessage::decode, SharedMessage::encode);
    assert!(matches!(pointer, SharedMessage::Committed { header: Addr(0x140), .. }));
    let pointer = both_ways(&[3, 1, 1, 2, 3, 4, 5, 6, 7, 8], 8, SharedMessage::decode, SharedMessage::encode);
    assert_eq!(pointer, SharedMessage::Heap { id: [1, 2, 3, 4, 5, 6, 7, 8] });
}

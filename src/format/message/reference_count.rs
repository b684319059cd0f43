//! The object reference count message, type 0x0016 (IV.A.2.w).

use crate::bytes::parse::{field, u32, version};
use crate::bytes::{Block, Emit};
use crate::error::{Corrupt, Structure};

/// Decodes a message body: hard links to the object.
///
/// # Errors
/// An unknown version, or a body that ends too early.
pub fn decode(block: Block<'_>) -> Result<u32, Corrupt> {
    block.run(Structure::ReferenceCount, |i| {
        let (i, _) = field("version", version(&[0]))(i)?;
        field("reference count", u32)(i)
    })
}

/// Encodes the message body.
pub fn encode(count: u32, to: &mut Emit) {
    to.u8(0);
    to.u32(count);
}

#[cfg(test)]
#[test]
fn both_ways() {
    assert_eq!(crate::format::testing::both_ways(&[0, 3, 0, 0, 0], 8, decode, |n, to| encode(*n, to)), 3);
}

//! The object comment message, type 0x000d (IV.A.2.n).

use crate::bytes::parse::{field, nul_terminated};
use crate::bytes::{Block, Emit, Text};
use crate::error::{Corrupt, Structure};

/// Decodes a message body.
///
/// # Errors
/// A comment without a NUL.
pub fn decode(block: Block<'_>) -> Result<Text, Corrupt> {
    block.run(Structure::Comment, |i| field("comment", nul_terminated)(i).map(|(i, text)| (i, text.into())))
}

/// Encodes the message body.
pub fn encode(comment: &Text, to: &mut Emit) {
    to.nul_terminated(comment.as_bytes());
}

#[cfg(test)]
#[test]
fn both_ways() {
    assert_eq!(crate::format::testing::both_ways(b"hello\0", 8, decode, encode), "hello");
}

//! What the tests of the rooms share.

use std::fmt::Debug;

use crate::bytes::{Block, Emit, Widths};
use crate::error::{Corrupt, Fault};

/// Decodes `bytes` in a file whose offsets and lengths have `width` bytes, checks that encoding gives
/// the same bytes and that every shorter block is an error inside the block, and gives the value.
pub fn both_ways<T: PartialEq + Debug>(
    bytes: &[u8],
    width: u8,
    decode: impl Fn(Block<'_>) -> Result<T, Corrupt>,
    encode: impl Fn(&T, &mut Emit),
) -> T {
    const AT: u64 = 0x1000;
    let widths = Widths { offsets: width, lengths: width };
    let value = decode(Block::new(bytes, AT, widths)).expect("these bytes decode");
    let encoded = Emit::encode(widths, |to| encode(&value, to)).expect("every value fits");
    assert_eq!(encoded, bytes);
    for n in 0..bytes.len() {
        let fault = decode(Block::new(&bytes[..n], AT, widths)).expect_err("a shorter block");
        assert!((AT..=AT + n as u64).contains(&fault.at()), "{fault}");
        assert!(matches!(fault.fault(), Fault::Truncated { .. } | Fault::Checksum { .. }), "{fault}");
    }
    value
}

//! The filters that round numbers when they write and have nothing to undo: `BitGroom` (32022), Granular
//! `BitRound` (32023) and `BitRound` (32032).
//!
//! Client data: how many digits or bits are kept, the size of a number, whether there is a fill value, and
//! the fill value. Described with their registration
//! (<https://github.com/HDFGroup/hdf5_plugins/blob/master/docs/RegisteredFilterPlugins.md#bitgroom>).

use std::borrow::Cow;

use crate::error::FilterFault;

/// Gives back what it is given.
///
/// # Errors
/// None.
pub fn decode<'a>(bytes: Cow<'a, [u8]>, _: &[u32], _bound: usize) -> Result<Cow<'a, [u8]>, FilterFault> {
    Ok(bytes)
}

#[cfg(test)]
#[test]
fn borrows_what_is_borrowed() {
    assert!(matches!(decode((&[1, 2]).into(), &[3, 4], 2), Ok(Cow::Borrowed([1, 2]))));
}

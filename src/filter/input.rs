//! Bytes taken from the front of what a filter was given.
#![allow(dead_code, reason = "each set of features takes what it needs")]

use crate::error::FilterFault;

/// What is left of the input.
pub(super) struct Input<'a>(pub(super) &'a [u8]);

impl<'a> Input<'a> {
    /// The next `count` bytes.
    pub(super) fn bytes(&mut self, count: usize) -> Result<&'a [u8], FilterFault> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(FilterFault::Truncated)?;
        self.0 = rest;
        Ok(taken)
    }

    /// The next bytes, as many as the caller makes a number of.
    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N], FilterFault> {
        let (taken, rest) = self.0.split_first_chunk().ok_or(FilterFault::Truncated)?;
        self.0 = rest;
        Ok(*taken)
    }

    /// The next byte.
    pub(super) fn byte(&mut self) -> Result<u8, FilterFault> {
        self.array().map(|[byte]| byte)
    }
}

/// A length that a stream claims, where it is no more than `bound` bytes.
pub(super) fn length(claimed: u64, bound: usize) -> Result<usize, FilterFault> {
    usize::try_from(claimed).ok().filter(|length| *length <= bound).ok_or(FilterFault::TooLong(bound as u64))
}

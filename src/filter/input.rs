//! Bytes taken from the front of what a filter was given.
#![allow(dead_code, reason = "each set of features takes what it needs")]

use std::borrow::Cow;

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

/// What a decoder puts into an empty buffer.
pub(super) fn owned<'a>(
    decode: impl FnOnce(&mut Vec<u8>) -> Result<(), FilterFault>,
) -> Result<Cow<'a, [u8]>, FilterFault> {
    let mut out = Vec::new();
    decode(&mut out)?;
    Ok(Cow::Owned(out))
}

/// So many zeros, of which the system hands out the pages as they are used.
pub(super) fn zeroed(length: usize) -> Result<Vec<u8>, FilterFault> {
    bytemuck::allocation::try_zeroed_vec(length).map_err(|()| FilterFault::Memory(length as u64))
}

/// Makes a buffer one of so many zeros.
pub(super) fn zero(buffer: &mut Vec<u8>, length: usize) -> Result<(), FilterFault> {
    if buffer.capacity() < length {
        *buffer = zeroed(length)?;
    } else {
        buffer.clear();
        buffer.resize(length, 0);
    }
    Ok(())
}

/// Makes a buffer as long as this, whatever its bytes.
pub(super) fn resize(buffer: &mut Vec<u8>, length: usize) -> Result<(), FilterFault> {
    buffer.try_reserve(length.saturating_sub(buffer.len())).map_err(|_| FilterFault::Memory(length as u64))?;
    buffer.resize(length, 0);
    Ok(())
}

/// Empties a buffer and makes room for as much as can come out: no more than `bound`, and than each byte of the input
/// can turn into.
pub(super) fn room(out: &mut Vec<u8>, bytes: usize, ratio: usize, bound: usize) -> Result<(), FilterFault> {
    let length = bound.min(bytes.saturating_mul(ratio)).saturating_add(SLACK);
    out.clear();
    out.try_reserve_exact(length).map_err(|_| FilterFault::Memory(length as u64))
}

/// Bytes that decoders want to have behind the end of what they make.
const SLACK: usize = 64;

/// A length that a stream claims, where it is no more than `bound` bytes.
pub(super) fn length(claimed: u64, bound: usize) -> Result<usize, FilterFault> {
    usize::try_from(claimed).ok().filter(|length| *length <= bound).ok_or(FilterFault::TooLong(bound as u64))
}

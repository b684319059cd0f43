//! Blosc2, filter 32026: a frame of chunks, plain or holding an array of n dimensions.
//!
//! Client data: the revision of the filter (1), the length of a block in bytes, the size of an element, the
//! length of the chunk, the level, the shuffle, what compresses, and from two dimensions on their number and
//! the chunk's dimensions. A reader needs none, but what the dimensions say must be what the frame says.
//! (<https://github.com/PyTables/PyTables/tree/master/hdf5-blosc2>)

mod array;
mod frame;

use std::borrow::Cow;

use super::input::{length, owned, resize};
use crate::error::FilterFault;
use array::Shapes;
use frame::Frame;

/// Decodes a frame, to at most `bound` bytes.
///
/// # Errors
/// A frame that is damaged, ends early, or is longer than `bound` once decoded; one of another shape than
/// the client data say; codecs and filters that are plugins of Blosc2, by their names.
pub fn decode<'a>(bytes: Cow<'a, [u8]>, values: &[u32], bound: usize) -> Result<Cow<'a, [u8]>, FilterFault> {
    owned(|out| decode_into(&bytes, values, bound, out))
}

/// [`decode`] into a buffer, whatever is in it.
pub(super) fn decode_into(bytes: &[u8], values: &[u32], bound: usize, out: &mut Vec<u8>) -> Result<(), FilterFault> {
    let frame = Frame::new(bytes)?;
    for name in [&b"b2nd"[..], b"caterva"] {
        if let Some(content) = frame.metalayer(name)? {
            let shapes = Shapes::read(content)?;
            let said = values.get(8..).unwrap_or_default();
            if !said.is_empty() && !said.iter().map(|dim| *dim as usize).eq(shapes.shape.iter().copied()) {
                return Err(FilterFault::Stream("a Blosc2 array of another shape than the client data say"));
            }
            return array::decode(&frame, &shapes, bound, out);
        }
    }
    resize(out, length(frame.length as u64, bound)?)?;
    for (index, out) in out.chunks_mut(frame.chunk.max(1)).enumerate() {
        frame.stored(index, out.len())?.decode_into(out)?;
    }
    Ok(())
}

/// The most bytes that writing can make of so many: an array is padded to whole blocks, which less than doubles each
/// of its dimensions; then headers and an index.
pub(super) fn longest(bytes: usize, values: &[u32]) -> usize {
    // A dimension of one or two elements is a whole block.
    let padded = values.iter().skip(8).filter(|dim| **dim > 2).count();
    let padded = bytes.saturating_mul(1 << padded.min(16));
    padded.saturating_add(padded / 8).saturating_add(4096)
}

#[cfg(test)]
mod tests;

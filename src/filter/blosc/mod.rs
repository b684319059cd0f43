//! Blosc, filter 32001: a chunk of blocks, each shuffled and compressed by itself.
//!
//! Client data: the revision of the filter (2), the version of Blosc's format (2), the size of an element in
//! bytes, the length of the chunk in bytes, the level, the shuffle (0 none, 1 bytes, 2 bits), and what
//! compresses (0 BloscLZ, 1 LZ4, 2 LZ4HC, 3 Snappy, 4 Zlib, 5 Zstd). A reader needs none of them.
//! (<https://github.com/Blosc/hdf5-blosc>)

mod blosclz;
pub(super) mod chunk;
mod codec;

use std::borrow::Cow;

use super::input::{owned, resize};
use super::{bad_value, bit_planes, deflate, lz4, shuffle, value, zstd};
use crate::error::{FilterFault, Unsupported};
use chunk::{Chunk, HEADER, LEAST_STREAM, MOST_STREAMS};

/// Bytes of a block where the chunk is longer. A multiple of 8 elements of every size that is a power of two.
const BLOCK: usize = 1 << 16;

/// Decodes a chunk, to at most `bound` bytes.
///
/// # Errors
/// A chunk that is damaged, ends early, or is longer than `bound` once decoded.
pub fn decode<'a>(bytes: Cow<'a, [u8]>, _: &[u32], bound: usize) -> Result<Cow<'a, [u8]>, FilterFault> {
    owned(|out| decode_into(&bytes, &[], bound, out))
}

/// [`decode`] into a buffer, whatever is in it.
pub(super) fn decode_into(bytes: &[u8], _: &[u32], bound: usize, out: &mut Vec<u8>) -> Result<(), FilterFault> {
    let chunk = Chunk::new(bytes, bound)?;
    resize(out, chunk.length)?;
    chunk.decode_into(out)
}

/// Encodes a chunk with what the client data say. Level 0, or blocks that would take more room compressed,
/// store the bytes as they are.
///
/// # Errors
/// No element size; an unknown shuffle; BloscLZ or an unknown compression; more bytes than Blosc can count.
pub fn encode(bytes: &[u8], values: &[u32]) -> Result<Vec<u8>, FilterFault> {
    let plan = Plan::of(bytes.len(), values)?;
    let mut out = plan.header(bytes.len());
    if plan.level > 0 {
        let places = out.len();
        let blocks = bytes.len().div_ceil(plan.block.max(1));
        out.resize(places + 4 * blocks, 0);
        for (index, block) in bytes.chunks(plan.block.max(1)).enumerate() {
            let place = (out.len() as u32).to_le_bytes();
            out[places + 4 * index..][..4].copy_from_slice(&place);
            plan.pack(block, &mut out)?;
        }
    }
    if plan.level == 0 || out.len() >= bytes.len() + HEADER {
        out.truncate(HEADER);
        out[2] = chunk::STORED;
        out.extend_from_slice(bytes);
    }
    let stored = u32::try_from(out.len()).map_err(|_| TOO_LONG)?;
    out[12..HEADER].copy_from_slice(&stored.to_le_bytes());
    Ok(out)
}

const TOO_LONG: FilterFault = FilterFault::Stream("more than Blosc can hold in a chunk");

/// How to write a chunk.
struct Plan {
    type_size: u8,
    level: u32,
    /// [`chunk::SHUFFLE`], [`chunk::BIT_PLANES`] or none.
    shuffle: u8,
    /// Client data value 6.
    codec: u32,
    /// Bytes of a block.
    block: usize,
}

impl Plan {
    fn of(length: usize, values: &[u32]) -> Result<Self, FilterFault> {
        // Blosc counts in 31 bits, and calls elements of more than 255 bytes bytes.
        if length > i32::MAX as usize - HEADER {
            return Err(TOO_LONG);
        }
        let type_size = match value(values, 2)? {
            0 => return Err(bad_value(values, 2)),
            size => u8::try_from(size).unwrap_or(1),
        };
        let shuffle = match value(values, 5).unwrap_or(1) {
            0 => 0,
            1 => chunk::SHUFFLE,
            2 => chunk::BIT_PLANES,
            _ => return Err(bad_value(values, 5)),
        };
        let codec = match value(values, 6).unwrap_or(0) {
            codec @ 1..=5 => codec,
            0 => return Err(FilterFault::Unsupported(Unsupported::BloscLzEncoding)),
            _ => return Err(bad_value(values, 6)),
        };
        let eight = 8 * usize::from(type_size);
        let block = if length > BLOCK { BLOCK / eight * eight } else { length };
        Ok(Self { type_size, level: value(values, 4).unwrap_or(5).min(9), shuffle, codec, block })
    }

    /// The header, all but the stored bytes.
    fn header(&self, length: usize) -> Vec<u8> {
        let format = [0, 1, 1, 2, 3, 4][self.codec as usize] << 5;
        let split = if self.splits() { 0 } else { chunk::NOT_SPLIT };
        let mut out = vec![chunk::VERSION, 1, format | self.shuffle | split, self.type_size];
        out.extend((length as u32).to_le_bytes());
        out.extend((self.block as u32).to_le_bytes());
        out.extend([0; 4]);
        out
    }

    /// Whether a whole block is one stream for each byte of an element. Zstandard finds more without.
    fn splits(&self) -> bool {
        let size = usize::from(self.type_size);
        let whole = self.block.is_multiple_of(size);
        self.codec != 5 && size <= MOST_STREAMS && self.block / size >= LEAST_STREAM && whole
    }

    /// Appends a block.
    fn pack(&self, bytes: &[u8], out: &mut Vec<u8>) -> Result<(), FilterFault> {
        let size = usize::from(self.type_size);
        let shuffled: Cow<'_, [u8]> = match self.shuffle {
            chunk::SHUFFLE if size > 1 => shuffle::split(bytes, size).into(),
            chunk::BIT_PLANES if (bytes.len() / size).is_multiple_of(8) => {
                let mut planes = bytes.to_vec();
                let whole = bytes.len() / size * size;
                bit_planes::split(&bytes[..whole], size, &mut planes[..whole]);
                planes.into()
            }
            _ => bytes.into(),
        };
        let count = if self.splits() && bytes.len() == self.block { size } else { 1 };
        for stream in shuffled.chunks_exact(bytes.len() / count) {
            let packed = self.compress(stream)?;
            let stored = if packed.len() < stream.len() { &packed } else { stream };
            out.extend((stored.len() as u32).to_le_bytes());
            out.extend_from_slice(stored);
        }
        Ok(())
    }

    fn compress(&self, stream: &[u8]) -> Result<Vec<u8>, FilterFault> {
        match self.codec {
            1 | 2 => lz4::compress(stream),
            3 => snap::raw::Encoder::new()
                .compress_vec(stream)
                .map_err(|_| FilterFault::Stream("more than Snappy can compress at once")),
            4 => deflate::encode(stream, &[self.level]),
            _ => zstd::compress(stream, self.level),
        }
    }
}

#[cfg(test)]
mod tests;

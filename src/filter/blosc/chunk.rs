//! A chunk of Blosc, versions 1 to 5 of its format: 1 and 2 are Blosc's, the others Blosc2's.
//!
//! ```text
//! version 1 · version of the codec 1 · flags 1 · type size 1 · bytes 4 · block bytes 4 · stored bytes 4
//! [flags 1 and 4 both set, from version 3 on:
//!  filters 6 · codec plugin 1 · its data 1 · filter data 6 · reserved 1 · more flags 1]
//! position of each block in the chunk, 4 each · the blocks
//! ```
//!
//! All numbers are little-endian; the stored bytes include the header. Flags: 1 shuffle, 2 the bytes behind
//! the header are the data, 4 bit planes, 8 delta, 0x10 blocks are not split, and from 0x20 on the
//! [codec](super::codec). More flags: 1 a dictionary, 8 the data are elsewhere, 0x70 the whole chunk is one
//! value (see [`Special`]), 0x80 the codec left notes instead of data.
//!
//! A block is one stream, or one for each byte of an element: its length (4), then so many bytes, which are
//! the data if there are just as many. In Blosc2 a length of 0 is a run of zeros, and a negative one, with
//! the byte 1 behind it, a run of minus it. The last block can be shorter, and is one stream then.
//! (<https://github.com/Blosc/c-blosc2/blob/main/README_CHUNK_FORMAT.rst>)

use super::super::input::{Input, length, resize};
use super::super::{bit_planes, copies, shuffle};
use super::codec::{Codec, Stream, Unpacker};
use crate::error::{FilterFault, Unsupported};

/// Bits of the flags.
pub(super) const SHUFFLE: u8 = 1;
pub(super) const STORED: u8 = 2;
pub(super) const BIT_PLANES: u8 = 4;
const DELTA: u8 = 8;
pub(super) const NOT_SPLIT: u8 = 0x10;
/// Bits of Blosc2's flags.
const DICTIONARY: u8 = 1;
const ELSEWHERE: u8 = 8;
const NOTES: u8 = 0x80;

/// The longest block, and the longest dictionary, as in c-blosc and c-blosc2.
const LONGEST_BLOCK: usize = 0x2aaa_a800;
const LONGEST_DICTIONARY: usize = 128 << 10;

/// The version that Blosc writes, and the last that Blosc2 has.
pub(super) const VERSION: u8 = 2;
const LAST_VERSION: u8 = 5;
/// Without the part that Blosc2 adds.
pub(super) const HEADER: usize = 16;
/// Before it had a flag for it, Blosc split blocks of at most 16 streams of at least 128 bytes each.
pub(super) const MOST_STREAMS: usize = 16;
pub(super) const LEAST_STREAM: usize = 128;

/// What a chunk is where it has no blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Special {
    Zeros,
    /// Of float32 or float64.
    NotANumber,
    /// The value that follows the header.
    Value,
}

impl Special {
    /// From three bits; `None` for a chunk that has blocks.
    pub(in super::super) fn of(bits: u8) -> Result<Option<Self>, FilterFault> {
        match bits {
            0 => Ok(None),
            1 => Ok(Some(Self::Zeros)),
            2 => Ok(Some(Self::NotANumber)),
            3 => Ok(Some(Self::Value)),
            4 => Err(FilterFault::Stream("a Blosc2 chunk whose values were never set")),
            _ => Err(FilterFault::Stream("a Blosc2 chunk of an unknown kind")),
        }
    }
}

/// One of the filters within Blosc, as far as there is something to undo.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Filter {
    /// Of elements of so many bytes.
    Shuffle(usize),
    BitPlanes,
    /// Differences to the first block, or in the first to the element before, by exclusive or.
    Delta,
    /// Differences of bytes, within so many equal parts of a block.
    ByteDelta(usize),
}

/// A chunk whose blocks are decoded one by one.
pub(in super::super) struct Chunk<'a> {
    bytes: &'a [u8],
    version: u8,
    flags: u8,
    type_size: usize,
    /// Bytes once decoded.
    pub(in super::super) length: usize,
    /// Bytes of a block once decoded.
    pub(in super::super) block: usize,
    /// Where the header ends.
    start: usize,
    /// Bytes of streams that were not unpacked yet: each has its own.
    left: usize,
    special: Option<Special>,
    /// In the order in which they are undone.
    filters: Vec<Filter>,
    unpacker: Unpacker<'a>,
    /// Two blocks for what lies between the filters.
    between: [Vec<u8>; 2],
    /// The first block, once decoded, where others are differences to it.
    first: Vec<u8>,
}

impl<'a> Chunk<'a> {
    /// A chunk of at most `bound` bytes once decoded, which may be followed by others.
    pub(in super::super) fn new(bytes: &'a [u8], bound: usize) -> Result<Self, FilterFault> {
        let mut input = Input(bytes);
        let [version, _, flags, type_size] = input.array()?;
        if version == 0 || version > LAST_VERSION {
            return Err(FilterFault::Stream("a Blosc chunk of an unknown version"));
        }
        let length = length(u32::from_le_bytes(input.array()?).into(), bound)?;
        let block = u32::from_le_bytes(input.array()?) as usize;
        let stored = u32::from_le_bytes(input.array()?) as usize;
        if length > 0 && (block > length || block > LONGEST_BLOCK) {
            return Err(FilterFault::Stream("a Blosc block that is longer than its chunk or than any"));
        }
        let mut chunk = Self::plain(type_size.into(), length, block)?;
        chunk.bytes = bytes.get(..stored).filter(|bytes| bytes.len() >= HEADER).ok_or(FilterFault::Truncated)?;
        chunk.start = HEADER;
        chunk.left = chunk.bytes.len();
        chunk.version = version;
        chunk.flags = flags;
        chunk.unpacker = Unpacker::new(Codec::of(flags, 0));
        if version > VERSION && flags & (SHUFFLE | BIT_PLANES) == SHUFFLE | BIT_PLANES {
            chunk.extend()?;
        } else {
            chunk.filters.extend((flags & SHUFFLE != 0).then_some(Filter::Shuffle(chunk.type_size)));
            chunk.filters.extend((flags & (SHUFFLE | BIT_PLANES) == BIT_PLANES).then_some(Filter::BitPlanes));
            chunk.filters.extend((flags & DELTA != 0).then_some(Filter::Delta));
        }
        chunk.check()?;
        Ok(chunk)
    }

    /// A chunk that is zeros or NaN throughout, `length` bytes in blocks of `block`.
    #[cfg(feature = "blosc2")]
    pub(in super::super) fn of_one_value(
        special: Special,
        type_size: usize,
        length: usize,
        block: usize,
    ) -> Result<Self, FilterFault> {
        let mut chunk = Self::plain(type_size, length, block)?;
        chunk.special = Some(special);
        chunk.check()?;
        Ok(chunk)
    }

    /// A chunk of which only the sizes are known.
    fn plain(type_size: usize, length: usize, block: usize) -> Result<Self, FilterFault> {
        if type_size == 0 || length > 0 && block == 0 {
            return Err(FilterFault::Stream("a Blosc chunk of impossible sizes"));
        }
        Ok(Self {
            bytes: &[],
            version: LAST_VERSION,
            flags: 0,
            type_size,
            length,
            block,
            start: 0,
            left: 0,
            special: None,
            filters: Vec::new(),
            unpacker: Unpacker::new(Codec::BloscLz),
            between: Default::default(),
            first: Vec::new(),
        })
    }

    /// Reads what Blosc2 adds to the header.
    fn extend(&mut self) -> Result<(), FilterFault> {
        let mut input = Input(&self.bytes[HEADER..]);
        let filters: [u8; 6] = input.array()?;
        let [plugin, _] = input.array()?;
        let data: [u8; 6] = input.array()?;
        let [_, more] = input.array()?;
        self.start = self.bytes.len() - input.0.len();
        self.unpacker = Unpacker::new(Codec::of(self.flags, plugin));
        self.special = Special::of(more >> 4 & 7)?;
        if more & NOTES != 0 {
            return Err(FilterFault::Stream("a Blosc2 chunk with notes of its codec instead of data"));
        }
        if more & ELSEWHERE != 0 {
            return Err(FilterFault::Stream("a Blosc2 chunk whose data are elsewhere"));
        }
        for (filter, data) in filters.into_iter().zip(data).rev() {
            let size = if data == 0 { self.type_size } else { data.into() };
            match filter {
                // Nothing, and the precision that was cut off from floats and from integers.
                0 | 4 | 36 => {}
                1 => self.filters.push(Filter::Shuffle(size)),
                2 => self.filters.push(Filter::BitPlanes),
                3 => self.filters.push(Filter::Delta),
                35 => self.filters.push(Filter::ByteDelta(size)),
                id => return Err(FilterFault::Unsupported(Unsupported::Blosc2Filter(id))),
            }
        }
        if more & DICTIONARY != 0 && self.special.is_none() {
            input.bytes(self.blocks().saturating_mul(4))?;
            let length = length(u32::from_le_bytes(input.array()?).into(), LONGEST_DICTIONARY)?;
            self.unpacker.set_dictionary(input.bytes(length)?)?;
        }
        Ok(())
    }

    /// Checks what the blocks rely on.
    fn check(&self) -> Result<(), FilterFault> {
        let size = self.type_size;
        let behind = self.bytes.len() - self.start;
        let needed = match self.special {
            Some(Special::Value) => size,
            Some(_) => 0,
            None if self.flags & STORED != 0 => self.length,
            None => self.blocks().saturating_mul(4),
        };
        if behind < needed {
            return Err(FilterFault::Truncated);
        }
        if self.special == Some(Special::NotANumber) && !matches!(size, 4 | 8) {
            return Err(FilterFault::Stream("a Blosc2 chunk of NaNs that are not float32 or float64"));
        }
        Ok(())
    }

    /// Bytes as it is stored.
    #[cfg(feature = "blosc2")]
    pub(in super::super) fn stored(&self) -> usize {
        self.bytes.len()
    }

    /// Number of blocks.
    pub(in super::super) fn blocks(&self) -> usize {
        if self.length == 0 { 0 } else { self.length.div_ceil(self.block) }
    }

    /// The chunk decoded.
    #[cfg(feature = "blosc2")]
    pub(in super::super) fn decode(self) -> Result<Vec<u8>, FilterFault> {
        let mut out = Vec::new();
        resize(&mut out, self.length)?;
        self.decode_into(&mut out)?;
        Ok(out)
    }

    /// Decodes the chunk to where there is room for its bytes.
    pub(in super::super) fn decode_into(mut self, out: &mut [u8]) -> Result<(), FilterFault> {
        for (index, out) in out.chunks_mut(self.block.max(1)).enumerate() {
            self.fill(index, out)?;
        }
        Ok(())
    }

    /// Decodes block `index` to where there is room for its bytes. The first must be the first.
    pub(in super::super) fn fill(&mut self, index: usize, out: &mut [u8]) -> Result<(), FilterFault> {
        let data = &self.bytes[self.start..];
        match self.special {
            Some(Special::Zeros) => out.fill(0),
            Some(Special::Value) => repeat(&data[..self.type_size], out),
            Some(Special::NotANumber) if self.type_size == 4 => repeat(&f32::NAN.to_le_bytes(), out),
            Some(Special::NotANumber) => repeat(&f64::NAN.to_le_bytes(), out),
            None if self.flags & STORED != 0 => out.copy_from_slice(&data[index * self.block..][..out.len()]),
            None => self.unpack(index, out)?,
        }
        Ok(())
    }

    fn unpack(&mut self, index: usize, out: &mut [u8]) -> Result<(), FilterFault> {
        let place = self.bytes[self.start + 4 * index..].first_chunk().ok_or(FilterFault::Truncated)?;
        let place = u32::from_le_bytes(*place) as usize;
        let mut input = Input(self.bytes.get(place..).ok_or(FilterFault::Truncated)?);
        let behind = input.0.len();
        let streams = self.streams(&mut input, out.len())?;
        let shared = FilterFault::Stream("Blosc blocks that share bytes");
        self.left = self.left.checked_sub(behind - input.0.len()).ok_or(shared)?;
        let filters = std::mem::take(&mut self.filters);
        // What moves bytes needs a block to move them from; what changes them works in place.
        let mut moves = filters.iter().filter(|filter| filter.moves()).count();
        let [mut from, mut to] = std::mem::take(&mut self.between);
        if moves > 0 {
            resize(&mut from, out.len())?;
            self.unpacker.fill_all(&streams, &mut from)?;
        } else {
            self.unpacker.fill_all(&streams, out)?;
        }
        for filter in &filters {
            match filter {
                Filter::Delta => self.undo_delta(index, if moves > 0 { &mut from } else { out }),
                Filter::ByteDelta(parts) => undo_byte_delta(*parts, if moves > 0 { &mut from } else { out }),
                _ if moves == 1 => {
                    self.unshuffle(*filter, &from, out);
                    moves = 0;
                }
                _ => {
                    resize(&mut to, out.len())?;
                    self.unshuffle(*filter, &from, &mut to);
                    std::mem::swap(&mut from, &mut to);
                    moves -= 1;
                }
            }
        }
        if index == 0 && filters.contains(&Filter::Delta) {
            self.first = out.to_vec();
        }
        self.between = [from, to];
        self.filters = filters;
        Ok(())
    }

    /// The streams of a block of `length` bytes, none of them too short to hold its part of these.
    fn streams(&self, input: &mut Input<'a>, length: usize) -> Result<Vec<Stream<'a>>, FilterFault> {
        let splits = self.flags & NOT_SPLIT == 0
            && length == self.block
            && (self.version > VERSION
                || self.type_size <= MOST_STREAMS && self.block / self.type_size >= LEAST_STREAM);
        let count = if splits { self.type_size } else { 1 };
        let part = length / count;
        if part == 0 || part * count != length {
            return Err(FilterFault::Stream("Blosc blocks that cannot be split"));
        }
        let mut stream = || {
            let stored = i32::from_le_bytes(input.array()?);
            match usize::try_from(stored) {
                Ok(0) if self.version > VERSION => Ok(Stream::Run(0)),
                Ok(stored) if stored == part => Ok(Stream::Stored(input.bytes(stored)?)),
                Ok(stored) => self.unpacker.plausible(input.bytes(stored)?, part).map(Stream::Packed),
                Err(_) if self.version > VERSION && stored >= -255 && input.byte()? & 1 != 0 => {
                    Ok(Stream::Run(stored.unsigned_abs() as u8))
                }
                Err(_) => Err(FilterFault::Stream("a Blosc stream of an impossible length")),
            }
        };
        (0..count).map(|_| stream()).collect()
    }

    fn unshuffle(&self, filter: Filter, from: &[u8], to: &mut [u8]) {
        let size = self.type_size;
        let planes = match filter {
            Filter::Shuffle(size) => return shuffle::join_into(from, size, to),
            // Blosc leaves a block alone that is not made of whole eights of elements.
            _ if self.version <= VERSION && !(from.len() / size).is_multiple_of(8) => 0,
            _ => from.len() / (8 * size) * (8 * size),
        };
        bit_planes::join(&from[..planes], size, &mut to[..planes]);
        to[planes..].copy_from_slice(&from[planes..]);
    }

    fn undo_delta(&self, index: usize, out: &mut [u8]) {
        let step = match self.type_size {
            size @ (1 | 2 | 4 | 8) => size,
            size if size.is_multiple_of(8) => 8,
            _ => 1,
        };
        let whole = out.len() / step * step;
        if index == 0 {
            for at in step..whole {
                out[at] ^= out[at - step];
            }
        } else {
            out[..whole].iter_mut().zip(&self.first).for_each(|(byte, first)| *byte ^= first);
        }
    }
}

impl Filter {
    /// Whether bytes change their places.
    fn moves(self) -> bool {
        matches!(self, Self::Shuffle(_) | Self::BitPlanes)
    }
}

/// Adds up the differences within each of so many equal parts.
fn undo_byte_delta(parts: usize, out: &mut [u8]) {
    let length = out.len() / parts;
    for part in out.chunks_exact_mut(length.max(1)).take(parts) {
        let mut sum = 0_u8;
        for byte in part {
            sum = sum.wrapping_add(*byte);
            *byte = sum;
        }
    }
}

/// Fills `out` with a value, over and over.
fn repeat(value: &[u8], out: &mut [u8]) {
    let (size, length) = (value.len().min(out.len()), out.len());
    out[..size].copy_from_slice(&value[..size]);
    copies::repeat(out, size, size, length - size);
}

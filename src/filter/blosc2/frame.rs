//! A contiguous frame of Blosc2: a header, chunks, an index of them, a trailer.
//!
//! ```text
//! 00 array of 14 · string `b2frame\0` 10
//! 0a header bytes 5 · 0f frame bytes 9 · 18 string of flags: format, kind, codec, other 5
//! 1d bytes once decoded 9 · 26 bytes stored 9
//! 2f type size 5 · 34 block bytes 5 · 39 chunk bytes 5 · 3e threads 3 and 3 · 44 a trailer with metalayers 1
//! 45 filters 18
//! 57 array of 3: the size of what follows 3 · map 3 of names to positions 5 · array of contents
//! ```
//!
//! It is written in msgpack: a byte says what a field is, the numbers are big-endian. The index, a chunk of
//! its own behind the stored bytes, gives for each chunk its position behind the header (8 bytes,
//! little-endian); a negative one says in its highest byte that the chunk is all zeros (1) or NaN (2), or
//! was never set (4).
//! (<https://github.com/Blosc/c-blosc2/blob/main/README_CFRAME_FORMAT.rst>)

use std::cell::Cell;

use super::super::blosc::chunk::{Chunk, Special};
use super::super::input::{Input, length};
use crate::error::FilterFault;

const MAGIC: &[u8] = b"b2frame\0";
const DAMAGED: FilterFault = FilterFault::Stream("the Blosc2 frame is damaged");
/// Bytes of an entry of the index.
const ENTRY: usize = 8;
/// More chunks than this are in no frame that stands for one chunk of a dataset.
const MOST_CHUNKS: usize = 1 << 12;

/// What the header says.
pub(super) struct Frame<'a> {
    bytes: &'a [u8],
    /// Where the header ends, in bytes.
    header: usize,
    /// Bytes once decoded, with what pads an array.
    pub(super) length: usize,
    /// Bytes of an element.
    pub(super) type_size: usize,
    /// Bytes of a chunk once decoded; the last can be shorter.
    pub(super) chunk: usize,
    /// Bytes of a block.
    block: usize,
    /// Position of each chunk behind the header, or what it is instead.
    index: Vec<i64>,
    /// Bytes of chunks that were not asked for yet: each has its own.
    left: Cell<usize>,
}

impl<'a> Frame<'a> {
    /// Reads the header and the index.
    pub(super) fn new(bytes: &'a [u8]) -> Result<Self, FilterFault> {
        let field = |at: usize, kind: u8| field::<4>(bytes, at, kind).map(u32::from_be_bytes);
        let long = |at: usize, kind: u8| self::field::<8>(bytes, at, kind).map(u64::from_be_bytes);
        if bytes.get(2..10).ok_or(FilterFault::Truncated)? != MAGIC {
            return Err(FilterFault::Stream("not a Blosc2 frame"));
        }
        let header = length(field(0x0a, 0xd2)?.into(), bytes.len())?;
        // The plugin refuses one that something follows, too.
        if length(long(0x0f, 0xcf)?, bytes.len())? != bytes.len() {
            return Err(DAMAGED);
        }
        let [format, kind, ..] = self::field::<4>(bytes, 0x18, 0xa4)?;
        if kind & 15 != 0 || format >> 6 & 1 != 0 {
            return Err(FilterFault::Stream("a Blosc2 frame that is not contiguous with chunks of one length"));
        }
        let total = length(long(0x1d, 0xd3)?, usize::MAX)?;
        let stored = length(long(0x26, 0xd3)?, bytes.len())?;
        let type_size = field(0x2f, 0xd2)? as usize;
        let block = field(0x34, 0xd2)? as usize;
        let chunk = field(0x39, 0xd2)? as usize;
        if type_size == 0 || chunk == 0 && total > 0 {
            return Err(DAMAGED);
        }
        let count = if total == 0 { 0 } else { total.div_ceil(chunk) };
        if count > MOST_CHUNKS {
            return Err(DAMAGED);
        }
        let behind = header.checked_add(stored).and_then(|place| bytes.get(place..)).ok_or(FilterFault::Truncated)?;
        let index = if count == 0 { Vec::new() } else { Chunk::new(behind, count * ENTRY)?.decode()? };
        if index.len() != count * ENTRY {
            return Err(DAMAGED);
        }
        let index = index.as_chunks().0.iter().map(|entry| i64::from_le_bytes(*entry)).collect();
        Ok(Self { bytes, header, length: total, type_size, chunk, block, index, left: Cell::new(stored) })
    }

    /// Chunk `index`, which has `length` bytes once decoded. Each may be asked for once.
    pub(super) fn stored(&self, index: usize, length: usize) -> Result<Chunk<'a>, FilterFault> {
        let place = *self.index.get(index).ok_or(DAMAGED)?;
        let chunk = match usize::try_from(place) {
            Ok(place) => {
                let behind = self.header.checked_add(place).and_then(|place| self.bytes.get(place..));
                let chunk = Chunk::new(behind.ok_or(FilterFault::Truncated)?, length)?;
                self.left.set(self.left.get().checked_sub(chunk.stored()).ok_or(DAMAGED)?);
                chunk
            }
            Err(_) => {
                let special = Special::of((place.cast_unsigned() >> 56 & 7) as u8)?;
                Chunk::of_one_value(special.ok_or(DAMAGED)?, self.type_size, length, self.block)?
            }
        };
        if chunk.length == length { Ok(chunk) } else { Err(DAMAGED) }
    }

    /// Number of chunks.
    pub(super) fn chunks(&self) -> usize {
        self.index.len()
    }

    /// The content of a metalayer, `None` where the frame has none of this name.
    pub(super) fn metalayer(&self, name: &[u8]) -> Result<Option<&'a [u8]>, FilterFault> {
        let header = self.bytes.get(..self.header).ok_or(FilterFault::Truncated)?;
        let Some(rest) = header.get(0x57..).filter(|rest| !rest.is_empty()) else { return Ok(None) };
        let mut input = Input(rest);
        let [_array, _, _, _, _map] = input.array()?;
        for _ in 0..u16::from_be_bytes(input.array()?) {
            let found = input.byte().map(|byte| usize::from(byte & 31)).and_then(|length| input.bytes(length))?;
            let [_kind, place @ ..]: [u8; 5] = input.array()?;
            if found == name {
                let place = u32::from_be_bytes(place) as usize;
                let mut content = Input(header.get(place..).ok_or(FilterFault::Truncated)?);
                let [_kind, length @ ..]: [u8; 5] = content.array()?;
                return content.bytes(u32::from_be_bytes(length) as usize).map(Some);
            }
        }
        Ok(None)
    }
}

/// The bytes of a field of the header that begins with `kind`.
fn field<const N: usize>(bytes: &[u8], at: usize, kind: u8) -> Result<[u8; N], FilterFault> {
    let mut input = Input(bytes.get(at..).ok_or(FilterFault::Truncated)?);
    if input.byte()? != kind {
        return Err(DAMAGED);
    }
    input.array()
}

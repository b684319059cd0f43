//! What compresses the streams of a block.

use super::super::{deflate, lz4, zstd};
use super::blosclz;
use crate::error::{FilterFault, Unsupported};

/// What compresses, as the three high bits of a chunk's flags say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Codec {
    BloscLz,
    /// LZ4 and LZ4HC, which differ for the writer only.
    Lz4,
    Snappy,
    Zlib,
    Zstd,
    /// A plugin of Blosc2: its number.
    Plugin(u8),
}

impl Codec {
    /// From the flags, and from the number of a plugin, which counts where the flags refer to it.
    pub(super) fn of(flags: u8, plugin: u8) -> Self {
        match flags >> 5 {
            0 => Self::BloscLz,
            1 => Self::Lz4,
            2 => Self::Snappy,
            3 => Self::Zlib,
            4 => Self::Zstd,
            _ => Self::Plugin(plugin),
        }
    }
}

/// A stream of a block: one byte over and over, or its bytes, as they are or compressed.
pub(super) enum Stream<'a> {
    Run(u8),
    Stored(&'a [u8]),
    Packed(&'a [u8]),
}

/// Decompresses streams one after the other.
pub(super) struct Unpacker<'a> {
    codec: Codec,
    /// Bytes that are thought to stand before every stream, where there are any.
    dictionary: &'a [u8],
    /// Made when it is first needed, which is not for every chunk.
    zstd: Option<zstd::Decoder>,
}

impl<'a> Unpacker<'a> {
    pub(super) fn new(codec: Codec) -> Self {
        Self { codec, dictionary: &[], zstd: None }
    }

    pub(super) fn set_dictionary(&mut self, dictionary: &'a [u8]) -> Result<(), FilterFault> {
        if !matches!(self.codec, Codec::Lz4 | Codec::Zstd) {
            return Err(FilterFault::Stream("a Blosc2 dictionary for what has none"));
        }
        self.dictionary = dictionary;
        Ok(())
    }

    /// A compressed stream, where it can hold as many bytes at all.
    pub(super) fn plausible<'s>(&self, stream: &'s [u8], length: usize) -> Result<&'s [u8], FilterFault> {
        let ratio = match self.codec {
            Codec::BloscLz | Codec::Lz4 => lz4::RATIO,
            Codec::Snappy => 64,
            Codec::Zlib => deflate::RATIO,
            Codec::Zstd => zstd::RATIO,
            Codec::Plugin(id) => return Err(FilterFault::Unsupported(Unsupported::Blosc2Codec(id))),
        };
        if length / ratio > stream.len() { Err(FilterFault::Truncated) } else { Ok(stream) }
    }

    /// Fills equal parts of `out` with what the streams hold.
    pub(super) fn fill_all(&mut self, streams: &[Stream<'_>], out: &mut [u8]) -> Result<(), FilterFault> {
        for (stream, out) in streams.iter().zip(out.chunks_exact_mut(out.len() / streams.len())) {
            match stream {
                Stream::Run(byte) => out.fill(*byte),
                Stream::Stored(bytes) => out.copy_from_slice(bytes),
                Stream::Packed(stream) => self.fill(stream, out)?,
            }
        }
        Ok(())
    }

    /// Decompresses a stream that holds exactly as many bytes as `out` has room for.
    fn fill(&mut self, stream: &[u8], out: &mut [u8]) -> Result<(), FilterFault> {
        match self.codec {
            Codec::BloscLz => blosclz::fill(stream, out),
            Codec::Lz4 => lz4::fill_with(self.dictionary, stream, out),
            Codec::Snappy => snappy(stream, out),
            Codec::Zlib => deflate::fill(stream, out),
            Codec::Zstd => match &mut self.zstd {
                Some(decoder) => decoder.fill(stream, out),
                none => none.insert(zstd::Decoder::new(self.dictionary)?).fill(stream, out),
            },
            Codec::Plugin(id) => Err(FilterFault::Unsupported(Unsupported::Blosc2Codec(id))),
        }
    }
}

fn snappy(stream: &[u8], out: &mut [u8]) -> Result<(), FilterFault> {
    match snap::raw::Decoder::new().decompress(stream, out) {
        Ok(made) if made == out.len() => Ok(()),
        Ok(_) => Err(FilterFault::Truncated),
        Err(_) => Err(FilterFault::Stream("the Snappy stream is damaged")),
    }
}

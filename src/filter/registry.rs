//! Which decoder a filter's number stands for: this crate's, or one that a caller registered.

use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use super::spare::Spare;
use super::{fletcher32, nbit, rounding, scale_offset, shuffle, szip};
use crate::error::{FilterFault, Unsupported};

/// From bytes, client data and the most bytes that may come out, to bytes.
pub(super) type Decode = for<'a> fn(Cow<'a, [u8]>, &[u32], usize) -> Result<Cow<'a, [u8]>, FilterFault>;
/// The same into a buffer with memory to be used again.
pub(super) type DecodeInto = fn(&[u8], &[u32], usize, &mut Vec<u8>) -> Result<(), FilterFault>;
/// From bytes and client data to bytes.
pub(super) type Encode = fn(&[u8], &[u32]) -> Result<Vec<u8>, FilterFault>;
/// A caller's decoder, called with the same.
type Registered = Arc<dyn Fn(&[u8], &[u32], usize) -> Result<Vec<u8>, FilterFault> + Send + Sync>;

/// What is known of a filter.
pub(super) struct Codec {
    decoder: Decoder,
    /// `None` for a filter that is only read.
    pub(super) encode: Option<Encode>,
    /// Whether it is there to make the chunk shorter.
    pub(super) compresses: bool,
    /// The most bytes that writing with it can make of so many, by the client data.
    pub(super) longest: Longest,
}

/// The modules of the JavaScript package, which only read, are smaller without what encodes.
const READ_ONLY: bool = cfg!(all(target_family = "wasm", any(feature = "wasm", feature = "wasm-codecs")));

/// From bytes before to bytes after.
type Longest = fn(usize, &[u32]) -> usize;

/// What does not compress grows by headers and a little for each block: at most an eighth, with the fixed code of deflate.
fn a_little_longer(bytes: usize, _: &[u32]) -> usize {
    bytes.saturating_add(bytes / 8).saturating_add(4096)
}

/// Nobody knows what a caller's filter makes of bytes.
fn perhaps_longer(bytes: usize, _: &[u32]) -> usize {
    bytes.saturating_mul(32).saturating_add(64 << 10)
}

enum Decoder {
    Into(DecodeInto),
    Own(Decode),
    Registered(Registered),
}

impl Codec {
    /// The same, decoded into a buffer that is used again for chunk after chunk.
    fn into(self, decode: DecodeInto) -> Self {
        Self { decoder: Decoder::Into(decode), ..self }
    }

    /// A filter that compresses.
    const fn compression(decode: Decode, encode: Encode) -> Self {
        let encode = if READ_ONLY { None } else { Some(encode) };
        Self { decoder: Decoder::Own(decode), encode, compresses: true, longest: a_little_longer }
    }

    /// A filter that compresses, and is only read.
    #[cfg(any(feature = "lzo", feature = "zfp", feature = "jpeg", feature = "blosc2"))]
    const fn decompression(decode: Decode) -> Self {
        Self { decoder: Decoder::Own(decode), encode: None, compresses: true, longest: a_little_longer }
    }

    /// A filter that keeps the length.
    const fn rearrangement(decode: Decode, encode: Option<Encode>) -> Self {
        let encode = if READ_ONLY { None } else { encode };
        Self { decoder: Decoder::Own(decode), encode, compresses: false, longest: |bytes, _| bytes }
    }

    /// The same, where writing can make more bytes.
    fn growing(self, longest: Longest) -> Self {
        Self { longest, ..self }
    }

    /// Undoes the filter; what comes out is at most `bound` bytes long.
    pub(super) fn decode<'a>(
        &self,
        bytes: Cow<'a, [u8]>,
        values: &[u32],
        bound: usize,
        spare: &mut Spare,
    ) -> Result<Cow<'a, [u8]>, FilterFault> {
        let out = match &self.decoder {
            Decoder::Into(decode) => {
                let mut out = spare.take();
                decode(&bytes, values, bound, &mut out)?;
                spare.give(bytes);
                return Ok(Cow::Owned(out));
            }
            Decoder::Own(decode) => return decode(bytes, values, bound),
            Decoder::Registered(decode) => decode(&bytes, values, bound)?,
        };
        if out.len() > bound { Err(FilterFault::TooLong(bound as u64)) } else { Ok(Cow::Owned(out)) }
    }
}

/// The codec of a room that is there with its cargo feature.
macro_rules! featured {
    ($id:expr, $feature:literal, $codec:expr) => {{
        #[cfg(feature = $feature)]
        let codec = Ok($codec);
        #[cfg(not(feature = $feature))]
        let codec = Err(Unsupported::FilterFeature($id, $feature));
        codec
    }};
}

/// The codec of a registered number.
pub(super) fn codec(id: u16) -> Result<Codec, Unsupported> {
    if let Some(decode) = registered(id) {
        return Ok(Codec {
            decoder: Decoder::Registered(decode),
            encode: None,
            compresses: true,
            longest: perhaps_longer,
        });
    }
    match id {
        1 => featured!(
            id,
            "deflate",
            Codec::compression(super::deflate::decode, super::deflate::encode).into(super::deflate::decode_into)
        ),
        2 => Ok(Codec::rearrangement(shuffle::decode, Some(shuffle::encode)).into(shuffle::decode_into)),
        3 => Ok(Codec::rearrangement(fletcher32::decode, Some(fletcher32::encode)).growing(fletcher32::longest)),
        // Few files need it, and JavaScript finds it in the module of codecs.
        4 if cfg!(feature = "wasm") => Err(Unsupported::FilterFeature(id, "wasm-codecs")),
        4 => Ok(Codec::compression(szip::decode, szip::encode)),
        5 => Ok(Codec::compression(nbit::decode, nbit::encode)),
        6 => Ok(Codec::compression(scale_offset::decode, scale_offset::encode)),
        305 => featured!(id, "lzo", Codec::decompression(super::lzo::decode)),
        307 => featured!(id, "bzip2", Codec::compression(super::bzip2::decode, super::bzip2::encode)),
        32000 => featured!(
            id,
            "lzf",
            Codec::compression(super::lzf::decode, super::lzf::encode).into(super::lzf::decode_into)
        ),
        32001 => featured!(
            id,
            "blosc",
            Codec::compression(super::blosc::decode, super::blosc::encode).into(super::blosc::decode_into)
        ),
        32004 => featured!(
            id,
            "lz4",
            Codec::compression(super::lz4::decode, super::lz4::encode)
                .into(super::lz4::decode_into)
                .growing(super::lz4::longest)
        ),
        32008 => featured!(
            id,
            "bitshuffle",
            Codec::compression(super::bitshuffle::decode, super::bitshuffle::encode)
                .into(super::bitshuffle::decode_into)
                .growing(super::bitshuffle::longest)
        ),
        32013 => featured!(id, "zfp", Codec::decompression(super::zfp::decode).growing(super::zfp::longest)),
        32015 => featured!(
            id,
            "zstd",
            Codec::compression(super::zstd::decode, super::zstd::encode).into(super::zstd::decode_into)
        ),
        32019 => featured!(id, "jpeg", Codec::decompression(super::jpeg::decode).growing(super::jpeg::longest)),
        32022 | 32023 | 32032 => Ok(Codec::rearrangement(rounding::decode, None)),
        32026 => featured!(
            id,
            "blosc2",
            Codec::decompression(super::blosc2::decode)
                .into(super::blosc2::decode_into)
                .growing(super::blosc2::longest)
        ),
        _ => Err(Unsupported::Filter(id)),
    }
}

/// Decoders of callers. Looked at only once there are any.
static REGISTERED: RwLock<Vec<(u16, Registered)>> = RwLock::new(Vec::new());
static ANY: AtomicBool = AtomicBool::new(false);

/// Registers a decoder for a filter's number, for all files of this process from now on. It comes before the
/// crate's own and before one registered earlier, as with libhdf5's `H5Zregister`.
///
/// The decoder is given the bytes, the client data values, and the most bytes that it may return; it is
/// called from whichever thread reads. What it returns is checked against the bound and, as always, against
/// the length of the chunk.
///
/// ```
/// use h5kit::error::FilterFault;
///
/// // A filter that adds 1 to every byte when it writes; 300 is among the numbers for trying things out.
/// h5kit::filter::register(300, |bytes, _values, bound| {
///     if bytes.len() > bound {
///         return Err(FilterFault::TooLong(bound as u64));
///     }
///     Ok(bytes.iter().map(|byte| byte.wrapping_sub(1)).collect())
/// });
/// assert!(h5kit::filter::available(300).is_ok());
///
/// // Datasets with this filter can be read from now on. What is done to one of their chunks:
/// let steps = [h5kit::filter::Step { id: 300, optional: false, values: vec![] }];
/// let chunk = h5kit::filter::decode(&steps, 0, (&[2, 3]).into(), 2, &Default::default()).unwrap();
/// assert_eq!(*chunk, [1, 2]);
/// # h5kit::filter::unregister(300);
/// ```
pub fn register<F>(id: u16, decode: F)
where
    F: Fn(&[u8], &[u32], usize) -> Result<Vec<u8>, FilterFault> + Send + Sync + 'static,
{
    let mut registered = REGISTERED.write().unwrap_or_else(PoisonError::into_inner);
    registered.retain(|(other, _)| *other != id);
    registered.push((id, Arc::new(decode)));
    ANY.store(true, Ordering::Release);
}

/// Forgets a decoder that was registered; the crate's own counts again. Returns whether there was one.
pub fn unregister(id: u16) -> bool {
    let mut registered = REGISTERED.write().unwrap_or_else(PoisonError::into_inner);
    let before = registered.len();
    registered.retain(|(other, _)| *other != id);
    ANY.store(!registered.is_empty(), Ordering::Release);
    registered.len() < before
}

fn registered(id: u16) -> Option<Registered> {
    if !ANY.load(Ordering::Acquire) {
        return None;
    }
    let registered = REGISTERED.read().unwrap_or_else(PoisonError::into_inner);
    registered.iter().find(|(other, _)| *other == id).map(|(_, decode)| Arc::clone(decode))
}

//! The filter pipeline and its codecs: bytes in, bytes out.
//!
//! [`decode`] undoes the filters of one chunk, [`encode`] applies them. A filter is a room of its own
//! with one `decode` and one `encode` of the same shape; `registry` is the one place that maps
//! registered numbers to rooms, and to what a caller [registers](register).
//!
//! All decoders hold to the same bargain: what they return is never longer than the bound they are
//! given, and nothing is allocated for a length that the input claims before that length was compared
//! with the bound and with what the input can possibly hold.

#[cfg(any(feature = "bitshuffle", feature = "blosc"))]
mod bit_planes;
mod bits;
#[cfg(feature = "bitshuffle")]
pub mod bitshuffle;
#[cfg(feature = "blosc")]
pub mod blosc;
#[cfg(feature = "blosc2")]
pub mod blosc2;
#[cfg(feature = "bzip2")]
pub mod bzip2;
#[cfg(any(feature = "blosc", feature = "lzf"))]
mod copies;
#[cfg(feature = "deflate")]
pub mod deflate;
pub mod fletcher32;
#[cfg(all(feature = "deflate", any(test, feature = "wasm", feature = "wasm-codecs")))]
mod inflate;
mod input;
#[cfg(feature = "jpeg")]
pub mod jpeg;
#[cfg(feature = "lz4")]
pub mod lz4;
#[cfg(feature = "lzf")]
pub mod lzf;
#[cfg(feature = "lzo")]
pub mod lzo;
pub mod nbit;
mod pipeline;
mod registry;
pub mod rounding;
pub mod scale_offset;
pub mod shuffle;
mod spare;
pub mod szip;
#[cfg(feature = "zfp")]
pub mod zfp;
#[cfg(feature = "zstd")]
pub mod zstd;

#[cfg(feature = "wasm-codecs")]
pub(crate) use pipeline::undo;
pub use pipeline::{Failed, Step, available, decode, decode_with, encode};
pub use registry::{register, unregister};
pub use spare::Spare;

use crate::error::FilterFault;

/// The client data value number `index`.
fn value(values: &[u32], index: usize) -> Result<u32, FilterFault> {
    values.get(index).copied().ok_or(FilterFault::Parameter { index, value: None })
}

/// The fault of the client data value number `index`.
fn bad_value(values: &[u32], index: usize) -> FilterFault {
    FilterFault::Parameter { index, value: values.get(index).copied() }
}

/// `count` things of `size` bytes each, where that is no more than `bound` bytes.
fn bounded(count: usize, size: usize, bound: usize) -> Result<usize, FilterFault> {
    count.checked_mul(size).filter(|bytes| *bytes <= bound).ok_or(FilterFault::TooLong(bound as u64))
}

#[cfg(test)]
mod testing;

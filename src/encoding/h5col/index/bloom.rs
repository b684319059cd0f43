//! CHUNK_BLOOM: a Bloom filter of the values of each chunk.
//!
//! For `i` in `0..k`, bit `(a + i * b) % m_bits` is set for each value, where `a` and `b` are the low and the high half
//! of the hash of its canonical bytes.

use std::ops::Range;

use super::{blocks, chunks, murmur3, number, shaped, unusable};
use crate::bytes::Text;
use crate::encoding::h5col::attribute;
use crate::encoding::h5col::column::ScalarColumn;
use crate::encoding::h5col::error::Result;
use crate::encoding::h5col::values::Data;
use crate::object::Dataset;

/// The bytes by which a value is known: integers and codes at the width in bytes that the column stores, −0 as +0,
/// strings without padding. A value that cannot be stored at that width has none.
pub(in crate::encoding::h5col) fn canonical(data: &Data, row: usize, width: u32) -> Option<Vec<u8>> {
    if let Some(n) = data.integer(row) {
        return integer_bytes(n, width);
    }
    match data.float(row) {
        Some(x) => float_bytes(x, width),
        None => data.bytes(row).map(<[u8]>::to_vec),
    }
}

pub(in crate::encoding::h5col) fn integer_bytes(n: i128, width: u32) -> Option<Vec<u8>> {
    n.to_le_bytes().get(..usize::try_from(width).ok()?).map(<[u8]>::to_vec)
}

pub(in crate::encoding::h5col) fn float_bytes(x: f64, width: u32) -> Option<Vec<u8>> {
    let x = if x == 0.0 { 0.0 } else { x };
    match width {
        2 => Some(half::f16::from_f64(x)).filter(|y| f64::from(*y) == x).map(|y| y.to_le_bytes().to_vec()),
        4 => Some(x as f32).filter(|y| f64::from(*y) == x).map(|y| y.to_le_bytes().to_vec()),
        8 => Some(x.to_le_bytes().to_vec()),
        _ => None,
    }
}

/// The hash family that is known.
const FAMILY: &str = "murmur3_x64_128_double";

/// Bits of a value that are looked at. By so many a filter of any size is wrong less often than its hash.
const MOST_HASHES: u64 = 64;

/// A Bloom filter of the values of each chunk.
#[derive(Clone, Debug)]
pub struct ChunkBloom {
    dataset: Dataset,
    chunks: u64,
    bytes: u64,
    /// Bits that each value sets.
    pub k: u64,
    /// Bits of a filter.
    pub m_bits: u64,
    /// Seed of the hash.
    pub seed: u32,
    /// Name of the hash.
    pub hash_family: Text,
}

impl ChunkBloom {
    pub(super) fn open(dataset: &Dataset, column: &ScalarColumn) -> Result<Self> {
        let chunks = chunks(column);
        let [rows, bytes] = *dataset.shape() else {
            return Err(unusable(dataset, format!("shape {:?}, not of two dimensions", dataset.shape())));
        };
        if rows < chunks || dataset.datatype().size != 1 {
            return Err(unusable(dataset, format!("{rows} filters of {} for {chunks} chunks", dataset.datatype())));
        }
        let (k, m_bits) = (number(dataset, "k")?, number(dataset, "m_bits")?);
        let hash_family = attribute::text(dataset.info(), "hash_family")?.unwrap_or_default();
        let Ok(seed) = u32::try_from(number(dataset, "seed")?) else {
            return Err(unusable(dataset, "seed has more than 32 bits"));
        };
        if k > MOST_HASHES {
            return Err(unusable(
                dataset,
                format!("k is {k}: more than {MOST_HASHES} bits for each value rule out nothing more"),
            ));
        }
        if k == 0 || bytes.checked_mul(8) != Some(m_bits) || m_bits == 0 {
            return Err(unusable(dataset, format!("k is {k}, and m_bits {m_bits} where filters have {bytes} bytes")));
        }
        if hash_family != *FAMILY {
            return Err(unusable(dataset, format!("hash_family is {hash_family:?}")));
        }
        Ok(Self { dataset: dataset.clone(), chunks, bytes, k, m_bits, seed, hash_family })
    }

    /// The chunks, in blocks whose filters are read together.
    pub fn blocks(&self) -> impl Iterator<Item = Range<u64>> + use<> {
        blocks(&self.dataset, self.chunks, self.bytes)
    }

    /// The filters of some chunks, one after the other.
    ///
    /// # Errors
    /// `File`.
    pub fn filters(&self, chunks: Range<u64>) -> Result<Vec<u8>> {
        shaped(&self.dataset, self.dataset.read((chunks, ..)))
    }

    /// Each of filters that were read together.
    pub fn each<'f>(&self, filters: &'f [u8]) -> impl Iterator<Item = &'f [u8]> + use<'f> {
        filters.chunks_exact(usize::try_from(self.bytes).unwrap_or(usize::MAX).max(1))
    }

    /// False where no row of a filter's chunk has the value of these canonical bytes.
    #[must_use]
    pub fn may_hold(&self, filter: &[u8], canonical: &[u8]) -> bool {
        self.may_hold_hash(filter, self.hash(canonical))
    }

    pub(in crate::encoding::h5col) fn hash(&self, canonical: &[u8]) -> (u64, u64) {
        murmur3::hash(canonical, self.seed)
    }

    /// As [`may_hold`](Self::may_hold), for a hash.
    pub(in crate::encoding::h5col) fn may_hold_hash(&self, filter: &[u8], (a, b): (u64, u64)) -> bool {
        // The sum wraps: the convention leaves that open, and where `m_bits` is a power of two both are the same.
        // Where it is none a filter that was made otherwise must not lose rows, so that it is not asked.
        !self.m_bits.is_power_of_two()
            || (0..self.k).all(|i| {
                let bit = a.wrapping_add(i.wrapping_mul(b)) % self.m_bits;
                let byte = usize::try_from(bit / 8).ok().and_then(|at| filter.get(at));
                byte.is_none_or(|byte| byte >> (bit % 8) & 1 != 0)
            })
    }

    /// What it costs to ask all filters for so many values: their bytes, and a byte for each bit that is looked at.
    pub(in crate::encoding::h5col) fn cost(&self, values: u64) -> u64 {
        self.chunks.saturating_mul(self.bytes.saturating_add(self.k.saturating_mul(values)))
    }
}

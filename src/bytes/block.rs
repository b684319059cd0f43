use std::fmt;
use std::ops::Range;

use super::parse::{Lost, Parsed};
use crate::error::{Corrupt, Fault, Structure};

/// An address: bytes from the file's base address (II.A, "base address").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Addr(pub u64);

impl Addr {
    /// The address `bytes` further on; stays at the largest address where it would wrap.
    #[must_use]
    pub fn plus(self, bytes: u64) -> Self {
        Self(self.0.saturating_add(bytes))
    }
}

impl fmt::Display for Addr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}", self.0)
    }
}

/// Size of offsets (O) and size of lengths (L), in bytes, as the superblock gives them.
///
/// Both are one of 2, 4, 8, 16, 32; values wider than 64 bits are refused where they occur.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Widths {
    /// Bytes of an address.
    pub offsets: u8,
    /// Bytes of a length.
    pub lengths: u8,
}

impl Widths {
    /// True for the sizes that exist.
    #[must_use]
    pub fn allowed(size: u8) -> bool {
        matches!(size, 2 | 4 | 8 | 16 | 32)
    }
}

impl Default for Widths {
    fn default() -> Self {
        Self { offsets: 8, lengths: 8 }
    }
}

/// Floor of the binary logarithm; 0 for 0.
#[must_use]
pub fn log2_floor(n: u64) -> u32 {
    n.checked_ilog2().unwrap_or(0)
}

/// Bytes that hold any number up to `limit`: the width of the format's "as large as needed" fields.
#[must_use]
pub fn width_of(limit: u64) -> u8 {
    (log2_floor(limit) / 8 + 1) as u8
}

/// Bytes of one structure, or of a part of it, with their position in the file.
///
/// A decoder is given a block and cannot leave it.
#[derive(Clone, Copy, Debug)]
pub struct Block<'a> {
    bytes: &'a [u8],
    at: u64,
    widths: Widths,
}

impl<'a> Block<'a> {
    /// `bytes` that stand at the position `at` of a file with these `widths`.
    #[must_use]
    pub fn new(bytes: &'a [u8], at: u64, widths: Widths) -> Self {
        Self { bytes, at, widths }
    }

    /// The bytes.
    #[must_use]
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Position of the first byte in the file.
    #[must_use]
    pub fn at(&self) -> u64 {
        self.at
    }

    /// Size of offsets and of lengths.
    #[must_use]
    pub fn widths(&self) -> Widths {
        self.widths
    }

    /// A part of the block: a nested body.
    ///
    /// # Errors
    /// [`Fault::Truncated`] where `range` leaves the block.
    pub fn sub(&self, structure: Structure, field: &'static str, range: Range<usize>) -> Result<Self, Corrupt> {
        match self.bytes.get(range.clone()) {
            Some(bytes) => Ok(Self { bytes, at: self.at + range.start as u64, widths: self.widths }),
            None => Err(self.corrupt(
                structure,
                field,
                Fault::Truncated { needed: (range.end as u64).saturating_sub(self.bytes.len() as u64) },
            )),
        }
    }

    /// A fault of this block's first byte.
    #[must_use]
    pub fn corrupt(&self, structure: Structure, field: &'static str, fault: Fault) -> Corrupt {
        Corrupt::new(structure, field, self.at, fault)
    }

    /// Runs a parser over the block. Bytes that it leaves are ignored.
    ///
    /// # Errors
    /// What the parser says, with the position in the file.
    pub fn run<T>(&self, structure: Structure, parser: impl FnOnce(&'a [u8]) -> Parsed<'a, T>) -> Result<T, Corrupt> {
        parser(self.bytes).map(|(_, value)| value).map_err(|e| self.place(structure, e))
    }

    /// Runs a parser over the block and gives the bytes that it leaves as a block.
    ///
    /// # Errors
    /// What the parser says, with the position in the file.
    pub fn run_rest<T>(
        &self,
        structure: Structure,
        parser: impl FnOnce(&'a [u8]) -> Parsed<'a, T>,
    ) -> Result<(T, Self), Corrupt> {
        let (rest, value) = parser(self.bytes).map_err(|e| self.place(structure, e))?;
        Ok((value, Self { bytes: rest, at: self.position(rest), widths: self.widths }))
    }

    /// Position in the file of a rest of this block.
    fn position(&self, rest: &[u8]) -> u64 {
        self.at + (self.bytes.len() - rest.len()) as u64
    }

    #[cold]
    #[inline(never)]
    fn place(&self, structure: Structure, error: nom::Err<Lost<'_>>) -> Corrupt {
        match error {
            nom::Err::Error(Lost(place)) | nom::Err::Failure(Lost(place)) => {
                Corrupt::new(structure, place.field, self.position(place.rest), place.fault)
            }
            nom::Err::Incomplete(_) => self.corrupt(structure, "length", Fault::Truncated { needed: 1 }),
        }
    }
}

//! Serialized selections (VIII.A): of region references and of virtual mappings.

use crate::bytes::parse::{Parsed, array, counted, fail, field, optional_uint, u8, u32, uint};
use crate::bytes::{Block, Emit};
use crate::error::{Corrupt, Fault, Structure};

/// A selection as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoredSelection {
    /// Nothing.
    None(Frame),
    /// Everything.
    All(Frame),
    /// Single elements, in order.
    Points {
        /// Version and widths.
        form: Form,
        /// Rank.
        rank: usize,
        /// Coordinates, point after point.
        coordinates: Vec<u64>,
    },
    /// One pattern for each dimension.
    Regular {
        /// Version and widths.
        form: Form,
        /// The patterns.
        dims: Vec<RegularDim>,
    },
    /// The union of some blocks.
    Irregular {
        /// Version and widths.
        form: Form,
        /// Rank.
        rank: usize,
        /// First and last coordinates (inclusive), block after block.
        corners: Vec<u64>,
    },
}

impl StoredSelection {
    /// Numbers that stand for it in memory.
    pub(crate) fn numbers(&self) -> usize {
        match self {
            Self::None(_) | Self::All(_) => 0,
            Self::Regular { dims, .. } => 4 * dims.len(),
            Self::Points { coordinates: numbers, .. } | Self::Irregular { corners: numbers, .. } => numbers.len(),
        }
    }
}

/// The bytes between the version of an empty or whole selection and its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Frame {
    /// Reserved.
    pub reserved: u32,
    /// Length that follows: 0.
    pub length: u32,
}

/// Version of a selection and what it says of its own encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Form {
    /// Version.
    pub version: u8,
    /// Bytes of each number.
    pub width: u8,
    /// Reserved, and the length of what follows, where the version has one.
    pub frame: Frame,
}

/// A hyperslab in one dimension; `None` is without an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegularDim {
    /// First element.
    pub start: u64,
    /// Elements from the start of a block to the start of the next.
    pub stride: u64,
    /// Blocks.
    pub count: Option<u64>,
    /// Elements of a block.
    pub block: Option<u64>,
}

impl StoredSelection {
    /// Decodes a selection and gives what follows it in the block.
    ///
    /// # Errors
    /// An unknown type or version, more than 32 dimensions, or more blocks than bytes.
    pub fn decode(block: Block<'_>) -> Result<(Self, Block<'_>), Corrupt> {
        block.run_rest(Structure::Selection, |start| {
            let (i, kind) = field("selection type", u32)(start)?;
            let (after, version) = field("version", u32)(i)?;
            match (kind, version) {
                (0, 1) => frame(after).map(|(i, f)| (i, Self::None(f))),
                (3, 1) => frame(after).map(|(i, f)| (i, Self::All(f))),
                (1, 1 | 2) => points(after, version as u8),
                (2, 1..=3) => hyperslab(after, version as u8),
                (0..=3, _) => field("version", |i| fail(i, Fault::Value(version.into())))(i),
                _ => field("selection type", |i| fail(i, Fault::Value(kind.into())))(start),
            }
        })
    }

    /// Encodes the selection.
    pub fn encode(&self, to: &mut Emit) {
        match self {
            Self::None(frame) | Self::All(frame) => {
                to.u32(if matches!(self, Self::None(_)) { 0 } else { 3 });
                to.u32(1);
                frame.encode(to);
            }
            Self::Points { form, rank, coordinates } => {
                to.u32(1);
                to.u32(form.version.into());
                if form.version == 1 {
                    form.frame.encode(to);
                } else {
                    to.u8(form.width);
                }
                to.uint(4, *rank as u64);
                to.uint(form.width, if *rank == 0 { 0 } else { coordinates.len() / rank } as u64);
                coordinates.iter().for_each(|n| to.uint(form.width, *n));
            }
            Self::Regular { form, dims } => {
                form.encode_hyperslab(true, to);
                to.uint(4, dims.len() as u64);
                for dim in dims {
                    to.uint(form.width, dim.start);
                    to.uint(form.width, dim.stride);
                    to.optional_uint(form.width, dim.count);
                    to.optional_uint(form.width, dim.block);
                }
            }
            Self::Irregular { form, rank, corners } => {
                form.encode_hyperslab(false, to);
                to.uint(4, *rank as u64);
                to.uint(form.width, if *rank == 0 { 0 } else { corners.len() / (2 * rank) } as u64);
                corners.iter().for_each(|n| to.uint(form.width, *n));
            }
        }
    }
}

impl Frame {
    fn encode(self, to: &mut Emit) {
        to.u32(self.reserved);
        to.u32(self.length);
    }
}

impl Form {
    fn encode_hyperslab(self, regular: bool, to: &mut Emit) {
        to.u32(2);
        to.u32(self.version.into());
        match self.version {
            1 => self.frame.encode(to),
            2 => {
                to.u8(u8::from(regular));
                to.u32(self.frame.length);
            }
            _ => to.bytes(&[u8::from(regular), self.width]),
        }
    }
}

fn frame(i: &[u8]) -> Parsed<'_, Frame> {
    let (i, reserved) = field("reserved", u32)(i)?;
    let (i, length) = field("length", u32)(i)?;
    Ok((i, Frame { reserved, length }))
}

fn rank(i: &[u8]) -> Parsed<'_, usize> {
    let (after, rank) = field("rank", u32)(i)?;
    if (1..=32).contains(&rank) {
        Ok((after, rank as usize))
    } else {
        field("rank", |i| fail(i, Fault::Value(rank.into())))(i)
    }
}

fn width(i: &[u8]) -> Parsed<'_, u8> {
    let (after, [width]) = field("encode size", array::<1>)(i)?;
    if matches!(width, 2 | 4 | 8) {
        Ok((after, width))
    } else {
        field("encode size", |i| fail(i, Fault::Value(width.into())))(i)
    }
}

fn points(i: &[u8], version: u8) -> Parsed<'_, StoredSelection> {
    let (i, frame, width) = if version == 1 {
        frame(i).map(|(i, f)| (i, f, 4))?
    } else {
        width(i).map(|(i, w)| (i, Frame::default(), w))?
    };
    let (i, rank) = rank(i)?;
    let (i, n) = field("number of points", uint(width))(i)?;
    let (i, coordinates) = field("coordinates", counted(n.saturating_mul(rank as u64), width.into(), uint(width)))(i)?;
    Ok((i, StoredSelection::Points { form: Form { version, width, frame }, rank, coordinates }))
}

fn hyperslab(start: &[u8], version: u8) -> Parsed<'_, StoredSelection> {
    let (i, regular, form) = match version {
        1 => frame(start).map(|(i, frame)| (i, false, Form { version, width: 4, frame }))?,
        2 => {
            let (i, flags) = field("flags", u8)(start)?;
            let (i, length) = field("length", u32)(i)?;
            if flags != 1 {
                return field("flags", |i| fail(i, Fault::Value(flags.into())))(start);
            }
            (i, true, Form { version, width: 8, frame: Frame { reserved: 0, length } })
        }
        _ => {
            let (i, flags) = field("flags", u8)(start)?;
            let (i, width) = width(i)?;
            if flags > 1 {
                return field("flags", |i| fail(i, Fault::Value(flags.into())))(start);
            }
            (i, flags == 1, Form { version, width, frame: Frame::default() })
        }
    };
    let (i, rank) = rank(i)?;
    let width = form.width;
    if regular {
        let dim = |i| {
            let (i, start) = field("start", uint(width))(i)?;
            let (i, stride) = field("stride", uint(width))(i)?;
            let (i, count) = field("count", optional_uint(width))(i)?;
            let (i, block) = field("block", optional_uint(width))(i)?;
            Ok((i, RegularDim { start, stride, count, block }))
        };
        let (i, dims) = counted(rank as u64, 4 * usize::from(width), dim)(i)?;
        return Ok((i, StoredSelection::Regular { form, dims }));
    }
    let (i, n) = field("number of blocks", uint(width))(i)?;
    let numbers = n.saturating_mul(2 * rank as u64);
    let (i, corners) = field("corners", counted(numbers, width.into(), uint(width)))(i)?;
    Ok((i, StoredSelection::Irregular { form, rank, corners }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::testing::both_ways;

    fn read(bytes: &[u8]) -> StoredSelection {
        both_ways(bytes, 8, |b| StoredSelection::decode(b).map(|(s, _)| s), StoredSelection::encode)
    }

    #[test]
    fn every_form() {
        assert_eq!(read(&[3, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]), StoredSelection::All(Frame::default()));
        let points = [1, 0, 0, 0, 2, 0, 0, 0, 2, 2, 0, 0, 0, 2, 0, 1, 0, 2, 0, 3, 0, 4, 0];
        assert!(matches!(read(&points), StoredSelection::Points { coordinates, .. } if coordinates == [1, 2, 3, 4]));
        #[rustfmt::skip]
        let blocks = [
            2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 16, 0, 0, 0, // type, version, reserved, length
            1, 0, 0, 0, 1, 0, 0, 0,                          // rank, number of blocks
            3, 0, 0, 0, 5, 0, 0, 0,                          // first, last
        ];
        assert!(matches!(read(&blocks), StoredSelection::Irregular { corners, .. } if corners == [3, 5]));
        let unlimited = [2, 0, 0, 0, 3, 0, 0, 0, 1, 2, 1, 0, 0, 0, 1, 0, 4, 0, 0xff, 0xff, 2, 0];
        let dim = RegularDim { start: 1, stride: 4, count: None, block: Some(2) };
        assert!(matches!(read(&unlimited), StoredSelection::Regular { dims, .. } if dims == [dim]));
    }
}

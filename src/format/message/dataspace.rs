//! The dataspace message, type 0x0001 (IV.A.2.b), versions 1 and 2.

use crate::bytes::parse::{array, cond, counted, fail, field, length, optional_uint, u8, version};
use crate::bytes::{Block, Emit};
use crate::error::{Corrupt, Fault, Structure};

/// Most dimensions of a dataspace.
pub const MAX_RANK: usize = 32;

/// The shape of a dataset or attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dataspace {
    /// 1 or 2.
    pub version: u8,
    /// Scalar, simple or null.
    pub kind: DataspaceKind,
    /// Elements of each dimension, slowest first.
    pub dims: Vec<u64>,
    /// Largest elements of each dimension, `None` for a dimension without an end; absent where it is `dims`.
    pub max_dims: Option<Vec<Option<u64>>>,
    /// Permutation indices of version 1, which nothing writes.
    pub permutation: Option<Vec<u64>>,
    /// Flag bits that the specification does not define, and version 1's reserved bytes.
    pub reserved: (u8, [u8; 5]),
}

/// What sort of dataspace it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataspaceKind {
    /// One element, no dimension.
    Scalar,
    /// An array.
    Simple,
    /// No element.
    Null,
}

impl Dataspace {
    /// Decodes a message body.
    ///
    /// # Errors
    /// An unknown version or type, more than 32 dimensions, a dimension larger than its largest size.
    pub fn decode(block: Block<'_>) -> Result<Self, Corrupt> {
        const S: Structure = Structure::Dataspace;
        let w = block.widths();
        let space = block.run(S, move |i| {
            let (i, version) = field("version", version(&[1, 2]))(i)?;
            let (after, rank) = field("dimensionality", u8)(i)?;
            if usize::from(rank) > MAX_RANK {
                return field("dimensionality", |i| fail(i, Fault::Value(rank.into())))(i);
            }
            let (i, flags) = field("flags", u8)(after)?;
            let (i, kind, reserved) = if version == 1 {
                let (i, reserved) = field("reserved", array::<5>)(i)?;
                (i, if rank == 0 { DataspaceKind::Scalar } else { DataspaceKind::Simple }, reserved)
            } else {
                let (after, kind) = field("type", u8)(i)?;
                let kind = match (kind, rank) {
                    (0, 0) => DataspaceKind::Scalar,
                    (1, _) => DataspaceKind::Simple,
                    (2, _) => DataspaceKind::Null,
                    _ => return field("type", |i| fail(i, Fault::Value(kind.into())))(i),
                };
                (after, kind, [0; 5])
            };
            let (n, size) = (u64::from(rank), usize::from(w.lengths));
            let (i, dims) = field("dimension size", counted(n, size, length(w)))(i)?;
            let (i, max_dims) =
                field("dimension maximum size", cond(flags & 1 != 0, counted(n, size, optional_uint(w.lengths))))(i)?;
            let permuted = version == 1 && flags & 2 != 0;
            let (i, permutation) = field("permutation index", cond(permuted, counted(n, size, length(w))))(i)?;
            let reserved_flags = flags & !if version == 1 { 3 } else { 1 };
            Ok((i, Self { version, kind, dims, max_dims, permutation, reserved: (reserved_flags, reserved) }))
        })?;
        let max = space.max_dims.iter().flatten().zip(&space.dims);
        if let Some((max, dim)) = max.filter_map(|(m, d)| m.map(|m| (m, *d))).find(|(m, d)| d > m) {
            return Err(block.corrupt(S, "dimension size", Fault::Mismatch { found: dim, expected: max }));
        }
        if space.elements().is_none() {
            let largest = space.dims.iter().copied().max().unwrap_or(0);
            return Err(block.corrupt(S, "dimension size", Fault::Value(largest)));
        }
        Ok(space)
    }

    /// Encodes the message body.
    pub fn encode(&self, to: &mut Emit) {
        to.u8(self.version);
        to.u8(self.dims.len() as u8);
        to.u8(self.reserved.0 | u8::from(self.max_dims.is_some()) | if self.permutation.is_some() { 2 } else { 0 });
        if self.version == 1 {
            to.bytes(&self.reserved.1);
        } else {
            to.u8(match self.kind {
                DataspaceKind::Scalar => 0,
                DataspaceKind::Simple => 1,
                DataspaceKind::Null => 2,
            });
        }
        self.dims.iter().for_each(|n| to.length(*n));
        let lengths = to.widths().lengths;
        self.max_dims.iter().flatten().for_each(|n| to.optional_uint(lengths, *n));
        self.permutation.iter().flatten().for_each(|n| to.length(*n));
    }

    /// Number of elements; 1 for a scalar, 0 for a null dataspace, `None` where 64 bits do not hold it.
    #[must_use]
    pub fn elements(&self) -> Option<u64> {
        match self.kind {
            DataspaceKind::Null => Some(0),
            _ if self.dims.contains(&0) => Some(0),
            _ => self.dims.iter().try_fold(1u64, |n, dim| n.checked_mul(*dim)),
        }
    }

    /// Largest elements of each dimension, `None` for a dimension without an end.
    #[must_use]
    pub fn max_dims(&self) -> Vec<Option<u64>> {
        match &self.max_dims {
            Some(max) => max.clone(),
            None => self.dims.iter().copied().map(Some).collect(),
        }
    }

    /// True where there is exactly one element and no dimension.
    #[must_use]
    pub fn is_scalar(&self) -> bool {
        self.kind == DataspaceKind::Scalar
    }

    /// True where there is no element and no shape.
    #[must_use]
    pub fn is_null(&self) -> bool {
        self.kind == DataspaceKind::Null
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::testing::both_ways;

    #[test]
    fn unlimited_is_all_ones_at_the_files_width() {
        let bytes = [1, 2, 1, 0, 0, 0, 0, 0, 5, 0, 7, 0, 0xff, 0xff, 9, 0];
        let space = both_ways(&bytes, 2, Dataspace::decode, Dataspace::encode);
        assert_eq!((space.dims.clone(), space.max_dims()), (vec![5, 7], vec![None, Some(9)]));
        assert_eq!(space.elements(), Some(35));
    }

    #[test]
    fn scalar_and_null() {
        let scalar = both_ways(&[1, 0, 0, 0, 0, 0, 0, 0], 8, Dataspace::decode, Dataspace::encode);
        assert_eq!((scalar.kind, scalar.elements()), (DataspaceKind::Scalar, Some(1)));
        let null = both_ways(&[2, 0, 0, 2], 8, Dataspace::decode, Dataspace::encode);
        assert_eq!((null.kind, null.elements()), (DataspaceKind::Null, Some(0)));
    }

    #[test]
    fn impossible_ones_are_refused() {
        let w = crate::bytes::Widths { offsets: 4, lengths: 4 };
        let shrunk = [2, 1, 1, 1, 9, 0, 0, 0, 8, 0, 0, 0];
        assert!(Dataspace::decode(Block::new(&shrunk, 0, w)).is_err());
        let huge = [&[2, 3, 0, 1][..], &[0xf0; 12]].concat();
        assert!(Dataspace::decode(Block::new(&huge, 0, w)).is_err());
        assert!(Dataspace::decode(Block::new(&[2, 33, 0, 1], 0, w)).is_err());
    }
}

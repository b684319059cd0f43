//! Selections: which elements of a dataspace are read, and in which order.
//!
//! Everything that converts into [`Selection`] can be given to a read:
//!
//! | given | selects | shape of the result |
//! |---|---|---|
//! | `..` | everything | that of the dataspace |
//! | `0..10`, `3`, `5..` | along the first dimension | an index drops its dimension |
//! | `(3, .., 0..5)` | dimension by dimension; the rest is whole | |
//! | `(Slice::from(0..100).step(10), ..)` | every tenth | |
//! | [`Hyperslab`] | start, stride, count and block in each dimension | `count * block` each |
//! | [`Points`] | single elements, in the order given | one dimension |
//! | [`Mask`] | the elements whose place is true, row-major | one dimension |
//! | [`Blocks`] | the union of boxes, row-major | one dimension |

mod convert;
mod resolve;

pub use convert::Slice;
pub(crate) use resolve::{Axis, Resolved, RowRun};

/// Which elements of a dataspace are read.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum Selection {
    /// Everything.
    #[default]
    All,
    /// Dimension by dimension; dimensions that are not named are whole.
    Slices(Vec<Slice>),
    /// A regular pattern in every dimension.
    Hyperslab(Hyperslab),
    /// Single elements.
    Points(Points),
    /// The elements whose place is true.
    Mask(Mask),
    /// A union of boxes.
    Blocks(Blocks),
    /// Nothing.
    None,
}

impl Selection {
    /// The coordinates of the selected elements of a dataspace of this shape, in the order in which they
    /// are read.
    ///
    /// # Errors
    /// `Selection` where an element is outside the shape.
    pub fn coordinates(&self, shape: &[u64]) -> crate::Result<Vec<Vec<u64>>> {
        let resolved = self.resolve(shape)?;
        let numbers = resolved.runs(shape).flat_map(|run| run.start..run.start + run.length);
        let place = |mut number: u64| {
            let mut place = vec![0; shape.len()];
            for (index, extent) in place.iter_mut().zip(shape).rev() {
                *index = number % extent;
                number /= extent;
            }
            place
        };
        Ok(numbers.map(place).collect())
    }
}

/// A regular pattern in every dimension, in elements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hyperslab {
    /// First element.
    pub start: Vec<u64>,
    /// Elements from the start of one block to the start of the next.
    pub stride: Vec<u64>,
    /// Blocks.
    pub count: Vec<u64>,
    /// Elements of a block.
    pub block: Vec<u64>,
}

impl Hyperslab {
    /// `count` elements from `start` on in each dimension.
    #[must_use]
    pub fn new(start: impl Into<Vec<u64>>, count: impl Into<Vec<u64>>) -> Self {
        let (start, count) = (start.into(), count.into());
        let ones = vec![1; start.len()];
        Self { start, count, stride: ones.clone(), block: ones }
    }

    /// The same with another stride.
    #[must_use]
    pub fn stride(mut self, stride: impl Into<Vec<u64>>) -> Self {
        self.stride = stride.into();
        self
    }

    /// The same with larger blocks.
    #[must_use]
    pub fn block(mut self, block: impl Into<Vec<u64>>) -> Self {
        self.block = block.into();
        self
    }
}

/// Single elements by their coordinates, in the order in which they are read.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Points(pub Vec<Vec<u64>>);

/// The elements whose place in the mask is true; the mask is row-major and as long as the dataspace.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Mask(pub Vec<bool>);

/// A union of boxes, each by its first and its last element (inclusive).
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Blocks(pub Vec<(Vec<u64>, Vec<u64>)>);

#[cfg(test)]
mod tests;

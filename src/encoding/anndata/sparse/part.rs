//! What is read of a sparse matrix.

use std::ops::Range;

use super::super::values::{Values, joined};

/// The entries of some rows of a sparse matrix, or of some columns, one after the other.
///
/// Stored order, repeated entries and stored zeros are kept.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// Where the entries of each row begin in `indices` and `values`, and where the last ends; from 0.
    pub starts: Vec<usize>,
    /// The index of each entry in the other dimension.
    pub indices: Vec<u64>,
    /// The value of each entry.
    pub values: Values,
}

impl Part {
    /// Number of rows, or of columns.
    #[must_use]
    pub fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// True without a row.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Where the entries of a row are in `indices` and `values`; nowhere for a row that is not there.
    #[must_use]
    pub fn entries(&self, row: usize) -> Range<usize> {
        match self.starts.get(row..).and_then(|starts| starts.first_chunk()) {
            Some(&[start, end]) => start..end,
            None => 0..0,
        }
    }

    /// The rows, each as the indices of its entries and where their values are.
    pub fn rows(&self) -> impl Iterator<Item = (&[u64], Range<usize>)> {
        (0..self.len()).map(|row| (&self.indices[self.entries(row)], self.entries(row)))
    }

    /// Some of the rows, in any order.
    pub(super) fn take(&self, rows: impl Iterator<Item = usize>) -> Self {
        let stretches: Vec<Range<usize>> = rows.map(|row| self.entries(row)).collect();
        let mut starts = vec![0];
        starts.extend(stretches.iter().scan(0, |end, stretch| {
            *end += stretch.len();
            Some(*end)
        }));
        Self { starts, indices: joined(&self.indices, &stretches), values: self.values.stretches(&stretches) }
    }
}

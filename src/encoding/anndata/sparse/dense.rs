//! Sparse matrices as dense arrays of the crate `ndarray`.

use std::ops::{AddAssign, Range};

use ndarray::Array2;

use crate::element::Element;

use super::super::fault::{Result, Rule, broken};
use super::{Format, Sparse};

impl Sparse {
    /// Some major rows (rows of CSR, columns of CSC) with their zeros, in the matrix's orientation. Repeated entries
    /// are added up, which is what they mean.
    ///
    /// # Errors
    /// As [`part`](Self::part); where a value does not convert without loss; `BadShape` where memory lacks.
    pub fn read_dense<T: Element + Copy + Default + AddAssign>(&self, major: Range<u64>) -> Result<Array2<T>> {
        let (starts, indices, values) = self.typed_part::<T>(major.clone())?;
        let (rows, columns) = match self.format {
            Format::Csr => (major.end - major.start, self.n_minor()),
            Format::Csc => (self.n_minor(), major.end - major.start),
        };
        let mut zeros: Vec<T> = Vec::new();
        let count = rows.checked_mul(columns).and_then(|count| usize::try_from(count).ok());
        let Some(count) = count.filter(|count| zeros.try_reserve_exact(*count).is_ok()) else {
            return broken(
                Rule::BadShape,
                &self.path,
                format!("{rows} × {columns} values are more than fit in memory"),
            );
        };
        zeros.resize(count, T::default());
        for (row, pair) in starts.windows(2).enumerate() {
            for entry in pair[0]..pair[1] {
                let (index, columns) = (indices[entry] as usize, columns as usize);
                let place = match self.format {
                    Format::Csr => row * columns + index,
                    Format::Csc => index * columns + row,
                };
                zeros[place] += values[entry];
            }
        }
        match Array2::from_shape_vec((rows as usize, columns as usize), zeros) {
            Ok(array) => Ok(array),
            Err(error) => broken(Rule::BadShape, &self.path, error.to_string()),
        }
    }
}

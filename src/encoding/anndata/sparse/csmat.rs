//! Sparse matrices as those of the crate `sprs`.

use std::ops::{AddAssign, Range};

use sprs::CsMat;

use crate::element::Element;

use super::super::fault::{Result, Rule, broken};
use super::{Format, Sparse};

impl Sparse {
    /// Some major rows (rows of CSR, columns of CSC) as a matrix of `sprs`, of the same storage. Its entries are
    /// sorted, and repeated ones are added up, which is what they mean.
    ///
    /// # Errors
    /// As [`part`](Self::part), and where a value does not convert without loss.
    pub fn read_csmat<T: Element + Copy + AddAssign>(&self, major: Range<u64>) -> Result<CsMat<T>> {
        let (starts, stored, values) = self.typed_part::<T>(major.clone())?;
        let (mut indptr, mut indices, mut data) =
            (vec![0], Vec::with_capacity(stored.len()), Vec::with_capacity(values.len()));
        for pair in starts.windows(2) {
            let (start, end) = (pair[0], pair[1]);
            let mut entries: Vec<(u64, T)> =
                stored[start..end].iter().copied().zip(values[start..end].iter().copied()).collect();
            entries.sort_by_key(|(index, _)| *index);
            let before = indices.len();
            for (index, value) in entries {
                match (indices[before..].last(), data.last_mut()) {
                    (Some(last), Some(sum)) if *last == index as usize => *sum += value,
                    _ => {
                        indices.push(index as usize);
                        data.push(value);
                    }
                }
            }
            indptr.push(indices.len());
        }
        let (n, minor) = ((major.end - major.start) as usize, self.n_minor() as usize);
        let made = match self.format {
            Format::Csr => CsMat::try_new((n, minor), indptr, indices, data),
            Format::Csc => CsMat::try_new_csc((minor, n), indptr, indices, data),
        };
        made.or_else(|(_, _, _, error)| broken(Rule::BadIndptr, &self.path, error.to_string()))
    }
}

//! Sparse matrices, by rows or by columns.

#[cfg(feature = "sprs")]
mod csmat;
#[cfg(feature = "ndarray")]
mod dense;
mod part;
mod read;

use std::ops::Range;

use crate::Dataset;
use crate::object::Group;

use super::fault::{Fault, Result, Rule, broken};
use super::values::{Source, Type};

pub use part::Part;

/// Which dimension the pointers lead through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// Row by row: `csr_matrix`.
    Csr,
    /// Column by column: `csc_matrix`.
    Csc,
}

impl Format {
    /// The name of the encoding.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Csr => "csr_matrix",
            Self::Csc => "csc_matrix",
        }
    }
}

/// A sparse matrix. Its major dimension is that of its [`Format`]: rows of CSR, columns of CSC.
///
/// Stored order, repeated entries and stored zeros are kept.
#[derive(Clone, Debug)]
pub struct Sparse {
    path: String,
    format: Format,
    shape: [u64; 2],
    data: Dataset,
    indices: Dataset,
    indptr: Dataset,
    value_type: Type,
}

impl Sparse {
    pub(super) fn new(group: &Group, format: Format, shape: &[i64], path: &str) -> Result<Self> {
        let member = |name: &str| match group.dataset(name) {
            Ok(dataset) => Ok(dataset),
            Err(error) if error.kind() == crate::ErrorKind::NotFound => {
                broken(Rule::MissingMember, &format!("{path}/{name}"), "a sparse matrix without it")
            }
            Err(error) => Err(error.into()),
        };
        let (data, indices, indptr) = (member("data")?, member("indices")?, member("indptr")?);
        let sizes: Vec<u64> = shape.iter().filter_map(|n| u64::try_from(*n).ok()).collect();
        let (&[rows, columns], 2) = (&sizes[..], shape.len()) else {
            return broken(Rule::BadShape, path, format!("a matrix of shape {shape:?}"));
        };
        let sparse = Self {
            value_type: Type::of(data.datatype())
                .filter(|of| !matches!(of, Type::String | Type::Bytes))
                .ok_or_else(|| Fault::new(Rule::BadType, path, format!("a matrix of {}", data.datatype())))?,
            path: path.to_owned(),
            format,
            shape: [rows, columns],
            data,
            indices,
            indptr,
        };
        sparse.check()?;
        Ok(sparse)
    }

    /// What can be told without reading values.
    fn check(&self) -> Result<()> {
        for (name, dataset) in [("data", &self.data), ("indices", &self.indices), ("indptr", &self.indptr)] {
            if dataset.shape().len() != 1 {
                return broken(Rule::WrongRank, &self.path, format!("{name} has {} dimensions", dataset.shape().len()));
            }
            let integer = Type::of(dataset.datatype()).is_some_and(Type::is_integer);
            if name != "data" && !integer {
                return broken(Rule::BadType, &self.path, format!("{name} is stored as {}", dataset.datatype()));
            }
        }
        let (n, needed) = (self.indptr.len(), self.n_major().saturating_add(1));
        // As many pointers as that do not fit the file, whatever is in it.
        let bytes = needed.saturating_mul(self.indptr.datatype().size.into());
        if n == 0 || n < needed && bytes > self.indptr.file().source().len() {
            let text = format!("a shape of {:?}, and an indptr of {n} entries", self.shape);
            return broken(Rule::BadShape, &self.path, text);
        }
        if n != needed {
            return broken(Rule::BadIndptr, &self.path, format!("indptr has {n} entries instead of {needed}"));
        }
        if self.indices.len() != self.data.len() {
            let text = format!("{} values and {} indices", self.data.len(), self.indices.len());
            return broken(Rule::LengthMismatch, &self.path, text);
        }
        Ok(())
    }

    /// By rows or by columns.
    #[must_use]
    pub fn format(&self) -> Format {
        self.format
    }

    /// Rows and columns.
    #[must_use]
    pub fn shape(&self) -> [u64; 2] {
        self.shape
    }

    /// What the values are.
    #[must_use]
    pub fn value_type(&self) -> Type {
        self.value_type
    }

    /// Number of stored values.
    #[must_use]
    pub fn nnz(&self) -> u64 {
        self.data.len()
    }

    /// What the indices and the pointers are stored as.
    #[must_use]
    pub fn index_types(&self) -> [Option<Type>; 2] {
        [Type::of(self.indices.datatype()), Type::of(self.indptr.datatype())]
    }

    /// The length of the dimension that the pointers lead through.
    #[must_use]
    pub fn n_major(&self) -> u64 {
        self.shape[usize::from(self.format == Format::Csc)]
    }

    fn n_minor(&self) -> u64 {
        self.shape[usize::from(self.format == Format::Csr)]
    }

    /// Where the entries of some major rows begin, and where the last ends.
    ///
    /// # Errors
    /// `BadIndptr` for pointers that do not lead through the values.
    pub fn pointers(&self, major: Range<u64>) -> Result<Vec<u64>> {
        if major.start > major.end || major.end > self.n_major() {
            let text = format!("rows {major:?} of {}", self.n_major());
            return broken(Rule::ShapeMismatch, &self.path, text);
        }
        let mut last = 0;
        let mut wrong = None;
        let entries = (major.start..major.end + 1).into();
        let pointers = Source::Dataset(self.indptr.clone()).integers(&entries, |row, pointer| {
            match self.pointer(major.start + row as u64, pointer, last) {
                Ok(pointer) => last = pointer,
                Err(text) => {
                    wrong.get_or_insert(text);
                }
            }
            last
        })?;
        wrong.map_or(Ok(pointers), |text| broken(Rule::BadIndptr, &self.path, text))
    }

    /// Where the entries of a row begin, or what is wrong with its pointer; those of the row before begin at `last`.
    fn pointer(&self, row: u64, stored: i128, last: u64) -> std::result::Result<u64, String> {
        let nnz = self.nnz();
        let Some(pointer) = u64::try_from(stored).ok().filter(|pointer| *pointer <= nnz) else {
            return Err(format!("pointer {row} is {stored}, and there are {nnz} values"));
        };
        if pointer < last {
            return Err(format!("pointer {row} is {pointer}, less than the one before"));
        }
        if row == 0 && pointer != 0 {
            return Err(format!("the first pointer is {pointer}"));
        }
        if row == self.n_major() && pointer != nnz {
            return Err(format!("the last pointer is {pointer}, and there are {nnz} values"));
        }
        Ok(pointer)
    }

    /// Faults that only the pointers and indices tell.
    pub(super) fn verify(&self) -> Result<()> {
        if self.n_major() == 0 {
            return self.pointers(0..0).map(|_| ());
        }
        self.is_sorted().map(|_| ())
    }
}

//! Sparse matrices, by rows or by columns.

use std::ops::Range;

use crate::Dataset;
use crate::object::Group;

use super::fault::{Fault, Result, Rule, broken};
use super::values::{Source, Type, Values};

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

/// Some major rows of a sparse matrix (rows of CSR, columns of CSC).
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// Where the entries of each row begin in `indices` and `values`, and where the last ends; from 0.
    pub starts: Vec<usize>,
    /// The minor index of each entry.
    pub indices: Vec<u64>,
    /// The value of each entry.
    pub values: Values,
}

/// Entries that are looked at at once when a whole matrix is streamed.
const ENTRIES: u64 = 1 << 20;

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
        let stored: Vec<i128> = self.indptr.read(major.start..major.end + 1)?;
        let nnz = self.nnz();
        let bad = |text: String| Err(Fault::new(Rule::BadIndptr, &self.path, text).into());
        let mut pointers = Vec::with_capacity(stored.len());
        for (at, pointer) in (major.start..).zip(stored) {
            let Some(pointer) = u64::try_from(pointer).ok().filter(|pointer| *pointer <= nnz) else {
                return bad(format!("pointer {at} is {pointer}, and there are {nnz} values"));
            };
            if pointers.last().is_some_and(|last| *last > pointer) {
                return bad(format!("pointer {at} is {pointer}, less than the one before"));
            }
            if at == 0 && pointer != 0 {
                return bad(format!("the first pointer is {pointer}"));
            }
            if at == self.n_major() && pointer != nnz {
                return bad(format!("the last pointer is {pointer}, and there are {nnz} values"));
            }
            pointers.push(pointer);
        }
        Ok(pointers)
    }

    /// Some major rows, one after the other: rows of CSR, columns of CSC.
    ///
    /// # Errors
    /// `BadIndptr`, `IndexOutOfRange`, and what the file below cannot give.
    pub fn part(&self, major: Range<u64>) -> Result<Part> {
        let pointers = self.pointers(major)?;
        let (Some(first), Some(last)) = (pointers.first().copied(), pointers.last().copied()) else {
            return broken(Rule::BadIndptr, &self.path, "no pointers");
        };
        let indices = self.indices(first..last)?;
        let values = self.values(first..last)?;
        let starts = pointers.iter().map(|pointer| (pointer - first) as usize).collect();
        Ok(Part { starts, indices, values })
    }

    /// Blocks of major rows from the first to the last, each of about so many bytes or of one row.
    pub fn parts(&self, bytes: u64) -> impl Iterator<Item = Result<(Range<u64>, Part)>> + '_ {
        let each = u64::from(self.data.datatype().size) + 8;
        let entries = (bytes / each).max(1);
        let mut next = 0;
        std::iter::from_fn(move || {
            (next < self.n_major()).then(|| {
                let end = self.block_end(next, entries)?;
                let range = next..end;
                next = end;
                Ok((range.clone(), self.part(range)?))
            })
        })
    }

    /// Where a block of at most so many entries ends that begins with a row; after one row at least.
    fn block_end(&self, start: u64, entries: u64) -> Result<u64> {
        const POINTERS: u64 = 1 << 16;
        let limit = (start + POINTERS).min(self.n_major());
        let pointers = self.pointers(start..limit)?;
        let first = pointers.first().copied().unwrap_or(0);
        let within = pointers.iter().skip(1).take_while(|pointer| **pointer - first <= entries).count() as u64;
        Ok(start + within.max(1))
    }

    /// The values of some entries, in stored order.
    ///
    /// # Errors
    /// What the file below cannot give.
    pub fn values(&self, entries: Range<u64>) -> Result<Values> {
        Source::Dataset(self.data.clone()).values(self.value_type, &entries.into(), &self.path)
    }

    /// The minor indices of some entries, in stored order.
    ///
    /// # Errors
    /// `IndexOutOfRange`, and what the file below cannot give.
    pub fn indices(&self, entries: Range<u64>) -> Result<Vec<u64>> {
        let stored: Vec<i128> = self.indices.read(entries.clone())?;
        let n = self.n_minor();
        let index = |(at, index): (u64, i128)| match u64::try_from(index).ok().filter(|index| *index < n) {
            Some(index) => Ok(index),
            None => {
                let text = format!("index {index} of entry {at}, and {n} in this dimension");
                Err(Fault::new(Rule::IndexOutOfRange, &self.path, text).into())
            }
        };
        (entries.start..).zip(stored).map(index).collect()
    }

    /// Whether within every major row the indices rise, none twice. Streams all of them.
    ///
    /// # Errors
    /// As [`part`](Self::part).
    pub fn is_sorted(&self) -> Result<bool> {
        let mut sorted = true;
        for block in self.index_blocks() {
            let (starts, indices) = block?;
            let rows = starts.windows(2).map(|pair| &indices[pair[0]..pair[1]]);
            sorted &= rows.into_iter().all(|row| row.is_sorted_by(|a, b| a < b));
        }
        Ok(sorted)
    }

    /// The indices of all major rows in blocks, with where each row begins.
    fn index_blocks(&self) -> impl Iterator<Item = Result<(Vec<usize>, Vec<u64>)>> + '_ {
        let mut next = 0;
        std::iter::from_fn(move || {
            (next < self.n_major()).then(|| {
                let end = self.block_end(next, ENTRIES)?;
                let pointers = self.pointers(next..end)?;
                next = end;
                let first = pointers.first().copied().unwrap_or(0);
                let indices = self.indices(first..pointers.last().copied().unwrap_or(first))?;
                Ok((pointers.iter().map(|pointer| (pointer - first) as usize).collect(), indices))
            })
        })
    }

    /// Faults that only the pointers and indices tell.
    pub(super) fn verify(&self) -> Result<()> {
        if self.n_major() == 0 {
            return self.pointers(0..0).map(|_| ());
        }
        self.is_sorted().map(|_| ())
    }
}

//! CHUNK_MINMAX: least and largest value of each chunk of a column.
//!
//! One compound for each chunk: `min` and `max` of the column's datatype over the elements that are neither missing nor
//! NaN, and how many elements are NaN (`nan_count`), missing (`fill_count`), and below the row count at all (`n`).

use super::{chunks, shaped, unusable};
use crate::encoding::h5col::column::ScalarColumn;
use crate::encoding::h5col::error::Result;
use crate::encoding::h5col::kind::Held;
use crate::encoding::h5col::missing::Missing;
use crate::encoding::h5col::values::{self, Data, Part, Room};
use crate::object::Dataset;

/// Least and largest value of each chunk.
#[derive(Clone, Debug)]
pub struct ChunkMinMax {
    dataset: Dataset,
    held: Held,
    missing: Missing,
    chunks: u64,
    nrows: u64,
    chunk_rows: u64,
}

/// The entries, one for each chunk.
#[derive(Clone, Debug)]
pub struct ChunkBounds {
    /// Least values; those of placeholders mean nothing.
    pub min: Data,
    /// Largest values; those of placeholders mean nothing.
    pub max: Data,
    /// Elements that are NaN.
    pub nan_count: Vec<u64>,
    /// Elements that are missing.
    pub fill_count: Vec<u64>,
    /// Elements below the row count.
    pub n: Vec<u64>,
    /// True for chunks without an element that is neither missing nor NaN.
    pub placeholder: Vec<bool>,
}

impl ChunkMinMax {
    pub(super) fn open(dataset: &Dataset, column: &ScalarColumn) -> Result<Self> {
        let chunks = chunks(column);
        if dataset.shape().len() != 1 || dataset.len() < chunks {
            let detail = format!("shape {:?} for {chunks} chunks", dataset.shape());
            return Err(unusable(dataset, detail));
        }
        for name in ["min", "max"] {
            if shaped(dataset, dataset.member(name))?.datatype() != column.dataset().datatype() {
                return Err(unusable(dataset, format!("{name} has another datatype than the column")));
            }
        }
        Ok(Self {
            dataset: dataset.clone(),
            held: column.held(),
            missing: column.missing()?,
            chunks,
            nrows: column.nrows,
            chunk_rows: column.chunk_rows().unwrap_or(column.nrows).max(1),
        })
    }

    /// Reads the entries.
    ///
    /// # Errors
    /// `Rule` where a field lacks, `File`.
    pub fn entries(&self) -> Result<ChunkBounds> {
        let width = self.dataset.datatype().size / 2;
        Room::of(self.dataset.file()).take(self.chunks, 2 * self.held.bytes(width) + 3 * 8 + 1)?;
        let bound = |name: &str| {
            let member = shaped(&self.dataset, self.dataset.member(name))?;
            values::read(&Part(self.dataset.path(), &member), self.held, 0..self.chunks)
        };
        let count = |name: &str| -> Result<Vec<u64>> {
            let member = shaped(&self.dataset, self.dataset.member(name))?;
            shaped(&self.dataset, member.read(0..self.chunks))
        };
        let (nan_count, fill_count, n) = (count("nan_count")?, count("fill_count")?, count("n")?);
        let float = self.held == Held::Float;
        let placeholder = n.iter().zip(nan_count.iter().zip(&fill_count)).map(|(n, (nan, fill))| {
            let without = match (float, &self.missing) {
                // A NaN that means missing counts in both.
                (true, Missing::NotANumber | Missing::Never) => (*nan).max(*fill),
                (true, _) => nan.saturating_add(*fill),
                (false, _) => *fill,
            };
            without == *n
        });
        let placeholder = placeholder.collect();
        Ok(ChunkBounds { min: bound("min")?, max: bound("max")?, nan_count, fill_count, n, placeholder })
    }

    /// True where each entry counts the rows that its chunk has.
    pub(in crate::encoding::h5col) fn counts_rows(&self, entries: &ChunkBounds) -> bool {
        (0u64..).zip(&entries.n).all(|(chunk, n)| {
            let start = chunk.saturating_mul(self.chunk_rows);
            *n == self.nrows.saturating_sub(start).min(self.chunk_rows)
        })
    }

    /// Bytes of all entries.
    pub(in crate::encoding::h5col) fn bytes(&self) -> u64 {
        self.chunks.saturating_mul(self.dataset.datatype().size.into())
    }
}

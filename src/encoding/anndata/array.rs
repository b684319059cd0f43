//! Dense arrays, of any number of dimensions; scalars are those of none.

use std::ops::Range;

use crate::Dataset;
use crate::element::Output;
use crate::selection::{Blocks, Selection};

use super::fault::{Result, Rule, broken};
use super::values::{Source, Type, Values};

/// Values of one type and a shape: `array`, `string-array`, and the scalars.
#[derive(Clone, Debug)]
pub struct Array {
    path: String,
    source: Source,
    value_type: Type,
}

impl Array {
    /// An array of whatever is stored. Strings of one length are bytes.
    pub(super) fn new(source: Source, path: &str) -> Result<Self> {
        match Type::of(source.datatype()) {
            Some(value_type) => Ok(Self { path: path.to_owned(), source, value_type }),
            None => broken(Rule::BadType, path, format!("{} is no type of an array", source.datatype())),
        }
    }

    /// An array of text, stored as strings of any length or of one.
    pub(super) fn text(source: Source, path: &str) -> Result<Self> {
        let array = Self::new(source, path)?;
        match array.value_type {
            Type::String | Type::Bytes => Ok(Self { value_type: Type::String, ..array }),
            other => broken(Rule::BadType, path, format!("text that is stored as {}", other.name())),
        }
    }

    /// An array in which strings of one length are text, as before there were tags.
    pub(super) fn untagged(source: Source, path: &str) -> Result<Self> {
        let array = Self::new(source, path)?;
        Ok(match array.value_type {
            Type::Bytes => Self { value_type: Type::String, ..array },
            _ => array,
        })
    }

    /// The element's path.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Elements of each dimension, slowest first; empty for a scalar.
    #[must_use]
    pub fn shape(&self) -> Vec<u64> {
        self.source.shape()
    }

    /// What the values are.
    #[must_use]
    pub fn value_type(&self) -> Type {
        self.value_type
    }

    /// The dataset that holds the values alone; `None` where they are a field of records.
    #[must_use]
    pub fn dataset(&self) -> Option<&Dataset> {
        match &self.source {
            Source::Dataset(dataset) => Some(dataset),
            Source::Field(..) => None,
        }
    }

    /// The selected values; of a field, those of the selected records.
    ///
    /// # Errors
    /// `BadText` where text is not UTF-8; what the file below cannot give.
    pub fn values(&self, selection: impl Into<Selection>) -> Result<Values> {
        self.source.values(self.value_type, &selection.into(), &self.path)
    }

    /// The selected values as any type that they convert to without loss.
    ///
    /// # Errors
    /// As [`Dataset::read`].
    pub fn read<O: Output>(&self, selection: impl Into<Selection>) -> Result<O> {
        let selection = selection.into();
        let values = self.source.read::<O::Element>(&selection)?;
        let shape = match (&self.source, &selection) {
            (_, Selection::All) => self.shape(),
            (Source::Dataset(dataset), _) => return Ok(dataset.read(&selection)?),
            (Source::Field(..), _) => vec![values.len() as u64],
        };
        Ok(O::from_elements(values, &shape)?)
    }

    /// Blocks of rows (of the first dimension) from the first to the last, each of at most so many bytes in memory, or
    /// of one row; not of part of a chunk's rows, where as many fit.
    pub fn blocks(&self, bytes: u64) -> impl Iterator<Item = Result<(Range<u64>, Values)>> + '_ {
        let shape = self.shape();
        let rows = shape.first().copied().unwrap_or(0);
        let row = shape.iter().skip(1).fold(self.source.datatype().size.into(), |row: u64, n| row.saturating_mul(*n));
        let chunk = self.dataset().and_then(Dataset::chunk_shape).and_then(|chunk| chunk.first()).copied().unwrap_or(1);
        let fit = (bytes / row.max(1)).max(1);
        let height = if fit > chunk { fit - fit % chunk } else { fit };
        let mut next = 0;
        std::iter::from_fn(move || {
            (next < rows).then(|| {
                let block = next..next.saturating_add(height).min(rows);
                next = rows;
                let values = self.values(block.clone())?;
                next = block.end;
                Ok((block, values))
            })
        })
    }

    /// Any rows (of the first dimension), in the order in which they are named, also more than once. Each chunk of the
    /// file is decoded once, whatever the order.
    ///
    /// # Errors
    /// As [`values`](Self::values); `ShapeMismatch` for a row that there is not.
    pub fn rows(&self, rows: &[u64]) -> Result<Values> {
        let shape = self.shape();
        let Some((n, row)) = shape.split_first() else {
            return broken(Rule::WrongRank, &self.path, "rows of a scalar");
        };
        if let Some(beyond) = rows.iter().find(|row| *row >= n) {
            return broken(Rule::ShapeMismatch, &self.path, format!("row {beyond} of {n}"));
        }
        // Of records whole ones are selected.
        let row_shape = match &self.source {
            Source::Dataset(_) => row,
            Source::Field(dataset, _) => dataset.shape().get(1..).unwrap_or_default(),
        };
        let length: u64 = row.iter().product();
        if rows.is_empty() || length == 0 {
            return Ok(Values::empty(self.value_type));
        }
        let mut sorted = rows.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        let block = |rows: &[u64]| {
            let (first, last) = (rows[0], rows[rows.len() - 1]);
            let rest = row_shape.iter().map(|n| n - 1);
            let start = std::iter::once(first).chain(row_shape.iter().map(|_| 0)).collect();
            (start, std::iter::once(last).chain(rest).collect())
        };
        let blocks = Blocks(sorted.chunk_by(|a, b| a + 1 == *b).map(block).collect());
        let values = self.values(blocks)?;
        if sorted == rows {
            return Ok(values);
        }
        let length = length as usize;
        let start = |row: &u64| sorted.partition_point(|other| other < row) * length;
        let stretches: Vec<Range<usize>> = rows.iter().map(start).map(|start| start..start + length).collect();
        Ok(values.stretches(&stretches))
    }
}

//! Data frames as Apache Arrow: a schema, and record batches of blocks of rows.
//!
//! | a column | its Arrow type |
//! |---|---|
//! | Booleans, integers, floating-point numbers | their own, 16 bits included |
//! | text, bytes | `Utf8`, `Binary` |
//! | categorical | `Dictionary` of the categories' type by the codes', these signed; missing is null |
//! | nullable | that of its values; null by the mask |
//! | complex numbers | `Struct` of `re` and `im` |
//!
//! The vectors that numbers are read into become the buffers. The categories are read when a [`Column`] is opened, and
//! all batches share them. Whether they are ordered is the field's `dict_is_ordered`.
//!
//! ```
//! use h5kit::encoding::anndata::AnnData;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let file = h5kit::File::open("testdata/pbmc_small.h5ad")?;
//! let data = AnnData::open(&file)?;
//! let mut rows = 0;
//! for batch in data.obs().record_batches(64, Some(&["cell_type", "n_counts"]))? {
//!     rows += batch?.num_rows();
//! }
//! # assert_eq!(rows, 200);
//! # Ok(())
//! # }
//! ```

mod column;
mod values;

use std::ops::Range;
use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{Schema, SchemaRef};

use super::fault::{Error, Fault, Result, Rule};
use super::frame::DataFrame;
use crate::encoding::arrow;

pub use column::Column;

impl DataFrame {
    /// The index as Arrow.
    ///
    /// # Errors
    /// As [`index`](Self::index), and as [`arrow_column`](Self::arrow_column).
    pub fn arrow_index(&self) -> Result<Column> {
        Column::open(self.index_name(), &self.index()?)
    }

    /// A column as Arrow, by its name. Of a categorical column the categories are read.
    ///
    /// # Errors
    /// As [`column`](Self::column); `BadType` where it has no Arrow form.
    pub fn arrow_column(&self, name: &str) -> Result<Column> {
        Column::open(name, &self.column(name)?)
    }

    /// The index and these columns, or all of them. A column that is the index, by its name, is there once.
    fn arrow_columns(&self, columns: Option<&[&str]>) -> Result<Vec<Column>> {
        let names: Vec<&str> = match columns {
            Some(columns) => columns.to_vec(),
            None => self.columns().iter().map(String::as_str).collect(),
        };
        let mut opened = vec![self.arrow_index()?];
        for name in names.into_iter().filter(|name| *name != self.index_name()) {
            opened.push(self.arrow_column(name)?);
        }
        Ok(opened)
    }

    /// The schema of the index and these columns, or of all.
    ///
    /// # Errors
    /// As [`arrow_column`](Self::arrow_column) for any of them.
    pub fn schema(&self, columns: Option<&[&str]>) -> Result<SchemaRef> {
        Ok(self.record_batches(1, columns)?.schema())
    }

    /// Some rows of the index and these columns, or of all.
    ///
    /// # Errors
    /// As [`arrow_column`](Self::arrow_column) and [`Column::read`] for any of them; what the file below says of rows
    /// that are not there.
    pub fn record_batch(&self, rows: Range<u64>, columns: Option<&[&str]>) -> Result<RecordBatch> {
        self.record_batches(1, columns)?.read(rows)
    }

    /// All rows of the index and these columns, or of all, block by block. No rows give no batch.
    ///
    /// # Errors
    /// As [`arrow_column`](Self::arrow_column) for any of them.
    pub fn record_batches(&self, rows_per_batch: usize, columns: Option<&[&str]>) -> Result<RecordBatches> {
        Ok(RecordBatches::new(self.arrow_columns(columns)?, self.rows(), rows_per_batch))
    }
}

/// Batches of rows, each read when it is asked for. After an error there is nothing more.
#[derive(Clone, Debug)]
pub struct RecordBatches {
    schema: SchemaRef,
    columns: Vec<Column>,
    left: Range<u64>,
    step: u64,
}

impl RecordBatches {
    /// The batches of columns that have so many rows.
    #[must_use]
    pub fn new(columns: Vec<Column>, rows: u64, rows_per_batch: usize) -> Self {
        let fields: Vec<_> = columns.iter().map(|column| column.field().clone()).collect();
        let schema = Arc::new(Schema::new(fields));
        Self { schema, columns, left: 0..rows, step: (rows_per_batch as u64).max(1) }
    }

    /// The schema of every batch.
    #[must_use]
    pub fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    /// These rows as a batch, whatever was read before.
    ///
    /// # Errors
    /// As [`Column::read`].
    pub fn read(&self, rows: Range<u64>) -> Result<RecordBatch> {
        let arrays: Result<Vec<_>> = self.columns.iter().map(|column| column.read(rows.clone())).collect();
        let rows = rows.end.saturating_sub(rows.start);
        arrow::batch(self.schema.clone(), arrays?, rows).map_err(|text| refused("", text))
    }

    /// The same for what takes Arrow's own reader and errors.
    pub fn into_reader(self) -> impl RecordBatchReader + Send {
        let schema = self.schema();
        arrow::reader(self, schema)
    }
}

impl Iterator for RecordBatches {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        let Range { start, end } = self.left;
        if start >= end {
            return None;
        }
        let stop = end.min(start.saturating_add(self.step));
        let batch = self.read(start..stop);
        self.left.start = if batch.is_ok() { stop } else { end };
        Some(batch)
    }
}

/// What has no Arrow form.
fn refused(path: &str, text: String) -> Error {
    Fault::new(Rule::BadType, path, text).into()
}

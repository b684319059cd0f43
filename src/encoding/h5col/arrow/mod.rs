//! Tables as Apache Arrow: record batches of the rows that a selection finds.
//!
//! | a column | its Arrow type |
//! |---|---|
//! | booleans | `Boolean` |
//! | integers, bits | integers of their own width, or of the next one that there is |
//! | floating-point numbers | `Float16`, `Float32`, `Float64`; those of other layouts `Float64` |
//! | strings | `Utf8` |
//! | opaque bytes | `FixedSizeBinary` |
//! | categories | `Dictionary` of the labels' type by the codes', these signed |
//! | enumerations | `Dictionary` of the names |
//! | lists | `List`; `LargeList` where the column has more elements than that counts |
//!
//! Missing values and missing lists are null. A field is nullable where the column has a fill value of its own or the
//! lists have a mask. Whether labels are ordered is the field's `dict_is_ordered`; all batches of a selection share
//! them. Any other column is an error that names it.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use h5kit::encoding::h5col::{Table, column};
//! let file = h5kit::File::open("testdata/h5col/stations.h5")?;
//! let table = Table::open(&file.group("/stations")?)?;
//! let high = table.select(column("height").ge(500)).columns(["name", "height", "tags"]);
//! let mut rows = 0;
//! for batch in high.record_batches(2)? {
//!     rows += batch?.num_rows();
//! }
//! assert_eq!(rows, 3);
//! # Ok(())
//! # }
//! ```

mod column;
mod form;

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{Schema, SchemaRef};

use self::column::Source;
use super::error::{Error, Result};
use super::rows::Rows;
use super::select::{Batch, Select};
use crate::encoding::arrow;

/// Batches of the rows that a selection found, each read when it is asked for. After an error there is nothing more.
#[derive(Clone, Debug)]
pub struct RecordBatches {
    schema: SchemaRef,
    columns: Vec<Source>,
    left: VecDeque<Range<u64>>,
    step: u64,
}

impl Select {
    /// The schema of the columns asked for. Of categorical columns the labels are read.
    ///
    /// # Errors
    /// `Query` for a column that is not there; `Arrow` for one that has no Arrow form; `Rule` and `File` as for
    /// reading it.
    pub fn schema(&self) -> Result<SchemaRef> {
        Ok(schema(&self.sources()?))
    }

    /// Finds the rows, and gives the columns asked for in batches of so many of them. No rows give no batch.
    ///
    /// # Errors
    /// As [`rows`](Self::rows) and [`schema`](Self::schema).
    pub fn record_batches(&self, rows_per_batch: usize) -> Result<RecordBatches> {
        let columns = self.sources()?;
        let left = self.rows()?.runs().collect();
        Ok(RecordBatches { schema: schema(&columns), columns, left, step: (rows_per_batch as u64).max(1) })
    }

    fn sources(&self) -> Result<Vec<Source>> {
        self.chosen()?.into_iter().map(Source::open).collect()
    }
}

fn schema(columns: &[Source]) -> SchemaRef {
    Arc::new(Schema::new(columns.iter().map(|column| column.field().clone()).collect::<Vec<_>>()))
}

impl Batch {
    /// The same as Arrow. Of categorical columns the labels are read.
    ///
    /// # Errors
    /// `Arrow` for a column that has no Arrow form, or values that have none; `Rule` and `File` for what labels and
    /// names need.
    pub fn record_batch(self) -> Result<RecordBatch> {
        let mut columns = Vec::with_capacity(self.columns.len());
        let mut arrays = Vec::with_capacity(self.columns.len());
        for (column, values) in self.columns {
            let column = Source::open(column)?;
            arrays.push(column.array(values)?);
            columns.push(column);
        }
        whole(schema(&columns), arrays, self.rows.len())
    }
}

fn whole(schema: SchemaRef, arrays: Vec<arrow_array::ArrayRef>, rows: u64) -> Result<RecordBatch> {
    arrow::batch(schema, arrays, rows).map_err(|detail| Error::Arrow { column: None, detail })
}

impl RecordBatches {
    /// The schema of every batch.
    #[must_use]
    pub fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    /// Number of rows that are still to come.
    #[must_use]
    pub fn rows_left(&self) -> u64 {
        self.left.iter().map(|run| run.end - run.start).sum()
    }

    /// The same for what takes Arrow's own reader and errors.
    pub fn into_reader(self) -> impl RecordBatchReader + Send {
        let schema = self.schema();
        arrow::reader(self, schema)
    }

    /// The first rows of those that are left.
    fn take(&mut self) -> Rows {
        let mut rows = Rows::none();
        let mut wanted = self.step;
        while wanted > 0
            && let Some(run) = self.left.pop_front()
        {
            let stop = run.end.min(run.start.saturating_add(wanted));
            wanted -= stop - run.start;
            rows.push_run(run.start..stop);
            if stop < run.end {
                self.left.push_front(stop..run.end);
            }
        }
        rows
    }

    fn read(&self, rows: &Rows) -> Result<RecordBatch> {
        let arrays: Result<Vec<_>> = self.columns.iter().map(|column| column.read(rows)).collect();
        whole(self.schema(), arrays?, rows.len())
    }
}

impl Iterator for RecordBatches {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        let rows = self.take();
        if rows.is_empty() {
            return None;
        }
        let batch = self.read(&rows);
        if batch.is_err() {
            self.left.clear();
        }
        Some(batch)
    }
}

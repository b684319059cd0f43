//! Apache Parquet.

use std::io::{self, Write};
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, DataType, Field, Schema};
use arrow_select::take::take;
use h5kit::encoding::anndata::arrow::RecordBatches;
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;

use super::Rows;
use crate::anndata::trouble;
use crate::session::{Done, Trouble};

/// Cells of a row group.
const GROUP: usize = 1 << 23;

/// Rows of a row group, as Parquet has them.
const MOST_ROWS: usize = 1 << 20;

/// Writes a file whose schema keeps what Arrow knows and Parquet does not.
pub fn write(batches: RecordBatches, out: &mut (dyn Write + Send), rows: &mut Rows<'_>) -> Done {
    // A row group is in memory until it is written.
    let rows_of_a_group = (GROUP / batches.schema().fields().len().max(1)).clamp(1, MOST_ROWS);
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY);
    let properties = properties.set_max_row_group_row_count(Some(rows_of_a_group)).build();
    let fields: Vec<Field> = batches.schema().fields().iter().map(|field| stored(field)).collect();
    let schema = Arc::new(Schema::new(fields));
    let mut writer = ArrowWriter::try_new(out, schema.clone(), Some(properties)).map_err(refused)?;
    for batch in batches {
        let batch = batch.map_err(trouble)?;
        let columns: Result<Vec<_>, _> = batch.columns().iter().map(|column| looked_up(column)).collect();
        let stored = columns.and_then(|columns| RecordBatch::try_new(schema.clone(), columns));
        writer.write(&stored.map_err(|error| refused(error.into()))?).map_err(refused)?;
        rows.add(batch.num_rows());
    }
    writer.close().map_err(refused)?;
    Ok(())
}

/// The field as it is stored. Readers of Parquet know dictionaries of text alone.
fn stored(field: &Field) -> Field {
    match field.data_type() {
        DataType::Dictionary(_, value) if **value != DataType::Utf8 => {
            Field::new(field.name(), (**value).clone(), field.is_nullable())
        }
        // The categories of what is read are those that occur, as they occur: their order is lost.
        _ => field.clone().with_dict_is_ordered(false),
    }
}

/// The column as it is stored.
fn looked_up(column: &ArrayRef) -> Result<ArrayRef, ArrowError> {
    match column.as_any_dictionary_opt() {
        Some(dictionary) if *dictionary.values().data_type() != DataType::Utf8 => {
            take(dictionary.values(), dictionary.keys(), None)
        }
        _ => Ok(column.clone()),
    }
}

/// An error of the output is one of the system, with its kind.
fn refused(error: ParquetError) -> Trouble {
    let error = match error {
        ParquetError::External(inner) => match inner.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(inner) => io::Error::other(inner.to_string()),
        },
        other => io::Error::other(other.to_string()),
    };
    Trouble::Output(error)
}

//! Apache Parquet.

use std::io::{self, Write};

use h5kit::encoding::anndata::arrow::RecordBatches;
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;

use super::Rows;
use crate::anndata::trouble;
use crate::session::{Done, Trouble};

/// Writes a file whose schema keeps what Arrow knows and Parquet does not.
pub fn write(batches: RecordBatches, out: &mut (dyn Write + Send), rows: &mut Rows<'_>) -> Done {
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let mut writer = ArrowWriter::try_new(out, batches.schema(), Some(properties)).map_err(refused)?;
    for batch in batches {
        let batch = batch.map_err(trouble)?;
        writer.write(&batch).map_err(refused)?;
        rows.add(batch.num_rows());
    }
    writer.close().map_err(refused)?;
    Ok(())
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

//! Comma-separated values.

use std::io::{self, Write};

use csv::Writer;
use h5kit::encoding::anndata::arrow::RecordBatches;

use super::Rows;
use super::cell::{Cell, Float, cell};
use crate::anndata::trouble;
use crate::session::Done;
use crate::value;

/// Writes a line of names, and one for each row.
pub fn write(batches: RecordBatches, out: &mut (dyn Write + Send), rows: &mut Rows<'_>) -> Done {
    let mut lines = Writer::from_writer(out);
    lines.write_record(batches.schema().fields().iter().map(|field| field.name())).map_err(system)?;
    for batch in batches {
        let batch = batch.map_err(trouble)?;
        for row in 0..batch.num_rows() {
            for column in batch.columns() {
                field(&mut lines, &cell(column, row)).map_err(system)?;
            }
            lines.write_record(None::<&[u8]>).map_err(system)?;
        }
        rows.add(batch.num_rows());
    }
    lines.flush()?;
    Ok(())
}

fn field<W: Write>(lines: &mut Writer<W>, cell: &Cell<'_>) -> csv::Result<()> {
    match cell {
        Cell::Missing => lines.write_field(""),
        Cell::Bool(value) => lines.write_field(if *value { "True" } else { "False" }),
        Cell::Signed(number) => lines.write_field(number.to_string()),
        Cell::Unsigned(number) => lines.write_field(number.to_string()),
        Cell::Float(number) => lines.write_field(float(*number)),
        Cell::Complex(re, im) => {
            let im = float(*im);
            let plus = if im.starts_with('-') { "" } else { "+" };
            lines.write_field(format!("({}{plus}{im}j)", float(*re)))
        }
        Cell::Text(text) => lines.write_field(text),
        Cell::Bytes(bytes) => lines.write_field(value::hex(bytes)),
    }
}

fn float(number: Float) -> String {
    if number.wide().is_nan() { "nan".to_owned() } else { number.text() }
}

/// An error of the output, with its kind.
fn system(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    }
}

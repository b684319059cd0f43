//! Lines of JSON.

use std::fmt::Write as _;
use std::io::Write;

use h5kit::encoding::anndata::arrow::RecordBatches;

use super::Rows;
use super::cell::{Cell, Float, cell};
use crate::anndata::trouble;
use crate::session::Done;
use crate::{json, value};

/// Writes an object for each row.
pub fn write(batches: RecordBatches, out: &mut (dyn Write + Send), rows: &mut Rows<'_>) -> Done {
    let names: Vec<String> = batches.schema().fields().iter().map(|field| json::string(field.name())).collect();
    let mut line = String::new();
    for batch in batches {
        let batch = batch.map_err(trouble)?;
        for row in 0..batch.num_rows() {
            line.clear();
            for (name, column) in names.iter().zip(batch.columns()) {
                line.push(if line.is_empty() { '{' } else { ',' });
                line.push_str(name);
                line.push(':');
                element(&mut line, &cell(column, row));
            }
            line.push_str("}\n");
            out.write_all(line.as_bytes())?;
        }
        rows.add(batch.num_rows());
    }
    Ok(())
}

fn element(to: &mut String, cell: &Cell<'_>) {
    let _ = match cell {
        Cell::Missing => write!(to, "null"),
        Cell::Bool(value) => write!(to, "{value}"),
        Cell::Signed(number) => write!(to, "{number}"),
        Cell::Unsigned(number) => write!(to, "{number}"),
        Cell::Float(number) => write!(to, "{}", float(*number)),
        Cell::Complex(re, im) => write!(to, "{{\"re\":{},\"im\":{}}}", float(*re), float(*im)),
        Cell::Text(text) => write!(to, "{}", json::string(text)),
        Cell::Bytes(bytes) => write!(to, "{}", json::string(&value::hex(bytes))),
    };
}

fn float(number: Float) -> String {
    match number.wide() {
        wide if wide.is_nan() => "\"NaN\"".to_owned(),
        f64::INFINITY => "\"Infinity\"".to_owned(),
        f64::NEG_INFINITY => "\"-Infinity\"".to_owned(),
        _ => number.text(),
    }
}

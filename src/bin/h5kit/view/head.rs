//! The beginning of an element.

use h5kit::encoding::anndata::{AnnData, Array, DataFrame, Element, Format, Kind, Records, Result, Sparse};

use crate::anndata::trouble;
use crate::paint::{self, clean};
use crate::session::{Done, Session, Trouble};
use crate::table::{Cell, Row, Table};

use super::{summary, text};

/// Values that are shown of a row of a matrix.
const ACROSS: u64 = 10;

/// Shows so many rows of an element at most; of a mapping, what is in it.
pub fn show(data: &AnnData, element: &Element, rows: u64, session: &mut Session) -> Done {
    let mut table = Table::default();
    let shown = match &element.kind {
        Kind::Dict(_) | Kind::Raw(_) | Kind::AnnData(_) => {
            let below = format!("{}/", element.path);
            return summary::elements(
                data,
                data.elements().into_iter().filter(|found| element.path.is_empty() || found.path.starts_with(&below)),
                session,
            );
        }
        Kind::DataFrame(frame) => frame_rows(frame, rows.min(frame.rows()), session),
        Kind::Records(records) => record_rows(records, rows),
        Kind::Sparse(sparse) => sparse_rows(sparse, rows.min(sparse.n_major())),
        Kind::Array(array) | Kind::StringArray(array) if array.shape().len() > 1 => dense_rows(array, rows),
        Kind::NumericScalar(value) | Kind::String(value) | Kind::Bytes(value) => {
            value.values(..).map(|values| text::each(&values).into_iter().map(|text| vec![Cell::plain(text)]).collect())
        }
        Kind::Null => Ok(vec![vec![Cell::plain("null")]]),
        _ => {
            let length = element.shape().and_then(|shape| shape.first().copied()).unwrap_or(0);
            match text::run(element, 0..rows.min(length)).map_err(trouble)? {
                Some(values) => Ok((0..).zip(values).map(|(at, value)| vec![number(at), Cell::plain(value)]).collect()),
                None => return Err(Trouble::Usage(format!("there is no view of a {}", element.encoding()))),
            }
        }
    };
    for cells in shown.map_err(trouble)? {
        table.row(&mut session.out, Row { cells, ..Row::default() })?;
    }
    table.flush(&mut session.out)?;
    Ok(())
}

type Rows = Vec<Vec<Cell>>;

fn number(at: u64) -> Cell {
    Cell::new(paint::DIM, at.to_string())
}

fn heading(names: impl Iterator<Item = String>) -> Vec<Cell> {
    names.map(|name| Cell::new(paint::DATASET, clean(&name))).collect()
}

/// Columns side by side. One that cannot be read is said, and is empty.
fn frame_rows(frame: &DataFrame, rows: u64, session: &mut Session) -> Result<Rows> {
    let names = std::iter::once(frame.index_name().to_owned()).chain(frame.columns().iter().cloned());
    let mut shown = vec![heading(names)];
    let columns = std::iter::once(frame.index()).chain(frame.columns().iter().map(|name| frame.column(name)));
    let columns: Vec<Vec<String>> = columns
        .map(|column| match column.and_then(|column| text::run(&column, 0..rows)) {
            Ok(values) => values.unwrap_or_default(),
            Err(error) => {
                session.report_text(&error.to_string());
                Vec::new()
            }
        })
        .collect();
    let right = |text: &str| text.parse::<f64>().is_ok();
    for row in 0..rows as usize {
        let cell = |column: &Vec<String>| match column.get(row) {
            Some(text) if right(text) => Cell::right(text),
            Some(text) => Cell::plain(text),
            None => Cell::default(),
        };
        shown.push(columns.iter().map(cell).collect());
    }
    Ok(shown)
}

fn record_rows(records: &Records, rows: u64) -> Result<Rows> {
    let names = records.names()?;
    let mut shown = vec![heading(names.iter().cloned())];
    let [length] = records.shape() else { return Ok(shown) };
    let rows = rows.min(*length);
    let mut columns = Vec::new();
    for name in &names {
        let texts = text::each(&records.field(name)?.values(0..rows)?);
        let each = texts.len() / usize::try_from(rows.max(1)).unwrap_or(1);
        columns.push(texts.chunks(each.max(1)).map(|texts| texts.join(" ")).collect::<Vec<_>>());
    }
    for row in 0..rows as usize {
        shown.push(columns.iter().map(|column| column.get(row).map(Cell::plain).unwrap_or_default()).collect());
    }
    Ok(shown)
}

/// The stored entries of rows, or of columns, each after its index.
fn sparse_rows(sparse: &Sparse, rows: u64) -> Result<Rows> {
    let mut shown = Vec::new();
    for row in 0..rows {
        let pointers = sparse.pointers(row..row + 1)?;
        let &[first, last] = &pointers[..] else { continue };
        let entries = first..last.min(first + ACROSS);
        let values = text::each(&sparse.values(entries.clone())?);
        let indices = sparse.indices(entries)?;
        let mut cells: Vec<Cell> = vec![match sparse.format() {
            Format::Csr => number(row),
            Format::Csc => Cell::new(paint::DIM, format!("column {row}")),
        }];
        let entry = |(index, value): (u64, String)| Cell::plain(format!("{index}: {value}"));
        cells.extend(indices.into_iter().zip(values).map(entry));
        if last - first > ACROSS {
            cells.push(Cell::new(paint::DIM, format!("… {} stored", last - first)));
        }
        shown.push(cells);
    }
    Ok(shown)
}

/// Rows of a matrix; of an array of more dimensions, the beginning of each.
fn dense_rows(array: &Array, rows: u64) -> Result<Rows> {
    let shape = array.shape();
    let rows = rows.min(shape[0]);
    let mut across = vec![h5kit::Slice::from(0..rows)];
    for (at, n) in shape.iter().enumerate().skip(1) {
        // Of the dimensions between only the first entry is taken.
        let taken = if at + 1 == shape.len() { ACROSS } else { 1 };
        across.push(h5kit::Slice::from(0..taken.min(*n)));
    }
    let texts = match array.dataset() {
        Some(_) => text::each(&array.values(across)?),
        None => text::each(&array.values(0..rows)?),
    };
    let width = texts.len() / usize::try_from(rows.max(1)).unwrap_or(1);
    let more = shape[1..].iter().product::<u64>() > width as u64;
    let row = |(at, texts): (u64, &[String])| {
        let mut cells = vec![number(at)];
        cells.extend(texts.iter().map(Cell::right));
        cells.extend(more.then(|| Cell::new(paint::DIM, "…")));
        cells
    };
    Ok((0..).zip(texts.chunks(width.max(1))).map(row).collect())
}

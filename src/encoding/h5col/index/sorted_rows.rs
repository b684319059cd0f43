//! SORTED_ROWS: row numbers in the order of their values.
//!
//! First the rows with a value, ties by row; then the missing ones where missing is not a NaN; then those that are NaN.

use std::cmp::Ordering;
use std::ops::Range;

use super::{number, shaped, unusable};
use crate::encoding::h5col::attribute;
use crate::encoding::h5col::column::ScalarColumn;
use crate::encoding::h5col::error::{Error, Result};
use crate::encoding::h5col::kind::Held;
use crate::encoding::h5col::rows::Rows;
use crate::encoding::h5col::values::{self, Data};
use crate::format::message::datatype::Class;
use crate::object::Dataset;

/// Row numbers in the order of their values.
#[derive(Clone, Debug)]
pub struct SortedRows {
    dataset: Dataset,
    nrows: u64,
    /// Rows at the end that are NaN.
    pub nan_tail_length: u64,
    /// Rows before those that are missing, where missing is not a NaN.
    pub fill_tail_length: u64,
    /// What the attribute says, which must be true.
    pub ordered: Option<bool>,
}

impl SortedRows {
    pub(super) fn open(dataset: &Dataset, column: &ScalarColumn) -> Result<Self> {
        let unsigned = matches!(&dataset.datatype().class, Class::FixedPoint(n) if !n.signed);
        if dataset.shape().len() != 1 || dataset.len() < column.nrows {
            let detail = format!("shape {:?} for {} rows", dataset.shape(), column.nrows);
            return Err(unusable(dataset, detail));
        }
        if !unsigned {
            return Err(unusable(dataset, format!("row numbers are {}", dataset.datatype())));
        }
        let sorted = Self {
            dataset: dataset.clone(),
            nrows: column.nrows,
            nan_tail_length: number(dataset, "nan_tail_length")?,
            fill_tail_length: number(dataset, "fill_tail_length")?,
            ordered: attribute::boolean(dataset.info(), "ordered")?,
        };
        if sorted.ordered != Some(true) {
            return Err(unusable(dataset, "`ordered` is not true"));
        }
        if sorted.nan_tail_length.checked_add(sorted.fill_tail_length).is_none_or(|tails| tails > column.nrows) {
            return Err(unusable(dataset, "its tails are longer than the table"));
        }
        Ok(sorted)
    }

    /// Rows of the table, each of which is in the order once.
    #[must_use]
    pub fn nrows(&self) -> u64 {
        self.nrows
    }

    /// Rows that have a value and are no NaN.
    #[must_use]
    pub fn body(&self) -> u64 {
        self.nrows - self.nan_tail_length - self.fill_tail_length
    }

    /// The row numbers at some places of the order.
    ///
    /// # Errors
    /// `File`; `Rule` where a number is no row.
    pub fn rows(&self, places: Range<u64>) -> Result<Vec<u64>> {
        let rows: Vec<u64> = shaped(&self.dataset, self.dataset.read(places))?;
        match rows.iter().find(|row| **row >= self.nrows) {
            Some(row) => Err(self.no_row(*row)),
            None => Ok(rows),
        }
    }

    /// The rows at some places of the order, given as a set of places.
    pub(in crate::encoding::h5col) fn rows_at(&self, places: &Rows) -> Result<Rows> {
        let words = self.nrows.div_ceil(64);
        if places.len() < words {
            let numbers = places.runs().map(|run| self.rows(run)).collect::<Result<Vec<_>>>()?;
            return Ok(Rows::of(numbers.concat()));
        }
        // So many that a bit for each row of the table is less than their numbers.
        let mut bits = vec![0u64; words as usize];
        let mut buffer = Vec::new();
        let chunk = self.dataset.chunk_shape().and_then(|shape| shape.first().copied()).unwrap_or(1);
        for block in places.aligned(chunk, self.nrows, READ) {
            for run in places.within(&block).runs() {
                for row in shaped(&self.dataset, self.dataset.read_or_borrow::<u64>(run, &mut buffer))? {
                    match bits.get_mut((row / 64) as usize) {
                        Some(word) => *word |= 1 << (row % 64),
                        None => return Err(self.no_row(*row)),
                    }
                }
            }
        }
        let rows = Rows::of_bits(0, bits);
        if rows.end() > self.nrows { Err(self.no_row(rows.end() - 1)) } else { Ok(rows) }
    }

    fn no_row(&self, row: u64) -> Error {
        unusable(&self.dataset, format!("row {row} of {}", self.nrows))
    }

    /// Bytes of one row number.
    pub(in crate::encoding::h5col) fn row_bytes(&self) -> u64 {
        self.dataset.datatype().size.into()
    }

    /// Bytes that are decoded to read one row number.
    pub(in crate::encoding::h5col) fn block_bytes(&self) -> u64 {
        self.row_bytes().saturating_mul(self.block())
    }

    /// Blocks that the order is read in.
    pub(in crate::encoding::h5col) fn blocks(&self) -> u64 {
        self.nrows.div_ceil(self.block())
    }

    fn block(&self) -> u64 {
        block(&self.dataset)
    }
}

/// Elements that are read together: those of a chunk that has to be decoded.
pub(in crate::encoding::h5col) fn block(dataset: &Dataset) -> u64 {
    match dataset.chunk_shape().and_then(|shape| shape.first().copied()) {
        Some(length) if dataset.filters().is_empty() => length.clamp(1, PIECE),
        Some(length) => length.max(1),
        None => PIECE,
    }
}

/// Elements that are read together where nothing has to be decoded.
const PIECE: u64 = 512;

/// Row numbers that are read at once, unless chunks are longer.
const READ: u64 = 1 << 13;

/// Blocks that are kept while an order is searched.
const KEPT: usize = 8;

/// A binary search in the order of a column.
pub(in crate::encoding::h5col) struct Probe<'s> {
    sorted: &'s SortedRows,
    column: &'s ScalarColumn,
    held: Held,
    rows: Vec<(u64, Vec<u64>)>,
    values: Vec<(u64, Data)>,
}

impl<'s> Probe<'s> {
    pub(in crate::encoding::h5col) fn new(sorted: &'s SortedRows, column: &'s ScalarColumn) -> Self {
        Self { sorted, column, held: column.held(), rows: Vec::new(), values: Vec::new() }
    }

    /// The first place of the body where `before` does not hold any more; `before` gets a value as the row of some.
    pub(in crate::encoding::h5col) fn partition(
        &mut self,
        before: &dyn Fn(&Data, usize) -> Option<bool>,
    ) -> Result<u64> {
        let (mut low, mut high) = (0, self.sorted.body());
        while low < high {
            let middle = low + (high - low) / 2;
            if self.holds(middle, before)? { low = middle + 1 } else { high = middle }
        }
        Ok(low)
    }

    fn holds(&mut self, place: u64, before: &dyn Fn(&Data, usize) -> Option<bool>) -> Result<bool> {
        let row = self.row(place)?;
        let length = block(self.column.dataset());
        let (number, within) = (row / length, (row % length) as usize);
        if !self.values.iter().any(|(n, _)| *n == number) {
            let start = number * length;
            let end = start.saturating_add(length).min(self.column.nrows);
            let data = values::read(self.column.dataset(), self.held, start..end)?;
            keep(&mut self.values, number, data);
        }
        let data = self.values.iter().find(|(n, _)| *n == number).map(|(_, data)| data);
        match data.and_then(|data| before(data, within)) {
            Some(holds) => Ok(holds),
            None => Err(unusable(&self.sorted.dataset, format!("row {row} has no value that can be ordered"))),
        }
    }

    fn row(&mut self, place: u64) -> Result<u64> {
        let length = self.sorted.block();
        let (number, within) = (place / length, (place % length) as usize);
        if !self.rows.iter().any(|(n, _)| *n == number) {
            let start = number * length;
            let rows = self.sorted.rows(start..start.saturating_add(length).min(self.sorted.nrows))?;
            keep(&mut self.rows, number, rows);
        }
        let rows = self.rows.iter().find(|(n, _)| *n == number).and_then(|(_, rows)| rows.get(within));
        rows.copied().ok_or_else(|| unusable(&self.sorted.dataset, format!("no row at place {place}")))
    }
}

/// Keeps a block; the one that was kept longest goes.
fn keep<T>(kept: &mut Vec<(u64, T)>, number: u64, block: T) {
    if kept.len() >= KEPT {
        kept.remove(0);
    }
    kept.push((number, block));
}

/// The order of two rows of a column: integers and codes, floats with −0 = +0, bytes; `None` for what has none.
pub(in crate::encoding::h5col) fn order(a: &Data, i: usize, b: &Data, j: usize) -> Option<Ordering> {
    if let (Some(x), Some(y)) = (a.integer(i), b.integer(j)) {
        return Some(x.cmp(&y));
    }
    if let (Some(x), Some(y)) = (a.float(i), b.float(j)) {
        return x.partial_cmp(&y);
    }
    Some(a.bytes(i)?.cmp(b.bytes(j)?))
}

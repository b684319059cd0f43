//! Values of columns that are read block by block, once to know what they are and again while they are written.

use std::ops::Range;

use h5kit::encoding::h5col::{Column, Data, Result, Values};
use serde_json::Value;

use super::json::{Items, List};
use crate::session::Done;

/// Rows that are read at once, unless chunks are longer.
const BLOCK: u64 = 1 << 16;

/// Rows that are read at once of the longest chunks.
const LONGEST: u64 = 1 << 20;

/// Values of a column that are kept until they are written, with the elements of lists.
const KEPT: usize = 1 << 12;

/// The rows of a column.
pub struct Rows {
    column: Column,
    nrows: u64,
    step: u64,
    /// All of them, where they are few: those of all columns are kept until they are written.
    whole: Option<Values>,
}

impl Rows {
    /// Reads all rows, so that what is wrong with them is known before any is written, and lets them be seen.
    pub fn read(column: &Column, nrows: u64, mut see: impl FnMut(&Values)) -> Result<Self> {
        let chunk = column.as_scalar().and_then(|scalar| scalar.chunk_rows()).unwrap_or(1).clamp(1, LONGEST);
        let step = (BLOCK / chunk).max(1) * chunk;
        let mut rows = Self { column: column.clone(), nrows, step, whole: None };
        for block in blocks(nrows, step) {
            let values = rows.column.read(block)?;
            see(&values);
            rows.whole = (nrows <= step && count(&values) <= KEPT).then_some(values);
        }
        Ok(rows)
    }

    /// Does something with each block.
    pub fn each(&self, mut what: impl FnMut(&Values) -> Done) -> Done {
        match &self.whole {
            Some(values) => what(values),
            None => blocks(self.nrows, self.step).try_for_each(|block| what(&self.column.read(block)?)),
        }
    }
}

/// Values and the elements of lists.
fn count(values: &Values) -> usize {
    match &values.data {
        Data::List(lists) => values.len() + count(&lists.values),
        _ => values.len(),
    }
}

/// Blocks of so many rows; a table without rows has one too.
pub fn blocks(nrows: u64, step: u64) -> impl Iterator<Item = Range<u64>> {
    (0..nrows.div_ceil(step).max(1)).map(move |n| n * step..(n + 1).saturating_mul(step).min(nrows))
}

/// An item for each row of a column.
pub fn items(column: &Column, nrows: u64, item: impl Fn(&Values, usize) -> Value + 'static) -> Result<Items> {
    let mut lines = false;
    let rows = Rows::read(column, nrows, |values| lines |= (0..values.len()).any(|row| item(values, row).is_object()))?;
    let write = move |list: &mut List<'_>| {
        rows.each(|values| (0..values.len()).try_for_each(|row| list.item(&item(values, row))))
    };
    Ok(Items { lines, write: Box::new(write) })
}

#[cfg(test)]
#[test]
fn blocks_are_all_rows() {
    assert_eq!(blocks(0, 4).collect::<Vec<_>>(), vec![0..0; 1]);
    assert!(blocks(8, 4).eq([0..4, 4..8]));
    assert!(blocks(9, 4).eq([0..4, 4..8, 8..9]));
}

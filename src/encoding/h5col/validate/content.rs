//! What search indexes say, held against the columns that they are of.

use std::cmp::Ordering;
use std::collections::HashMap;

use crate::encoding::h5col::column::ScalarColumn;
use crate::encoding::h5col::error::{Result, Rule, Violation};
use crate::encoding::h5col::index::{Bitmap, ChunkBloom, ChunkMinMax, Content, SortedRows, canonical, order};
use crate::encoding::h5col::kind::{Held, Kind};
use crate::encoding::h5col::rows::Rows;
use crate::encoding::h5col::values::{Data, Values};
use crate::object::Dataset;

/// Tells what is not so. A column is in memory meanwhile, and what its index needs.
pub(super) fn hold(
    content: &Content,
    dataset: &Dataset,
    column: &ScalarColumn,
    say: &mut dyn FnMut(Violation),
) -> Result<()> {
    let mut wrong = |rule: Rule, detail: String| say(Violation::new(rule, dataset.path(), detail));
    if column.held() == Held::Value && !matches!(column.kind(), Kind::Opaque | Kind::Integer | Kind::Enumeration) {
        wrong(Rule::S5, format!("an index of {}, which have no order", column.kind()));
        return Ok(());
    }
    let values = column.read(..)?;
    match content {
        Content::ChunkMinMax(index) => min_max(index, &values, &mut wrong),
        Content::SortedRows(index) => sorted_rows(index, &values, &mut wrong),
        Content::Bitmap(index) => bitmap(index, &values, &mut wrong),
        Content::ChunkBloom(index) => bloom(index, &values, column, &mut wrong),
    }
}

/// Takes a broken rule, and what is wrong.
type Wrong<'w> = &'w mut dyn FnMut(Rule, String);

fn is_nan(values: &Values, row: usize) -> bool {
    values.data.float(row).is_some_and(f64::is_nan)
}

/// True for a row that is neither missing nor NaN.
fn is_usable(values: &Values, row: usize) -> bool {
    !values.is_missing(row) && !is_nan(values, row)
}

fn min_max(index: &ChunkMinMax, values: &Values, wrong: Wrong<'_>) -> Result<()> {
    let bounds = index.entries()?;
    if !index.counts_rows(&bounds) {
        wrong(Rule::S5, "`n` is not the number of rows of each chunk".into());
        return Ok(());
    }
    let mut start = 0usize;
    for (chunk, n) in bounds.n.iter().enumerate() {
        let rows = start..start + usize::try_from(*n).unwrap_or(0);
        start = rows.end;
        let mut wrong = |what: &str| wrong(Rule::S6, format!("chunk {chunk}: {what}"));
        let count = |test: &dyn Fn(usize) -> bool| rows.clone().filter(|row| test(*row)).count() as u64;
        if bounds.fill_count.get(chunk) != Some(&count(&|row| values.is_missing(row))) {
            wrong("`fill_count` is not the number of missing values");
        }
        if bounds.nan_count.get(chunk) != Some(&count(&|row| is_nan(values, row))) {
            wrong("`nan_count` is not the number of NaNs");
        }
        let data = &values.data;
        let extreme = |wanted: Ordering| {
            let usable = rows.clone().filter(|row| is_usable(values, *row));
            usable.reduce(|best, row| if order(data, row, data, best) == Some(wanted) { row } else { best })
        };
        for (name, stored, wanted) in [("min", &bounds.min, Ordering::Less), ("max", &bounds.max, Ordering::Greater)] {
            if let Some(row) = extreme(wanted)
                && order(stored, chunk, data, row) != Some(Ordering::Equal)
            {
                wrong(&format!("`{name}` is not that of its rows"));
            }
        }
    }
    Ok(())
}

fn sorted_rows(index: &SortedRows, values: &Values, wrong: Wrong<'_>) -> Result<()> {
    let rows = index.rows(0..index.nrows())?;
    let rows: Vec<usize> = rows.into_iter().filter_map(|row| usize::try_from(row).ok()).collect();
    let mut met = vec![false; values.len()];
    for row in &rows {
        match met.get_mut(*row) {
            Some(met) if !*met => *met = true,
            _ => {
                wrong(Rule::S5, format!("row {row} is there twice"));
                return Ok(());
            }
        }
    }
    let body = usize::try_from(index.body()).unwrap_or(usize::MAX).min(rows.len());
    let (body, tails) = rows.split_at(body);
    let fills = usize::try_from(index.fill_tail_length).unwrap_or(usize::MAX).min(tails.len());
    let (fills, nans) = tails.split_at(fills);
    let mut tail = |what: &str, rows: &[usize], belongs: &dyn Fn(usize) -> bool| {
        if !rows.is_sorted() || !rows.iter().all(|row| belongs(*row)) {
            wrong(Rule::S5, format!("the tail of {what} is not the rows that are, ascending"));
        }
    };
    tail("missing values", fills, &|row| values.is_missing(row) && !is_nan(values, row));
    tail("NaNs", nans, &|row| is_nan(values, row));
    if !body.iter().all(|row| is_usable(values, *row)) {
        wrong(Rule::S5, "a missing value or NaN is before the tails".into());
        return Ok(());
    }
    let before = |a: usize, b: usize| match order(&values.data, a, &values.data, b) {
        Some(Ordering::Equal) => a < b,
        order => order == Some(Ordering::Less),
    };
    let pair = body.windows(2).zip(0u64..).find(|(pair, _)| !matches!(pair, [a, b] if before(*a, *b)));
    if let Some((_, place)) = pair {
        wrong(Rule::S6, format!("the rows at places {place} and {} are not in order", place + 1));
    }
    Ok(())
}

/// A value by which equal ones are found.
#[derive(PartialEq, Eq, Hash)]
enum Key {
    Integer(i128),
    Float(u64),
    Bytes(Vec<u8>),
}

fn key(data: &Data, row: usize) -> Option<Key> {
    if let Some(n) = data.integer(row) {
        return Some(Key::Integer(n));
    }
    match data.float(row) {
        Some(x) if x.is_nan() => None,
        // −0 and +0 are equal.
        Some(x) => Some(Key::Float((x + 0.0).to_bits())),
        None => data.bytes(row).map(|bytes| Key::Bytes(bytes.to_vec())),
    }
}

fn bitmap(index: &Bitmap, values: &Values, wrong: Wrong<'_>) -> Result<()> {
    let listed = index.values()?;
    let mut expected: Vec<Rows> = vec![Rows::none(); listed.len()];
    let mut places: HashMap<Key, usize> = HashMap::new();
    for k in 0..listed.len() {
        if let Some(key) = key(&listed, k)
            && let Some(first) = places.insert(key, k)
        {
            wrong(Rule::S7, format!("values {first} and {k} are the same"));
        }
    }
    let mut unlisted = None;
    for row in (0..values.len()).filter(|row| !values.is_missing(*row)) {
        let rows = key(&values.data, row).and_then(|key| places.get(&key)).and_then(|k| expected.get_mut(*k));
        match rows {
            Some(rows) => rows.push(row as u64),
            None => unlisted = unlisted.or(Some(row)),
        }
    }
    if let (Some(true), Some(row)) = (index.exhaustive, unlisted) {
        wrong(Rule::S6, format!("it is said to be exhaustive, and the value of row {row} is not listed"));
    }
    let mut expected = (0u64..).zip(&expected);
    for block in index.blocks() {
        for (bits, (k, rows)) in index.bits(block)?.iter().zip(&mut expected) {
            if bits.rows != *rows {
                wrong(Rule::S6, format!("the bits of value {k} are not the rows that have it"));
            }
            if bits.past_the_end {
                wrong(Rule::S5, format!("bits of value {k} are set for rows past the last one"));
            }
        }
    }
    Ok(())
}

fn bloom(index: &ChunkBloom, values: &Values, column: &ScalarColumn, wrong: Wrong<'_>) -> Result<()> {
    let length = usize::try_from(column.chunk_rows().unwrap_or(column.nrows).max(1)).unwrap_or(usize::MAX);
    let width = column.dataset().datatype().size;
    for block in index.blocks() {
        let filters = index.filters(block.clone())?;
        for (chunk, filter) in block.zip(index.each(&filters)) {
            let start = usize::try_from(chunk).unwrap_or(usize::MAX).saturating_mul(length);
            let rows = start..start.saturating_add(length).min(values.len());
            let ruled_out = rows
                .filter(|row| is_usable(values, *row))
                .find(|row| canonical(&values.data, *row, width).is_some_and(|value| !index.may_hold(filter, &value)));
            if let Some(row) = ruled_out {
                wrong(Rule::S6, format!("the filter of chunk {chunk} rules out row {row}"));
                return Ok(());
            }
        }
    }
    Ok(())
}

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

/// What is not so. A column and its index are in memory meanwhile.
pub(super) fn faults(content: &Content, dataset: &Dataset, column: &ScalarColumn) -> Result<Vec<Violation>> {
    if column.held() == Held::Value && !matches!(column.kind(), Kind::Opaque | Kind::Integer | Kind::Enumeration) {
        let detail = format!("an index of {}, which have no order", column.kind());
        return Ok(vec![Violation::new(Rule::S5, dataset.path(), detail)]);
    }
    let values = column.read(..)?;
    let faults = match content {
        Content::ChunkMinMax(index) => min_max(index, &values)?,
        Content::SortedRows(index) => sorted_rows(index, &values)?,
        Content::Bitmap(index) => bitmap(index, &values)?,
        Content::ChunkBloom(index) => bloom(index, &values, column)?,
    };
    Ok(faults.into_iter().map(|(rule, detail)| Violation::new(rule, dataset.path(), detail)).collect())
}

type Faults = Vec<(Rule, String)>;

fn is_nan(values: &Values, row: usize) -> bool {
    values.data.float(row).is_some_and(f64::is_nan)
}

/// True for a row that is neither missing nor NaN.
fn is_usable(values: &Values, row: usize) -> bool {
    !values.is_missing(row) && !is_nan(values, row)
}

fn min_max(index: &ChunkMinMax, values: &Values) -> Result<Faults> {
    let bounds = index.entries()?;
    if !index.counts_rows(&bounds) {
        return Ok(vec![(Rule::S5, "`n` is not the number of rows of each chunk".into())]);
    }
    let mut faults = Vec::new();
    let mut start = 0usize;
    for (chunk, n) in bounds.n.iter().enumerate() {
        let rows = start..start + usize::try_from(*n).unwrap_or(0);
        start = rows.end;
        let mut wrong = |what: &str| faults.push((Rule::S6, format!("chunk {chunk}: {what}")));
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
    Ok(faults)
}

fn sorted_rows(index: &SortedRows, values: &Values) -> Result<Faults> {
    let rows = index.rows(0..index.nrows())?;
    let rows: Vec<usize> = rows.into_iter().filter_map(|row| usize::try_from(row).ok()).collect();
    let mut met = vec![false; values.len()];
    for row in &rows {
        match met.get_mut(*row) {
            Some(met) if !*met => *met = true,
            _ => return Ok(vec![(Rule::S5, format!("row {row} is there twice"))]),
        }
    }
    let body = usize::try_from(index.body()).unwrap_or(usize::MAX).min(rows.len());
    let (body, tails) = rows.split_at(body);
    let fills = usize::try_from(index.fill_tail_length).unwrap_or(usize::MAX).min(tails.len());
    let (fills, nans) = tails.split_at(fills);
    let mut faults = Vec::new();
    let mut tail = |what: &str, rows: &[usize], belongs: &dyn Fn(usize) -> bool| {
        if !rows.is_sorted() || !rows.iter().all(|row| belongs(*row)) {
            faults.push((Rule::S5, format!("the tail of {what} is not the rows that are, ascending")));
        }
    };
    tail("missing values", fills, &|row| values.is_missing(row) && !is_nan(values, row));
    tail("NaNs", nans, &|row| is_nan(values, row));
    if !body.iter().all(|row| is_usable(values, *row)) {
        faults.push((Rule::S5, "a missing value or NaN is before the tails".into()));
        return Ok(faults);
    }
    let before = |a: usize, b: usize| match order(&values.data, a, &values.data, b) {
        Some(Ordering::Equal) => a < b,
        order => order == Some(Ordering::Less),
    };
    let wrong = body.windows(2).zip(0u64..).find(|(pair, _)| !matches!(pair, [a, b] if before(*a, *b)));
    if let Some((_, place)) = wrong {
        faults.push((Rule::S6, format!("the rows at places {place} and {} are not in order", place + 1)));
    }
    Ok(faults)
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

fn bitmap(index: &Bitmap, values: &Values) -> Result<Faults> {
    let listed = index.values()?;
    let mut faults = Vec::new();
    let mut expected: Vec<Rows> = vec![Rows::none(); listed.len()];
    let mut places: HashMap<Key, usize> = HashMap::new();
    for k in 0..listed.len() {
        if let Some(key) = key(&listed, k)
            && let Some(first) = places.insert(key, k)
        {
            faults.push((Rule::S7, format!("values {first} and {k} are the same")));
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
        faults.push((Rule::S6, format!("it is said to be exhaustive, and the value of row {row} is not listed")));
    }
    for (k, rows) in (0u64..).zip(&expected) {
        if index.rows(k)? != *rows {
            faults.push((Rule::S6, format!("the bits of value {k} are not the rows that have it")));
        }
        if index.has_padding_bits(k)? {
            faults.push((Rule::S5, format!("bits of value {k} are set for rows past the last one")));
        }
    }
    Ok(faults)
}

fn bloom(index: &ChunkBloom, values: &Values, column: &ScalarColumn) -> Result<Faults> {
    let filters = index.filters()?;
    let length = column.chunk_rows().unwrap_or(column.nrows).max(1);
    let length = usize::try_from(length).unwrap_or(usize::MAX);
    let width = column.dataset().datatype().size;
    for row in (0..values.len()).filter(|row| is_usable(values, *row)) {
        if let (Some(value), Some(filter)) = (canonical(&values.data, row, width), filters.get(row / length))
            && !index.may_hold(filter, &value)
        {
            return Ok(vec![(Rule::S6, format!("the filter of chunk {} rules out row {row}", row / length))]);
        }
    }
    Ok(Vec::new())
}

//! Search indexes as JSON.

use h5kit::encoding::h5col::{Bitmap, ChunkBloom, ChunkMinMax, Content, Error, Result, ScalarColumn, SearchIndex};
use h5kit::encoding::h5col::{Rows, SortedRows};
use serde_json::{Value, json};

use super::dump::token;
use super::element::Writer;
use super::json;
use crate::value::hex;

/// An index with what it says.
pub fn describe(index: &SearchIndex) -> Result<Value> {
    let columns: Vec<Value> = index.columns().iter().map(json::text).collect();
    Ok(json!({
        "name": json::text(index.name()),
        "kind": index.kind().name(),
        "columns": columns,
        "valid": index.is_valid()?,
        "source_generation": token(index.source_generation()),
        "source_nrows": token(index.source_nrows()),
        "description": json::maybe(index.description()?.as_ref()),
        "content": match content(index) {
            Ok(content) => content,
            Err(Error::File(e)) => return Err(e.into()),
            Err(_) => json!({ "unusable": true }),
        },
    }))
}

fn content(index: &SearchIndex) -> Result<Value> {
    let (Some(content), Some(column)) = (index.content()?, index.column()) else { return Ok(Value::Null) };
    match content {
        Content::ChunkMinMax(bounds) => min_max(&bounds, column),
        Content::SortedRows(sorted) => sorted_rows(&sorted),
        Content::Bitmap(bitmap) => bits(&bitmap, column),
        Content::ChunkBloom(bloom) => filters(&bloom),
    }
}

fn min_max(index: &ChunkMinMax, column: &ScalarColumn) -> Result<Value> {
    let datatype = column.dataset().datatype();
    let writer = Writer::new(column.dataset().file(), datatype);
    let bounds = index.entries()?;
    let counts = bounds.nan_count.iter().zip(&bounds.fill_count).zip(&bounds.n).zip(&bounds.placeholder);
    let entries: Vec<Value> = counts
        .enumerate()
        .map(|(i, (((nan_count, fill_count), n), placeholder))| {
            let bound = |data| if *placeholder { Value::Null } else { writer.row(data, i, datatype) };
            json!({
                "min": bound(&bounds.min), "max": bound(&bounds.max),
                "nan_count": nan_count, "fill_count": fill_count, "n": n,
            })
        })
        .collect();
    Ok(json!({ "entries": entries }))
}

fn sorted_rows(index: &SortedRows) -> Result<Value> {
    Ok(json!({
        "rows": index.rows(0..index.nrows())?,
        "nan_tail_length": index.nan_tail_length,
        "fill_tail_length": index.fill_tail_length,
        "ordered": index.ordered,
    }))
}

fn bits(index: &Bitmap, column: &ScalarColumn) -> Result<Value> {
    let datatype = column.dataset().datatype();
    let writer = Writer::new(column.dataset().file(), datatype);
    let values = index.values()?;
    let values: Vec<Value> = (0..values.len()).map(|k| writer.row(&values, k, datatype)).collect();
    let rows: Vec<Rows> = (0..values.len() as u64).map(|k| index.rows(k)).collect::<Result<_>>()?;
    let rows: Vec<Vec<u64>> = rows.iter().map(|rows| rows.iter().collect()).collect();
    Ok(json!({ "values": values, "rows": rows, "ordered": index.ordered, "exhaustive": index.exhaustive }))
}

fn filters(index: &ChunkBloom) -> Result<Value> {
    let chunks: Vec<String> = index.filters()?.iter().map(|filter| hex(filter)).collect();
    Ok(json!({
        "k": index.k, "m_bits": index.m_bits, "seed": index.seed, "hash_family": json::text(&index.hash_family),
        "chunks": chunks,
    }))
}

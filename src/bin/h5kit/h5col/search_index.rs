//! Search indexes as JSON.

use h5kit::encoding::h5col::{Bitmap, ChunkBloom, ChunkMinMax, Content, Error, Result, ScalarColumn, SearchIndex};
use h5kit::encoding::h5col::{Data, SortedRows};
use serde_json::{Value, json};

use super::dump::token;
use super::element::Writer;
use super::json::{self, Items, List, Object, Part};
use super::rows::blocks;
use crate::session::Done;
use crate::value::hex;

/// Row numbers that are read at once.
const BLOCK: u64 = 1 << 20;

/// An index with what it says.
pub fn describe(index: &SearchIndex) -> Result<Object> {
    let columns: Vec<Value> = index.columns().iter().map(json::text).collect();
    Ok(json::object([
        ("name", json::text(index.name()).into()),
        ("kind", (&*index.kind().name()).into()),
        ("columns", columns.into()),
        ("valid", index.is_valid()?.into()),
        ("source_generation", token(index.source_generation()).into()),
        ("source_nrows", token(index.source_nrows()).into()),
        ("description", json::maybe(index.description()?.as_ref()).into()),
        (
            "content",
            match content(index) {
                Ok(content) => content,
                Err(Error::File(e)) => return Err(e.into()),
                Err(_) => json!({ "unusable": true }).into(),
            },
        ),
    ]))
}

fn content(index: &SearchIndex) -> Result<Part> {
    let (Some(content), Some(column)) = (index.content()?, index.column()) else { return Ok(Value::Null.into()) };
    Ok(Part::Object(match content {
        Content::ChunkMinMax(bounds) => min_max(&bounds, column)?,
        Content::SortedRows(sorted) => sorted_rows(sorted)?,
        Content::Bitmap(bitmap) => bits(bitmap, column)?,
        Content::ChunkBloom(bloom) => filters(bloom)?,
    }))
}

fn items(lines: bool, write: impl Fn(&mut List<'_>) -> Done + 'static) -> Part {
    Part::Items(Items { lines, write: Box::new(write) })
}

fn min_max(index: &ChunkMinMax, column: &ScalarColumn) -> Result<Object> {
    let writer = Writer::new(column.dataset().file(), column.dataset().datatype());
    let bounds = index.entries()?;
    let chunks = bounds.n.len();
    let entry = move |i: usize| {
        let bound = |data: &Data| if bounds.placeholder[i] { Value::Null } else { writer.row(data, i) };
        json!({
            "min": bound(&bounds.min), "max": bound(&bounds.max),
            "nan_count": bounds.nan_count[i], "fill_count": bounds.fill_count[i], "n": bounds.n[i],
        })
    };
    let entries = items(true, move |list| (0..chunks).try_for_each(|i| list.item(&entry(i))));
    Ok(json::object([("entries", entries)]))
}

fn sorted_rows(index: SortedRows) -> Result<Object> {
    let mut parts = json::object([
        ("nan_tail_length", index.nan_tail_length.into()),
        ("fill_tail_length", index.fill_tail_length.into()),
        ("ordered", index.ordered.into()),
    ]);
    // What is no row is found before any is written.
    blocks(index.nrows(), BLOCK).try_for_each(|block| index.rows(block).map(drop))?;
    let rows = items(false, move |list| {
        blocks(index.nrows(), BLOCK)
            .try_for_each(|block| index.rows(block)?.into_iter().try_for_each(|row| list.item(&row.into())))
    });
    parts.insert("rows".into(), rows);
    Ok(parts)
}

fn bits(index: Bitmap, column: &ScalarColumn) -> Result<Object> {
    let writer = Writer::new(column.dataset().file(), column.dataset().datatype());
    let values = index.values()?;
    let lines = (0..values.len()).any(|k| writer.row(&values, k).is_object());
    let values = items(lines, move |list| (0..values.len()).try_for_each(|k| list.item(&writer.row(&values, k))));
    let mut parts =
        json::object([("values", values), ("ordered", index.ordered.into()), ("exhaustive", index.exhaustive.into())]);
    index.blocks().try_for_each(|block| index.bits(block).map(drop))?;
    let rows = items(false, move |list| {
        for bits in index.blocks().map(|block| index.bits(block)) {
            for bits in bits? {
                list.list(false, |list| bits.rows.iter().try_for_each(|row| list.item(&row.into())))?;
            }
        }
        Ok(())
    });
    parts.insert("rows".into(), rows);
    Ok(parts)
}

fn filters(index: ChunkBloom) -> Result<Object> {
    let mut parts = json::object([
        ("k", index.k.into()),
        ("m_bits", index.m_bits.into()),
        ("seed", index.seed.into()),
        ("hash_family", json::text(&index.hash_family).into()),
    ]);
    index.blocks().try_for_each(|block| index.filters(block).map(drop))?;
    let chunks = items(false, move |list| {
        index.blocks().try_for_each(|block| {
            index.each(&index.filters(block)?).try_for_each(|filter| list.item(&hex(filter).into()))
        })
    });
    parts.insert("chunks".into(), chunks);
    Ok(parts)
}

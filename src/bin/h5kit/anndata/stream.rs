//! The bytes that stand for values in a hash.

use std::ops::Range;

use h5kit::encoding::anndata::{Result, Values};
use h5kit::{Selection, Slice};
use twox_hash::XxHash3_128;

/// Values that are read at once.
const BLOCK: u64 = 1 << 20;

/// Calls `read` with selections that cover a shape in order, none of many more values than are read at once.
pub fn blocks(shape: &[u64], mut read: impl FnMut(Selection) -> Result<()>) -> Result<()> {
    let Some((rows, row)) = shape.split_first() else { return read(Selection::All) };
    let height = (BLOCK / row.iter().product::<u64>().max(1)).max(1);
    let mut start = 0;
    while start < *rows {
        let end = rows.min(&(start + height)).to_owned();
        read(Slice::from(start..end).into())?;
        start = end;
    }
    Ok(())
}

/// Ranges that cover so many entries.
pub fn ranges(count: u64) -> impl Iterator<Item = Range<u64>> {
    (0..count.div_ceil(BLOCK)).map(move |block| block * BLOCK..count.min((block + 1) * BLOCK))
}

/// Adds values: numbers little-endian, text and bytes with their lengths.
pub fn plain(values: &Values, hash: &mut XxHash3_128) {
    for bytes in each(values) {
        hash.write(&bytes);
    }
}

/// Adds a value that can be missing.
pub fn optional(value: Option<&Vec<u8>>, hash: &mut XxHash3_128) {
    match value {
        Some(value) => {
            hash.write(&[1]);
            hash.write(value);
        }
        None => hash.write(&[0]),
    }
}

/// Adds integers as 64 bits.
pub fn integers(values: &[u64], hash: &mut XxHash3_128) {
    for value in values {
        hash.write(&value.to_le_bytes());
    }
}

/// The bytes of each value.
pub fn each(values: &Values) -> Vec<Vec<u8>> {
    fn counted(bytes: &[u8]) -> Vec<u8> {
        [&(bytes.len() as u64).to_le_bytes()[..], bytes].concat()
    }
    match values {
        Values::Bool(values) => values.iter().map(|value| vec![u8::from(*value)]).collect(),
        Values::I8(values) => values.iter().map(|value| value.to_le_bytes().to_vec()).collect(),
        Values::I16(values) => values.iter().map(|value| value.to_le_bytes().to_vec()).collect(),
        Values::I32(values) => values.iter().map(|value| value.to_le_bytes().to_vec()).collect(),
        Values::I64(values) => values.iter().map(|value| value.to_le_bytes().to_vec()).collect(),
        Values::U8(values) => values.iter().map(|value| value.to_le_bytes().to_vec()).collect(),
        Values::U16(values) => values.iter().map(|value| value.to_le_bytes().to_vec()).collect(),
        Values::U32(values) => values.iter().map(|value| value.to_le_bytes().to_vec()).collect(),
        Values::U64(values) => values.iter().map(|value| value.to_le_bytes().to_vec()).collect(),
        Values::F16(values) => values.iter().map(|value| value.to_le_bytes().to_vec()).collect(),
        Values::F32(values) => values.iter().map(|value| value.to_le_bytes().to_vec()).collect(),
        Values::F64(values) => values.iter().map(|value| value.to_le_bytes().to_vec()).collect(),
        Values::C64(values) => values.iter().map(|[r, i]| [r.to_le_bytes(), i.to_le_bytes()].concat()).collect(),
        Values::C128(values) => values.iter().map(|[r, i]| [r.to_le_bytes(), i.to_le_bytes()].concat()).collect(),
        Values::String(values) => values.iter().map(|value| counted(value.as_bytes())).collect(),
        Values::Bytes(values) => values.iter().map(|value| counted(value)).collect(),
    }
}

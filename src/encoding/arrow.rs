//! What the conventions share on the way to Arrow: arrays of vectors, and batches of arrays.
//!
//! What cannot be made is said in words; each convention says where.

use std::sync::Arc;

use arrow_array::types::{ArrowDictionaryKeyType, ArrowPrimitiveType};
use arrow_array::{
    ArrayRef, BinaryArray, BooleanArray, DictionaryArray, PrimitiveArray, RecordBatch, RecordBatchIterator,
    RecordBatchOptions, RecordBatchReader, StringArray,
};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{ArrowError, DataType, SchemaRef};

/// An array, or what is wrong.
pub(super) type Made<T = ArrayRef> = Result<T, String>;

/// What Arrow refuses.
pub(super) fn refused(error: &ArrowError) -> String {
    format!("Arrow refuses it: {error}")
}

/// Where values are there; `None` where all are.
pub(super) fn valid(missing: &[bool]) -> Option<NullBuffer> {
    let valid = NullBuffer::from_iter(missing.iter().map(|missing| !missing));
    Some(valid).filter(|valid| valid.null_count() > 0)
}

/// The vector becomes the buffer.
pub(super) fn numbers<T: ArrowPrimitiveType>(values: Vec<T::Native>, valid: Option<NullBuffer>) -> ArrayRef {
    Arc::new(PrimitiveArray::<T>::new(ScalarBuffer::from(values), valid))
}

/// Booleans, a bit each.
pub(super) fn booleans(values: Vec<bool>, valid: Option<NullBuffer>) -> ArrayRef {
    Arc::new(BooleanArray::new(BooleanBuffer::from(values), valid))
}

/// Text, which has to be UTF-8.
pub(super) fn text<'v>(values: impl Iterator<Item = &'v [u8]> + Clone, valid: Option<NullBuffer>) -> Made {
    let (offsets, bytes) = joined(values)?;
    Ok(Arc::new(StringArray::try_new(offsets, bytes, valid).map_err(|e| refused(&e))?))
}

/// Bytes of any length.
pub(super) fn bytes<'v>(values: impl Iterator<Item = &'v [u8]> + Clone, valid: Option<NullBuffer>) -> Made {
    let (offsets, bytes) = joined(values)?;
    Ok(Arc::new(BinaryArray::try_new(offsets, bytes, valid).map_err(|e| refused(&e))?))
}

/// Texts one after the other, and where each begins.
fn joined<'v>(values: impl Iterator<Item = &'v [u8]> + Clone) -> Made<(OffsetBuffer<i32>, Buffer)> {
    let length = values.clone().map(<[u8]>::len).fold(0, usize::saturating_add);
    if i32::try_from(length).is_err() {
        return Err(format!("{length} bytes of text, and 2 GiB fit into one array: fewer rows at once do"));
    }
    let offsets = OffsetBuffer::from_lengths(values.clone().map(<[u8]>::len));
    let mut bytes = Vec::with_capacity(length);
    values.for_each(|value| bytes.extend_from_slice(value));
    Ok((offsets, Buffer::from_vec(bytes)))
}

/// The type of the keys of codes: their own where they are signed, a wider signed one where they are not.
pub(super) fn key_type(signed: bool, size: usize) -> DataType {
    match (signed, size) {
        (true, 1) => DataType::Int8,
        (true, 2) | (false, 1) => DataType::Int16,
        (true, 4) | (false, 2) => DataType::Int32,
        _ => DataType::Int64,
    }
}

/// Keys and the labels that they count. A key that is missing counts one all the same.
pub(super) fn dictionary<K: ArrowDictionaryKeyType>(
    keys: Vec<K::Native>,
    valid: Option<NullBuffer>,
    labels: &ArrayRef,
) -> Made {
    let keys = PrimitiveArray::<K>::new(keys.into(), valid);
    Ok(Arc::new(DictionaryArray::try_new(keys, labels.clone()).map_err(|e| refused(&e))?))
}

/// Arrays of so many rows each as a batch, also where there is no array.
pub(super) fn batch(schema: SchemaRef, arrays: Vec<ArrayRef>, rows: u64) -> Made<RecordBatch> {
    let rows = usize::try_from(rows).map_err(|_| format!("{rows} rows in one batch"))?;
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    RecordBatch::try_new_with_options(schema, arrays, &options).map_err(|e| refused(&e))
}

/// Batches for what takes Arrow's own reader and errors.
pub(super) fn reader<E: std::error::Error + Send + Sync + 'static>(
    batches: impl Iterator<Item = Result<RecordBatch, E>> + Send,
    schema: SchemaRef,
) -> impl RecordBatchReader + Send {
    RecordBatchIterator::new(batches.map(|batch| batch.map_err(|e| ArrowError::ExternalError(Box::new(e)))), schema)
}

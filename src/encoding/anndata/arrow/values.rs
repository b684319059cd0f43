//! Values as an array.

use std::sync::Arc;

use arrow_array::types::{
    ArrowPrimitiveType, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type,
    UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{ArrayRef, StructArray};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, Field, Fields};

use super::super::fault::{Result, Rule, broken};
use super::super::values::{Type, Values};
use super::refused;
use crate::encoding::arrow::{self, booleans, bytes, numbers, text};

/// The Arrow type of values.
pub(super) fn data_type(of: Type) -> DataType {
    match of {
        Type::Bool => DataType::Boolean,
        Type::I8 => DataType::Int8,
        Type::I16 => DataType::Int16,
        Type::I32 => DataType::Int32,
        Type::I64 => DataType::Int64,
        Type::U8 => DataType::UInt8,
        Type::U16 => DataType::UInt16,
        Type::U32 => DataType::UInt32,
        Type::U64 => DataType::UInt64,
        Type::F16 => DataType::Float16,
        Type::F32 => DataType::Float32,
        Type::F64 => DataType::Float64,
        Type::C64 => DataType::Struct(parts(DataType::Float32)),
        Type::C128 => DataType::Struct(parts(DataType::Float64)),
        Type::String => DataType::Utf8,
        Type::Bytes => DataType::Binary,
    }
}

/// The fields of a complex number.
fn parts(of: DataType) -> Fields {
    Fields::from(vec![Field::new("re", of.clone(), false), Field::new("im", of, false)])
}

/// Values as an array, some of them missing.
pub(super) fn array(values: Values, valid: Option<NullBuffer>, path: &str) -> Result<ArrayRef> {
    let valid = valid.filter(|valid| valid.null_count() > 0);
    if let Some(valid) = valid.as_ref().filter(|valid| valid.len() != values.len()) {
        let text = format!("a mask of {} entries over {} values", valid.len(), values.len());
        return broken(Rule::LengthMismatch, path, text);
    }
    Ok(match values {
        Values::Bool(values) => booleans(values, valid),
        Values::I8(values) => numbers::<Int8Type>(values, valid),
        Values::I16(values) => numbers::<Int16Type>(values, valid),
        Values::I32(values) => numbers::<Int32Type>(values, valid),
        Values::I64(values) => numbers::<Int64Type>(values, valid),
        Values::U8(values) => numbers::<UInt8Type>(values, valid),
        Values::U16(values) => numbers::<UInt16Type>(values, valid),
        Values::U32(values) => numbers::<UInt32Type>(values, valid),
        Values::U64(values) => numbers::<UInt64Type>(values, valid),
        Values::F16(values) => numbers::<Float16Type>(values, valid),
        Values::F32(values) => numbers::<Float32Type>(values, valid),
        Values::F64(values) => numbers::<Float64Type>(values, valid),
        Values::C64(values) => complex::<Float32Type>(&values, valid, path)?,
        Values::C128(values) => complex::<Float64Type>(&values, valid, path)?,
        Values::String(values) => {
            text(values.iter().map(String::as_bytes), valid).map_err(|text| refused(path, text))?
        }
        Values::Bytes(values) => bytes(values.iter().map(Vec::as_slice), valid).map_err(|text| refused(path, text))?,
    })
}

fn complex<T: ArrowPrimitiveType>(
    values: &[[T::Native; 2]],
    valid: Option<NullBuffer>,
    path: &str,
) -> Result<ArrayRef> {
    let part = |n: usize| numbers::<T>(values.iter().map(|pair| pair[n]).collect(), None);
    let array = StructArray::try_new_with_length(parts(T::DATA_TYPE), vec![part(0), part(1)], valid, values.len());
    Ok(Arc::new(array.map_err(|e| refused(path, arrow::refused(&e)))?))
}

//! One column: its field, and how its rows are read.

use std::ops::Range;

use arrow_array::ArrayRef;
use arrow_array::types::{ArrowDictionaryKeyType, Int8Type, Int16Type, Int32Type, Int64Type};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, Field};

use super::super::array::Array;
use super::super::categorical::Categorical;
use super::super::element::{Element, Kind};
use super::super::fault::{Result, Rule, broken};
use super::super::nullable::Nullable;
use super::super::values::{Type, Values};
use super::{refused, values};
use crate::encoding::arrow;

/// A column that is read as Arrow.
#[derive(Clone, Debug)]
pub struct Column {
    field: Field,
    path: String,
    store: Store,
}

#[derive(Clone, Debug)]
enum Store {
    Plain(Array),
    Nullable(Nullable),
    /// The column and its categories.
    Categorical(Categorical, ArrayRef),
}

impl Column {
    /// A column of a data frame.
    pub(super) fn open(name: &str, element: &Element) -> Result<Self> {
        let path = element.path.clone();
        let (store, data_type, nullable) = match &element.kind {
            Kind::Array(array) | Kind::StringArray(array) => {
                (Store::Plain(array.clone()), values::data_type(array.value_type()), false)
            }
            Kind::NullableInteger(column) | Kind::NullableBoolean(column) | Kind::NullableStrings(column) => {
                (Store::Nullable(column.clone()), values::data_type(column.values().value_type()), true)
            }
            Kind::Categorical(column) => {
                let labels = column.categories();
                let categories = values::array(labels.values(..)?, None, labels.path())?;
                let keys = Box::new(key_type(column.code_type()));
                let data_type = DataType::Dictionary(keys, Box::new(categories.data_type().clone()));
                (Store::Categorical(column.clone(), categories), data_type, true)
            }
            _ => return broken(Rule::BadType, &path, format!("a column that is a {}", element.encoding())),
        };
        if element.shape().is_none_or(|shape| shape.len() != 1) {
            return broken(Rule::WrongRank, &path, "a column of more than one dimension, or of none");
        }
        let field = match &store {
            Store::Categorical(column, _) => {
                Field::new(name, data_type, nullable).with_dict_is_ordered(column.is_ordered())
            }
            _ => Field::new(name, data_type, nullable),
        };
        Ok(Self { field, path, store })
    }

    /// The name, the type, and whether values can be missing.
    #[must_use]
    pub fn field(&self) -> &Field {
        &self.field
    }

    /// Where the column is in the AnnData.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Some rows.
    ///
    /// # Errors
    /// `CodeOutOfRange` for a code without a category, `BadText` where text is not UTF-8, `BadType` for more text than
    /// fits into one array: fewer rows do; what the file below cannot give.
    pub fn read(&self, rows: Range<u64>) -> Result<ArrayRef> {
        match &self.store {
            Store::Plain(array) => values::array(array.values(rows)?, None, &self.path),
            Store::Nullable(column) => {
                let (stored, missing) = column.read(rows)?;
                let valid = NullBuffer::from_iter(missing.into_iter().map(|missing| !missing));
                values::array(stored, Some(valid), &self.path)
            }
            Store::Categorical(column, categories) => self.codes(column, categories, rows),
        }
    }

    /// Codes as they are where they are signed, wider where they are not.
    fn codes(&self, column: &Categorical, categories: &ArrayRef, rows: Range<u64>) -> Result<ArrayRef> {
        let start = rows.start;
        match column.stored_codes(&rows.into())? {
            Values::I8(codes) => self.dictionary::<Int8Type>(codes, categories, start),
            Values::I16(codes) => self.dictionary::<Int16Type>(codes, categories, start),
            Values::I32(codes) => self.dictionary::<Int32Type>(codes, categories, start),
            Values::I64(codes) => self.dictionary::<Int64Type>(codes, categories, start),
            Values::U8(codes) => {
                self.dictionary::<Int16Type>(codes.into_iter().map(i16::from).collect(), categories, start)
            }
            Values::U16(codes) => {
                self.dictionary::<Int32Type>(codes.into_iter().map(i32::from).collect(), categories, start)
            }
            Values::U32(codes) => {
                self.dictionary::<Int64Type>(codes.into_iter().map(i64::from).collect(), categories, start)
            }
            Values::U64(codes) => {
                // More than any number of categories, and so refused.
                let signed = |code| i64::try_from(code).unwrap_or(i64::MAX);
                self.dictionary::<Int64Type>(codes.into_iter().map(signed).collect(), categories, start)
            }
            _ => broken(Rule::BadType, &self.path, "codes that are no integers"),
        }
    }

    fn dictionary<K: ArrowDictionaryKeyType>(
        &self,
        mut codes: Vec<K::Native>,
        categories: &ArrayRef,
        start: u64,
    ) -> Result<ArrayRef>
    where
        K::Native: Into<i64> + From<i8>,
    {
        let n = categories.len() as u64;
        let mut valid = Vec::with_capacity(codes.len());
        for (code, row) in codes.iter_mut().zip(start..) {
            let number: i64 = (*code).into();
            match u64::try_from(number) {
                Ok(number) if number < n => valid.push(true),
                Err(_) if number == -1 => {
                    valid.push(false);
                    *code = K::Native::from(0);
                }
                _ => {
                    let text = format!("code {number} of entry {row}, and {n} categories");
                    return broken(Rule::CodeOutOfRange, &self.path, text);
                }
            }
        }
        let nulls = Some(NullBuffer::from(valid)).filter(|valid| valid.null_count() > 0);
        arrow::dictionary::<K>(codes, nulls, categories).map_err(|text| refused(&self.path, text))
    }
}

/// The type of the keys of codes.
fn key_type(of: Type) -> DataType {
    match of {
        Type::I8 => arrow::key_type(true, 1),
        Type::I16 => arrow::key_type(true, 2),
        Type::U8 => arrow::key_type(false, 1),
        Type::I32 => arrow::key_type(true, 4),
        Type::U16 => arrow::key_type(false, 2),
        _ => arrow::key_type(false, 8),
    }
}

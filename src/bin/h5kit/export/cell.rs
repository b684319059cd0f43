//! One value of a record batch.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowDictionaryKeyType, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, StructArray};
use arrow_schema::DataType;

/// A value.
pub enum Cell<'b> {
    Missing,
    Bool(bool),
    Signed(i64),
    Unsigned(u64),
    Float(Float),
    Complex(Float, Float),
    Text(&'b str),
    Bytes(&'b [u8]),
}

/// A floating-point number; one of 16 bits is held by 32.
#[derive(Clone, Copy)]
pub enum Float {
    Single(f32),
    Double(f64),
}

impl Float {
    /// The number as 64 bits.
    pub fn wide(self) -> f64 {
        match self {
            Self::Single(number) => number.into(),
            Self::Double(number) => number,
        }
    }

    /// The fewest digits that read back as the same.
    pub fn text(self) -> String {
        match self {
            Self::Single(number) => format!("{number:?}"),
            Self::Double(number) => format!("{number:?}"),
        }
    }
}

/// The value of a row; of a dictionary, the one that its key stands for.
pub fn cell(array: &dyn Array, row: usize) -> Cell<'_> {
    if array.is_null(row) {
        return Cell::Missing;
    }
    match array.data_type() {
        DataType::Dictionary(key, _) => match **key {
            DataType::Int8 => looked_up::<Int8Type>(array, row),
            DataType::Int16 => looked_up::<Int16Type>(array, row),
            DataType::Int32 => looked_up::<Int32Type>(array, row),
            _ => looked_up::<Int64Type>(array, row),
        },
        _ => plain(array, row).unwrap_or(Cell::Missing),
    }
}

fn looked_up<K: ArrowDictionaryKeyType>(array: &dyn Array, row: usize) -> Cell<'_> {
    let found = array.as_dictionary_opt::<K>().and_then(|array| plain(array.values(), array.key(row)?));
    found.unwrap_or(Cell::Missing)
}

/// The value of a row that has one; `None` for types that no column has.
fn plain(array: &dyn Array, row: usize) -> Option<Cell<'_>> {
    Some(match array.data_type() {
        DataType::Boolean => Cell::Bool(array.as_boolean_opt()?.value(row)),
        DataType::Int8 => Cell::Signed(array.as_primitive_opt::<Int8Type>()?.value(row).into()),
        DataType::Int16 => Cell::Signed(array.as_primitive_opt::<Int16Type>()?.value(row).into()),
        DataType::Int32 => Cell::Signed(array.as_primitive_opt::<Int32Type>()?.value(row).into()),
        DataType::Int64 => Cell::Signed(array.as_primitive_opt::<Int64Type>()?.value(row)),
        DataType::UInt8 => Cell::Unsigned(array.as_primitive_opt::<UInt8Type>()?.value(row).into()),
        DataType::UInt16 => Cell::Unsigned(array.as_primitive_opt::<UInt16Type>()?.value(row).into()),
        DataType::UInt32 => Cell::Unsigned(array.as_primitive_opt::<UInt32Type>()?.value(row).into()),
        DataType::UInt64 => Cell::Unsigned(array.as_primitive_opt::<UInt64Type>()?.value(row)),
        DataType::Struct(_) => complex(array.as_struct_opt()?, row)?,
        DataType::Utf8 => Cell::Text(array.as_string_opt::<i32>()?.value(row)),
        DataType::Binary => Cell::Bytes(array.as_binary_opt::<i32>()?.value(row)),
        _ => Cell::Float(float(array, row)?),
    })
}

fn float(array: &dyn Array, row: usize) -> Option<Float> {
    Some(match array.data_type() {
        DataType::Float16 => Float::Single(array.as_primitive_opt::<Float16Type>()?.value(row).to_f32()),
        DataType::Float32 => Float::Single(array.as_primitive_opt::<Float32Type>()?.value(row)),
        DataType::Float64 => Float::Double(array.as_primitive_opt::<Float64Type>()?.value(row)),
        _ => return None,
    })
}

fn complex(array: &StructArray, row: usize) -> Option<Cell<'_>> {
    let [re, im] = array.columns() else { return None };
    Some(Cell::Complex(float(re, row)?, float(im, row)?))
}

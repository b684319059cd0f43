//! What is in the data frames of `anndata_frame.h5ad`, and arrays of Arrow to hold against it.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use serde_json::{Map, Value, json};

/// The frames of a file, with the columns of each in order: their types and values.
pub fn expected() -> Map<String, Value> {
    let text =
        std::fs::read_to_string(super::testdata().join("files/anndata_frame.json")).expect("what is in the frames");
    match serde_json::from_str(&text).expect("JSON") {
        Value::Object(frames) => frames,
        other => panic!("{other}"),
    }
}

pub fn columns(frame: &Value) -> Vec<(&String, &str, &Vec<Value>)> {
    let column = |(name, column)| (name, column_type(column), column["values"].as_array().expect("values"));
    frame.as_object().expect("columns").iter().map(column).collect()
}

fn column_type(column: &Value) -> &str {
    column["type"].as_str().expect("a type")
}

pub fn number(value: &Value) -> f64 {
    match value {
        Value::String(text) => text.parse().expect("a number"),
        value => value.as_f64().expect("a number"),
    }
}

/// Whether two numbers are the same in the width of the type, the sign of zero and NaN included.
pub fn same_number(type_name: &str, a: f64, b: f64) -> bool {
    let bits = |number: f64| match type_name {
        name if name.contains("Float64") => number.to_bits(),
        _ => (number as f32).to_bits().into(),
    };
    a.is_nan() && b.is_nan() || bits(a) == bits(b)
}

/// Whether values of JSON are the same.
pub fn same(type_name: &str, got: &Value, expected: &Value) -> bool {
    match (got, expected) {
        (Value::Null, Value::Null) => true,
        (Value::Object(got), Value::Object(expected)) => {
            got.len() == 2 && ["re", "im"].iter().all(|part| same(type_name, &got[*part], &expected[*part]))
        }
        (Value::Number(_), Value::Number(_)) if type_name.contains("Float") => {
            same_number(type_name, number(got), number(expected))
        }
        // Of the same kind, and integers digit by digit.
        _ => got == expected,
    }
}

/// The values of an array as JSON: what JSON does not have, as text; bytes as hexadecimal digits.
pub fn values(array: &ArrayRef) -> Vec<Value> {
    (0..array.len()).map(|row| value(array, row)).collect()
}

fn value(array: &ArrayRef, row: usize) -> Value {
    let float = |number: f64| match number {
        number if number.is_nan() => json!("NaN"),
        f64::INFINITY => json!("Infinity"),
        f64::NEG_INFINITY => json!("-Infinity"),
        number => json!(number),
    };
    if array.is_null(row) {
        return Value::Null;
    }
    match array.data_type() {
        DataType::Boolean => json!(array.as_boolean().value(row)),
        DataType::Int8 => json!(array.as_primitive::<Int8Type>().value(row)),
        DataType::Int16 => json!(array.as_primitive::<Int16Type>().value(row)),
        DataType::Int32 => json!(array.as_primitive::<Int32Type>().value(row)),
        DataType::Int64 => json!(array.as_primitive::<Int64Type>().value(row)),
        DataType::UInt8 => json!(array.as_primitive::<UInt8Type>().value(row)),
        DataType::UInt16 => json!(array.as_primitive::<UInt16Type>().value(row)),
        DataType::UInt32 => json!(array.as_primitive::<UInt32Type>().value(row)),
        DataType::UInt64 => json!(array.as_primitive::<UInt64Type>().value(row)),
        DataType::Float16 => float(array.as_primitive::<Float16Type>().value(row).to_f64()),
        DataType::Float32 => float(array.as_primitive::<Float32Type>().value(row).into()),
        DataType::Float64 => float(array.as_primitive::<Float64Type>().value(row)),
        DataType::Utf8 => json!(array.as_string::<i32>().value(row)),
        DataType::Binary => {
            json!(array.as_binary::<i32>().value(row).iter().map(|byte| format!("{byte:02x}")).collect::<String>())
        }
        DataType::Struct(_) => {
            let part = |name| value(array.as_struct().column_by_name(name).expect("a part"), row);
            json!({"re": part("re"), "im": part("im")})
        }
        DataType::Dictionary(..) => {
            let dictionary = array.as_any_dictionary();
            value(dictionary.values(), dictionary.normalized_keys()[row])
        }
        other => panic!("{other}"),
    }
}

/// The name that the expected values have for a type.
pub fn type_name(of: &DataType) -> String {
    match of {
        DataType::Struct(parts) => format!("Complex({})", parts[0].data_type()),
        DataType::Dictionary(key, value) => format!("Dictionary({key}, {value})"),
        other => other.to_string(),
    }
}

//! Tables of columns as Arrow, against what was put into the files.

#![cfg(all(feature = "arrow", feature = "mmap"))]

mod common;

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchReader};
use arrow_schema::DataType;
use common::frames::{same, values};
use h5kit::encoding::h5col::{Error, Predicate, Select, Table, column};
use serde_json::Value;

fn open(file: &str, path: &str) -> Table {
    let file = h5kit::File::open(common::testdata().join("h5col").join(file)).expect("a file");
    Table::open(&file.group(path).expect("a group")).expect("a table")
}

/// The columns that were written to the first table of a file: their names and values.
fn expected(stem: &str) -> Vec<(String, Vec<Value>)> {
    let path = common::testdata().join(format!("h5col/{stem}.expected.json"));
    let text = std::fs::read_to_string(path).expect("what was written");
    let held: Value = serde_json::from_str(&text).expect("JSON");
    let columns = held["tables"][0]["columns"].as_array().expect("columns").iter();
    let name = |column: &Value| column["name"].as_str().expect("a name").to_owned();
    columns.map(|column| (name(column), column["values"].as_array().expect("values").clone())).collect()
}

/// The values of an array as JSON, lists included.
fn json(array: &ArrayRef) -> Vec<Value> {
    let list = |row: usize| match array.data_type() {
        _ if array.is_null(row) => Value::Null,
        DataType::List(_) => json(&array.as_list::<i32>().value(row)).into(),
        _ => json(&array.as_list::<i64>().value(row)).into(),
    };
    match array.data_type() {
        DataType::List(_) | DataType::LargeList(_) => (0..array.len()).map(list).collect(),
        DataType::FixedSizeBinary(_) => {
            let array = array.as_fixed_size_binary();
            let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
            array.iter().map(|value| value.map_or(Value::Null, |bytes| hex(bytes).into())).collect()
        }
        _ => values(array),
    }
}

fn equal(data_type: &DataType, got: &Value, expected: &Value) -> bool {
    match (data_type, got, expected) {
        (DataType::List(element) | DataType::LargeList(element), Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(element.data_type(), a, b))
        }
        _ => same(&data_type.to_string(), got, expected),
    }
}

/// Holds a batch of some rows against what was written.
fn check(batch: &RecordBatch, rows: &[usize], expected: &[(String, Vec<Value>)]) {
    assert_eq!((batch.num_rows(), batch.num_columns()), (rows.len(), expected.len()));
    for ((name, held), (at, array)) in expected.iter().zip(batch.columns().iter().enumerate()) {
        let held: Vec<&Value> = rows.iter().map(|row| &held[*row]).collect();
        let got = json(array);
        let sound = got.iter().zip(&held).all(|(got, held)| equal(array.data_type(), got, held));
        assert!(sound && got.len() == held.len(), "{name}: {got:?} is not {held:?}");
        assert_eq!(array.logical_null_count(), held.iter().filter(|value| value.is_null()).count(), "{name}");
        assert_eq!(batch.schema().field(at).name(), name);
    }
}

fn batches(select: &Select, rows: usize) -> Vec<RecordBatch> {
    select.record_batches(rows).expect("columns").collect::<Result<_, _>>().expect("batches")
}

/// The types of the fields; a star where they are nullable.
fn types(select: &Select) -> Vec<String> {
    let schema = select.schema().expect("a schema");
    let shown = |of: &DataType, nullable: bool| format!("{of}{}", if nullable { "*" } else { "" });
    schema.fields().iter().map(|field| shown(field.data_type(), field.is_nullable())).collect()
}

#[test]
fn columns_become_what_was_written() {
    for (stem, path) in [("stations", "/stations"), ("kinds", "/kinds")] {
        let all = open(&format!("{stem}.h5"), path).select(Predicate::All);
        let held = expected(stem);
        let rows: Vec<usize> = (0..held[0].1.len()).collect();
        check(&all.read().expect("values").record_batch().expect("a batch"), &rows, &held);
        for step in [1, 2, 100] {
            let found = batches(&all, step);
            assert_eq!(found.len(), rows.len().div_ceil(step));
            for (batch, rows) in found.iter().zip(rows.chunks(step)) {
                assert_eq!(batch.schema(), all.schema().expect("a schema"));
                check(batch, rows, &held);
            }
        }
    }
}

#[test]
fn columns_keep_their_types() {
    let stations = open("stations.h5", "/stations").select(Predicate::All);
    let plain = ["Utf8*", "Int16*", "Float64*", "Boolean", "Dictionary(Int8, Utf8)*", "Dictionary(Int8, Utf8)*"];
    assert_eq!(types(&stations)[..6], plain);
    let schema = stations.schema().expect("a schema");
    assert_eq!(schema.field(4).dict_is_ordered(), Some(true));
    for (at, of) in [(6, DataType::Int16), (7, DataType::Utf8)] {
        let DataType::List(element) = schema.field(at).data_type() else { panic!("{schema}") };
        assert_eq!((element.data_type(), element.is_nullable()), (&of, true));
    }
    let kinds = open("kinds.h5", "/kinds").select(Predicate::All);
    let integers = ["Int8*", "Int16*", "Int32*", "Int64*", "UInt8*", "UInt16*", "UInt32*", "UInt64*"];
    let rest = [
        "Float16*",
        "Float32*",
        "Float64*",
        "FixedSizeBinary(3)*",
        "Utf8*",
        "Dictionary(Int32, Int32)*",
        "Dictionary(Int8, Utf8)*",
    ];
    let found = types(&kinds);
    assert_eq!(found[..8], integers);
    assert_eq!(found[8..15], rest);
    let DataType::List(lists) = kinds.schema().expect("a schema").field(15).data_type().clone() else {
        panic!("a list")
    };
    let DataType::List(flags) = lists.data_type() else { panic!("{lists}") };
    assert_eq!((flags.data_type(), flags.is_nullable()), (&DataType::Boolean, false));
}

#[test]
fn batches_hold_the_rows_that_were_found() {
    let held = expected("stations");
    let of = |name: &str| held.iter().find(|(found, _)| found == name).expect("a column").clone();
    let table = open("stations.h5", "/stations");
    let select = table.select(column("height").ge(500) | column("tags").is_null()).columns(["tags", "name", "region"]);
    let asked = [of("tags"), of("name"), of("region")];
    check(&select.read().expect("values").record_batch().expect("a batch"), &[1, 2, 4], &asked);
    for step in [1, 2, 100] {
        for (batch, rows) in batches(&select, step).iter().zip([1, 2, 4].chunks(step)) {
            check(batch, rows, &asked);
        }
    }
    let first = select.clone().limit(2).record_batches(100).expect("columns");
    assert_eq!(first.rows_left(), 2);
    let reader = first.into_reader();
    assert_eq!(reader.schema(), select.schema().expect("a schema"));
    assert_eq!(reader.map(|batch| batch.expect("a batch").num_rows()).sum::<usize>(), 2);

    let nobody = table.select(column("height").gt(9000));
    assert!(batches(&nobody, 10).is_empty());
    check(&nobody.read().expect("no values").record_batch().expect("a batch"), &[], &held);
    let rows_alone = table.select(Predicate::All).columns([""; 0]);
    assert_eq!(batches(&rows_alone, 4).iter().map(RecordBatch::num_rows).collect::<Vec<_>>(), [4, 2]);
}

#[test]
fn batches_share_the_labels() {
    let region = open("stations.h5", "/stations").select(Predicate::All).columns(["region"]);
    let found = batches(&region, 2);
    let labels = |batch: &RecordBatch| batch.column(0).as_any_dictionary().values().clone();
    assert!(found.iter().all(|batch| Arc::ptr_eq(&labels(batch), &labels(&found[0]))));
}

#[test]
fn long_tables_are_the_same_in_parts() {
    let table = open("large.h5", "/large");
    let select = table.select(column("kind").eq(3)).columns(["value", "kind"]);
    let whole = select.read().expect("values");
    let missing: usize = whole.columns[0].1.missing.iter().filter(|missing| **missing).count();
    let whole = whole.record_batch().expect("a batch");
    assert!(missing > 0 && whole.column(0).null_count() == missing);
    let mut start = 0;
    for batch in batches(&select, 999) {
        assert_eq!(batch, whole.slice(start, batch.num_rows()));
        start += batch.num_rows();
    }
    assert_eq!(start, whole.num_rows());
}

#[test]
fn columns_without_an_arrow_form_are_named() {
    let table = open("kinds.h5", "/others");
    let fault = |name: &str| {
        let select = table.select(Predicate::All).columns(["sound", name]);
        let streamed = select.record_batches(10).and_then(|mut batches| {
            let first = batches.next();
            assert!(first.as_ref().is_none_or(Result::is_ok) || batches.next().is_none());
            first.transpose()
        });
        let error = streamed.expect_err("no form");
        assert!(matches!(&error, Error::Arrow { column: Some(column), .. } if column == name), "{error}");
        let read = select.read().expect("values").record_batch().expect_err("no form");
        assert_eq!(read.to_string(), error.to_string());
        error.to_string()
    };
    assert!(fault("pair").starts_with("column `pair` as Arrow: compounds"));
    assert!(fault("link").contains("references"));
    assert!(fault("sequence").contains("sequences"));
    assert_eq!(fault("unnamed"), "column `unnamed` as Arrow: code 5, which has no name");
    let sound = table.select(Predicate::All).columns(["sound"]);
    assert_eq!(batches(&sound, 10)[0].num_rows(), 2);
    let wrong = sound.columns(["lost"]).schema().expect_err("no such column");
    assert_eq!(wrong.to_string(), "no column `lost`");

    for (path, name) in [("/C4", "s"), ("/B2", "b"), ("/K1", "c"), ("/L1", "l")] {
        let select = open("broken.h5", path).select(Predicate::All).columns([name]);
        let mut batches = select.record_batches(10).expect("columns");
        let error = batches.next().expect("a batch").expect_err("a broken column").to_string();
        assert!(error.contains(&format!("column `{name}`")), "{error}");
        assert!(batches.next().is_none());
    }
}

#[test]
fn damaged_columns_end_in_order() {
    for (file, path, step) in [("stations.h5", "/stations", 13), ("kinds.h5", "/kinds", 29)] {
        let bytes = std::fs::read(common::testdata().join("h5col").join(file)).expect("a file");
        for at in (0..bytes.len()).step_by(step) {
            let mut bytes = bytes.clone();
            bytes[at] ^= 0xff;
            let Ok(file) = h5kit::File::from_bytes(bytes) else { continue };
            let Ok(table) = file.group(path).map_err(Error::from).and_then(|group| Table::open(&group)) else {
                continue;
            };
            for one in table.columns() {
                let select = table.select(Predicate::All).columns([one.name().to_string()]);
                let _ = select.record_batches(4).map(|batches| batches.filter(Result::is_ok).count());
                let _ = select.read().and_then(|batch| batch.record_batch());
            }
        }
    }
}

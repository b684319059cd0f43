//! Data frames as Arrow, against what was put into the files.

#![cfg(all(feature = "arrow", feature = "mmap"))]

mod common;

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, RecordBatchReader};
use common::frames::{columns, expected, same, type_name, values};
use h5kit::encoding::anndata::{AnnData, DataFrame, Error, Kind, Rule};
use serde_json::Value;

fn data() -> AnnData {
    let file = h5kit::File::open(common::testdata().join("files/anndata_frame.h5ad")).expect("a file");
    AnnData::open(&file).expect("an AnnData")
}

fn frame(path: &str) -> DataFrame {
    let data = data();
    let mut found = data.elements().into_iter().filter(|found| found.path == path);
    match found.next().map(|found| found.element.expect("an element").kind) {
        Some(Kind::DataFrame(frame)) => frame,
        other => panic!("{path}: {other:?}"),
    }
}

/// The names of the expected columns, the index left out.
fn names(expected: &Value) -> Vec<&str> {
    columns(expected).into_iter().skip(1).map(|(name, ..)| name.as_str()).collect()
}

#[test]
fn types_and_values_are_those_that_were_written() {
    for (path, held) in expected() {
        let frame = frame(&path);
        let batch = frame.record_batch(0..frame.rows(), Some(&names(&held))).expect("a batch");
        let schema = frame.schema(Some(&names(&held))).expect("a schema");
        assert_eq!((batch.schema(), batch.num_rows() as u64), (schema, frame.rows()));
        assert_eq!(batch.num_columns(), columns(&held).len());
        for (at, (name, expected_type, expected)) in columns(&held).into_iter().enumerate() {
            let (field, array) = (batch.schema().field(at).clone(), batch.column(at));
            assert_eq!((field.name(), type_name(field.data_type()).as_str()), (name, expected_type));
            assert_eq!(field.dict_is_ordered(), held[name]["ordered"].as_bool(), "{name}");
            let got = values(array);
            let equal = got.len() == expected.len() && got.iter().zip(expected).all(|(a, b)| same(expected_type, a, b));
            assert!(equal, "{path}/{name}: {got:?} is not {expected:?}");
            let missing = expected.iter().filter(|value| value.is_null()).count();
            assert_eq!(array.null_count(), missing, "{path}/{name}");
        }
    }
}

#[test]
fn blocks_of_rows_are_the_whole() {
    let frame = frame("obs");
    let whole = frame.record_batch(0..frame.rows(), None).expect("a batch");
    for step in [1, 3, 7, 100] {
        let batches: Result<Vec<_>, _> = frame.record_batches(step, None).expect("batches").collect();
        let batches = batches.expect("every batch");
        assert_eq!(batches.len(), 7usize.div_ceil(step));
        for at in 0..whole.num_columns() {
            let got: Vec<Value> = batches.iter().flat_map(|batch| values(batch.column(at))).collect();
            assert_eq!(got, values(whole.column(at)));
        }
    }
    let middle = frame.record_batch(2..5, Some(&["words"])).expect("a batch");
    assert_eq!(middle, whole.slice(2, 3).project(&[0, 16]).expect("two columns"));
    assert_eq!(middle.schema().field(1).name(), "words");
}

#[test]
fn categories_are_read_once() {
    let batches: Vec<_> = frame("obs").record_batches(2, Some(&["stage"])).expect("batches").collect();
    let labels = |n: usize| {
        let batch = batches[n].as_ref().expect("a batch");
        batch.column(1).as_any_dictionary().values().clone()
    };
    assert_eq!(batches.len(), 4);
    assert!((1..4).all(|n| Arc::ptr_eq(&labels(0), &labels(n))));
}

#[test]
fn a_reader_for_arrow() {
    let frame = frame("obs");
    let reader = frame.record_batches(4, Some(&["flag"])).expect("batches").into_reader();
    assert_eq!(reader.schema(), frame.schema(Some(&["flag"])).expect("a schema"));
    assert_eq!(reader.map(|batch| batch.expect("a batch").num_rows()).collect::<Vec<_>>(), [4, 3]);
}

#[test]
fn broken_columns_are_named() {
    let frame = frame("uns/broken");
    for (name, rule) in [
        ("matrix", Rule::WrongRank),
        ("short", Rule::LengthMismatch),
        ("absent", Rule::MissingMember),
        ("not_listed", Rule::MissingMember),
    ] {
        match frame.schema(Some(&[name])) {
            Err(Error::Fault(fault)) => assert_eq!((fault.rule, fault.path), (rule, format!("uns/broken/{name}"))),
            other => panic!("{name}: {other:?}"),
        }
    }
    // The code is the last one: what stands before it is read, and then no more.
    let batches: Vec<_> = frame.record_batches(1, Some(&["code_high"])).expect("batches").collect();
    assert_eq!(batches.len(), 3);
    match batches.into_iter().last() {
        Some(Err(Error::Fault(fault))) => {
            assert_eq!((fault.rule, fault.path.as_str()), (Rule::CodeOutOfRange, "uns/broken/code_high"));
            assert!(fault.text.contains("code 2 of entry 2"), "{}", fault.text);
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn rows_that_are_not_there() {
    let frame = frame("obs");
    assert!(frame.record_batch(0..8, Some(&[])).is_err());
    assert!(frame.record_batch(9..12, Some(&["stage", "maybe_integer"])).is_err());
    let backwards = std::ops::Range { start: 5, end: 2 };
    assert_eq!(frame.record_batch(backwards, None).expect("no rows").num_rows(), 0);
    assert_eq!(frame.record_batch(3..3, None).expect("no rows").num_rows(), 0);
}

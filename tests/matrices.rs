//! Matrices and ragged lists of AnnData, as scipy and awkward give them (`testdata/matrices.json`).

mod common;

use h5kit::File;
use h5kit::encoding::anndata::{AnnData, Array, Awkward, Element, Error, Kind, Part, Ragged, Rule, Sparse, Values};
use serde_json::{Value, json};

use common::testdata;

const CELLS: u64 = 60;
const GENES: u64 = 23;

fn data() -> AnnData {
    AnnData::open(&File::open(testdata().join("matrices.h5ad")).expect("a file")).expect("an AnnData")
}

fn expected() -> Value {
    serde_json::from_str(&std::fs::read_to_string(testdata().join("matrices.json")).expect("the values")).expect("JSON")
}

fn layer(name: &str) -> Element {
    let data = data();
    match name {
        "X" => data.x().expect("X").expect("X"),
        _ => data.layers().expect("layers").expect("layers").get(name).expect("a layer"),
    }
}

fn sparse(name: &str) -> Sparse {
    match layer(name).kind {
        Kind::Sparse(sparse) => sparse,
        other => panic!("{other:?}"),
    }
}

/// A matrix as scipy gives it, by rows, or by columns.
fn matrix(name: &str, by_columns: bool) -> Vec<Vec<f64>> {
    let expected = expected();
    let found = if name == "X" { &expected["X"] } else { &expected["layers"][name] };
    let rows: Vec<Vec<f64>> = serde_json::from_value(found.clone()).expect("rows of numbers");
    if !by_columns {
        return rows;
    }
    (0..GENES as usize).map(|column| rows.iter().map(|row| row[column]).collect()).collect()
}

fn numbers(values: &Values) -> Vec<f64> {
    match values {
        Values::F32(values) => values.iter().map(|n| f64::from(*n)).collect(),
        Values::I32(values) => values.iter().map(|n| f64::from(*n)).collect(),
        Values::F64(values) => values.clone(),
        other => panic!("{other:?}"),
    }
}

/// The rows of a part with their zeros; entries that are there twice add up.
fn dense(part: &Part, width: u64) -> Vec<Vec<f64>> {
    let values = numbers(&part.values);
    part.rows()
        .map(|(indices, entries)| {
            let mut row = vec![0.0; width as usize];
            for (index, entry) in indices.iter().zip(entries) {
                row[*index as usize] += values[entry];
            }
            row
        })
        .collect()
}

/// The matrices, whether they are by columns, and the length of their minor dimension.
const SPARSE: [(&str, bool, u64); 3] = [("X", false, GENES), ("shuffled", false, GENES), ("csc", true, CELLS)];

#[test]
fn ranges_are_those_of_scipy() {
    for (name, by_columns, width) in SPARSE {
        let (sparse, expected) = (sparse(name), matrix(name, by_columns));
        let n = sparse.n_major();
        for range in [0..n, 0..1, 2..5, 3..4, n - 1..n, 4..4, n..n] {
            let part = sparse.part(range.clone()).expect("a part");
            let expected = &expected[range.start as usize..range.end as usize];
            assert_eq!(dense(&part, width), expected, "{name} {range:?}");
        }
    }
}

#[test]
fn rows_come_in_the_order_in_which_they_are_named() {
    for (name, by_columns, width) in SPARSE {
        let (sparse, expected) = (sparse(name), matrix(name, by_columns));
        for rows in [&[][..], &[3], &[0, 1, 2], &[9, 2, 2, 17, 3, 0, 22, 21], &[22, 0]] {
            let expected: Vec<_> = rows.iter().map(|row| expected[*row as usize].clone()).collect();
            assert_eq!(dense(&sparse.select(rows).expect("rows"), width), expected, "{name} {rows:?}");
        }
    }
}

#[test]
fn the_other_axis_is_read_in_one_pass() {
    for (name, by_columns, width) in SPARSE {
        let (sparse, expected) = (sparse(name), matrix(name, !by_columns));
        let n_major = CELLS + GENES - width;
        for rows in [&[][..], &[3], &[0, 1, 2], &[9, 2, 2, 17, 3, 0, 22, 21], &[22, 0]] {
            let expected: Vec<_> = rows.iter().map(|row| expected[*row as usize].clone()).collect();
            let part = sparse.select_minor(rows).expect("rows of the other axis");
            assert_eq!(dense(&part, n_major), expected, "{name} {rows:?}");
            assert!(part.rows().all(|(indices, _)| indices.is_sorted()), "{name} {rows:?}");
        }
    }
}

#[test]
fn rows_beyond_the_matrix_are_refused() {
    let beyond = |result: Result<Part, Error>| match result {
        Err(Error::Fault(fault)) => assert_eq!((fault.rule, &fault.path[..]), (Rule::ShapeMismatch, "X")),
        other => panic!("{other:?}"),
    };
    beyond(sparse("X").part(CELLS - 1..CELLS + 1));
    beyond(sparse("X").select(&[0, CELLS]));
    beyond(sparse("X").select(&[u64::MAX]));
    beyond(sparse("X").select_minor(&[GENES]));
    beyond(sparse("X").select_minor(&[u64::MAX]));
}

#[test]
fn blocks_cover_a_matrix_within_their_budget() {
    for (name, by_columns, width) in SPARSE {
        let (sparse, expected) = (sparse(name), matrix(name, by_columns));
        for bytes in [0, 100, 1000, 4000, 1 << 20] {
            let mut rows = Vec::new();
            let mut next = 0;
            for block in sparse.parts(bytes) {
                let (range, part) = block.expect("a block");
                assert_eq!(range.start, next, "{name} {bytes}");
                assert_eq!(part.len() as u64, range.end - range.start);
                let (entries, entry) = (part.indices.len() as u64, 8 + 4 + 4);
                assert!(part.len() == 1 || entries * entry <= bytes, "{name}: {entries} entries in {bytes} bytes");
                rows.extend(dense(&part, width));
                next = range.end;
            }
            assert_eq!(rows, expected, "{name} {bytes}");
        }
    }
}

#[test]
fn stored_order_and_repeated_entries_are_kept_and_told() {
    assert!(sparse("X").is_sorted().expect("indices"));
    let shuffled = sparse("shuffled");
    assert!(!shuffled.is_sorted().expect("indices"));
    let part = shuffled.part(0..1).expect("a row");
    assert!(part.indices.windows(2).all(|pair| pair[0] >= pair[1]), "they fall: {:?}", part.indices);
    assert!(part.indices.windows(2).any(|pair| pair[0] == pair[1]), "some are there twice: {:?}", part.indices);
}

fn dense_layer() -> Array {
    match layer("dense").kind {
        Kind::Array(array) => array,
        other => panic!("{other:?}"),
    }
}

#[test]
fn dense_matrices_are_read_in_blocks_and_by_rows() {
    let (array, expected) = (dense_layer(), matrix("dense", false));
    for (bytes, heights) in [(0, vec![1; 60]), (5000, vec![24, 24, 12]), (1 << 20, vec![60])] {
        let blocks: Vec<_> = array.blocks(bytes).map(|block| block.expect("a block")).collect();
        assert_eq!(blocks.iter().map(|(rows, _)| rows.end - rows.start).collect::<Vec<_>>(), heights, "whole chunks");
        let values: Vec<f64> = blocks.iter().flat_map(|(_, values)| numbers(values)).collect();
        assert_eq!(values, expected.concat());
    }
    for rows in [&[][..], &[59], &[4, 4, 5, 6, 0, 59, 31]] {
        let expected: Vec<f64> = rows.iter().flat_map(|row| expected[*row as usize].clone()).collect();
        assert_eq!(numbers(&array.rows(rows).expect("rows")), expected, "{rows:?}");
    }
    assert!(array.rows(&[60]).is_err());
}

#[cfg(feature = "ndarray")]
#[test]
fn ndarray_takes_sparse_and_dense_matrices() {
    for name in ["X", "shuffled"] {
        let found = sparse(name).read_dense::<f64>(5..9).expect("rows");
        assert_eq!(found.outer_iter().map(|row| row.to_vec()).collect::<Vec<_>>(), matrix(name, false)[5..9], "{name}");
    }
    let found = sparse("csc").read_dense::<f64>(5..9).expect("columns");
    assert_eq!(found.columns().into_iter().map(|c| c.to_vec()).collect::<Vec<_>>(), matrix("csc", true)[5..9]);
    let found: ndarray::Array2<f64> = dense_layer().read(..).expect("a matrix");
    assert_eq!(found.outer_iter().map(|row| row.to_vec()).collect::<Vec<_>>(), matrix("dense", false));
}

#[cfg(feature = "sprs")]
#[test]
fn sprs_takes_sparse_matrices() {
    for (name, by_columns, width) in SPARSE {
        let found = sparse(name).read_csmat::<f64>(1..20).expect("a matrix");
        assert_eq!(found.is_csc(), by_columns);
        let mut rows = vec![vec![0.0; width as usize]; 19];
        for (row, vector) in found.outer_iterator().enumerate() {
            vector.iter().for_each(|(column, value)| rows[row][column] = *value);
        }
        assert_eq!(rows, matrix(name, by_columns)[1..20], "{name}");
    }
}

fn awkward(name: &str) -> Awkward {
    match data().obsm().expect("obsm").expect("obsm").get(name).expect("an array").kind {
        Kind::Awkward(awkward) => awkward,
        other => panic!("{other:?}"),
    }
}

fn plain(entry: &Ragged) -> Value {
    match entry {
        Ragged::Missing => Value::Null,
        Ragged::Bool(value) => json!(value),
        Ragged::Integer(value) => json!(i64::try_from(*value).expect("a small number")),
        Ragged::Float(value) => json!(value),
        Ragged::Text(text) => json!(text),
        Ragged::List(entries) => entries.iter().map(plain).collect(),
        Ragged::Record(fields) => {
            Value::Object(fields.iter().map(|(name, value)| (name.clone(), plain(value))).collect())
        }
        Ragged::Tuple(values) => json!({"tuple": values.iter().map(plain).collect::<Vec<_>>()}),
        other => panic!("{other:?}"),
    }
}

#[test]
fn ragged_lists_are_those_of_awkward() {
    let expected = expected();
    let arrays = expected["obsm"].as_object().expect("arrays");
    assert_eq!(arrays.len(), 11);
    for (name, expected) in arrays {
        let (array, expected) = (awkward(name), expected.as_array().expect("entries"));
        for range in [0..CELLS, 0..0, 7..22, CELLS - 1..CELLS] {
            let found = array.read(range.clone()).unwrap_or_else(|error| panic!("{name}: {error}"));
            let found: Vec<Value> = found.iter().map(plain).collect();
            assert_eq!(found, expected[range.start as usize..range.end as usize], "{name} {range:?}");
        }
        assert!(array.read(0..CELLS + 1).is_err(), "{name}");
    }
}

#[test]
fn columns_are_read_as_rust_types() {
    let data = AnnData::open(&File::open(testdata().join("pbmc_small.h5ad")).expect("a file")).expect("an AnnData");
    let obs = data.obs();
    // By testdata/make/anndata_file.py.
    assert_eq!(obs.read::<String>("note").expect("text")[..2], ["note 0", "note 1"]);
    let batch = obs.options::<i64>("batch").expect("integers");
    assert!((0..200).all(|i| batch[i] == (i % 17 != 0).then_some(i as i64 % 3)));
    let checked = obs.options::<bool>("checked").expect("truth values");
    assert!((0..200).all(|i| checked[i] == (i % 23 != 0).then_some(i % 2 == 0)));
    let (types, labels) =
        (obs.read::<String>("cell_type").expect("types"), obs.options::<String>("label").expect("labels"));
    assert!((0..200).all(|i| labels[i].as_ref() == (i % 40 != 0).then_some(&types[i])));
    let stage = obs.categorical("stage").expect("categories");
    assert!(stage.is_ordered());
    assert_eq!(stage.categories().read::<Vec<String>>(..).expect("labels"), ["early", "late"]);
    let missing = obs.read::<i64>("batch").expect_err("some are missing");
    assert!(missing.to_string().contains("12 of 200 values are missing"), "{missing}");
    assert!(obs.categorical("note").is_err());
    assert!(obs.read::<f64>("no such column").is_err());
}

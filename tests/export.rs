//! `h5kit export`: what it writes, against what was put into the files.

#![cfg(all(feature = "cli", feature = "mmap"))]

mod common;

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use common::frames::{columns, expected, number, same, same_number};
use serde_json::Value;

fn files() -> PathBuf {
    common::testdata().join("files")
}

fn export(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_h5kit"));
    command.current_dir(files()).arg("export").args(arguments).stdin(Stdio::null());
    command.output().expect("the command runs")
}

/// Whether a field of CSV says a value.
fn says(type_name: &str, field: &str, expected: &Value) -> bool {
    match expected {
        Value::Null => field.is_empty(),
        Value::Bool(value) => field == if *value { "True" } else { "False" },
        Value::Object(parts) => {
            let text = field.strip_prefix('(').and_then(|text| text.strip_suffix("j)")).expect("a complex number");
            let mut signs = text.match_indices(['+', '-']).map(|(at, _)| at);
            let middle = signs.rfind(|at| *at > 0 && !text[..*at].ends_with('e')).expect("two parts");
            let parse = |text: &str| text.parse().expect("a number");
            same_number(type_name, parse(&text[..middle]), number(&parts["re"]))
                && same_number(type_name, parse(&text[middle..]), number(&parts["im"]))
        }
        _ if type_name.contains("Float") => same_number(type_name, field.parse().expect("a number"), number(expected)),
        Value::String(text) => field == text,
        number => serde_json::from_str::<Value>(field).is_ok_and(|field| field == *number),
    }
}

#[test]
fn lines_of_json_hold_every_value() {
    for (element, frame) in expected() {
        let output = export(&["anndata_frame.h5ad", &element, "--json"]);
        assert_eq!(output.status.code(), Some(i32::from(element == "uns/broken")), "{output:?}");
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        for (name, type_name, values) in columns(&frame) {
            assert_eq!(lines.len(), values.len(), "{element}");
            for (line, value) in lines.iter().zip(values) {
                assert!(same(type_name, &line[name], value), "{element}/{name}: {} is not {value}", line[name]);
            }
        }
        let names: Vec<_> = columns(&frame).into_iter().map(|(name, ..)| name).collect();
        assert!(lines.iter().all(|line| line.as_object().expect("an object").keys().eq(names.iter().copied())));
    }
}

#[test]
fn comma_separated_values_read_back() {
    for (element, frame) in expected() {
        let output = export(&["anndata_frame.h5ad", &element, "--csv"]);
        let mut reader = csv::Reader::from_reader(&output.stdout[..]);
        let names: Vec<String> = reader.headers().expect("a header").iter().map(str::to_owned).collect();
        let records: Vec<csv::StringRecord> = reader.records().map(|record| record.expect("a record")).collect();
        let columns = columns(&frame);
        assert!(names.iter().eq(columns.iter().map(|(name, ..)| *name)), "{element}: {names:?}");
        for (at, (name, type_name, values)) in columns.into_iter().enumerate() {
            assert_eq!(records.len(), values.len(), "{element}");
            for (record, value) in records.iter().zip(values) {
                assert!(says(type_name, &record[at], value), "{element}/{name}: {} is not {value}", &record[at]);
            }
        }
    }
}

#[test]
fn texts_are_quoted_where_they_must_be() {
    let output = export(&["anndata_frame.h5ad", "raw/var", "--csv"]);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "gene,symbol\ngene 1,A\ngene 2,B\ngene 3,C\n");
    let text = String::from_utf8(export(&["anndata_frame.h5ad", "obs", "--csv"]).stdout).expect("UTF-8");
    for field in ["\"b,1\"", "\"c\"\"1\"", "\"two\nlines\"", "\"carriage\r\nreturn\"", ",größer 🧬,"] {
        assert!(text.contains(field), "{field}");
    }
}

#[test]
fn broken_columns_are_said_and_the_others_are_exported() {
    let output = export(&["anndata_frame.h5ad", "uns/broken", "--csv"]);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "row,good,also_good\na,1,x\nb,2,y\nc,3,z\n");
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8_lossy(&output.stderr);
    let faults = [
        "uns/broken/code_high: code-out-of-range: code 2 of entry 2",
        "uns/broken/matrix: wrong-rank",
        "uns/broken/short: length-mismatch",
        "uns/broken/absent: missing-member",
    ];
    assert!(faults.iter().all(|fault| said.contains(fault)), "{said}");
    assert_eq!(said.lines().count(), faults.len());
}

#[test]
fn frames_of_modalities() {
    let lines = |element: &str| String::from_utf8(export(&["mudata.h5mu", element, "--json"]).stdout).expect("UTF-8");
    assert_eq!(lines("mod/rna/obs"), "{\"cell\":\"a\",\"kind\":\"rna a\"}\n{\"cell\":\"b\",\"kind\":\"rna b\"}\n");
    assert_eq!(lines("/mod/prot/var/"), "{\"gene\":\"y\"}\n");
    assert_eq!(lines("var"), "{\"gene\":\"x\"}\n{\"gene\":\"y\"}\n");
}

#[test]
fn what_is_no_frame_is_refused_with_those_that_there_are() {
    for (element, says) in [
        ("X", "X is no data frame, its encoding is array; the data frames are obs, obsm/scores, raw/var"),
        ("obs/stage", "obs/stage is no data frame, its encoding is categorical; the data frames are"),
        ("uns/absent", "uns/absent is not there; the data frames are"),
    ] {
        let output = export(&["anndata_frame.h5ad", element, "--json"]);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{element}");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains(says), "{said}");
    }
    assert_eq!(export(&["anndata_frame.h5ad", "obs"]).status.code(), Some(2));
    assert_eq!(export(&["anndata_frame.h5ad", "obs", "--csv", "--json"]).status.code(), Some(2));
}

#[test]
fn the_file_that_is_read_is_not_written_over() {
    let folder = tempfile::tempdir().expect("a folder");
    let copy = folder.path().join("copy.h5ad");
    std::fs::copy(files().join("anndata_frame.h5ad"), &copy).expect("a copy");
    let before = std::fs::read(&copy).expect("bytes");
    let name = copy.to_str().expect("text");
    let output = export(&[name, "obs", "--csv", "-o", name]);
    assert_eq!(output.status.code(), Some(2));
    assert!(std::fs::read(&copy).expect("bytes") == before);
    let csv = folder.path().join("obs.csv");
    let output = export(&[name, "obs", "--csv", "-o", csv.to_str().expect("text")]);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(0), 0));
    let direct = export(&[name, "obs", "--csv"]).stdout;
    assert!(std::fs::read(&csv).expect("what was written") == direct && !direct.is_empty());
}

#[cfg(not(feature = "parquet"))]
#[test]
fn a_command_without_parquet_says_so() {
    let output = export(&["anndata_frame.h5ad", "obs", "--parquet"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("without the feature `parquet`"));
}

/// Parquet is read back by its own crate, and held against what the JSON is held against.
#[cfg(feature = "parquet")]
#[test]
fn parquet_holds_every_value() {
    use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
    use parquet::file::reader::{FileReader as _, SerializedFileReader};

    for (element, frame) in expected() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("frame.parquet");
        let output = export(&["anndata_frame.h5ad", &element, "--parquet", "-o", path.to_str().expect("text")]);
        assert_eq!(output.status.code(), Some(i32::from(element == "uns/broken")), "{output:?}");
        assert!(std::fs::read(&path).expect("bytes") == export(&["anndata_frame.h5ad", &element, "--parquet"]).stdout);
        let open = || std::fs::File::open(&path).expect("a file");
        let rows = SerializedFileReader::new(open()).expect("Parquet").metadata().file_metadata().num_rows();
        let reader = ParquetRecordBatchReaderBuilder::try_new(open()).expect("Parquet").build().expect("a reader");
        let schema = arrow_array::RecordBatchReader::schema(&reader);
        let batches: Vec<_> = reader.map(|batch| batch.expect("a batch")).collect();
        for (at, (name, type_name, values)) in columns(&frame).into_iter().enumerate() {
            assert_eq!((rows, schema.field(at).name()), (values.len() as i64, name));
            let got: Vec<Value> = batches.iter().flat_map(|batch| common::frames::values(batch.column(at))).collect();
            let same = got.len() == values.len() && got.iter().zip(values).all(|(a, b)| same(type_name, a, b));
            assert!(same, "{element}/{name}: {got:?} is not {values:?}");
        }
    }
}

//! What `h5kit salvage` writes: the values of the sound file, for NumPy and as text.
//!
//! `H5KIT_PYTHON` names a Python with NumPy and h5py, which reads what is written and the sound file. Without it the files
//! are read here.

#![cfg(all(feature = "cli", feature = "deflate"))]

mod common;

use std::path::Path;
use std::process::{Command, Output};

use common::testdata;
use h5kit::{File, Object};
use serde_json::{Value, json};

/// Writes what is there of some bytes to a folder, with what is said and the exit status.
fn salvage(bytes: &[u8], home: &Path) -> Output {
    std::fs::write(home.join("damaged.h5"), bytes).expect("a file");
    let mut command = Command::new(env!("CARGO_BIN_EXE_h5kit"));
    command.current_dir(home).args(["salvage", "damaged.h5", "out"]).output().expect("the command runs")
}

fn bytes_of(name: &str) -> Vec<u8> {
    std::fs::read(testdata().join(name)).expect("a file")
}

/// The elements of a file of NumPy, after its head.
fn elements(path: &Path) -> (String, Vec<u8>) {
    let bytes = std::fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    assert_eq!(bytes[..8], *b"\x93NUMPY\x01\0");
    let end = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    (String::from_utf8(bytes[10..end].to_vec()).expect("text"), bytes[end..].to_vec())
}

fn datasets(group: &h5kit::Group, found: &mut Vec<h5kit::Dataset>) {
    for link in group.links().expect("links") {
        match link.expect("a link").open() {
            Ok(Object::Group(group)) => datasets(&group, found),
            Ok(Object::Dataset(dataset)) => found.push(dataset),
            _ => {}
        }
    }
}

const FILES: [&str; 9] = [
    "pbmc_small.h5ad",
    "files/chunks_all_v4.h5",
    "files/superblock_0.h5",
    "files/integers.h5",
    "files/floats.h5",
    "files/enums.h5",
    "files/bitfields.h5",
    "files/complex_compound.h5",
    "files/dataspaces.h5",
];

#[test]
fn numbers_are_written_as_they_are_stored() {
    let mut numbers = 0;
    for name in FILES {
        let home = tempfile::tempdir().expect("a folder");
        let mut bytes = bytes_of(name);
        bytes[..16].fill(0);
        let output = salvage(&bytes, home.path());
        assert_eq!(output.status.code(), Some(1), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        let mut found = Vec::new();
        datasets(&File::open(testdata().join(name)).expect("a sound file").root(), &mut found);
        for dataset in found.iter().filter(|dataset| !dataset.dataspace().is_null()) {
            let file = home.path().join("out").join(&dataset.path()[1..]);
            let npy = file.with_file_name(format!("{}.npy", file.file_name().expect("a name").to_string_lossy()));
            if npy.exists() {
                let (head, elements) = elements(&npy);
                let shape: String = dataset.shape().iter().map(|n| format!("{n},")).collect();
                assert!(head.contains(&format!("'shape': ({shape}")), "{name}{}: {head}", dataset.path());
                assert!(elements == dataset.read_bytes(..).expect("bytes"), "{name}{}", dataset.path());
                numbers += 1;
            } else {
                let csv = npy.with_extension("csv");
                let mut lines = csv::Reader::from_path(&csv).unwrap_or_else(|e| panic!("{}: {e}", csv.display()));
                assert_eq!(lines.records().count() as u64, dataset.len(), "{name}{}", dataset.path());
            }
        }
        by_numpy(&testdata().join(name), &home.path().join("out"));
    }
    assert!(numbers > 60, "{numbers}");
}

const COMPARE: &str = "
import sys, csv, h5py, numpy as np, os
out = sys.argv[2]
def visit(name, d):
    if not isinstance(d, h5py.Dataset) or d.shape is None: return
    try: d[()]
    except OSError: return  # bitfields, which h5py does not read
    npy, text = os.path.join(out, name + '.npy'), os.path.join(out, name + '.csv')
    if os.path.exists(npy):
        a, b = np.load(npy), d[()]
        if d.dtype.kind == 'b': a = a.astype(bool)
        assert a.shape == np.shape(b), (name, a.shape, np.shape(b))
        assert np.array_equal(a, b, equal_nan=a.dtype.kind in 'fc'), name
        assert d.dtype.kind == 'b' or a.dtype == d.dtype or h5py.check_enum_dtype(d.dtype), (name, a.dtype, d.dtype)
    elif h5py.check_string_dtype(d.dtype) and d.ndim == 1:
        rows = list(csv.reader(open(text, newline='', encoding='utf-8')))[1:]
        assert [r[0] if r else '' for r in rows] == list(d.asstr()[()]), name
h5py.File(sys.argv[1], 'r').visititems(visit)
";

fn by_numpy(sound: &Path, out: &Path) {
    let Some(python) = std::env::var_os("H5KIT_PYTHON") else {
        eprintln!("H5KIT_PYTHON is not set: what is written is not read by NumPy");
        return;
    };
    let output = Command::new(python).args(["-c", COMPARE]).arg(sound).arg(out).output().expect("Python runs");
    assert!(output.status.success(), "{}: {}", sound.display(), String::from_utf8_lossy(&output.stderr));
}

#[test]
fn what_is_damaged_is_named_and_the_rest_is_there() {
    let home = tempfile::tempdir().expect("a folder");
    let output = salvage(&bytes_of("corrupt/deflate_noise.h5"), home.path());
    assert_eq!(output.status.code(), Some(1));
    let out = home.path().join("out");
    let report = std::fs::read_to_string(out.join("report.jsonl")).expect("a report");
    let lines: Vec<Value> = report.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let file = File::open(testdata().join("corrupt/deflate_noise.h5")).expect("it opens");
    let dataset = file.dataset("/x").expect("a dataset");
    let chunk = dataset.chunk_shape().expect("chunks")[0] as usize;
    let (_, elements) = elements(&out.join("x.npy"));
    let size = dataset.datatype().size as usize;
    assert_eq!(elements.len() as u64, dataset.logical_size());
    let damaged: Vec<u64> = lines.iter().map(|line| line["offset"][0].as_u64().expect("a row")).collect();
    assert!(!damaged.is_empty());
    for first in (0..dataset.len() as usize).step_by(chunk) {
        let rows = first as u64..dataset.len().min((first + chunk) as u64);
        let written = &elements[first * size..rows.end as usize * size];
        match dataset.read_bytes(rows) {
            Ok(read) => assert_eq!(written, read),
            Err(_) => {
                assert!(damaged.contains(&(first as u64)), "{first}");
                assert!(written.iter().all(|byte| *byte == 0));
            }
        }
    }
    assert!(lines.iter().all(|line| line["path"] == "/x" && line["error"].as_str().is_some_and(|e| !e.is_empty())));
}

/// A dataset in one piece that the file ends in gives all rows that are there, and NaN for the others.
#[test]
fn rows_before_the_end_of_the_file() {
    let bytes = bytes_of("files/truncated.h5");
    let file = File::open(testdata().join("files/truncated.h5")).expect("it opens");
    let dataset = file.dataset("/y").expect("a dataset");
    let at = dataset.position().expect("in one piece") as usize;
    let size = dataset.datatype().size as usize;
    let rows = (bytes.len() - at) / size;
    assert!(rows > 10 && (rows as u64) < dataset.len());
    let home = tempfile::tempdir().expect("a folder");
    // Half a row is none.
    let output = salvage(&bytes[..at + size * rows - size / 2], home.path());
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    let (head, elements) = elements(&home.path().join("out/y.npy"));
    let there = size * (rows - 1);
    assert_eq!(elements[..there], bytes[at..at + there]);
    assert_eq!(elements.len() as u64, dataset.logical_size());
    let rest = elements[there..].chunks(8);
    let nothing = |n: &[u8]| {
        if head.contains("<f8") {
            f64::from_le_bytes(n.try_into().expect("8")).is_nan()
        } else {
            n.iter().all(|b| *b == 0)
        }
    };
    assert!(rest.into_iter().all(nothing), "{head}");
    let report = std::fs::read_to_string(home.path().join("out/report.jsonl")).expect("a report");
    let line: Value = serde_json::from_str(report.trim()).expect("one line");
    assert_eq!((&line["path"], &line["offset"]), (&json!("/y"), &json!([rows - 1])));
    assert_eq!(line["count"], json!([dataset.len() as usize - rows + 1]));
}

#[test]
fn attributes_are_lines_of_json() {
    let home = tempfile::tempdir().expect("a folder");
    let output = salvage(&bytes_of("pbmc_small.h5ad"), home.path());
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stdout));
    let text = std::fs::read_to_string(home.path().join("out/attributes.jsonl")).expect("attributes");
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let of = |path: &str, name: &str| lines.iter().find(|line| line["path"] == path && line["name"] == name);
    assert_eq!(of("/X", "encoding-type").map(|line| &line["value"]), Some(&json!("csr_matrix")));
    assert_eq!(of("/X", "shape").map(|line| &line["value"]), Some(&json!([200, 50])));
    assert_eq!(std::fs::read(home.path().join("out/report.jsonl")).expect("a report"), b"");
    // The folder is not empty any more.
    assert_eq!(salvage(&bytes_of("pbmc_small.h5ad"), home.path()).status.code(), Some(2));
}

fn report(home: &Path) -> Vec<Value> {
    let report = std::fs::read_to_string(home.join("out/report.jsonl")).expect("a report");
    report.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// Where the record of a chunk stands in a tree of version 1: its address is written nowhere else.
fn record_of(bytes: &[u8], chunk: u64) -> usize {
    let all: Vec<usize> = (0..bytes.len() - 8).filter(|at| bytes[*at..at + 8] == chunk.to_le_bytes()).collect();
    assert_eq!(all.len(), 1, "{chunk:#x}");
    all[0]
}

/// A record of zeros costs one chunk, and the chunks beside it are there.
#[test]
fn chunks_beside_a_lost_record_are_written() {
    let mut bytes = bytes_of("files/chunks_btree1.h5");
    let file = File::open(testdata().join("files/chunks_btree1.h5")).expect("it opens");
    let dataset = file.dataset("/line").expect("a dataset");
    let chunks = dataset.chunks().expect("chunks");
    let (lost, length) = (&chunks[3], dataset.chunk_shape().expect("chunks")[0]);
    // The key: size, mask, the coordinate and that in the element; then the address.
    let at = record_of(&bytes, lost.position);
    bytes[at - 24..at + 8].fill(0);
    let home = tempfile::tempdir().expect("a folder");
    let output = salvage(&bytes, home.path());
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    let (_, written) = elements(&home.path().join("out/line.npy"));
    let mut expected = dataset.read_bytes(..).expect("sound");
    expected[lost.offset[0] as usize..][..length as usize].fill(0);
    assert_eq!(written, expected);
    let lines = report(home.path());
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert_eq!((&lines[0]["path"], &lines[0]["status"]), (&json!("/line"), &json!("lost")));
    assert_eq!((&lines[0]["offset"], &lines[0]["count"]), (&json!([lost.offset[0]]), &json!([length])));
}

/// A sound dataset that is not written because of a limit is not called damaged.
#[test]
fn a_limit_is_no_damage() {
    let mut bytes = bytes_of("files/chunks_btree1.h5");
    let file = File::open(testdata().join("files/chunks_btree1.h5")).expect("it opens");
    let header = file.object("/never").expect("a dataset").info().position() as usize;
    let dims = [4u64.to_le_bytes(), 4u64.to_le_bytes()].concat();
    for at in header..header + 300 {
        if bytes[at..at + 16] == dims {
            bytes[at..at + 16].copy_from_slice(&[(1u64 << 15).to_le_bytes(), (1u64 << 15).to_le_bytes()].concat());
        }
    }
    let home = tempfile::tempdir().expect("a folder");
    let output = salvage(&bytes, home.path());
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(3), "{text}");
    assert!(text.lines().any(|line| line.starts_with("/never") && line.ends_with("not exported")), "{text}");
    assert!(text.contains("not exported: limit of what is written") && !text.contains("damaged\n"), "{text}");
    let lines = report(home.path());
    assert_eq!((lines.len(), &lines[0]["path"], &lines[0]["status"]), (1, &json!("/never"), &json!("not exported")));
}

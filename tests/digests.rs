//! Every file gives what libhdf5 reads from it, from whatever source it comes.

mod common;

use std::path::{Path, PathBuf};

use common::{WAYS, corpus, digests_in, lines, lines_by_name, testdata};
use h5kit::{File, Object};
use serde_json::Value;

/// What differs between lines of a digest and the expected ones, the texts of errors left aside.
///
/// Datasets whose filter nobody can undo here are named and passed over.
fn differences(file: &Path, found: &[String], expected: &str, skipped: &mut Vec<String>) -> Vec<String> {
    let parse = |line: &str| serde_json::from_str::<Value>(line).expect("JSON");
    let found: Vec<Value> = found.iter().map(|line| parse(line)).collect();
    let expected: Vec<Value> = expected.lines().map(parse).collect();
    let path = |line: &Value| line["path"].as_str().unwrap_or_default().to_owned();
    let mut differences = Vec::new();
    let paths = |lines: &[Value]| lines.iter().map(path).collect::<Vec<_>>();
    if paths(&found) != paths(&expected) {
        differences.push(format!("objects {:?} instead of {:?}", paths(&found), paths(&expected)));
    }
    for (found, expected) in found.iter().zip(&expected) {
        let (found_shown, expected_shown) = (shown(found, expected), shown(expected, expected));
        if found_shown == expected_shown {
            continue;
        }
        if found.get("error").is_some() && has_unknown_filter(file, &path(found)) {
            skipped.push(format!("{}:{}", file.display(), path(found)));
            continue;
        }
        differences.push(format!("{found_shown}\n    is not {expected_shown}"));
    }
    differences
}

/// A line without the text of its errors; without values where the expected line has an error in their place.
fn shown(line: &Value, expected: &Value) -> Value {
    let mut line = line.clone();
    let unknown = expected.get("error").is_some();
    if let Some(object) = line.as_object_mut() {
        if unknown {
            object.remove("xxh3");
            object.remove("error");
        }
        if let Some(error) = object.get_mut("error") {
            *error = Value::Null;
        }
        if let Some(Value::Object(attributes)) = object.get_mut("attrs") {
            // Where libhdf5 cannot even tell the name of a damaged attribute, its number stands there.
            let numbered = expected["attrs"].as_object().is_some_and(|all| all.keys().any(|n| n.starts_with('#')));
            if numbered {
                attributes.clear();
            }
            for (name, attribute) in attributes.iter_mut() {
                *attribute = shown(attribute, &expected["attrs"][name]);
            }
        }
    }
    line
}

fn has_unknown_filter(file: &Path, path: &str) -> bool {
    match File::open(file).and_then(|file| file.object(path)) {
        Ok(Object::Dataset(dataset)) => dataset.filters().iter().any(|filter| !filter.available),
        _ => false,
    }
}

/// Holds files against their digests. Gives the datasets that were passed over.
fn check(files: Vec<(PathBuf, PathBuf)>) -> Vec<String> {
    let mut skipped = Vec::new();
    let mut wrong = Vec::new();
    for (file, digest) in files {
        let expected = std::fs::read_to_string(digest).expect("a digest");
        let differences = match lines_by_name(&file) {
            Ok(found) => differences(&file, &found, &expected, &mut skipped),
            Err(e) => vec![e.to_string()],
        };
        wrong.extend(differences.into_iter().map(|difference| format!("{}: {difference}", file.display())));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    skipped
}

#[test]
fn testdata_gives_what_libhdf5_reads() {
    let mut files = digests_in(&testdata().join("files"), ".digest");
    files.extend(digests_in(&testdata(), ".digest"));
    assert!(files.len() > 150, "only {} digests", files.len());
    let skipped = check(files);
    // The filters that are refused by name; see docs/status/filters.md.
    assert!(skipped.iter().all(|dataset| dataset.contains("plugin_refused.h5")), "{skipped:?}");
    assert_eq!(skipped.len(), 5);
}

/// The same lines, or the same error, from memory, mapped, read at positions, and range by range.
fn same_in_every_way(file: &Path) {
    let told = |way| match lines(file, way) {
        Ok(lines) => lines.join("\n"),
        Err(e) => e.to_string(),
    };
    let expected = told(WAYS[0]);
    for way in &WAYS[1..] {
        let found = told(*way);
        assert!(found == expected, "{}, {way:?}:\n{found}\nis not\n{expected}", file.display());
    }
}

#[test]
fn testdata_is_the_same_from_every_source() {
    for file in common::files_below(&testdata()) {
        let extension = file.extension().and_then(|e| e.to_str()).unwrap_or_default();
        // Sparse files of gigabytes are hashed once, not four times.
        let sparse = file.to_string_lossy().contains("sparse");
        if ["h5", "h5ad", "mat", "nc"].contains(&extension)
            && !sparse
            && std::fs::metadata(&file).is_ok_and(|m| m.len() > 0)
        {
            same_in_every_way(&file);
        }
    }
}

/// Sound files that libhdf5 2.0 refuses: what is read from them is not compared.
const READ_ALL_THE_SAME: [&str; 2] = ["raw_chunk_dim_enc_wide.h5", "tmisc38b.h5"];

#[test]
fn the_corpus_gives_what_libhdf5_reads() {
    let Some(corpus) = corpus() else { return };
    let mut files = Vec::new();
    for folder in std::fs::read_dir(corpus.join("expected")).expect("expected digests") {
        let folder = folder.expect("an entry").path();
        let name = folder.file_name().expect("a name");
        for (file, digest) in digests_in(&folder, ".jsonl") {
            if !READ_ALL_THE_SAME.iter().any(|name| file.ends_with(name)) {
                files.push((corpus.join("hdf5").join(name).join(file.file_name().expect("a name")), digest));
            }
        }
    }
    let n = files.len();
    let skipped = check(files);
    eprintln!("{n} files; {} datasets have a filter that is refused by name", skipped.len());
}

#[test]
fn the_corpus_is_the_same_from_every_source() {
    let Some(corpus) = corpus() else { return };
    for file in common::files_below(&corpus.join("hdf5")) {
        if !file.ends_with("dims_over_4g.h5") && std::fs::metadata(&file).is_ok_and(|m| m.len() > 0) {
            same_in_every_way(&file);
        }
    }
}

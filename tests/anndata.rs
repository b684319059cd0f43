//! AnnData: every element of every era as anndata reads it, and every broken rule by its code.

mod common;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;

use common::corpus;
use h5kit::encoding::anndata::{AnnData, Array, Element, Error, Found, Kind, Result};
use h5kit::source::Extents;
use h5kit::{File, Options};
use serde_json::Value;

fn h5kit(arguments: &[&str], file: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_h5kit")).args(arguments).arg(file).output().expect("the command runs")
}

/// Lines of JSON by their paths.
fn lines(text: &str) -> BTreeMap<String, Value> {
    let parse = |line: &str| serde_json::from_str::<Value>(line).expect("JSON");
    text.lines().map(parse).map(|line| (line["path"].as_str().expect("a path").to_owned(), line)).collect()
}

/// Equal as JSON values, numbers by what they are worth.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| same(a, b)))
        }
        _ => a == b,
    }
}

/// What differs between the lines of a file and those expected.
fn differences(file: &Path, expected: &str) -> Vec<String> {
    let output = h5kit(&["anndata", "--json"], file);
    let (found, expected) = (lines(&String::from_utf8_lossy(&output.stdout)), lines(expected));
    let mut wrong: Vec<String> = Vec::new();
    for (path, line) in &expected {
        match found.get(path) {
            Some(found) if same(found, line) => {}
            Some(found) => wrong.push(format!("{}: {found}\n    is not {line}", file.display())),
            None => wrong.push(format!("{}: no {path}", file.display())),
        }
    }
    wrong.extend(
        found
            .keys()
            .filter(|path| !expected.contains_key(*path))
            .map(|path| format!("{}: {path} is not expected", file.display())),
    );
    wrong
}

#[test]
fn the_corpus_gives_what_anndata_reads() {
    let Some(folder) = corpus().map(|corpus| corpus.join("anndata")).filter(|folder| folder.is_dir()) else { return };
    let mut wrong = Vec::new();
    let (mut sound, mut broken) = (0, 0);
    for file in common::files_below(&folder) {
        let name = file.to_string_lossy().into_owned();
        let Some(base) = name.strip_suffix(".h5ad") else { continue };
        if let Ok(expected) = std::fs::read_to_string(format!("{base}.expected.jsonl")) {
            sound += 1;
            wrong.extend(differences(&file, &expected));
        } else if let Ok(expected) = std::fs::read_to_string(format!("{base}.expected-error.txt")) {
            broken += 1;
            let code = expected.lines().find_map(|line| line.strip_prefix("code: ")).expect("a code");
            let output = h5kit(&["check", "--json"], &file);
            let told = String::from_utf8_lossy(&output.stdout);
            let says = told.contains(&format!("\"code\":\"{code}\"")) || code == "truncated" && told.contains(code);
            if !says {
                wrong.push(format!("{name}: {code} is not said in {told}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {sound} and {broken}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(sound > 0 && broken > 0);
}

/// What is read of an element: its values, or why they cannot be read.
fn read(element: &Element) -> Result<String> {
    let everything = |array: &Array| array.values(..).map(|values| format!("{values:?}"));
    Ok(match &element.kind {
        Kind::Array(array) | Kind::StringArray(array) | Kind::NumericScalar(array) | Kind::String(array) => {
            everything(array)?
        }
        Kind::Categorical(categorical) => {
            format!("{:?} {}", categorical.codes(..)?, everything(categorical.categories())?)
        }
        Kind::NullableInteger(nullable) | Kind::NullableBoolean(nullable) | Kind::NullableStrings(nullable) => {
            format!("{:?}", nullable.read(..)?)
        }
        Kind::Sparse(sparse) => {
            let pointers = sparse.pointers(0..sparse.n_major())?;
            format!("{pointers:?} {:?} {:?}", sparse.indices(0..sparse.nnz())?, sparse.values(0..sparse.nnz())?)
        }
        Kind::Records(records) => {
            let fields = records.names()?;
            fields.iter().map(|name| everything(&records.field(name)?)).collect::<Result<Vec<_>>>()?.concat()
        }
        Kind::DataFrame(frame) => format!("{:?} {}", frame.columns(), frame.index_name()),
        Kind::Awkward(awkward) => format!("{:?}", awkward.read(0..awkward.length())?),
        _ => element.encoding().to_string(),
    })
}

/// An element alone, as text. Missing where the source lacks something.
fn told(file: &File, path: &str) -> h5kit::Result<String> {
    match AnnData::open(file).and_then(|data| data.get(path)).and_then(|element| read(&element)) {
        Err(Error::File(error)) if error.is_missing() => Err(error),
        read => Ok(read.unwrap_or_else(|error| error.to_string())),
    }
}

#[test]
fn what_is_not_fetched_yet_is_not_taken_for_damage() {
    let mut files: Vec<_> = common::files_below(&common::testdata().join("files"));
    files.extend(corpus().iter().flat_map(|corpus| common::files_below(&corpus.join("anndata"))));
    // Small ones: every read is fetched on its own, for each element anew.
    let small = |file: &PathBuf| file.metadata().is_ok_and(|metadata| metadata.len() < 100_000);
    files.retain(|file| file.extension().is_some_and(|extension| extension == "h5ad") && small(file));
    assert!(files.len() >= 4);
    for path in files {
        let Ok(whole) = File::open(&path) else { continue };
        let Ok(data) = AnnData::open(&whole) else { continue };
        let bytes = std::fs::read(&path).expect("it can be read");
        let fetch = |range: std::ops::Range<u64>| Ok(bytes[range.start as usize..range.end as usize].to_vec());
        for Found { path: element, .. } in data.elements() {
            let extents = Arc::new(Extents::new(bytes.len() as u64));
            let file = extents.run(|| Options::new().from_source(extents.clone()), fetch).expect("it opens");
            let far = extents.run(|| told(&file, &element), fetch).expect("everything is fetched");
            assert_eq!(far, told(&whole, &element).expect("it is here"), "{} {element}", path.display());
        }
    }
}

//! AnnData: every element of every era as anndata reads it, and every broken rule by its code.

mod common;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Output};

use common::corpus;
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

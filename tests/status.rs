//! The status tables name tests that exist, and the list of limitations is the enum.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

fn below(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(below(&path, extension));
        } else if path.extension().is_some_and(|e| e == extension) {
            found.push(path);
        }
    }
    found
}

/// The names of all tests.
fn tests() -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for file in [below(&root().join("src"), "rs"), below(&root().join("tests"), "rs")].concat() {
        let text = std::fs::read_to_string(file).expect("text");
        let lines: Vec<&str> = text.lines().collect();
        for (i, line) in lines.iter().enumerate().filter(|(_, line)| line.trim() == "#[test]") {
            let name = lines[i + 1..].iter().find_map(|line| line.trim().strip_prefix("fn "));
            names.extend(name.and_then(|name| name.split('(').next()).map(str::to_owned));
            let _ = line;
        }
    }
    names
}

/// What stands in backquotes in the last column of each row.
fn last_column(page: &str) -> Vec<String> {
    let rows = page.lines().filter(|line| line.starts_with("| ") && line.ends_with(" |"));
    let cells = rows.filter_map(|row| row.trim_end_matches(" |").rsplit_once(" | ").map(|(_, cell)| cell));
    cells.flat_map(|cell| cell.split('`').skip(1).step_by(2)).map(str::to_owned).collect()
}

#[test]
fn every_row_names_a_test() {
    let tests = tests();
    assert!(tests.len() > 150);
    for page in below(&root().join("docs/status"), "md") {
        let text = std::fs::read_to_string(&page).expect("text");
        let named = last_column(&text);
        assert!(!named.is_empty(), "{}", page.display());
        for name in named {
            let exists = if name.contains('/') { root().join(&name).is_file() } else { tests.contains(&name) };
            assert!(exists, "{}: there is no test `{name}`", page.display());
        }
    }
}

#[test]
fn limitations_are_the_enum() {
    let source = std::fs::read_to_string(root().join("src/error/unsupported.rs")).expect("text");
    let body = source.split("pub enum Unsupported {").nth(1).and_then(|s| s.split("\n}").next()).expect("the enum");
    let variants: BTreeSet<&str> = body
        .lines()
        .map(str::trim)
        .filter(|line| !line.starts_with("///") && !line.is_empty())
        .map(|line| line.split(['(', ',']).next().expect("a name"))
        .collect();
    let page = std::fs::read_to_string(root().join("docs/limitations.md")).expect("text");
    let listed: BTreeSet<&str> =
        page.lines().filter_map(|line| line.strip_prefix("| `")).filter_map(|line| line.split('`').next()).collect();
    assert_eq!(variants, listed);
}

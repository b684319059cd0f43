//! The borders between the rooms of `src/`, and the manners that hold in all of them.
//!
//! The table is that of `docs/architecture.md`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Each room, lowest first, and the rooms it may use.
const ROOMS: &[(&str, &[&str])] = &[
    ("error", &[]),
    ("limits", &["error"]),
    ("order", &[]),
    ("bytes", &["error"]),
    ("source", &["error", "limits", "order"]),
    ("filter", &["error", "limits"]),
    ("selection", &["error", "order"]),
    ("format", &["bytes", "error"]),
    ("walk", &["bytes", "error", "filter", "format", "limits", "order", "source"]),
    ("element", &["bytes", "error", "format", "selection"]),
    ("object", &["bytes", "element", "error", "filter", "format", "limits", "order", "selection", "source", "walk"]),
    ("encoding", &["bytes", "element", "error", "format", "object", "selection"]),
    ("remote", &["error", "object", "source"]),
    ("digest", &["bytes", "element", "error", "format", "object", "selection"]),
    (
        "wasm",
        &[
            "bytes",
            "digest",
            "element",
            "encoding",
            "error",
            "filter",
            "format",
            "limits",
            "object",
            "selection",
            "source",
            "walk",
        ],
    ),
];

/// Names that the crate's root re-exports, and the rooms they come from.
const ROOT: &[(&str, &str)] = &[
    ("Error", "error"),
    ("ErrorKind", "error"),
    ("Result", "error"),
    ("Limits", "limits"),
    ("Datatype", "format"),
    ("Attribute", "object"),
    ("Dataset", "object"),
    ("File", "object"),
];

/// Lines of a file that no reader wants to exceed, tests not counted.
const LONGEST: usize = 600;

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
}

/// Every source file: its path below `src/`, and its code without tests and comments, line by line.
fn code() -> Vec<(String, Vec<(usize, String)>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    files.sort();
    let mut found = Vec::new();
    for file in files {
        let name = file.strip_prefix(&root).expect("below src").to_string_lossy().replace('\\', "/");
        if name.ends_with("tests.rs") || name.ends_with("testing.rs") || name.contains("/tests/") {
            continue;
        }
        let text = std::fs::read_to_string(&file).expect("text");
        let mut lines = Vec::new();
        let mut rest = text.lines().enumerate().peekable();
        while let Some((number, line)) = rest.next() {
            if line.trim_start().starts_with("#[cfg(test)]") || line.trim_start().starts_with("#[cfg(all(test") {
                // A module declared elsewhere is skipped with its line; one written here ends the file.
                let follows = rest.by_ref().find(|(_, l)| !l.trim_start().starts_with("#["));
                if follows.is_some_and(|(_, l)| !l.trim_end().ends_with(';')) {
                    break;
                }
                continue;
            }
            if !line.trim_start().starts_with("//") {
                lines.push((number + 1, line.to_owned()));
            }
        }
        found.push((name, lines));
    }
    found
}

/// The names that follow `crate::` in a line, those of a group `crate::{a, b}` included.
fn used(line: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for (at, _) in line.match_indices("crate::") {
        if line[..at].ends_with('$') {
            continue;
        }
        let rest = &line[at + "crate::".len()..];
        let name: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        names.insert(name);
    }
    names
}

#[test]
fn rooms_use_only_those_they_may() {
    let mut wrong = Vec::new();
    for (file, lines) in code() {
        let room = file.split(['/', '.']).next().expect("a name").to_owned();
        let Some((_, allowed)) = ROOMS.iter().find(|(name, _)| *name == room) else {
            assert!(["lib", "bin"].contains(&room.as_str()), "{file} is in no room of the table");
            continue;
        };
        for (number, line) in lines {
            for name in used(&line) {
                let target = ROOT.iter().find(|(root, _)| *root == name).map_or(name.as_str(), |(_, room)| room);
                if target != room && !allowed.contains(&target) {
                    wrong.push(format!("{file}:{number}: `{room}` uses `{target}`"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_command_uses_the_public_api_only() {
    for (file, lines) in code().into_iter().filter(|(file, _)| file.starts_with("bin/")) {
        for (number, line) in lines {
            assert!(!line.contains("#[path"), "{file}:{number}: {line}");
        }
    }
}

#[test]
fn no_file_is_too_long() {
    let long: Vec<_> =
        code().into_iter().map(|(file, lines)| (file, lines.len())).filter(|(_, n)| *n > LONGEST).collect();
    assert!(long.is_empty(), "{long:?}");
}

/// Where the caller has to promise that nobody changes a mapped file.
const UNSAFE: [&str; 3] = ["source/mapped.rs", "object/open.rs", "object/file.rs"];

#[test]
fn no_panic_and_no_unsafe() {
    let words = [".unwrap()", ".expect(", "panic!(", "unreachable!(", "todo!(", "unimplemented!(", ".unwrap_err()"];
    let mut wrong = Vec::new();
    for (file, lines) in code() {
        for (number, line) in lines {
            if words.iter().any(|word| line.contains(word)) {
                wrong.push(format!("{file}:{number}: {}", line.trim()));
            }
            if (line.contains("unsafe ") || line.contains("unsafe{")) && !UNSAFE.contains(&file.as_str()) {
                wrong.push(format!("{file}:{number}: {}", line.trim()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

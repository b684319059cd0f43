//! Every seed and every input that once went wrong, without the fuzzers.

use std::fs;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::process::Command;

use h5kit_fuzz::TARGETS;

fn inputs(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths
}

/// Runs each target on the inputs in its folder, and gives how many there were.
fn replay(folder: &Path) -> usize {
    let mut n = 0;
    let mut failed = Vec::new();
    for (name, target) in TARGETS {
        for path in inputs(&folder.join(name)) {
            let input = fs::read(&path).expect("an input");
            if catch_unwind(|| target(&input)).is_err() {
                failed.push(path);
            }
            n += 1;
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
    n
}

#[test]
fn seeds() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("seeds");
    let made = Command::new(env!("CARGO_BIN_EXE_seeds")).arg(&folder).status().expect("the program that makes seeds");
    assert!(made.success());
    for (name, _) in TARGETS {
        assert!(!inputs(&folder.join(name)).is_empty(), "no seed for {name}");
    }
    assert!(replay(&folder) > 1000);
}

#[test]
fn what_once_went_wrong() {
    replay(&Path::new(env!("CARGO_MANIFEST_DIR")).join("regressions"));
}

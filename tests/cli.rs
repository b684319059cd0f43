//! The command: what it prints, and with which exit status it ends.
//!
//! Each text of `tests/cli/` holds commands with what they print. `UPDATE_GOLDEN=1 cargo test --test cli` writes them
//! anew; what changed is then to be read and held against what libhdf5 says of the same files.

#![cfg(all(feature = "cli", feature = "deflate", feature = "lzf"))]

use std::fmt::Write as _;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The command in the folder of the test data, without colours.
fn h5kit(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_h5kit"));
    command.current_dir(root().join("testdata")).env_remove("CLICOLOR_FORCE").args(args).stdin(Stdio::null());
    command
}

fn run(args: &[&str]) -> Output {
    h5kit(args).output().expect("the command runs")
}

fn stdout(args: &[&str]) -> String {
    String::from_utf8(run(args).stdout).expect("UTF-8")
}

fn status(args: &[&str]) -> Option<i32> {
    run(args).status.code()
}

/// A command as it is typed, and all that it says.
fn transcript(args: &[&str]) -> String {
    let output = run(args);
    let words: Vec<String> = args
        .iter()
        .map(|word| {
            if word.chars().any(|c| " '%*.,<>?".contains(c) && c != '.') {
                format!("'{word}'")
            } else {
                (*word).to_owned()
            }
        })
        .collect();
    let mut text = format!("$ h5kit {}\n", words.join(" "));
    text += &String::from_utf8_lossy(&output.stdout);
    if !text.ends_with('\n') {
        text += "\n";
    }
    for line in String::from_utf8_lossy(&output.stderr).lines() {
        // The system's words for its errors are not ours.
        let line = line.split(" (os error").next().unwrap_or(line);
        let _ = writeln!(text, "2> {line}");
    }
    match output.status.code() {
        Some(0) => {}
        Some(code) => {
            let _ = writeln!(text, "exit status {code}");
        }
        None => text += "killed\n",
    }
    text
}

/// Holds commands against the text of that name.
fn golden(name: &str, commands: &[&[&str]]) {
    let got = commands.iter().map(|args| transcript(args)).collect::<Vec<_>>().join("\n");
    let path = root().join("tests/cli").join(name).with_extension("txt");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, &got).expect("a text that can be written");
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default().replace("\r\n", "\n");
    if got != expected {
        let different = got.lines().zip(expected.lines()).find(|(got, expected)| got != expected);
        panic!("{} differs, first in {different:#?}\nall of it now:\n{got}", path.display());
    }
}

#[test]
fn ls() {
    golden(
        "ls",
        &[
            &["ls", "pbmc_small.h5ad"],
            &["ls", "pbmc_small.h5ad", "/obsm"],
            &["ls", "-l", "pbmc_small.h5ad", "/obs/cell_type/codes"],
            &["ls", "-r", "pbmc_small.h5ad", "/uns"],
            &["ls", "-r", "files/links_all.h5"],
            &["ls", "--tree", "files/groups_cycles_v200.h5"],
            &["ls", "--tree", "files/links_all.h5", "/g"],
            &["ls", "-l", "files/header_times_2.h5"],
            &["ls", "-l", "files/chunks_all_v4.h5"],
            &["ls", "-l", "files/compound_v108.h5"],
            &["ls", "files/dataspaces.h5"],
            &["ls", "-l", "files/external.h5"],
            &["ls", "-l", "files/virtual_unlimited.h5"],
            &["ls", "-l", "files/user_block_512.h5"],
            &["ls", "-r", "files/family_%05d.h5"],
            &["ls", "-r", "files/split"],
            &["ls", "-r", "files/cache_image.h5"],
        ],
    );
}

#[test]
fn dump() {
    golden(
        "dump",
        &[
            &["dump", "pbmc_small.h5ad", "/obs"],
            &["dump", "pbmc_small.h5ad", "/obs@column-order"],
            &["dump", "pbmc_small.h5ad", "@encoding-type"],
            &["dump", "pbmc_small.h5ad", "/layers/scaled"],
            &["dump", "pbmc_small.h5ad", "/X/indptr"],
            &["dump", "pbmc_small.h5ad", "/X/data"],
            &["dump", "pbmc_small.h5ad", "/uns/rank_genes_groups"],
            &["dump", "pbmc_small.h5ad", "/uns/flag"],
            &["dump", "files/compound_v108.h5"],
            &["dump", "files/compound_v108.h5", "/nested"],
            &["dump", "files/enums.h5"],
            &["dump", "files/vlen_v200.h5"],
            &["dump", "files/references_v200.h5"],
            &["dump", "files/references_v200.h5", "/regions"],
            &["dump", "files/references_revised.h5", "/references"],
            &["dump", "files/floats.h5"],
            &["dump", "files/integers_wide.h5", "/le"],
            &["dump", "files/bitfields.h5"],
            &["dump", "files/opaque.h5"],
            &["dump", "files/strings_variable.h5"],
            &["dump", "files/complex.h5"],
            &["dump", "files/dataspaces.h5"],
            &["dump", "files/shared_committed_v108.h5"],
            &["dump", "files/external.h5"],
        ],
    );
}

#[test]
fn h5col() {
    golden(
        "h5col",
        &[
            &["h5col", "query", "h5col/stations.h5", "/stations"],
            &["h5col", "query", "h5col/stations.h5", "/stations", "--where", "height >= 500 and name is not null"],
            &["h5col", "query", "h5col/large.h5", "/large", "--where", "value between 990 and 994", "--limit", "2"],
            &["h5col", "query", "h5col/large.h5", "/large", "--where", "value < 0 and kind = 2", "--explain"],
            &["h5col", "query", "h5col/stations.h5", "/stations", "--where", "name = Davos"],
            &["h5col", "query", "h5col/stations.h5", "/stations", "--where", "name = 3"],
            &["h5col", "query", "h5col/stations.h5", "/stations", "--select", "nme"],
            &["h5col", "query", "h5col/broken.h5", "/K1"],
            &["h5col", "dump", "h5col/broken.h5", "/L1"],
            &["h5col", "dump", "files/enums.h5"],
            &["h5col", "validate", "h5col/stations.h5"],
            &["h5col", "validate", "h5col/broken.h5"],
            &["h5col", "validate", "h5col/broken.h5", "/S6", "--json"],
            &["check", "h5col/broken.h5"],
            &["check", "--metadata", "h5col/large.h5"],
        ],
    );
}

#[test]
fn selections() {
    golden(
        "selections",
        &[
            &["dump", "pbmc_small.h5ad", "/layers/scaled", "-s", "0..4, 3"],
            &["dump", "pbmc_small.h5ad", "/layers/scaled", "-s", "0..4:2, ..3"],
            &["dump", "pbmc_small.h5ad", "/layers/scaled", "-s", "7, 7"],
            &["dump", "pbmc_small.h5ad", "/layers/scaled", "-s", "198.., ..=2"],
            &["dump", "pbmc_small.h5ad", "/layers/scaled", "-s", "5..5"],
            &[
                "dump",
                "files/chunks_all_v4.h5",
                "/btree",
                "--start",
                "5,4",
                "--stride",
                "3,3",
                "--count",
                "5,4",
                "--block",
                "2,2",
            ],
            &["dump", "files/chunks_all_v4.h5", "/btree", "--start", "0,5", "--count", "3,2"],
            &["dump", "files/dataspaces.h5", "/scalar", "-s", ".."],
            &["dump", "pbmc_small.h5ad", "/layers/scaled", "-s", "200"],
            &["dump", "pbmc_small.h5ad", "/layers/scaled", "-s", "0..201"],
            &["dump", "pbmc_small.h5ad", "/layers/scaled", "-s", "1,2,3"],
            &["dump", "pbmc_small.h5ad", "/layers/scaled", "-s", "-1"],
            &["dump", "pbmc_small.h5ad", "/layers/scaled", "-s", "0..9:0"],
            &["dump", "pbmc_small.h5ad", "/layers/scaled", "--start", "0", "--count", "1"],
            &[
                "dump",
                "pbmc_small.h5ad",
                "/layers/scaled",
                "--start",
                "0,0",
                "--count",
                "2,2",
                "--stride",
                "1,1",
                "--block",
                "2,2",
            ],
            &["dump", "pbmc_small.h5ad", "/obs", "-s", "1"],
            &["dump", "pbmc_small.h5ad", "/obs@_index", "-s", "1"],
        ],
    );
}

#[test]
fn json() {
    golden(
        "json",
        &[
            &["dump", "pbmc_small.h5ad", "/uns", "--json"],
            &["dump", "pbmc_small.h5ad", "/layers/scaled", "--json", "-s", "..3, ..4"],
            &["dump", "pbmc_small.h5ad", "/uns/rank_genes_groups", "--json"],
            &["dump", "files/attributes_all_v108.h5", "/", "--json"],
            &["dump", "files/floats.h5", "/f32le", "--json"],
            &["dump", "files/floats.h5", "/f16le", "--json"],
            &["dump", "files/integers.h5", "--json"],
            &["dump", "files/integers_wide.h5", "/le", "--json"],
            &["dump", "files/vlen_v200.h5", "--json"],
            &["dump", "files/references_v200.h5", "--json"],
            &["dump", "files/references_revised.h5", "/references", "--json"],
            &["dump", "files/complex.h5", "/f64le", "--json"],
            &["dump", "files/dataspaces.h5", "--json"],
            &["dump", "files/strings_variable.h5", "--json"],
        ],
    );
}

#[test]
fn view() {
    golden(
        "view",
        &[
            &["view", "pbmc_small.h5ad"],
            &["view", "pbmc_small.h5ad", "obs", "--head", "3"],
            &["view", "pbmc_small.h5ad", "uns/neighbors"],
            &["view", "pbmc_small.h5ad", "uns/rank_genes_groups"],
            &["view", "pbmc_small.h5ad", "obs/cell_type", "--head", "4"],
            &["view", "matrices.h5ad", "X", "--head", "2"],
            &["view", "matrices.h5ad", "layers/dense", "--head", "2"],
            &["view", "matrices.h5ad", "obsm"],
            &["view", "matrices.h5ad", "obs/none"],
            &["view", "files/superblock_0.h5"],
            &["view", "files/mudata.h5mu"],
            &["view", "files/mudata.h5mu", "mod/rna/obs"],
            &["view", "files/mudata.h5mu", "obs"],
            &["view", "files/anndata_broken.h5ad"],
            &["view", "matrices.h5ad", "layers/csc", "--head", "2"],
            &["export", "h5col/stations.h5", "/stations", "--csv"],
            &["view", "h5col/stations.h5"],
            &["view", "h5col/stations.h5", "/stations", "--head", "3"],
            &["view", "h5col/stations.h5", "/none"],
        ],
    );
}

#[test]
fn digest() {
    golden("digest", &[&["digest", "files/superblock_0.h5"], &["digest", "files/links_all.h5"]]);
    let expected = std::fs::read(root().join("testdata/pbmc_small.h5ad.digest")).expect("the digest");
    assert!(run(&["digest", "pbmc_small.h5ad"]).stdout == expected);
}

#[test]
fn stat() {
    golden(
        "stat",
        &[
            &["stat", "pbmc_small.h5ad"],
            &["stat", "files/superblock_3_newest.h5"],
            &["stat", "--json", "files/superblock_0.h5"],
            &["stat", "files/user_block_512.h5"],
            &["stat", "files/trailing_bytes.h5"],
        ],
    );
}

#[test]
fn check() {
    golden(
        "check",
        &[
            &["check", "pbmc_small.h5ad"],
            &["check", "files/links_all.h5"],
            &["check", "files/external.h5"],
            &["check", "files/virtual.h5"],
            &["check", "files/filter_unknown.h5"],
            &["check", "files/filter_fletcher_wrong.h5"],
            &["check", "--metadata", "files/filter_fletcher_wrong.h5"],
            &["check", "files/truncated.h5"],
            &["check", "files/left_open_write.h5"],
            &["check", "files/prepended_512.h5"],
            &["check", "corrupt/checksum_EADB.h5"],
            &["check", "corrupt/truncated_v200_0600.h5"],
            &["check", "--quiet", "corrupt/checksum_EADB.h5"],
            &["check", "--quiet", "pbmc_small.h5ad"],
        ],
    );
}

#[test]
fn salvage() {
    golden(
        "salvage",
        &[
            &["salvage", "--list", "files/superblock_0.h5"],
            &["salvage", "--list", "corrupt/checksum_superblock.h5"],
            &["salvage", "--list", "corrupt/checksum_OHDR.h5"],
            &["salvage", "--list", "corrupt/checksum_OCHK.h5"],
            &["salvage", "--list", "corrupt/checksum_EADB.h5"],
            &["salvage", "--list", "corrupt/deflate_noise.h5"],
            &["salvage", "--list", "corrupt/truncated_earliest_3000.h5"],
            &["salvage", "--list", "corrupt/extent_huge.h5"],
            &["salvage", "--list", "files/filter_unknown.h5"],
            &["salvage", "--list", "corrupt/empty.h5"],
            &["salvage", "--list", "no_such_file.h5"],
        ],
    );
}

#[test]
fn damaged_things_do_not_hide_the_rest() {
    golden(
        "damage",
        &[
            &["ls", "-l", "corrupt/compound_members.h5"],
            &["ls", "-r", "corrupt/chunk_btree_cycle.h5"],
            &["ls", "corrupt/checksum_EADB.h5"],
            &["dump", "corrupt/checksum_EADB.h5"],
            &["dump", "corrupt/global_heap_object.h5"],
            &["dump", "corrupt/deflate_noise.h5", "/x", "-s", "990..1010"],
            &["dump", "corrupt/deflate_noise.h5", "/x", "-s", "990..1010", "--json"],
            &["dump", "corrupt/deflate_noise.h5", "/x", "--raw", "-s", "990..1010"],
            &["dump", "files/filter_unknown.h5"],
            &["stat", "corrupt/chunk_btree_cycle.h5"],
            &["digest", "corrupt/deflate_noise.h5"],
        ],
    );
}

#[test]
fn trouble() {
    golden(
        "trouble",
        &[
            &["ls", "no_such_file.h5"],
            &["ls", "corrupt/not_hdf5.h5"],
            &["ls", "corrupt/empty.h5"],
            &["ls", "pbmc_small.h5ad", "/obbs"],
            &["dump", "pbmc_small.h5ad", "/obs@column_order"],
            &["dump", "pbmc_small.h5ad", "/obs/barcode/x"],
            &["dump", "pbmc_small.h5ad", "/obs", "--raw"],
            &["ls", "files/truncated.h5"],
            &["dump", "files/left_open_swmr.h5", "/x"],
            &["stat", "files/prepended_512.h5"],
            &["check", "corrupt/superblock_version.h5"],
        ],
    );
}

#[test]
fn help_teaches() {
    for verb in ["ls", "dump", "stat", "check", "digest", "salvage"] {
        let help = stdout(&[verb, "--help"]);
        assert!(help.contains("Examples:") && help.contains(&format!("h5kit {verb} ")), "{help}");
    }
    assert!(stdout(&["--help"]).contains("Exit status:"));
}

#[test]
fn wrong_arguments() {
    let wrong: &[&[&str]] = &[
        &[],
        &["lss"],
        &["ls"],
        &["dump", "pbmc_small.h5ad", "/X", "--nonsense"],
        &["dump", "pbmc_small.h5ad", "/X/data", "--json", "--raw"],
        &["dump", "pbmc_small.h5ad", "/X/data", "-s", "1", "--start", "1"],
        &["ls", "-r", "--tree", "pbmc_small.h5ad"],
        &["salvage", "pbmc_small.h5ad"],
        &["salvage", "pbmc_small.h5ad", "files"],
    ];
    for args in wrong {
        assert_eq!(status(args), Some(2), "{args:?}");
    }
}

#[test]
fn raw_bytes_are_those_of_the_datatype() {
    let all = run(&["dump", "pbmc_small.h5ad", "/X/indptr", "--raw"]).stdout;
    let text = stdout(&["dump", "pbmc_small.h5ad", "/X/indptr", "--json"]);
    let values: Vec<i32> = serde_json::from_str(&text).expect("integers");
    assert_eq!(values.iter().flat_map(|n| n.to_le_bytes()).collect::<Vec<u8>>(), all);
    let part = run(&["dump", "pbmc_small.h5ad", "/X/indptr", "--raw", "-s", "10..100:7"]).stdout;
    let picked: Vec<u8> = values[10..100].iter().step_by(7).flat_map(|n| n.to_le_bytes()).collect();
    assert_eq!(picked, part);
}

#[test]
fn everything_is_shown_where_that_is_wanted() {
    let all = stdout(&["dump", "--all", "pbmc_small.h5ad", "/X/data"]);
    assert!(!all.contains('…'));
    // One index before each line.
    let values = all.lines().flat_map(|line| line.split_whitespace().skip(1)).count();
    assert_eq!(values, 3304);
    assert!(stdout(&["dump", "pbmc_small.h5ad", "/X/data"]).contains('…'));
}

/// Every value that `values.json` names for a dataset, as JSON of the command.
#[test]
fn values_are_those_of_libhdf5() {
    let text = std::fs::read_to_string(root().join("testdata/values.json")).expect("values");
    let files: serde_json::Map<String, serde_json::Value> = serde_json::from_str(&text).expect("JSON");
    let mut compared = 0;
    for (file, places) in &files {
        for (place, expected) in places.as_object().expect("places") {
            let entries = expected.as_array().cloned().unwrap_or_else(|| vec![expected.clone()]);
            for entry in entries {
                let plain = matches!(entry["as"].as_str(), Some("i64" | "u64" | "enum"));
                if !plain || entry.get("select").is_some() || place.contains('#') || !place.is_ascii() {
                    continue;
                }
                let output = run(&["dump", "--json", &format!("files/{file}"), place]);
                let got: serde_json::Value = serde_json::from_slice(&output.stdout)
                    .unwrap_or_else(|e| panic!("{file} {place}: {e}: {}", String::from_utf8_lossy(&output.stderr)));
                let mut flat = Vec::new();
                flatten(&got, &mut flat);
                let values = entry["values"].as_array().expect("values");
                if entry["as"] == "enum" {
                    // A value that is no member is a number here.
                    flat.iter_mut()
                        .filter(|value| value.is_number())
                        .for_each(|value| *value = serde_json::Value::Null);
                } else if flat.iter().any(|value| !value.is_number()) {
                    // Converted on purpose: from other classes.
                    continue;
                }
                if flat.iter().any(|value| value.is_f64() || value.is_boolean()) {
                    continue;
                }
                assert_eq!(&flat, values, "{file} {place}");
                compared += 1;
            }
        }
    }
    assert!(compared > 50, "{compared}");
}

fn flatten(value: &serde_json::Value, to: &mut Vec<serde_json::Value>) {
    match value {
        serde_json::Value::Array(values) => values.iter().for_each(|value| flatten(value, to)),
        other => to.push(other.clone()),
    }
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let commands: &[&[&str]] = &[
        &["digest", "pbmc_small.h5ad"],
        &["ls", "-rl", "pbmc_small.h5ad"],
        &["dump", "--all", "pbmc_small.h5ad", "/layers/scaled"],
        &["dump", "--json", "pbmc_small.h5ad", "/layers/scaled"],
        &["dump", "--raw", "pbmc_small.h5ad", "/layers/scaled"],
    ];
    for args in commands {
        let mut child = h5kit(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the command runs");
        let mut byte = [0];
        let mut output = child.stdout.take().expect("output");
        output.read_exact(&mut byte).expect("a byte");
        drop(output);
        let end = child.wait_with_output().expect("an end");
        assert_eq!((end.status.code(), end.stderr.as_slice()), (Some(0), &b""[..]), "{args:?}");
    }
}

#[test]
fn colours_are_as_wanted() {
    let colored = |when: &str| stdout(&["ls", "--color", when, "pbmc_small.h5ad"]).contains('\u{1b}');
    assert!(colored("always"));
    assert!(!colored("never"));
    assert!(!colored("auto"));
}

/// No verb panics or is killed by what is in a file.
#[test]
fn damaged_files_end_in_order() {
    let folder = root().join("testdata/corrupt");
    let mut seen = 0;
    for entry in std::fs::read_dir(&folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = Path::new("corrupt").join(path.file_name().expect("a name"));
        let name = name.to_str().expect("text");
        let verbs: [&[&str]; 6] = [
            &["ls", "-rl", name],
            &["dump", name],
            &["stat", name],
            &["check", name],
            &["salvage", "--list", name],
            &["dump", "--json", name],
        ];
        for args in verbs {
            let output = run(args);
            assert!(matches!(output.status.code(), Some(0..=3)), "{args:?}: {output:?}");
            if args[1] == "--json" && !output.stdout.is_empty() {
                serde_json::from_slice::<serde_json::Value>(&output.stdout).unwrap_or_else(|e| panic!("{args:?}: {e}"));
            }
        }
        seen += 1;
    }
    assert!(seen > 50);
}

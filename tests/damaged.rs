//! Damaged and hostile files: values or an error, soon, and never a panic.

mod common;

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use common::{corpus, files_below, testdata};
use h5kit::digest::Lines;
use h5kit::element::Value;
use h5kit::{File, Group, Object, Options, Result, SurveyData, Target};

/// No file here is large; one that takes longer than this hangs.
const SOON: Duration = Duration::from_secs(10);

/// Opens a file and reads everything in it. True where something was wrong.
fn read_everything(path: &Path) -> bool {
    let start = Instant::now();
    let mut wrong = false;
    match File::open(path) {
        Ok(file) => {
            for line in Lines::of(&file) {
                wrong |= line.expect("a file on disk lacks nothing").contains("\"error\"");
            }
            let mut told = Vec::new();
            read_group(&file.root(), &mut told, &mut HashSet::new());
            wrong |= !told.is_empty();
        }
        Err(e) => {
            assert!(!e.to_string().is_empty());
            wrong = true;
        }
    }
    match Options::new().survey(path, SurveyData::Read) {
        Ok(survey) => wrong |= !survey.findings.is_empty(),
        Err(_) => wrong = true,
    }
    assert!(start.elapsed() < SOON, "{} took {:?}", path.display(), start.elapsed());
    wrong
}

#[test]
fn damage_is_noticed() {
    let mut files = files_below(&testdata().join("corrupt"));
    files.retain(|path| path.extension().is_some_and(|e| e == "h5"));
    assert!(files.len() > 80);
    let sound: Vec<PathBuf> = files.into_iter().filter(|file| !read_everything(file)).collect();
    assert!(sound.is_empty(), "nothing was found wrong with {sound:?}");
}

/// All that is wrong with a file, in words: what a survey finds, and what reading everything meets.
fn told(path: &Path) -> Vec<String> {
    let mut told = Vec::new();
    match Options::new().survey(path, SurveyData::Read) {
        Ok(survey) => {
            let at = |finding| survey.path_of_finding(finding).map_or(String::new(), |path| path + ": ");
            told.extend(survey.findings.iter().map(|finding| format!("{}{}", at(finding), finding.error)));
        }
        Err(e) => told.push(e.to_string()),
    }
    match File::open(path) {
        Ok(file) => read_group(&file.root(), &mut told, &mut HashSet::new()),
        Err(e) => told.push(e.to_string()),
    }
    told
}

/// Reads all that hard links of a group lead to: every dataset whole, as bytes and as values, and every attribute.
fn read_group(group: &Group, told: &mut Vec<String>, seen: &mut HashSet<u64>) {
    let mut tell = |result: Result<()>| told.extend(result.err().map(|e| e.to_string()));
    let mut groups = Vec::new();
    match group.links() {
        Err(e) => tell(Err(e)),
        Ok(links) => links.for_each(|link| {
            let object = match link
                .and_then(|link| if let Target::Hard(_) = link.target() { link.open().map(Some) } else { Ok(None) })
            {
                Ok(Some(object)) if seen.insert(object.info().address()) => object,
                Ok(_) => return,
                Err(e) => return tell(Err(e)),
            };
            for attribute in object.attributes().into_iter().flatten() {
                tell(attribute.and_then(|attribute| attribute.read::<Vec<Value>>().map(drop)));
            }
            match object {
                Object::Group(group) => groups.push(group),
                Object::Dataset(dataset) => {
                    tell(dataset.read_bytes(..).map(drop));
                    tell(dataset.read::<Vec<Value>>(..).map(drop));
                }
                Object::NamedDatatype(_) => {}
            }
        }),
    }
    groups.iter().for_each(|group| read_group(group, told, seen));
}

#[test]
fn damage_is_told_as_expected() {
    let folder = testdata().join("corrupt");
    let expected = std::fs::read_to_string(folder.join("expected.json")).expect("the expected errors");
    let expected: BTreeMap<String, String> = serde_json::from_str(&expected).expect("JSON");
    let files = files_below(&folder);
    let names = files.iter().filter_map(|path| path.file_name()?.to_str()).filter(|name| name.ends_with(".h5"));
    assert!(names.eq(expected.keys()), "each file has its error");
    for (name, expected) in &expected {
        let told = told(&folder.join(name));
        assert!(told.iter().any(|line| line.contains(expected)), "{name}: {expected}\nis not among\n{told:#?}");
    }
}

#[test]
fn what_is_sound_is_read_all_the_same() {
    // One object of each of these is damaged; the others give what they hold.
    for (name, damaged) in [("checksum_FADB.h5", 1), ("deflate_noise.h5", 1), ("chunk_btree_cycle.h5", 1)] {
        let file = File::open(testdata().join("corrupt").join(name)).expect("it opens");
        let lines: Vec<String> = Lines::of(&file).collect::<Result<_, _>>().expect("lines");
        let wrong = lines.iter().filter(|line| line.contains("\"error\"")).count();
        assert!(wrong >= damaged && wrong < lines.len(), "{name}: {wrong} of {} lines", lines.len());
    }
}

#[test]
fn the_malformed_corpus_is_survived() {
    let Some(corpus) = corpus() else { return };
    let files = files_below(&corpus.join("malformed"));
    assert!(files.len() > 300);
    files.iter().for_each(|file| {
        read_everything(file);
    });
}

/// Every file of the test data with bytes changed in many places: nothing but values and errors.
#[test]
fn changed_bytes_are_survived() {
    let files = files_below(&testdata().join("files"));
    let small = files.iter().filter(|f| {
        f.extension().is_some_and(|e| e == "h5") && std::fs::metadata(f).is_ok_and(|m| (1..16 << 10).contains(&m.len()))
    });
    let limits = h5kit::Limits { read_bytes: 16 << 20, chunk_bytes: 16 << 20, ..Default::default() };
    let mut random = 0x9e37_79b9_7f4a_7c15u64;
    let mut changed = 0;
    for path in small {
        let bytes = std::fs::read(path).expect("a file");
        for _ in 0..12 {
            let mut copy = bytes.clone();
            for _ in 0..3 {
                // xorshift: the same changes in every run.
                random ^= random << 13;
                random ^= random >> 7;
                random ^= random << 17;
                let at = (random >> 16) as usize % copy.len();
                copy[at] =
                    [0, 0xff, copy[at] ^ 1, copy[at].wrapping_add(1), (random >> 8) as u8][(random % 5) as usize];
            }
            changed += 1;
            let Ok(file) = Options::new().limits(limits.clone()).from_bytes(copy) else { continue };
            let start = Instant::now();
            Lines::of(&file).for_each(drop);
            let _ = file.survey(SurveyData::Read);
            assert!(start.elapsed() < SOON, "{} took {:?}", path.display(), start.elapsed());
        }
    }
    assert!(changed > 500, "only {changed} files");
}

//! The survey over every test file: what is sound and what is not, and every structure both ways.

mod both_ways;
mod corrupt;
mod counts;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Data, Survey, survey};
use crate::Limits;
use crate::error::ErrorKind;
use crate::source::{Family, FileSource, Multi, Source};
use crate::walk::Frame;

/// Files in `testdata/files` in which something is wrong on purpose, or by their writer's fault, and why.
const ODD: &[(&str, &str)] = &[
    ("attributes_versions.h5", "made by hand: datasets that share their raw data"),
    ("header_2_gaps.h5", "made by hand: datasets that share their raw data"),
    ("header_unknown_messages.h5", "made by hand: datasets that share their raw data"),
    ("layout_versions.h5", "made by hand: datasets that share their raw data and their chunk index"),
    ("btree2_depth_3.h5", "made by hand: many links to an object whose reference count says one"),
    ("heap_filtered.h5", "made by hand: many links to an object whose reference count says one"),
    ("heap_filtered_root_block.h5", "made by hand: many links to an object whose reference count says one"),
    ("heap_huge_indirect.h5", "made by hand: many links to an object whose reference count says one"),
    ("heap_nested_indirect.h5", "made by hand: many links to an object whose reference count says one"),
    ("heap_tiny_and_direct_huge.h5", "made by hand: many links to an object whose reference count says one"),
    ("names_length_widths.h5", "made by hand: many links to an object whose reference count says one"),
    ("filter_fletcher_wrong.h5", "a wrong checksum in a chunk"),
    ("truncated.h5", "cut off"),
];

fn testdata() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata")
}

/// The files in a folder and below it. Of a file in parts the first part stands for all.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the folder can be read") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.append(&mut files(&path));
        } else if !is_beside(&path) {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// True for what stands beside HDF5 files: digests, raw data, parts of a file other than the first.
fn is_beside(path: &Path) -> bool {
    let extension = path.extension().map(|e| e.to_string_lossy().into_owned()).unwrap_or_default();
    let name = name(path);
    let later_part = |start: &str, first: &str| name.starts_with(start) && name != first;
    ["digest", "json", "jsonl", "md", "txt", "raw", "py"].contains(&extension.as_str())
        || later_part("family_0", "family_00000.h5")
        || later_part("family_old_", "family_old_0.h5")
        || later_part("multi-", "multi-s.h5")
        || later_part("split-", "split-m.h5")
}

/// Opens a file; one in parts by its first part.
fn open(path: &Path) -> crate::Result<Frame> {
    let file = Frame::open(Arc::new(FileSource::open(path)?), Limits::default(), None)?;
    match parts(path, &file)? {
        Some(source) => Frame::open(source, Limits::default(), None),
        None => Ok(file),
    }
}

fn parts(path: &Path, file: &Frame) -> crate::Result<Option<Arc<dyn Source>>> {
    let Some(info) = &file.driver_info else { return Ok(None) };
    let first = path.display().to_string();
    let part = |path: String| FileSource::open(Path::new(&path)).map(|file| Arc::new(file) as Arc<dyn Source>);
    if let Some(size) = info.family_member_size() {
        let pattern = first.strip_suffix("0.h5").unwrap_or(&first);
        let members = (0..).map_while(|n| {
            let short = part(format!("{pattern}{n}.h5"));
            let digits = pattern.trim_end_matches('0');
            short.or_else(|_| part(format!("{digits}{n:05}.h5"))).ok()
        });
        return Ok(Some(Arc::new(Family::new(members.collect(), size))));
    }
    let Some(members) = info.multi_members() else { return Ok(None) };
    let stem = first.rsplit_once('-').map_or(first.as_str(), |(stem, _)| stem);
    let members =
        members.into_iter().map(|member| Ok((member.start, part(member.name.to_string().replace("%s", stem))?)));
    Ok(Some(Arc::new(Multi::new(members.collect::<crate::Result<_>>()?))))
}

fn name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// The survey of a file of the test data, in full.
fn surveyed(folder: &str, name: &str) -> Survey {
    let file = open(&testdata().join(folder).join(name)).expect("it opens");
    survey(&file, Data::Read).expect("the source has everything")
}

/// Bytes of a file of the test data.
fn length(name: &str) -> u64 {
    std::fs::metadata(testdata().join("files").join(name)).expect("it is there").len()
}

fn told(survey: &Survey) -> Vec<String> {
    let path = |object: Option<u32>| object.map_or_else(String::new, |object| survey.path(object) + ": ");
    survey.findings.iter().map(|finding| format!("{}{}", path(finding.object), finding.error)).collect()
}

#[test]
fn sound_files_are_found_sound() {
    let mut wrong = Vec::new();
    for path in files(&testdata().join("files")) {
        let Ok(file) = open(&path) else {
            wrong.push(format!("{}: not opened", name(&path)));
            continue;
        };
        let survey = survey(&file, Data::Read).expect("the source has everything");
        let sound = survey.findings.iter().all(|finding| finding.error.kind() == ErrorKind::Unsupported);
        if ODD.iter().any(|(odd, _)| *odd == name(&path)) == sound {
            wrong.push(format!("{}: {:#?}", name(&path), told(&survey)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

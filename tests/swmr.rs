//! Files that are read while somebody writes to them.
//!
//! `H5KIT_PYTHON` names a Python with `testdata/requirements.txt`. Without it the test that needs a writer says so and
//! passes.

mod common;

use std::borrow::Cow;
use std::io::{BufRead, BufReader, Read, Write};
use std::num::NonZero;
use std::ops::Range;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use common::testdata;
use h5kit::bytes::checksum::lookup3;
use h5kit::digest::Lines;
use h5kit::error::{Fault, Structure};
use h5kit::source::{FileSource, Source};
use h5kit::{Dataset, Error, File, Options, Result, SurveyData};

fn bytes(name: &str) -> Vec<u8> {
    std::fs::read(testdata().join("files").join(name)).expect(name)
}

/// The same file, as it is while a writer lets others read: superblock 3 with its flags.
fn being_written(mut bytes: Vec<u8>) -> Vec<u8> {
    assert!(bytes[8] > 1, "a superblock with a checksum");
    (bytes[8], bytes[11]) = (3, 5);
    let checksum = lookup3(&bytes[..44]);
    bytes[44..48].copy_from_slice(&checksum.to_le_bytes());
    bytes
}

/// Bytes of which the first reads of a structure find a part that has not been written yet.
#[derive(Debug)]
struct Torn {
    new: Vec<u8>,
    /// What stands there before.
    old: Vec<u8>,
    at: usize,
    /// Where the structure begins.
    structure: usize,
    torn_reads: u32,
    reads: AtomicU32,
}

impl Torn {
    /// The part `part` of the structure at `structure` is seen as it was so many times.
    fn new(new: &[u8], structure: usize, part: &(usize, Vec<u8>), torn_reads: u32) -> Arc<Self> {
        let (new, (at, old)) = (new.to_vec(), part.clone());
        Arc::new(Self { new, old, at, structure, torn_reads, reads: AtomicU32::new(0) })
    }
}

impl Source for Torn {
    fn len(&self) -> u64 {
        self.new.len() as u64
    }

    fn read(&self, range: Range<u64>) -> Result<Cow<'_, [u8]>> {
        let (start, end) = (range.start as usize, range.end as usize);
        let Some(new) = self.new.get(start..end) else {
            // The reader looks at the length before.
            panic!("{range:?} of {}", self.new.len());
        };
        let mut bytes = new.to_vec();
        let (low, high) = (start.max(self.at), end.min(self.at + self.old.len()));
        if start == self.structure && low < high && self.reads.fetch_add(1, Ordering::Relaxed) < self.torn_reads {
            bytes[low - start..high - start].copy_from_slice(&self.old[low - self.at..high - self.at]);
        }
        Ok(Cow::Owned(bytes))
    }
}

/// A file whose dataset `x` had six elements and has five: its bytes, where the header of `x` begins, and the second part of
/// that as it was.
fn shrunk(name: &str) -> (Vec<u8>, usize, (usize, Vec<u8>)) {
    let six = bytes(name);
    let header = File::from_bytes(six.clone()).expect("it opens").dataset("x").expect("x").info().position() as usize;
    let length =
        (header..).find(|end| lookup3(&six[header..*end]).to_le_bytes() == six[*end..][..4]).expect("a checksum");
    // The current and the largest dimension.
    let dims: Vec<usize> = (header..length).filter(|at| six[*at..].starts_with(&6u64.to_le_bytes())).collect();
    let mut five = six.clone();
    dims.iter().for_each(|at| five[*at] = 5);
    let checksum = lookup3(&five[header..length]);
    five[length..length + 4].copy_from_slice(&checksum.to_le_bytes());
    let half = dims.last().expect("dimensions") + 8;
    (five, header, (half, six[half..length + 4].to_vec()))
}

fn is_checksum(error: &Error) -> bool {
    error.corrupt().is_some_and(|corrupt| matches!(corrupt.fault(), Fault::Checksum { .. }))
}

#[test]
fn a_torn_header_is_read_again() {
    let (new, header, old) = shrunk("left_open_swmr.h5");
    let numbers: Vec<i32> =
        File::from_bytes(bytes("left_open_swmr.h5")).expect("it opens").dataset("x").expect("x").read(..).expect("six");
    let open =
        |torn: &Arc<Torn>, options: Options| options.from_source(torn.clone())?.dataset("x")?.read::<Vec<i32>>(..);
    for torn_reads in [0, 1, 7, 99] {
        let torn = Torn::new(&new, header, &old, torn_reads);
        let read = open(&torn, Options::new()).unwrap_or_else(|e| panic!("after {torn_reads}: {e}"));
        assert_eq!(read, numbers[..5]);
    }
    // All attempts are used up.
    let torn = Torn::new(&new, header, &old, u32::MAX);
    assert!(is_checksum(&open(&torn, Options::new()).expect_err("torn for ever")));
    assert_eq!(torn.reads.load(Ordering::Relaxed), 100);
    let torn = Torn::new(&new, header, &old, 3);
    let three = Options::new().read_attempts(NonZero::new(3).expect("three"));
    assert!(is_checksum(&open(&torn, three.clone()).expect_err("torn three times")));
    assert_eq!(torn.reads.load(Ordering::Relaxed), 3);
    assert_eq!(open(&torn, three).expect("whole by now"), numbers[..5]);

    // Nobody writes to this one: it is damaged.
    let (new, header, old) = shrunk("left_open_write.h5");
    let torn = Torn::new(&new, header, &old, 1);
    assert!(is_checksum(&open(&torn, Options::new()).expect_err("one attempt")));
    assert_eq!(torn.reads.load(Ordering::Relaxed), 1);
    // Unless the caller knows better.
    let torn = Torn::new(&new, header, &old, 1);
    let two = Options::new().read_attempts(NonZero::new(2).expect("two"));
    assert_eq!(open(&torn, two).expect("two attempts"), numbers[..5]);
}

#[test]
fn damage_is_given_up_once() {
    let (new, header, old) = shrunk("left_open_swmr.h5");
    let torn = Torn::new(&new, header, &old, 150);
    let file = File::from_source(torn.clone()).expect("it opens");
    assert!(is_checksum(&file.dataset("x").expect_err("torn a hundred times")));
    assert!(is_checksum(&file.dataset("x").expect_err("one attempt")));
    assert_eq!(torn.reads.load(Ordering::Relaxed), 101);
    file.refresh().expect("refreshed");
    assert_eq!(file.dataset("x").expect("whole by now").shape(), [5]);
}

/// Structures of which some are always verified by a checksum.
const VERIFIED: &[Structure] = &[
    Structure::Superblock,
    Structure::ObjectHeader,
    Structure::ObjectHeaderContinuation,
    Structure::BTreeV2Header,
    Structure::BTreeV2Internal,
    Structure::BTreeV2Leaf,
    Structure::FractalHeap,
    Structure::FractalHeapIndirect,
    Structure::FractalHeapDirect,
    Structure::FixedArray,
    Structure::FixedArrayBlock,
    Structure::ExtensibleArray,
    Structure::ExtensibleArrayIndex,
    Structure::ExtensibleArraySecondary,
    Structure::ExtensibleArrayBlock,
];

#[cfg(feature = "deflate")]
#[test]
fn torn_structures_are_read_again() {
    let mut met = std::collections::BTreeSet::new();
    for name in [
        "chunks_all_v4.h5",
        "chunks_extensible_many.h5",
        "links_dense.h5",
        "attributes_dense.h5",
        "links_dense_deep.h5",
        "header_2_chain.h5",
    ] {
        let sound = being_written(bytes(name));
        let lines = |file: &File| Lines::of(file).collect::<Result<Vec<String>>>().expect("lines");
        let file = File::from_bytes(sound.clone()).expect("it opens");
        assert!(file.condition().open_for_swmr);
        let expected = lines(&file);
        let survey = file.survey(SurveyData::Locate).expect("a survey");
        let (mut seen, mut fatal) = (std::collections::BTreeMap::new(), 0);
        for extent in survey.extents.iter().filter(|extent| VERIFIED.contains(&extent.structure)) {
            // Of each kind some.
            let count = seen.entry(extent.structure).or_insert(0);
            *count += 1;
            if *count > 6 {
                continue;
            }
            met.insert(extent.structure);
            let half = (extent.at + extent.used / 2) as usize..(extent.at + extent.used) as usize;
            let old: Vec<u8> = sound[half.clone()].iter().map(|byte| byte ^ 0xa5).collect();
            let part = (half.start, old);
            let torn = || Torn::new(&sound, extent.at as usize, &part, 2);
            let file = File::from_source(torn()).unwrap_or_else(|e| panic!("{name}: {e}"));
            assert!(lines(&file) == expected, "{name}: {} at {:#x}", extent.structure, extent.at);
            let once = Options::new().read_attempts(NonZero::<u32>::MIN);
            fatal += u32::from(!once.from_source(torn()).is_ok_and(|file| lines(&file) == expected));
        }
        assert!(fatal > 3, "{name}: with one attempt only {fatal} are noticed");
    }
    assert_eq!(met.len(), VERIFIED.len(), "{met:?}");
}

/// A file that can be written over.
fn temporary(bytes: &[u8]) -> tempfile::NamedTempFile {
    let mut file = tempfile::NamedTempFile::new().expect("a file");
    file.write_all(bytes).expect("written");
    file
}

fn names(file: &File) -> Vec<String> {
    file.root().links().expect("links").map(|link| link.expect("a link").name().to_string()).collect()
}

#[test]
fn refreshed_groups_have_the_links_of_now() {
    let (before, after) = (bytes("links_dense.h5"), bytes("links_compact.h5"));
    let (old, new) =
        (File::from_bytes(before.clone()).expect("it opens"), File::from_bytes(after.clone()).expect("it opens"));
    assert_eq!(old.superblock().root(), new.superblock().root());
    let written = temporary(&before);
    let file = File::open(written.path()).expect("it opens");
    let root = file.root();
    assert_eq!(names(&file), names(&old));
    std::fs::write(written.path(), &after).expect("written over");
    file.refresh().expect("refreshed");
    assert_eq!(names(&file), names(&new));
    let lines = |file: &File| Lines::of(file).collect::<Result<Vec<String>>>().expect("lines");
    assert_eq!(lines(&file), lines(&new));
    assert_ne!(root.links().map(|links| links.len()).ok(), Some(names(&new).len()), "opened before");
}

#[test]
fn refreshed_datasets_have_the_elements_of_now() {
    let before = bytes("filter_deflate_shuffle_fletcher.h5");
    let path = "shuffle f8";
    let chunks =
        File::from_bytes(before.clone()).expect("it opens").dataset(path).expect(path).chunks().expect("chunks");
    let mut after = before.clone();
    // Shuffled: the first bytes of all elements come first.
    after[chunks[0].position as usize..][48..56].rotate_left(1);
    after.extend_from_slice(&[0; 100]);
    let expected: Vec<f64> =
        File::from_bytes(after.clone()).expect("it opens").dataset(path).expect(path).read(1..5).expect("some");

    let written = temporary(&before);
    let file = File::open(written.path()).expect("it opens");
    let mut dataset = file.dataset(path).expect(path);
    let old: Vec<f64> = dataset.read(1..5).expect("some");
    assert_ne!(old, expected);
    std::fs::write(written.path(), &after).expect("written over");
    assert_eq!(dataset.read::<Vec<f64>>(1..5).expect("kept"), old, "chunks that were read in part are kept");
    assert_eq!(file.source().len(), before.len() as u64);
    dataset.refresh().expect("refreshed");
    assert_eq!(dataset.read::<Vec<f64>>(1..5).expect("read again"), expected);
    assert_eq!(file.source().len(), after.len() as u64);
}

#[test]
fn nothing_is_kept_of_a_file_that_is_being_written() {
    let before = being_written(bytes("filter_pipeline_2.h5"));
    let path = "shuffle f8";
    let written = temporary(&before);
    let file = File::from_source(Arc::new(FileSource::open(written.path()).expect("a file"))).expect("it opens");
    assert!(file.condition().open_for_swmr);
    let dataset = file.dataset(path).expect(path);
    let old: Vec<f64> = dataset.read(1..5).expect("some");
    let chunks = dataset.chunks().expect("chunks");
    let mut after = before;
    after[chunks[0].position as usize..][48..56].rotate_left(1);
    std::fs::write(written.path(), &after).expect("written over");
    let new: Vec<f64> = dataset.read(1..5).expect("some");
    assert_ne!(new, old);
    assert_eq!(
        new,
        File::from_bytes(after).expect("it opens").dataset(path).expect(path).read::<Vec<f64>>(1..5).expect("some")
    );
}

/// Appends to three datasets for some seconds: chunks under an extensible array, the same deflated, and under a version 2
/// B-tree, deflated as well. Element `i` is `3 * i + 1`, element `(i, j)` is `1000 * i + j + 1`.
const WRITER: &str = r#"
import random, sys, time
import h5py, numpy as np

random.seed(7)
with h5py.File(sys.argv[1], "w", libver="latest") as f:
    line = f.create_dataset("line", (0,), "<i8", maxshape=(None,), chunks=(100,))
    deflated = f.create_dataset("deflated", (0,), "<i8", maxshape=(None,), chunks=(64,), compression="gzip")
    plane = f.create_dataset("plane", (0, 30), "<i4", maxshape=(None, None), chunks=(7, 20), compression="gzip")
    f.swmr_mode = True
    print("ready", flush=True)
    end = time.monotonic() + float(sys.argv[2])
    while time.monotonic() < end:
        for d in (line, deflated):
            n, more = len(d), random.randint(1, 90)
            d.resize((n + more,))
            d[n:] = 3 * np.arange(n, n + more) + 1
            d.flush()
        rows, columns = plane.shape
        if rows >= 50 and columns < 90 and random.random() < 0.3:
            plane.resize((rows, columns + 11))
        else:
            plane.resize((rows + random.randint(1, 9), columns))
        i, j = np.indices(plane.shape)
        values = 1000 * i + j + 1
        plane[rows:] = values[rows:]
        plane[:rows, columns:] = values[:rows, columns:]
        plane.flush()
        time.sleep(0.002)
    print(len(line), len(deflated), *plane.shape, flush=True)
"#;

/// A writer at work; it is ended with the test.
struct Writer {
    process: Child,
    says: BufReader<ChildStdout>,
}

impl Writer {
    fn begin(python: std::ffi::OsString, file: &std::path::Path, seconds: &str) -> Self {
        let mut process = Command::new(python)
            .args(["-c", WRITER])
            .args([file.as_os_str(), seconds.as_ref()])
            .stdout(Stdio::piped())
            .spawn()
            .expect("Python runs");
        let mut says = BufReader::new(process.stdout.take().expect("its output"));
        let mut line = String::new();
        says.read_line(&mut line).expect("a line");
        assert_eq!(line.trim(), "ready");
        Self { process, says }
    }

    fn is_at_work(&mut self) -> bool {
        self.process.try_wait().expect("a state").is_none()
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// All elements of a dataset are what was written; elements of its shape.
fn check(dataset: &Dataset) -> u64 {
    let values: Vec<i64> = dataset.read(..).unwrap_or_else(|e| panic!("{:?}: {e}", dataset.shape()));
    assert_eq!(values.len() as u64, dataset.len());
    let columns = dataset.shape().get(1).map(|n| *n as usize);
    for (n, value) in values.iter().enumerate() {
        let expected = columns.map_or(3 * n + 1, |columns| 1000 * (n / columns) + n % columns + 1);
        assert_eq!(*value, expected as i64, "{} {:?}, element {n}", dataset.path(), dataset.shape());
    }
    dataset.len()
}

#[cfg(feature = "deflate")]
#[test]
fn a_file_is_read_while_it_grows() {
    let Some(python) = std::env::var_os("H5KIT_PYTHON") else {
        eprintln!("H5KIT_PYTHON is not set: no file is read while it grows");
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("growing.h5");
    let mut writer = Writer::begin(python, &path, "4");
    let file = File::open(&path).expect("it opens");
    assert!(file.condition().open_for_swmr);
    let open = |file: &File| ["line", "deflated", "plane"].map(|name| file.dataset(name).expect(name));
    let mut datasets = open(&file);
    let mut seen = [0; 3];
    let mut grown = [0; 3];
    let mut turns = 0u32;
    while writer.is_at_work() {
        for ((dataset, seen), grown) in datasets.iter_mut().zip(&mut seen).zip(&mut grown) {
            let before = dataset.shape().to_vec();
            dataset.refresh().expect("refreshed");
            assert!(before.iter().zip(dataset.shape()).all(|(before, now)| before <= now), "{before:?}");
            let length = check(dataset);
            *grown += u32::from(length > *seen);
            *seen = length;
        }
        turns += 1;
        // What is opened anew is of now as well, through an old handle of the file and through a new one.
        if turns.is_multiple_of(5) {
            let new = File::open(&path).expect("it opens");
            for dataset in [open(&file), open(&new)].iter().flatten() {
                let known = datasets.iter().find(|known| known.path() == dataset.path()).expect("the same");
                assert!(check(dataset) >= known.len());
            }
        }
    }
    assert!(grown.iter().all(|n| *n > 10), "grew {grown:?} times in {turns} turns");
    let mut last = String::new();
    writer.says.read_to_string(&mut last).expect("its last line");
    let wrote: Vec<u64> = last.split_whitespace().map(|n| n.parse().expect("a number")).collect();
    for dataset in &mut datasets {
        dataset.refresh().expect("refreshed");
        check(dataset);
    }
    let shapes: Vec<u64> = datasets.iter().flat_map(|dataset| dataset.shape().to_vec()).collect();
    assert_eq!(shapes, wrote);
    eprintln!("{turns} turns, {wrote:?} elements in the end");
}

//! What the test binaries share: where the data is, and the ways to open it.
#![allow(dead_code)]

#[cfg(feature = "arrow")]
pub mod frames;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use h5kit::digest::Lines;
use h5kit::source::{Extents, FileSource, Mapped, Memory, Source};
use h5kit::{File, Folder, Neighbours, Options, Result};

/// The project's own test data.
pub fn testdata() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata")
}

/// The larger corpus that `H5KIT_CORPUS` names. Without it the tests that need it say so and pass.
pub fn corpus() -> Option<PathBuf> {
    let corpus = std::env::var_os("H5KIT_CORPUS").map(PathBuf::from);
    if corpus.is_none() {
        eprintln!("H5KIT_CORPUS is not set: the corpus is not read");
    }
    corpus
}

/// The files under a folder, in order, those of sub-folders included.
pub fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() { folders.push(path) } else { found.push(path) }
        }
    }
    found.sort();
    found
}

/// Expected digests by the file (or pattern, or base name) that they are of.
pub fn digests_in(folder: &Path, extension: &str) -> Vec<(PathBuf, PathBuf)> {
    let with = |path: &PathBuf| path.to_str().and_then(|p| p.strip_suffix(extension)).map(PathBuf::from);
    let files = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let mut found: Vec<_> = files.filter_map(|path| Some((with(&path)?, path))).collect();
    found.sort();
    found
}

/// The ways to open one file that is not spread over several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    Memory,
    Mapped,
    Positioned,
    RangeByRange,
}

pub const WAYS: [Way; 4] = [Way::Memory, Way::Mapped, Way::Positioned, Way::RangeByRange];

/// The lines of a file's digest, opened in one of the ways.
pub fn lines(path: &Path, way: Way) -> Result<Vec<String>> {
    let folder = path.parent().expect("a folder").to_owned();
    let options = Options::new().neighbours(Folder::new(folder.clone()));
    match way {
        Way::Memory => {
            let source = Arc::new(Memory::new(std::fs::read(path).expect("a file")));
            Lines::of(&options.from_source(source)?).collect()
        }
        Way::Positioned => Lines::of(&options.from_source(Arc::new(FileSource::open(path)?))?).collect(),
        Way::Mapped => {
            #[allow(unsafe_code)]
            // SAFETY: test data does not change while tests run.
            let source = Arc::new(unsafe { Mapped::open(path) }?);
            Lines::of(&options.from_source(source)?).collect()
        }
        Way::RangeByRange => {
            let far = FarAway::new(folder);
            let source = far.extents(path.file_name().and_then(|n| n.to_str()).expect("a name")).expect("a file");
            let open = || Options::new().neighbours(far.clone()).from_source(source.clone());
            let file = far.run(open)?;
            let mut lines = Lines::of(&file);
            let mut found = Vec::new();
            while let Some(line) = far.run(|| lines.next().transpose())? {
                found.push(line);
            }
            Ok(found)
        }
    }
}

/// The lines of a file's digest, opened by name; also one that is spread over several.
pub fn lines_by_name(path: &Path) -> Result<Vec<String>> {
    Lines::of(&File::open(path)?).collect()
}

/// What has been fetched of a file, and the file.
type Fetched = (Arc<Extents>, Arc<FileSource>);

/// Files of a folder that come range by range, as they are asked for.
#[derive(Clone, Debug)]
pub struct FarAway {
    folder: PathBuf,
    opened: Arc<Mutex<HashMap<String, Fetched>>>,
}

impl FarAway {
    pub fn new(folder: PathBuf) -> Self {
        Self { folder, opened: Arc::default() }
    }

    /// What has been fetched of a file; `None` where there is no such file.
    pub fn extents(&self, name: &str) -> Option<Arc<Extents>> {
        let mut opened = self.opened.lock().expect("no panic");
        if let Some((extents, _)) = opened.get(name) {
            return Some(extents.clone());
        }
        let source = Arc::new(FileSource::open(&self.folder.join(name)).ok()?);
        let extents = Arc::new(Extents::new(source.len()));
        opened.insert(name.to_owned(), (extents.clone(), source));
        Some(extents)
    }

    /// Calls `read` until nothing is missing. Every round must fetch something.
    pub fn run<T>(&self, mut read: impl FnMut() -> Result<T>) -> Result<T> {
        loop {
            match read() {
                Err(e) if e.is_missing() => {
                    let mut fetched = 0;
                    for (extents, source) in self.opened.lock().expect("no panic").values() {
                        for range in extents.take_missing() {
                            extents.insert(range.start, source.read(range)?.into_owned());
                            fetched += 1;
                        }
                    }
                    assert!(fetched > 0, "nothing is missing, and yet it is");
                }
                done => return done,
            }
        }
    }
}

impl Neighbours for FarAway {
    fn open(&self, name: &str) -> Result<Option<Arc<dyn Source>>> {
        let inside = Path::new(name).file_name().and_then(|n| n.to_str());
        Ok(inside.and_then(|name| self.extents(name)).map(|extents| extents as Arc<dyn Source>))
    }

    fn of(&self, _: &str) -> Arc<dyn Neighbours> {
        Arc::new(self.clone())
    }
}

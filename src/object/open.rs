use std::ffi::OsString;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::file::File;
use super::neighbour::{Folder, Neighbours};
use super::salvage::Salvage;
use super::workers;
use crate::error::{Cause, Error, Result, Unsupported, Usage};
use crate::format::driver_info::DriverInfo;
use crate::limits::Limits;
use crate::source::{Family, FileSource, Multi, Source};
use crate::walk::survey::{self, Data as SurveyData, Survey};
use crate::walk::{Frame, OpenFile};

/// How a file is opened.
///
/// ```
/// # fn main() -> h5kit::Result<()> {
/// let limits = h5kit::Limits { read_bytes: 1 << 30, ..Default::default() };
/// let file = h5kit::Options::new().limits(limits).open("testdata/pbmc_small.h5ad")?;
/// # let _ = file;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct Options {
    limits: Limits,
    neighbours: Option<Arc<dyn Neighbours>>,
    anywhere: bool,
    threads: Option<NonZero<usize>>,
    read_attempts: Option<NonZero<u32>>,
}

impl Options {
    /// The defaults: sane limits, and other files only from the folder of the file.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// What a file may make the reader do.
    #[must_use]
    pub fn limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// Where external files, external links and sources of virtual datasets are looked for.
    #[must_use]
    pub fn neighbours(self, neighbours: impl Neighbours + 'static) -> Self {
        Self { neighbours: Some(Arc::new(neighbours)), ..self }
    }

    /// Most threads that share the work of one read, the caller's included. 1 keeps all of it in the thread that
    /// reads. Default: as many as the machine runs at once. Small reads use fewer; each has a chunk or two in memory.
    #[must_use]
    pub fn threads(self, threads: NonZero<usize>) -> Self {
        Self { threads: Some(threads), ..self }
    }

    /// How often a structure is read that breaks the format, with pauses that grow up to some milliseconds: while a writer
    /// is at work half of it may be old and half new. Default, as in libhdf5: 100 where the file is open for SWMR writing
    /// ([`Condition::open_for_swmr`](crate::Condition::open_for_swmr)), else 1. On `wasm` it is always 1.
    ///
    /// Where a structure has stayed as it is through all attempts the file is taken for damaged, and nothing is read more
    /// than once until [`File::refresh`].
    #[must_use]
    pub fn read_attempts(self, attempts: NonZero<u32>) -> Self {
        Self { read_attempts: Some(attempts), ..self }
    }

    pub(super) fn most_threads(&self) -> usize {
        self.threads.map_or_else(workers::available, NonZero::get)
    }

    /// Lets the file name other files anywhere: by absolute paths, by `..`, and relative to the working
    /// directory. A hostile file can so have any file read.
    #[must_use]
    pub fn files_anywhere(self) -> Self {
        Self { anywhere: true, ..self }
    }

    /// Opens a file, or one that is spread over several: a family by its pattern (`part%05d.h5`), a split or
    /// multi file by the name that its parts (`NAME-m.h5`, `NAME-r.h5`, `NAME-s.h5` …) begin with, and any
    /// of them by the member that holds the superblock.
    ///
    /// # Errors
    /// `Io` where the system fails, `NotHdf5` where there is no superblock, `Corrupt` and `Unsupported`
    /// for what the superblock and its extension say.
    pub fn open(self, path: impl AsRef<Path>) -> Result<File> {
        let path = path.as_ref();
        let source = self.find(path)?;
        self.in_folder(source, path)
    }

    /// Visits everything in a file, or in one that is spread over several: what each of its bytes is for, and
    /// all that is wrong. Not even the root group need be sound.
    ///
    /// # Errors
    /// As [`open`](Self::open), but for faults of the root group.
    pub fn survey(self, path: impl AsRef<Path>, data: SurveyData) -> Result<Survey> {
        let source = self.find(path.as_ref())?;
        self.survey_source(source, data)
    }

    /// The same of what a source holds.
    ///
    /// # Errors
    /// As [`survey`](Self::survey).
    pub fn survey_source(self, source: Arc<dyn Source>, data: SurveyData) -> Result<Survey> {
        survey::survey(&Frame::open(source, self.limits, self.read_attempts)?, data)
    }

    /// The bytes of a file, or of all the files that a name stands for.
    fn find(&self, path: &Path) -> Result<Arc<dyn Source>> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.exists() {
            self.whole(path, Arc::new(FileSource::open(path)?))
        } else if name.contains('%') {
            family(path, self.limits.clone())
        } else if with_suffix(path, "-m.h5").exists() {
            split(path)
        } else if with_suffix(path, "-s.h5").exists() {
            // The names and addresses of the other members of a multi file are in the one with the superblock.
            let first = with_suffix(path, "-s.h5");
            self.whole(&first, Arc::new(FileSource::open(&first)?))
        } else {
            Ok(Arc::new(FileSource::open(path)?))
        }
    }

    /// Maps a file into memory and opens it.
    ///
    /// # Safety
    /// Nobody may change or truncate the file while the `File`, or anything that came from it, lives.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    #[cfg(feature = "mmap")]
    #[allow(unsafe_code)]
    pub unsafe fn open_mapped(self, path: impl AsRef<Path>) -> Result<File> {
        let path = path.as_ref();
        // SAFETY: that nobody changes the file is what the caller promises.
        let source = Arc::new(unsafe { crate::source::Mapped::open(path) }?);
        let source = self.whole(path, source)?;
        self.in_folder(source, path)
    }

    /// Opens the bytes of a file.
    ///
    /// # Errors
    /// As [`open`](Self::open), but for `Io`.
    pub fn from_bytes(self, bytes: impl Into<Vec<u8>>) -> Result<File> {
        self.from_source(Arc::new(crate::source::Memory::new(bytes.into())))
    }

    /// Opens what a source holds.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn from_source(self, source: Arc<dyn Source>) -> Result<File> {
        let opened = OpenFile::open(source, self.limits.clone(), self.read_attempts)?;
        if let Some(info) = &opened.frame.driver_info {
            check_driver(info)?;
        }
        Ok(File::new(opened, self))
    }

    /// Opens what a source holds, with the folder of the file for its neighbours.
    fn in_folder(self, source: Arc<dyn Source>, path: &Path) -> Result<File> {
        self.beside(path).from_source(source)
    }

    /// The same options with the folder of a file for its neighbours, where no other place was named.
    fn beside(mut self, path: &Path) -> Self {
        if self.neighbours.is_none() {
            let folder = Folder::new(path.parent().unwrap_or(Path::new("")));
            self.neighbours = Some(Arc::new(if self.anywhere { folder.anywhere() } else { folder }));
        }
        self
    }

    /// Finds what is still there of a file, or of one that is spread over several, where the superblock, the root or
    /// other groups are lost: the whole file is searched.
    ///
    /// # Errors
    /// `Io`.
    pub fn salvage(self, path: impl AsRef<Path>) -> Result<Salvage> {
        let path = path.as_ref();
        let source = self.find(path)?;
        self.beside(path).salvage_source(source)
    }

    /// Finds what is still there of what a source holds.
    ///
    /// # Errors
    /// `Io`.
    pub fn salvage_source(self, source: Arc<dyn Source>) -> Result<Salvage> {
        Salvage::of(&source, self)
    }

    pub(super) fn most(&self) -> &Limits {
        &self.limits
    }

    /// The whole file of which a member was opened: what its driver information says belongs to it.
    fn whole(&self, path: &Path, source: Arc<dyn Source>) -> Result<Arc<dyn Source>> {
        let Some(info) = OpenFile::peek_driver_info(source.clone(), self.limits.clone()) else {
            return Ok(source);
        };
        if let Some(size) = info.family_member_size() {
            return Ok(family_of(path, size).unwrap_or(source));
        }
        if let Some(members) = info.multi_members() {
            let folder = path.parent().unwrap_or(Path::new(""));
            let own = path.file_name().unwrap_or_default().to_string_lossy();
            // The name of the whole is what the pattern of one member leaves of this member's name.
            let stem = members.iter().find_map(|member| {
                let (before, after) = member.name.as_str()?.split_once("%s")?;
                own.strip_prefix(before)?.strip_suffix(after)
            });
            let Some(stem) = stem else { return Ok(source) };
            let open = |name: &str| FileSource::open(&folder.join(name)).map(|s| Arc::new(s) as Arc<dyn Source>);
            let parts = members.iter().filter_map(|member| {
                let name = member.name.display().replacen("%s", stem, 1);
                open(&name).ok().map(|source| (member.start, source))
            });
            return Ok(Arc::new(Multi::new(parts.collect())));
        }
        Ok(source)
    }

    /// The same options for a file that this one names.
    pub(super) fn for_neighbour(&self, name: &str) -> Self {
        Self { neighbours: self.neighbours.as_ref().map(|neighbours| neighbours.of(name)), ..self.clone() }
    }

    pub(super) fn neighbour(&self, name: &str) -> Result<Option<Arc<dyn Source>>> {
        match &self.neighbours {
            Some(neighbours) => neighbours.open(name),
            None => Err(Usage::NoFolder(name.to_owned()).into()),
        }
    }
}

fn check_driver(info: &DriverInfo) -> Result<()> {
    match &info.id {
        b"NCSAfami" | b"NCSAmult" => Ok(()),
        other => Err(Cause::Unsupported { feature: Unsupported::Driver(*other), at: 0 }.into()),
    }
}

/// The first address of a split file's raw data, where its metadata member does not say so.
const RAW_START: u64 = u64::MAX / 2;

fn split(path: &Path) -> Result<Arc<dyn Source>> {
    let meta = with_suffix(path, "-m.h5");
    let raw = with_suffix(path, "-r.h5");
    let mut members: Vec<(u64, Arc<dyn Source>)> = vec![(0, Arc::new(FileSource::open(&meta)?))];
    if raw.exists() {
        members.push((RAW_START, Arc::new(FileSource::open(&raw)?)));
    }
    Ok(Arc::new(Multi::new(members)))
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    name.into()
}

/// The members of a family by its pattern.
fn family(path: &Path, limits: Limits) -> Result<Arc<dyn Source>> {
    let pattern = Pattern::new(path).ok_or_else(|| Error::from(Usage::Pattern(path.display().to_string())))?;
    let first = FileSource::open(&pattern.member(0))?;
    let length = first.len();
    let first: Arc<dyn Source> = Arc::new(first);
    let info = OpenFile::peek_driver_info(first.clone(), limits);
    let size = info.and_then(|info| info.family_member_size()).unwrap_or(length);
    Ok(pattern.join(first, size))
}

/// The family that a file is the first member of, by the digits in its name.
fn family_of(path: &Path, size: u64) -> Option<Arc<dyn Source>> {
    let name = path.file_name()?.to_str()?;
    // The last zeros that stand alone, so that neither the 5 of `.h5` nor another number is taken for them.
    let digits = name.bytes().enumerate().filter(|(_, b)| b.is_ascii_digit()).map(|(at, _)| at);
    let starts = digits.filter(|at| *at == 0 || !name.as_bytes()[at - 1].is_ascii_digit());
    let run = |start: usize| name[start..].bytes().take_while(u8::is_ascii_digit).count();
    let (start, end) = starts
        .map(|start| (start, start + run(start)))
        .rfind(|(start, end)| name[*start..*end].bytes().all(|b| b == b'0'))?;
    let pattern = Pattern {
        before: path.with_file_name(&name[..start]).into(),
        width: end - start,
        after: name[end..].to_owned(),
    };
    Some(pattern.join(Arc::new(FileSource::open(path).ok()?), size))
}

/// A printf pattern with one integer.
struct Pattern {
    before: OsString,
    width: usize,
    after: String,
}

impl Pattern {
    fn new(path: &Path) -> Option<Self> {
        let text = path.to_str()?;
        let (before, rest) = text.split_once('%')?;
        let (width, after) = rest.split_once('d')?;
        let width = if width.is_empty() { 0 } else { width.parse().ok().filter(|n| *n < 100)? };
        Some(Self { before: before.into(), width, after: after.to_owned() })
    }

    fn member(&self, n: usize) -> PathBuf {
        let mut name = self.before.clone();
        name.push(format!("{n:0width$}{}", self.after, width = self.width));
        name.into()
    }

    /// All members from `first` on, up to the first that is not there.
    fn join(&self, first: Arc<dyn Source>, size: u64) -> Arc<dyn Source> {
        let more = (1..).map_while(|n| FileSource::open(&self.member(n)).ok());
        let members = std::iter::once(first).chain(more.map(|source| Arc::new(source) as Arc<dyn Source>));
        Arc::new(Family::new(members.collect(), size))
    }
}

#[cfg(test)]
#[test]
fn patterns() {
    let pattern = Pattern::new(Path::new("a/part%05d.h5")).expect("a pattern");
    assert_eq!(pattern.member(7), Path::new("a/part00007.h5"));
    assert_eq!(Pattern::new(Path::new("p%d")).expect("a pattern").member(12), Path::new("p12"));
    assert!(Pattern::new(Path::new("p%s")).is_none());
}

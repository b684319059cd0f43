use std::collections::HashMap;
use std::fmt;
use std::path::Path;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};

use super::attribute::Attribute;
use super::chunked::{ChunkCache, Workspaces};
use super::dataset::Dataset;
use super::group::Group;
use super::info::ObjectInfo;
use super::link::Link;
use super::lookup::Object;
use super::named_datatype::NamedDatatype;
use super::neighbour;
use super::open::Options;
use super::path::ObjectPath;
use super::paths;
use crate::element::Reference;
use crate::error::{InObject, Result, Usage};
use crate::format::superblock::Superblock;
use crate::limits::Limits;
use crate::source::Source;
use crate::walk::object::ObjectHeader;
use crate::walk::survey::{self, Data as SurveyData, Survey};
use crate::walk::{Condition, Frame, OpenFile, Storage};

/// An HDF5 file, open for reading.
///
/// Cheap to clone, and usable from many threads at once.
///
/// ```
/// # fn main() -> h5kit::Result<()> {
/// let file = h5kit::File::open("testdata/pbmc_small.h5ad")?;
/// for link in file.root().links()? {
///     println!("{}", link?);
/// }
/// let names: Vec<String> = file.dataset("/var/_index")?.read(..)?;
/// # assert!(!names.is_empty());
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct File(Arc<Inner>);

struct Inner {
    frame: Frame,
    root: RwLock<Arc<ObjectHeader>>,
    options: Options,
    threads: usize,
    chunk_cache: ChunkCache,
    workspaces: Workspaces,
    /// Files that this one names, by those names.
    others: Mutex<HashMap<String, File>>,
    /// The group in which an object was looked for last.
    last_group: Mutex<Option<LastGroup>>,
    /// Times that the file was refreshed: a group that was found before is not remembered after.
    refreshes: AtomicU64,
    /// Bytes of names that were gone through to find some like one that is not there.
    suggested: AtomicUsize,
    /// Paths of the objects, once somebody has asked.
    paths: OnceLock<HashMap<u64, ObjectPath>>,
}

/// A group by the path that it was asked for by.
struct LastGroup {
    asked: Vec<u8>,
    header: Arc<ObjectHeader>,
    path: ObjectPath,
}

/// Bytes of names that are gone through at most to find some like one that is not there.
const MOST_SUGGESTED: usize = 16 << 20;

/// Files named by one file that are kept open.
const MOST_OTHERS: usize = 64;

impl File {
    /// Opens a file with the default [`Options`].
    ///
    /// # Errors
    /// As [`Options::open`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Options::new().open(path)
    }

    /// Maps a file into memory and opens it.
    ///
    /// # Safety
    /// As [`Options::open_mapped`]: nobody may change the file meanwhile.
    ///
    /// # Errors
    /// As [`Options::open`].
    #[cfg(feature = "mmap")]
    #[allow(unsafe_code)]
    pub unsafe fn open_mapped(path: impl AsRef<Path>) -> Result<Self> {
        // SAFETY: the caller promises what `Options::open_mapped` asks for.
        unsafe { Options::new().open_mapped(path) }
    }

    /// Opens the bytes of a file.
    ///
    /// # Errors
    /// As [`Options::open`].
    pub fn from_bytes(bytes: impl Into<Vec<u8>>) -> Result<Self> {
        Options::new().from_bytes(bytes)
    }

    /// Opens what a source holds.
    ///
    /// # Errors
    /// As [`Options::open`].
    pub fn from_source(source: Arc<dyn Source>) -> Result<Self> {
        Options::new().from_source(source)
    }

    pub(super) fn new(opened: OpenFile, options: Options) -> Self {
        let OpenFile { frame, root } = opened;
        let budget = frame.storage.limits().chunk_cache_bytes;
        // Chunks that somebody fills meanwhile are other ones each time.
        let kept = if frame.condition.open_for_swmr { 0 } else { budget };
        Self(Arc::new(Inner {
            threads: options.most_threads(),
            chunk_cache: ChunkCache::new(kept),
            workspaces: Workspaces::new(budget),
            frame,
            root: RwLock::new(root),
            options,
            others: Mutex::default(),
            last_group: Mutex::default(),
            refreshes: AtomicU64::new(0),
            suggested: AtomicUsize::new(0),
            paths: OnceLock::new(),
        }))
    }

    /// The group at a path, where it is the one that was asked for last.
    pub(super) fn last_group(&self, path: &[u8]) -> Option<Group> {
        let last = self.0.last_group.lock().unwrap_or_else(PoisonError::into_inner);
        let last = last.as_ref().filter(|last| last.asked == path)?;
        Some(Group::new(ObjectInfo::new(self.clone(), last.header.clone(), last.path.clone())))
    }

    /// How many times the file was refreshed.
    pub(super) fn refreshes(&self) -> u64 {
        self.0.refreshes.load(Ordering::Acquire)
    }

    /// Remembers what group of this file a path led to, by hard links only, unless the file was refreshed since the path was
    /// begun.
    pub(super) fn remember_group(&self, path: &[u8], group: &Group, refreshes: u64) {
        let last = LastGroup {
            asked: path.to_vec(),
            header: group.info().shared_header(),
            path: group.info().object_path().clone(),
        };
        let mut remembered = self.0.last_group.lock().unwrap_or_else(PoisonError::into_inner);
        if self.refreshes() == refreshes {
            *remembered = Some(last);
        }
    }

    /// The root group.
    #[must_use]
    pub fn root(&self) -> Group {
        let root = self.0.root.read().unwrap_or_else(PoisonError::into_inner).clone();
        Group::new(ObjectInfo::new(self.clone(), root, ObjectPath::new("/")))
    }

    /// Lets go of all that is kept of the file and of those that it names, so that what is opened and read from now on is as
    /// the file is from now on. For files that somebody writes to meanwhile.
    ///
    /// A file that is open for SWMR writing ([`Condition::open_for_swmr`]) can be read at any time: elements below the shape
    /// that a dataset has here are in the file. Other writers promise nothing before they close it.
    ///
    /// What was opened before stays as it was opened: a dataset has its shape ([`Dataset::refresh`] reads it again), groups
    /// have the links, and attributes the values that were there. So do [`condition`](Self::condition), the
    /// [`superblock`](Self::superblock) and the paths of [`path_at`](Self::path_at). Calls that run meanwhile may see either
    /// state.
    ///
    /// ```no_run
    /// # fn main() -> h5kit::Result<()> {
    /// let file = h5kit::File::open("measuring.h5")?;
    /// let mut values = file.dataset("/values")?;
    /// let mut seen = 0;
    /// loop {
    ///     values.refresh()?;
    ///     let new: Vec<f64> = values.read(seen..values.shape()[0])?;
    ///     seen += new.len() as u64;
    ///     # break Ok(());
    /// }
    /// # }
    /// ```
    ///
    /// # Errors
    /// `Io`; `Corrupt` where the root group cannot be read any more.
    pub fn refresh(&self) -> Result<()> {
        self.storage().refresh()?;
        self.0.chunk_cache.clear();
        // They are opened again where they are asked for.
        self.0.others.lock().unwrap_or_else(PoisonError::into_inner).clear();
        let root = self.0.frame.root();
        if let Ok(root) = &root {
            *self.0.root.write().unwrap_or_else(PoisonError::into_inner) = root.clone();
        }
        // Paths that begin from here on begin at the new root.
        let mut last_group = self.0.last_group.lock().unwrap_or_else(PoisonError::into_inner);
        self.0.refreshes.fetch_add(1, Ordering::AcqRel);
        *last_group = None;
        root.map(drop)
    }

    /// The group at a path from the root. Links on the way are followed.
    ///
    /// # Errors
    /// `NotFound`; `Usage` where something else is there, or links go in a circle; `Corrupt`.
    pub fn group(&self, path: impl AsRef<[u8]>) -> Result<Group> {
        self.root().group(path)
    }

    /// The dataset at a path from the root. Links on the way are followed.
    ///
    /// # Errors
    /// As [`group`](Self::group).
    pub fn dataset(&self, path: impl AsRef<[u8]>) -> Result<Dataset> {
        self.root().dataset(path)
    }

    /// The committed datatype at a path from the root.
    ///
    /// # Errors
    /// As [`group`](Self::group).
    pub fn named_datatype(&self, path: impl AsRef<[u8]>) -> Result<NamedDatatype> {
        self.root().named_datatype(path)
    }

    /// Whatever is at a path from the root.
    ///
    /// # Errors
    /// As [`group`](Self::group).
    pub fn object(&self, path: impl AsRef<[u8]>) -> Result<Object> {
        self.root().object(path)
    }

    /// The link at a path from the root, itself not followed.
    ///
    /// # Errors
    /// As [`group`](Self::group).
    pub fn link(&self, path: impl AsRef<[u8]>) -> Result<Link> {
        self.root().link(path)
    }

    /// True where there is an object at the path: a link that leads nowhere does not count.
    ///
    /// # Errors
    /// A file that breaks the format on the way.
    pub fn exists(&self, path: impl AsRef<[u8]>) -> Result<bool> {
        self.root().exists(path)
    }

    /// The attribute `name` of the object at a path.
    ///
    /// # Errors
    /// As [`group`](Self::group), also for the attribute.
    pub fn attribute(&self, path: impl AsRef<[u8]>, name: &str) -> Result<Attribute> {
        self.object(path)?.attribute(name)
    }

    /// What a reference leads to: for one to a region or an attribute, the object that it is of. The object's `path`
    /// names its address, since a reference holds no path; [`path_of`](Self::path_of) finds one.
    ///
    /// # Errors
    /// `Usage` for a null reference; `NotFound` where it leads to a file that is not there; `Corrupt` where
    /// it leads to no object.
    pub fn dereference(&self, reference: &Reference) -> Result<Object> {
        let Some(target) = &reference.target else { return Err(Usage::NullReference.into()) };
        let file = match &target.file {
            Some(name) => self.other(&name.display())?,
            None => self.clone(),
        };
        let path = format!("<object at {}>", target.object);
        Object::at(&file, target.object, ObjectPath::new(&path)).in_object(&path)
    }

    /// The path of the object that a reference leads to, from the root; `None` for a null reference, for one that leads
    /// to another file (dereference it and ask that object's file), and where no hard link leads to the object. The
    /// first call visits the whole file.
    ///
    /// ```
    /// # fn main() -> h5kit::Result<()> {
    /// use h5kit::element::Reference;
    /// let file = h5kit::File::open("testdata/files/producer_netcdf4.h5")?;
    /// for reference in file.dataset("/temperature").and_then(|d| d.attribute("DIMENSION_LIST"))
    ///     .and_then(|a| a.read::<Vec<Vec<Reference>>>()).into_iter().flatten().flatten()
    /// {
    ///     println!("{:?}", file.path_of(&reference)?);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// `Io`.
    pub fn path_of(&self, reference: &Reference) -> Result<Option<&str>> {
        match reference.target.as_ref().filter(|target| target.file.is_none()) {
            Some(target) => self.path_at(target.object.0),
            None => Ok(None),
        }
    }

    /// The path of the object whose header is at an address ([`ObjectInfo::address`]), from the root; `None` where no
    /// hard link leads to it. The first call visits the whole file.
    ///
    /// # Errors
    /// `Io`.
    pub fn path_at(&self, address: u64) -> Result<Option<&str>> {
        if self.0.paths.get().is_none() {
            let found = paths::of(self)?;
            self.0.paths.get_or_init(|| found);
        }
        Ok(self.0.paths.get().and_then(|paths| paths.get(&address)).map(ObjectPath::as_str))
    }

    /// What is unusual about the file.
    #[must_use]
    pub fn condition(&self) -> &Condition {
        &self.0.frame.condition
    }

    /// The superblock, as it is stored.
    #[must_use]
    pub fn superblock(&self) -> &Superblock {
        &self.0.frame.superblock
    }

    /// Bytes before the superblock: the user block.
    #[must_use]
    pub fn user_block_size(&self) -> u64 {
        self.0.frame.position
    }

    /// What the file may make the reader do.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        self.storage().limits()
    }

    /// The source the file is read from.
    #[must_use]
    pub fn source(&self) -> &Arc<dyn Source> {
        self.storage().source()
    }

    /// False once so many names were gone through that errors do without names like the one that is not there: many links
    /// that lead nowhere can be made of few bytes.
    pub(super) fn may_suggest(&self) -> bool {
        self.0.suggested.load(Ordering::Relaxed) < MOST_SUGGESTED
    }

    pub(super) fn has_suggested(&self, bytes: usize) {
        self.0.suggested.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Most threads of one read.
    pub(crate) fn threads(&self) -> usize {
        self.0.threads
    }

    pub(super) fn chunk_cache(&self) -> &ChunkCache {
        &self.0.chunk_cache
    }

    pub(super) fn workspaces(&self) -> &Workspaces {
        &self.0.workspaces
    }

    pub(crate) fn storage(&self) -> &Storage {
        &self.0.frame.storage
    }

    /// Visits everything in the file: what each of its bytes is for, and all that is wrong. One fault does not
    /// hide the others. [`Options::survey`] also surveys files whose root group cannot be read.
    ///
    /// # Errors
    /// Only where the source lacks something or the system fails.
    pub fn survey(&self, data: SurveyData) -> Result<Survey> {
        match data {
            // Of files far away structures are fetched together; all of the data would be too much at once.
            SurveyData::Locate => self.storage().waiting(&mut || survey::survey(&self.0.frame, data)),
            SurveyData::Read => survey::survey(&self.0.frame, data),
        }
    }

    /// True where both are handles of one opened file.
    pub(crate) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// The bytes of a file that this one names.
    pub(super) fn neighbour(&self, name: &str) -> Result<Arc<dyn Source>> {
        self.0.options.neighbour(name)?.ok_or_else(|| neighbour::absent(name))
    }

    /// The HDF5 file that this one names; `.` is this one.
    pub(super) fn other(&self, name: &str) -> Result<Self> {
        if name == "." || name.is_empty() {
            return Ok(self.clone());
        }
        let lock = || self.0.others.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(file) = lock().get(name) {
            return Ok(file.clone());
        }
        let file = self.0.options.for_neighbour(name).from_source(self.neighbour(name)?)?;
        let mut others = lock();
        if others.len() >= MOST_OTHERS {
            others.clear();
        }
        others.insert(name.to_owned(), file.clone());
        Ok(file)
    }
}

impl fmt::Debug for File {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("File").field("superblock", self.superblock()).field("condition", self.condition()).finish()
    }
}

const _: fn() = || {
    fn shared_by_threads<T: Send + Sync>() {}
    shared_by_threads::<File>();
};

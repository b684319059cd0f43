use std::fmt::Debug;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::source::{FileSource, Source};

/// Where other files are that a file names: external links, external raw data, sources of virtual datasets.
pub trait Neighbours: Debug + Send + Sync {
    /// Opens the file of this name; `None` where there is none, or where it may not be opened.
    ///
    /// # Errors
    /// What the system says of a file that is there.
    fn open(&self, name: &str) -> Result<Option<Arc<dyn Source>>>;

    /// The neighbours as the file of this name sees them.
    fn of(&self, name: &str) -> Arc<dyn Neighbours>;
}

/// The files beside a file.
///
/// A name is looked up in the folder. An absolute one, or one that leaves the folder by `..`, is looked up
/// there by its last part, unless [`anywhere`](Self::anywhere) allows more.
#[derive(Clone, Debug)]
pub struct Folder {
    folder: PathBuf,
    anywhere: bool,
}

impl Folder {
    /// The files in a folder and below it.
    #[must_use]
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), anywhere: false }
    }

    /// The same, and any other file that a name leads to: absolute names, `..`, and names relative to the
    /// working directory.
    #[must_use]
    pub fn anywhere(self) -> Self {
        Self { anywhere: true, ..self }
    }

    /// The paths that a name may mean, in the order in which they are tried.
    fn candidates(&self, name: &str) -> Vec<PathBuf> {
        let path = Path::new(name);
        let inside = path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
        let mut candidates = Vec::new();
        if self.anywhere && path.is_absolute() {
            candidates.push(path.to_owned());
        }
        if inside || (self.anywhere && path.is_relative()) {
            candidates.push(self.folder.join(path));
        }
        if self.anywhere && path.is_relative() {
            candidates.push(path.to_owned());
        }
        if let Some(last) = path.file_name().filter(|_| !inside) {
            candidates.push(self.folder.join(last));
        }
        candidates
    }

    fn find(&self, name: &str) -> Option<PathBuf> {
        self.candidates(name).into_iter().find(|path| path.is_file())
    }
}

impl Neighbours for Folder {
    fn open(&self, name: &str) -> Result<Option<Arc<dyn Source>>> {
        match self.find(name) {
            Some(path) => Ok(Some(Arc::new(FileSource::open(&path)?))),
            None => Ok(None),
        }
    }

    fn of(&self, name: &str) -> Arc<dyn Neighbours> {
        let folder = self.find(name).and_then(|path| path.parent().map(Path::to_owned));
        Arc::new(Self { folder: folder.unwrap_or_else(|| self.folder.clone()), anywhere: self.anywhere })
    }
}

/// The error that a file named by another is not there.
pub(super) fn absent(name: &str) -> Error {
    Error::not_found("file", name, Vec::new())
}

#[cfg(test)]
#[test]
fn names_stay_in_the_folder_unless_allowed() {
    let folder = Folder::new("/data");
    let candidates = |folder: &Folder, name: &str| {
        folder.candidates(name).iter().map(|p| p.display().to_string()).collect::<Vec<_>>()
    };
    assert_eq!(candidates(&folder, "a.h5"), ["/data/a.h5"]);
    assert_eq!(candidates(&folder, "sub/a.h5"), ["/data/sub/a.h5"]);
    assert_eq!(candidates(&folder, "/etc/passwd"), ["/data/passwd"]);
    assert_eq!(candidates(&folder, "../../etc/passwd"), ["/data/passwd"]);
    assert_eq!(candidates(&folder, ".."), [""; 0]);
    let anywhere = folder.anywhere();
    assert_eq!(candidates(&anywhere, "/x/a.h5"), ["/x/a.h5", "/data/a.h5"]);
    assert_eq!(candidates(&anywhere, "../a.h5"), ["/data/../a.h5", "../a.h5", "/data/a.h5"]);
}

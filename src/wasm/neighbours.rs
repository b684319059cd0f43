//! The files that a session reads: its own, and those that this one names.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::error::{Error, Result};
use crate::object::Neighbours;
use crate::source::{Extents, Source};

/// The files of a session, by the names that lead to them; its own is the first.
#[derive(Clone)]
pub(super) struct Files(Arc<Mutex<Vec<Known>>>);

/// A file that was named.
struct Known {
    name: String,
    found: Found,
}

#[derive(Clone)]
enum Found {
    /// Somebody has to look for it.
    Wanted,
    /// There is none.
    Absent,
    Open(Arc<Extents>),
}

/// The files beside one in a folder, which is written with a slash at its end.
struct Beside {
    files: Files,
    folder: String,
}

impl fmt::Debug for Beside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the files in {}", self.folder)
    }
}

impl Files {
    pub(super) fn new(own: Arc<Extents>) -> Self {
        Self(Arc::new(Mutex::new(vec![Known { name: String::new(), found: Found::Open(own) }])))
    }

    pub(super) fn neighbours(&self) -> impl Neighbours + use<> {
        Beside { files: self.clone(), folder: String::new() }
    }

    /// Names of files that were asked for and that nobody has looked for yet.
    pub(super) fn wanted(&self) -> Vec<String> {
        let known = self.lock();
        known.iter().filter(|file| matches!(file.found, Found::Wanted)).map(|file| file.name.clone()).collect()
    }

    /// Says what was found under a name, and gives the number of it.
    pub(super) fn found(&self, name: &str, file: Option<Arc<Extents>>) -> Option<usize> {
        let mut known = self.lock();
        let number = known.iter().position(|known| known.name == name)?;
        known[number].found = file.map_or(Found::Absent, Found::Open);
        Some(number)
    }

    /// The open files, each with its number.
    pub(super) fn open(&self) -> Vec<(usize, Arc<Extents>)> {
        let opened = |(number, known): (usize, &Known)| match &known.found {
            Found::Open(extents) => Some((number, extents.clone())),
            _ => None,
        };
        self.lock().iter().enumerate().filter_map(opened).collect()
    }

    /// The file of a number.
    pub(super) fn number(&self, number: usize) -> Option<Arc<Extents>> {
        self.open().into_iter().find(|(n, _)| *n == number).map(|(_, extents)| extents)
    }

    fn look_up(&self, name: &str) -> Found {
        let mut known = self.lock();
        if let Some(file) = known.iter().find(|file| file.name == name) {
            return file.found.clone();
        }
        known.push(Known { name: name.to_owned(), found: Found::Wanted });
        Found::Wanted
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Known>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Beside {
    /// A name as the file of the session would say it. Of one that leads out of a folder below it the last part counts.
    fn full(&self, name: &str) -> String {
        let leaves = name.starts_with('/') || name.split('/').any(|part| part == "..");
        let last = name.rfind('/').filter(|_| leaves && !self.folder.is_empty());
        format!("{}{}", self.folder, last.map_or(name, |slash| &name[slash + 1..]))
    }
}

impl Neighbours for Beside {
    fn open(&self, name: &str) -> Result<Option<Arc<dyn Source>>> {
        match self.files.look_up(&self.full(name)) {
            Found::Wanted => Err(Error::missing()),
            Found::Absent => Ok(None),
            Found::Open(extents) => Ok(Some(extents)),
        }
    }

    fn of(&self, name: &str) -> Arc<dyn Neighbours> {
        let name = self.full(name);
        let folder = name.rfind('/').map_or("", |slash| &name[..=slash]).to_owned();
        Arc::new(Self { files: self.files.clone(), folder })
    }
}

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::future::try_join_all;

use super::far::Far;
use super::store::Place;
use super::{Counters, RemoteOptions, Traffic};
use crate::error::{Error, ErrorKind, Result};
use crate::object::Neighbours;
use crate::source::{Extents, Source, Turn};

/// A file and those that it names, as far as they were asked for.
#[derive(Debug)]
pub(super) struct Site {
    options: RemoteOptions,
    files: Mutex<Files>,
    counters: Counters,
}

#[derive(Debug, Default)]
struct Files {
    /// By their names; `None` where there is none of a name.
    opened: HashMap<String, Option<Arc<Far>>>,
    wanted: HashMap<String, Place>,
}

impl Site {
    pub(super) fn new(options: RemoteOptions) -> Self {
        Self { options, files: Mutex::default(), counters: Counters::default() }
    }

    pub(super) fn traffic(&self) -> Traffic {
        self.counters.traffic()
    }

    /// Opens a file, whose first bytes are one round.
    pub(super) async fn open(&self, place: &Place) -> Result<Arc<Far>> {
        self.counters.round();
        let far = Arc::new(Far::open(place, &self.options, &self.counters).await?);
        self.lock().opened.insert(place.path.to_string(), Some(far.clone()));
        Ok(far)
    }

    /// Calls `read` until nothing is missing.
    pub(super) async fn run<T>(&self, mut read: impl FnMut() -> Result<T>) -> Result<T> {
        // Other files may be opened meanwhile, and are kept by the turns of later rounds.
        let mut turns = Vec::new();
        loop {
            self.begin(&mut turns);
            match read() {
                Err(e) if e.is_missing() => {
                    if !self.fetch().await? {
                        return Err(e);
                    }
                }
                done => return done,
            }
        }
    }

    /// Begins a turn of each file that has none here yet.
    pub(super) fn begin(&self, turns: &mut Vec<Turn>) {
        let files = self.lock();
        for far in files.opened.values().flatten() {
            if !turns.iter().any(|turn| turn.is_of(far.extents())) {
                turns.push(far.extents().begin());
            }
        }
    }

    /// Fetches what reads missed, of all files at once, and opens those that were asked for; false where nothing was.
    pub(super) async fn fetch(&self) -> Result<bool> {
        let (opened, wanted) = {
            let mut files = self.lock();
            let opened: Vec<Arc<Far>> = files.opened.values().flatten().cloned().collect();
            (opened, std::mem::take(&mut files.wanted))
        };
        self.counters.round();
        let fetched = try_join_all(opened.iter().map(|far| far.fetch(&self.options, &self.counters))).await?;
        let opening = wanted.iter().map(|(name, place)| async move {
            match Far::open(place, &self.options, &self.counters).await {
                Ok(far) => Ok((name.clone(), Some(Arc::new(far)))),
                Err(e) if e.kind() == ErrorKind::NotFound => Ok((name.clone(), None)),
                Err(e) => Err(e),
            }
        });
        let new = try_join_all(opening).await?;
        let any = !new.is_empty() || fetched.contains(&true);
        self.lock().opened.extend(new);
        Ok(any)
    }

    fn lock(&self) -> MutexGuard<'_, Files> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The files beside one, and below its folder.
#[derive(Debug)]
pub(super) struct Beside {
    site: Arc<Site>,
    place: Place,
}

impl Beside {
    pub(super) fn new(site: Arc<Site>, place: Place) -> Self {
        Self { site, place }
    }

    pub(super) fn site(&self) -> &Arc<Site> {
        &self.site
    }

    /// The file of a name, once it has been opened.
    pub(super) fn find(&self, name: &str) -> Result<Option<Arc<Extents>>> {
        let Some(place) = self.place.beside(name) else { return Ok(None) };
        let mut files = self.site.lock();
        let key = place.path.to_string();
        if let Some(far) = files.opened.get(&key) {
            return Ok(far.as_ref().map(|far| far.extents().clone()));
        }
        files.wanted.insert(key, place);
        Err(Error::missing())
    }

    /// The files beside the file of a name.
    pub(super) fn seen_from(&self, name: &str) -> Self {
        Self { site: self.site.clone(), place: self.place.beside(name).unwrap_or_else(|| self.place.clone()) }
    }
}

impl Neighbours for Beside {
    fn open(&self, name: &str) -> Result<Option<Arc<dyn Source>>> {
        Ok(self.find(name)?.map(|extents| extents as Arc<dyn Source>))
    }

    fn of(&self, name: &str) -> Arc<dyn Neighbours> {
        Arc::new(self.seen_from(name))
    }
}

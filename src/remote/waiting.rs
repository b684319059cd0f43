use std::borrow::Cow;
use std::cell::Cell;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use tokio::runtime::{Builder, Runtime};

use super::RemoteOptions;
use super::site::{Beside, Site};
use super::store::Place;
use crate::error::{Error, Result};
use crate::object::{File, Neighbours};
use crate::source::{Extents, Kind, Source};

/// A file far away as a source that waits for what it lacks, for programs that are not asynchronous.
///
/// What one call of [`File`], [`Group`](crate::Group) or [`Dataset`](crate::Dataset) misses is fetched at once, as in
/// [`RemoteFile::run`](super::RemoteFile::run). Not to be used by a thread that runs asynchronous tasks.
pub struct Waiting {
    extents: Arc<Extents>,
    site: Arc<Site>,
    runtime: Arc<Runtime>,
}

thread_local! {
    /// True while somebody in this thread calls again what misses something.
    static GATHERING: Cell<bool> = const { Cell::new(false) };
}

/// As long as it lives reads of this thread do not wait.
struct Gathering;

impl Gathering {
    /// `None` where that is so already.
    fn begin() -> Option<Self> {
        (!GATHERING.replace(true)).then(|| Self)
    }
}

impl Drop for Gathering {
    fn drop(&mut self) {
        GATHERING.set(false);
    }
}

impl RemoteOptions {
    /// Opens what an address leads to; what is read of the file later waits for what has to be fetched.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_waiting(self, url: &str) -> Result<File> {
        let options = self.options.clone();
        let (source, neighbours) = self.connect(url)?;
        options.neighbours(neighbours).from_source(source)
    }

    /// The bytes of what an address leads to, whatever they are, and the files beside it.
    ///
    /// # Errors
    /// `Usage` for what is no such address, `NotFound`, `Io`.
    pub fn connect(self, url: &str) -> Result<(Arc<dyn Source>, impl Neighbours + 'static)> {
        let place = Place::parse(url, &self.settings)?;
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = Arc::new(runtime.map_err(|e| Error::io(url, e))?);
        let site = Arc::new(Site::new(self));
        let far = runtime.block_on(site.open(&place))?;
        let neighbours = WaitingBeside { beside: Beside::new(site.clone(), place), runtime: runtime.clone() };
        Ok((Arc::new(Waiting { extents: far.extents().clone(), site, runtime }), neighbours))
    }
}

/// Calls `read` until nothing is missing; only once where the caller of this one does so.
fn wait(site: &Site, runtime: &Runtime, read: &mut dyn FnMut() -> Result<()>) -> Result<()> {
    let Some(_gathering) = Gathering::begin() else { return read() };
    let mut turns = Vec::new();
    loop {
        site.begin(&mut turns);
        match read() {
            Err(e) if e.is_missing() => {
                if !runtime.block_on(site.fetch())? {
                    return Err(e);
                }
            }
            done => return done,
        }
    }
}

impl Source for Waiting {
    fn len(&self) -> u64 {
        self.extents.len()
    }

    fn read(&self, range: Range<u64>) -> Result<Cow<'_, [u8]>> {
        let mut bytes = Cow::default();
        self.waiting(&mut || {
            bytes = self.extents.read(range.clone())?;
            Ok(())
        })?;
        Ok(bytes)
    }

    fn prefetch(&self, ranges: &[Range<u64>], kind: Kind) -> Result<()> {
        self.waiting(&mut || self.extents.prefetch(ranges, kind))
    }

    fn is_far(&self) -> bool {
        true
    }

    fn waiting(&self, read: &mut dyn FnMut() -> Result<()>) -> Result<()> {
        wait(&self.site, &self.runtime, read)
    }
}

impl fmt::Debug for Waiting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Waiting").field("site", &self.site).finish_non_exhaustive()
    }
}

/// The files beside one, which wait too.
#[derive(Debug)]
struct WaitingBeside {
    beside: Beside,
    runtime: Arc<Runtime>,
}

impl Neighbours for WaitingBeside {
    fn open(&self, name: &str) -> Result<Option<Arc<dyn Source>>> {
        let (site, runtime) = (self.beside.site(), &self.runtime);
        let mut found = None;
        wait(site, runtime, &mut || {
            found = self.beside.find(name)?;
            Ok(())
        })?;
        let waiting = |extents| Waiting { extents, site: site.clone(), runtime: runtime.clone() };
        Ok(found.map(|extents| Arc::new(waiting(extents)) as Arc<dyn Source>))
    }

    fn of(&self, name: &str) -> Arc<dyn Neighbours> {
        Arc::new(Self { beside: self.beside.seen_from(name), runtime: self.runtime.clone() })
    }
}

//! Files that are far away: over HTTP, in S3, Google or Azure storage, read range by range as they are needed.
//!
//! [`RemoteFile::run`] calls an ordinary function over an ordinary [`File`]. Where that needs bytes that are not here it
//! stops, all that it missed is fetched at once, and it is called again; what was decoded is kept. So a function that only
//! reads is all that is needed, and each round of fetching finds a whole level of what is nested:
//!
//! ```no_run
//! # async fn example() -> h5kit::Result<()> {
//! use h5kit::remote::RemoteFile;
//!
//! let far = RemoteFile::open("https://example.org/atlas.h5ad").await?;
//! let names: Vec<String> = far.run(|file| file.dataset("/var/_index")?.read(0..10)).await?;
//! # let _ = names;
//! # Ok(())
//! # }
//! ```
//!
//! A loop over siblings in such a function stops at the first that is not here, and so costs a round for each, unless
//! [`Group::fetch_children`](crate::Group::fetch_children) fetched them together before.
//!
//! Programs that are not asynchronous [wait](RemoteOptions::open_waiting).

mod far;
mod site;
mod store;
mod waiting;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use object_store::ObjectStore;
use object_store::path::Path;

use crate::error::Result;
use crate::object::{File, Options};
use crate::source::Fetching;

use site::{Beside, Site};
use store::{Place, Settings};

pub use object_store;
pub use waiting::Waiting;

/// How a file far away is opened and fetched.
#[derive(Clone, Debug)]
pub struct RemoteOptions {
    options: Options,
    fetching: Fetching,
    first_bytes: u64,
    cache_bytes: u64,
    connections: usize,
    whole_bytes: u64,
    settings: Settings,
}

impl Default for RemoteOptions {
    fn default() -> Self {
        Self {
            options: Options::new(),
            fetching: Fetching::default(),
            first_bytes: 64 << 10,
            cache_bytes: 64 << 20,
            connections: 6,
            whole_bytes: 64 << 20,
            settings: Settings::default(),
        }
    }
}

impl RemoteOptions {
    /// The defaults.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// How the file is opened once it is here: limits, threads. Where its neighbours are is known: beside it.
    #[must_use]
    pub fn options(self, options: Options) -> Self {
        Self { options, ..self }
    }

    /// How what is missing becomes requests.
    #[must_use]
    pub fn fetching(self, fetching: Fetching) -> Self {
        Self { fetching, ..self }
    }

    /// Bytes of the first request, with which the length of the file comes. Default 64 KiB.
    #[must_use]
    pub fn first_bytes(self, bytes: u64) -> Self {
        Self { first_bytes: bytes.max(1), ..self }
    }

    /// Bytes that are kept of what was fetched, from one call to the next: structures rather than elements. Default
    /// 64 MiB. One call keeps what it needs, however much that is.
    #[must_use]
    pub fn cache_bytes(self, bytes: u64) -> Self {
        Self { cache_bytes: bytes, ..self }
    }

    /// Requests that are under way at once. Default 6.
    #[must_use]
    pub fn connections(self, connections: usize) -> Self {
        Self { connections: connections.max(1), ..self }
    }

    /// Most bytes of a file that is fetched as a whole, where its server does not serve ranges. Default 64 MiB.
    #[must_use]
    pub fn whole_bytes(self, bytes: u64) -> Self {
        Self { whole_bytes: bytes, ..self }
    }

    /// Sets something of the store that an address leads to: where it is, who asks, and how. The names are those that
    /// `object_store` has for it, such as `aws_endpoint`, `aws_region`, `aws_access_key_id`, `aws_secret_access_key`,
    /// `aws_skip_signature` (for what everybody may read) and `allow_http`; they take precedence over the environment, where
    /// they are in capitals.
    #[must_use]
    pub fn setting(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.settings.add(name.into(), value.into());
        self
    }

    /// Opens what an address leads to: `http`, `https`, `s3`, `gs`, `az` (and what else `object_store` knows), or `file`.
    /// Credentials come from the environment (`AWS_ACCESS_KEY_ID` …), or are [set](Self::setting).
    ///
    /// # Errors
    /// `Usage` for what is no such address, `NotFound`, `Io`, and as [`Options::open`].
    pub async fn open(self, url: &str) -> Result<RemoteFile> {
        let place = Place::parse(url, &self.settings)?;
        self.open_place(place).await
    }

    /// Opens an object of a store.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub async fn open_in(self, store: Arc<dyn ObjectStore>, path: Path) -> Result<RemoteFile> {
        self.open_place(Place::new(store, path)).await
    }

    async fn open_place(self, place: Place) -> Result<RemoteFile> {
        let options = self.options.clone();
        let site = Arc::new(Site::new(self));
        let far = site.open(&place).await?;
        let options = options.neighbours(Beside::new(site.clone(), place));
        let file = site.run(|| options.clone().from_source(far.extents().clone())).await?;
        Ok(RemoteFile { file, site })
    }
}

/// A file that is fetched range by range.
///
/// Cheap to clone; calls may run at the same time.
#[derive(Clone, Debug)]
pub struct RemoteFile {
    file: File,
    site: Arc<Site>,
}

impl RemoteFile {
    /// Opens what an address leads to with the default [`RemoteOptions`].
    ///
    /// # Errors
    /// As [`RemoteOptions::open`].
    pub async fn open(url: &str) -> Result<Self> {
        RemoteOptions::new().open(url).await
    }

    /// What `read` gives, which is called again each time that what it missed has been fetched. It should do nothing but
    /// read.
    ///
    /// # Errors
    /// What `read` says; `Io` where bytes cannot be fetched, or the file has changed since it was opened.
    pub async fn run<T>(&self, mut read: impl FnMut(&File) -> Result<T>) -> Result<T> {
        self.site.run(|| read(&self.file)).await
    }

    /// What was fetched so far, of this file and of those that it names.
    #[must_use]
    pub fn traffic(&self) -> Traffic {
        self.site.traffic()
    }
}

/// What was fetched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Times that a call stopped for bytes, the first request of each file included.
    pub rounds: u64,
    /// Requests made.
    pub requests: u64,
    /// Bytes that came.
    pub bytes: u64,
}

/// The same while it goes on.
#[derive(Debug, Default)]
struct Counters {
    rounds: AtomicU64,
    requests: AtomicU64,
    bytes: AtomicU64,
}

impl Counters {
    fn round(&self) {
        self.rounds.fetch_add(1, Ordering::Relaxed);
    }

    fn request(&self, bytes: u64) {
        self.requests.fetch_add(1, Ordering::Relaxed);
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    fn traffic(&self) -> Traffic {
        let [rounds, requests, bytes] =
            [&self.rounds, &self.requests, &self.bytes].map(|counter| counter.load(Ordering::Relaxed));
        Traffic { rounds, requests, bytes }
    }
}

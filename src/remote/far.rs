use std::sync::Arc;

use futures_util::{StreamExt, TryStreamExt, stream};
use object_store::{GetOptions, GetRange, ObjectMeta};

use super::store::{Place, changed, failed, no_ranges};
use super::{Counters, RemoteOptions};
use crate::error::Result;
use crate::source::{Extents, Kind, Request};

/// One object far away, and what is here of it.
#[derive(Debug)]
pub(super) struct Far {
    place: Place,
    extents: Arc<Extents>,
    version: Version,
}

/// By what it is seen that an object is still the one that was opened.
#[derive(Debug, PartialEq, Eq)]
struct Version {
    size: u64,
    tag: Option<String>,
    modified: i64,
}

impl Version {
    fn of(meta: &ObjectMeta) -> Self {
        Self { size: meta.size, tag: meta.e_tag.clone(), modified: meta.last_modified.timestamp_millis() }
    }
}

impl Far {
    /// Fetches the beginning of an object, and with it its length.
    pub(super) async fn open(place: &Place, options: &RemoteOptions, counters: &Counters) -> Result<Self> {
        let fail = |e| failed(&place.name, e);
        let first = GetOptions { range: Some(GetRange::Bounded(0..options.first_bytes)), ..GetOptions::default() };
        let (result, whole) = match place.store.get_opts(&place.path, first).await {
            Ok(result) => (result, false),
            // A server that does not know ranges answers with everything, which is an error here.
            Err(object_store::Error::Generic { .. } | object_store::Error::NotSupported { .. }) => {
                (place.store.get_opts(&place.path, GetOptions::default()).await.map_err(fail)?, true)
            }
            Err(e) => return Err(fail(e)),
        };
        let version = Version::of(&result.meta);
        if whole && version.size > options.whole_bytes {
            return Err(no_ranges(&place.name, version.size, options.whole_bytes));
        }
        let range = result.range.clone();
        let bytes = result.bytes().await.map_err(fail)?;
        counters.request(bytes.len() as u64);
        let extents = Extents::with_budget(version.size, options.cache_bytes);
        extents.answer(&Request { range, kind: Kind::Structure }, bytes.into());
        Ok(Self { place: place.clone(), extents: Arc::new(extents), version })
    }

    pub(super) fn extents(&self) -> &Arc<Extents> {
        &self.extents
    }

    /// Fetches what reads missed; false where that is nothing.
    pub(super) async fn fetch(&self, options: &RemoteOptions, counters: &Counters) -> Result<bool> {
        let requests = self.extents.requests(&options.fetching);
        let any = !requests.is_empty();
        stream::iter(requests)
            .map(|request| self.answer(request, counters))
            .buffer_unordered(options.connections)
            .try_collect::<()>()
            .await?;
        Ok(any)
    }

    async fn answer(&self, request: Request, counters: &Counters) -> Result<()> {
        let fail = |e| failed(&self.place.name, e);
        let range = Some(GetRange::Bounded(request.range.clone()));
        let options = GetOptions { range, if_match: self.version.tag.clone(), ..GetOptions::default() };
        let result = self.place.store.get_opts(&self.place.path, options).await.map_err(fail)?;
        if Version::of(&result.meta) != self.version || result.range != request.range {
            return Err(changed(&self.place.name));
        }
        let bytes = result.bytes().await.map_err(fail)?;
        counters.request(bytes.len() as u64);
        self.extents.answer(&request, bytes.into());
        Ok(())
    }
}

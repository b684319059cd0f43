use std::fmt;
use std::str::FromStr;
use std::sync::{Arc, Once};
use std::time::Duration;

use object_store::aws::AmazonS3Builder;
use object_store::azure::MicrosoftAzureBuilder;
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::http::HttpBuilder;
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::{ClientOptions, ObjectStore, ObjectStoreScheme, RetryConfig};
use url::Url;

use crate::error::{Error, Result, Usage};

/// An object of a store.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) store: Arc<dyn ObjectStore>,
    pub(super) path: Path,
    /// Where it is, for errors.
    pub(super) name: String,
}

/// Settings of stores: endpoints, credentials and the like, by the names that `object_store` gives them.
#[derive(Clone, Default)]
pub(super) struct Settings(Vec<(String, String)>);

impl Settings {
    pub(super) fn add(&mut self, name: String, value: String) {
        self.0.push((name, value));
    }

    /// A builder with these settings. A name that the store does not know is an error.
    fn apply<B, K>(&self, builder: B, set: impl Fn(B, K, String) -> B) -> object_store::Result<B>
    where
        K: FromStr<Err = object_store::Error>,
    {
        self.0.iter().try_fold(builder, |builder, (name, value)| {
            Ok(set(builder, name.to_ascii_lowercase().parse()?, value.clone()))
        })
    }
}

/// Values may be secrets.
impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.iter().map(|(name, _)| name)).finish()
    }
}

/// Longest time that one request is tried again and again.
const PATIENCE: Duration = Duration::from_secs(30);

impl Place {
    pub(super) fn new(store: Arc<dyn ObjectStore>, path: Path) -> Self {
        let name = path.to_string();
        Self { store, path, name }
    }

    /// What an address leads to.
    pub(super) fn parse(address: &str, settings: &Settings) -> Result<Self> {
        let no_address = || Error::from(Usage::Address(address.to_owned()));
        let url = Url::parse(address).map_err(|_| no_address())?;
        let (scheme, path) = ObjectStoreScheme::parse(&url).map_err(|_| no_address())?;
        let store = store(&scheme, &url, settings).map_err(|e| failed(address, e))?.ok_or_else(no_address)?;
        Ok(Self { store, path, name: without_secrets(url) })
    }

    /// The object of a name in the folder of this one, or below it; `None` where the name leads elsewhere.
    pub(super) fn beside(&self, name: &str) -> Option<Self> {
        let inside = |part: &&str| !part.is_empty() && *part != "." && *part != "..";
        let parts: Vec<&str> = name.split('/').collect();
        // A name that leaves the folder is looked up there by its last part.
        let leaves = name.starts_with('/') || parts.contains(&"..");
        let kept = if leaves { &parts[parts.len() - 1..] } else { &parts[..] };
        let mut path: Vec<&str> = self.path.as_ref().split('/').collect();
        path.pop();
        let before = path.len();
        path.extend(kept.iter().filter(|part| inside(part)));
        let found = path.len() > before;
        found.then(|| Path::parse(path.join("/")).ok()).flatten().map(|path| Self::new(self.store.clone(), path))
    }
}

/// An address as errors show it: what it is signed with is nobody's business.
fn without_secrets(mut url: Url) -> String {
    url.set_query(None);
    url.set_fragment(None);
    // Addresses without a host have neither.
    let _ = url.set_password(None);
    let _ = url.set_username("");
    url.into()
}

/// The store of an address; `None` where nothing is known of its scheme.
fn store(
    scheme: &ObjectStoreScheme,
    url: &Url,
    settings: &Settings,
) -> object_store::Result<Option<Arc<dyn ObjectStore>>> {
    let retry = RetryConfig { max_retries: 4, retry_timeout: PATIENCE, ..RetryConfig::default() };
    let client = ClientOptions::new().with_allow_http(true);
    provide_encryption();
    Ok(Some(match scheme {
        ObjectStoreScheme::Local => Arc::new(LocalFileSystem::new()),
        ObjectStoreScheme::AmazonS3 => {
            let builder = settings.apply(AmazonS3Builder::from_env(), AmazonS3Builder::with_config)?;
            Arc::new(builder.with_url(url.as_str()).with_retry(retry).build()?)
        }
        ObjectStoreScheme::GoogleCloudStorage => {
            let builder =
                settings.apply(GoogleCloudStorageBuilder::from_env(), GoogleCloudStorageBuilder::with_config)?;
            Arc::new(builder.with_url(url.as_str()).with_retry(retry).build()?)
        }
        ObjectStoreScheme::MicrosoftAzure => {
            let builder = settings.apply(MicrosoftAzureBuilder::from_env(), MicrosoftAzureBuilder::with_config)?;
            Arc::new(builder.with_url(url.as_str()).with_retry(retry).build()?)
        }
        ObjectStoreScheme::Http => {
            // What comes after the path (of an address that was signed) belongs to every request.
            let mut base = url.clone();
            base.set_path("/");
            base.set_fragment(None);
            let builder = HttpBuilder::new().with_url(base).with_client_options(client);
            let builder = settings.apply(builder, HttpBuilder::with_config)?;
            Arc::new(builder.with_retry(retry).build()?)
        }
        _ => return Ok(None),
    }))
}

/// Gives `rustls` what it encrypts with, unless the program has chosen something.
fn provide_encryption() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // Another choice is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
}

/// Parts of the addresses at which machines of clouds are asked for the role that they have.
const ROLES: [&str; 3] = ["/latest/api/token", "/computeMetadata/", "/metadata/identity/"];

/// The error of a store.
pub(super) fn failed(name: &str, error: object_store::Error) -> Error {
    use object_store::Error as E;
    let text = error.to_string();
    if ROLES.iter().any(|role| text.contains(role)) {
        let what = "there are no credentials, and the machine has no role; AWS_SKIP_SIGNATURE=true (GOOGLE_, AZURE_) asks without any";
        return Error::io(name, std::io::Error::new(std::io::ErrorKind::PermissionDenied, what));
    }
    let kind = match &error {
        E::NotFound { .. } => return Error::not_found("file", name, Vec::new()),
        E::PermissionDenied { .. } | E::Unauthenticated { .. } => std::io::ErrorKind::PermissionDenied,
        E::Precondition { .. } => return changed(name),
        _ => std::io::ErrorKind::Other,
    };
    Error::io(name, std::io::Error::new(kind, error))
}

/// The error that a file is no longer what was opened.
pub(super) fn changed(name: &str) -> Error {
    let what = "the file has changed since it was opened; open it again";
    Error::io(name, std::io::Error::new(std::io::ErrorKind::StaleNetworkFileHandle, what))
}

/// The error of a server that sends whole files only.
pub(super) fn no_ranges(name: &str, size: u64, allowed: u64) -> Error {
    let what =
        format!("the server sends no parts of files, and of a whole one {allowed} bytes are allowed: it has {size}");
    Error::io(name, std::io::Error::new(std::io::ErrorKind::Unsupported, what))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn beside(address: &str, name: &str) -> Option<String> {
        Place::parse(address, &Settings::default())
            .expect("an address")
            .beside(name)
            .map(|place| place.path.to_string())
    }

    #[test]
    fn addresses() {
        for (address, path) in [
            ("http://127.0.0.1:1/a/b.h5", "a/b.h5"),
            ("https://example.org/a%20b/c.h5?signature=x#y", "a b/c.h5"),
            ("s3://bucket/a/b.h5", "a/b.h5"),
            ("gs://bucket/b.h5", "b.h5"),
            ("file:///data/x.h5", "data/x.h5"),
        ] {
            let place = Place::parse(address, &Settings::default()).unwrap_or_else(|e| panic!("{address}: {e}"));
            assert_eq!(place.path.to_string(), path, "{address}");
        }
        for address in ["/data/x.h5", "x.h5", "gopher://example.org/x.h5", "http://"] {
            assert_eq!(
                Place::parse(address, &Settings::default()).expect_err(address).kind(),
                crate::ErrorKind::Usage,
                "{address}"
            );
        }
    }

    #[test]
    fn names_stay_in_the_folder() {
        let address = "https://example.org/a/b.h5";
        assert_eq!(beside(address, "c.h5").as_deref(), Some("a/c.h5"));
        assert_eq!(beside(address, "./sub//c.h5").as_deref(), Some("a/sub/c.h5"));
        assert_eq!(beside(address, "/etc/c.h5").as_deref(), Some("a/c.h5"));
        assert_eq!(beside(address, "../../c.h5").as_deref(), Some("a/c.h5"));
        assert_eq!(beside(address, "100%.h5").as_deref(), Some("a/100%.h5"));
        assert_eq!((beside(address, ".."), beside(address, ""), beside(address, "/")), (None, None, None));
    }
}

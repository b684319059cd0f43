//! Files far away, by their addresses.

use std::sync::Arc;

use h5kit::{File, Options, Result, source};

use crate::args::Source;

/// The address of a file that is no path.
pub fn address(source: &Source) -> Option<&str> {
    source.file.to_str().filter(|name| name.contains("://") && !source.file.exists())
}

/// Opens what an address leads to.
#[cfg(feature = "remote")]
pub fn open(address: &str, options: Options) -> Result<File> {
    h5kit::remote::RemoteOptions::new().options(options).open_waiting(address)
}

/// The bytes of what an address leads to.
#[cfg(feature = "remote")]
pub fn source(address: &str) -> Result<Arc<dyn source::Source>> {
    Ok(h5kit::remote::RemoteOptions::new().connect(address)?.0)
}

/// Refuses an address.
#[cfg(not(feature = "remote"))]
pub fn open(_: &str, _: Options) -> Result<File> {
    Err(h5kit::error::Usage::Feature("remote").into())
}

/// Refuses an address.
#[cfg(not(feature = "remote"))]
pub fn source(_: &str) -> Result<Arc<dyn source::Source>> {
    Err(h5kit::error::Usage::Feature("remote").into())
}

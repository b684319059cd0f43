//! HDF5 without libhdf5.

pub mod bytes;
pub mod error;
pub mod filter;
pub mod format;
mod limits;
pub mod selection;
pub mod source;
mod walk;

pub use error::{Error, ErrorKind, Result};
pub use limits::Limits;

//! HDF5 without libhdf5.

pub mod bytes;
pub mod error;
pub mod format;
mod limits;

pub use error::{Error, ErrorKind, Result};
pub use limits::Limits;

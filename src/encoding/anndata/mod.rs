//! AnnData on HDF5 (`.h5ad`), of every version since 0.4.
//!
//! [`AnnData::open`] looks at names, shapes and encodings and reads no values. Everything in it is an [`Element`], which
//! is opened when it is asked for and read when its values are. A rule that an element breaks is a [`Fault`], with a
//! code, and does not stop the rest.
//!
//! ```
//! use h5kit::encoding::anndata::AnnData;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let file = h5kit::File::open("testdata/pbmc_small.h5ad")?;
//! let data = AnnData::open(&file)?;
//! let (cells, genes) = (data.n_obs(), data.n_var());
//! for column in data.obs().columns() {
//!     println!("{column}: {}", data.obs().column(column)?.encoding());
//! }
//! # assert_eq!((cells, genes), (200, 50));
//! # Ok(())
//! # }
//! ```

#[cfg(feature = "arrow")]
pub mod arrow;

mod array;
mod awkward;
mod categorical;
mod column;
mod container;
mod element;
mod fault;
mod frame;
mod members;
mod nullable;
mod record_file;
mod records;
mod sparse;
mod tagged;
mod tags;
mod untagged;
mod values;
mod walk;

pub use array::Array;
pub use awkward::{Awkward, Ragged};
pub use categorical::Categorical;
pub use container::{Aligned, AnnData, Raw};
pub use element::{Element, Kind, Legacy};
pub use fault::{Error, Fault, Result, Rule};
pub use frame::DataFrame;
pub use members::Members;
pub use nullable::Nullable;
pub use records::Records;
pub use sparse::{Format, Part, Sparse};
pub use values::{Type, Values};
pub use walk::Found;

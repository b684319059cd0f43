//! HDF5 in Rust, without libhdf5.
//!
//! Three levels; most people need only the first:
//!
//! * **objects**: [`File`], [`Group`], [`Dataset`], [`Attribute`], and what their elements become in Rust
//!   ([`element`]), for a [`Selection`] of them;
//! * **structures**: every structure of the file format to and from its bytes ([`mod@format`], on [`bytes`]);
//! * **sources**: where a file's bytes come from ([`source`]).
//!
//! ```
//! # fn main() -> h5kit::Result<()> {
//! let file = h5kit::File::open("testdata/pbmc_small.h5ad")?;
//! let umap: Vec<f64> = file.dataset("/obsm/X_umap")?.read((0..3, ..))?;
//! assert_eq!(umap.len(), 6);
//! # Ok(())
//! # }
//! ```
//!
//! | feature | default | what it brings |
//! |---|---|---|
//! | `mmap` | yes | [`File::open_mapped`] |
//! | `filters` | yes | all of the following |
//! | `deflate` | yes | filter 1, deflate |
//! | `lzf` | yes | filter 32000, LZF |
//! | `lz4` | yes | filter 32004, LZ4 |
//! | `zstd` | yes | filter 32015, Zstandard |
//! | `bzip2` | yes | filter 307, bzip2 |
//! | `lzo` | yes | filter 305, LZO |
//! | `bitshuffle` | yes | filter 32008, bitshuffle, and `lz4` and `zstd` |
//! | `blosc` | yes | filter 32001, Blosc, and `deflate`, `lz4` and `zstd` |
//! | `blosc2` | yes | filter 32026, Blosc2, and `blosc` |
//! | `zfp` | yes | filter 32013, ZFP |
//! | `jpeg` | yes | filter 32019, JPEG |
//! | `ndarray` | yes | reading into `ndarray` arrays |
//! | `arrow` | with `cli` | data frames of AnnData and tables of H5Col as Apache Arrow, `encoding::anndata::arrow`, `encoding::h5col::arrow` |
//! | `remote` | no | files over HTTP and in the stores of clouds, `remote` |
//! | `cli` | yes | the command `h5kit`, and `arrow` |
//! | `wasm`, `wasm-codecs` | no | the JavaScript package, for `src/wasm/build.sh` |
//! | `parquet` | yes | Parquet in the command, and `arrow` |
//!
//! A dataset whose filter's feature is off is refused with the name of the feature when it is read. A decoder of your own
//! takes the place of any: [`filter::register`].

pub mod bytes;
pub mod digest;
pub mod element;
pub mod encoding;
pub mod error;
pub mod filter;
pub mod format;
mod limits;
mod object;
mod order;
#[cfg(feature = "remote")]
pub mod remote;
pub mod selection;
pub mod source;
mod walk;
#[cfg(any(feature = "wasm", feature = "wasm-codecs"))]
mod wasm;

pub use error::{Error, ErrorKind, Result};
pub use format::message::datatype::Datatype;
pub use limits::Limits;
pub use object::{
    Attribute, Attributes, DamagedChunk, Dataset, File, FillInfo, FilterInfo, Folder, Group, Layout, Link, Links, Lost,
    Member, NamedDatatype, Neighbours, Object, ObjectInfo, ObjectPath, Options, Past, Salvage, Salvaged, SalvagedRoot,
    StoredChunk, Target,
};
pub use selection::{Blocks, Hyperslab, Mask, Points, Selection, Slice};
pub use walk::Condition;
pub use walk::survey::{Counts, Data as SurveyData, Extent, Finding, Survey};

/// The programs of the README are compiled and run with the other examples.
#[cfg(all(doctest, feature = "ndarray", feature = "deflate"))]
#[doc = include_str!("../README.md")]
struct Readme;

/// So are those of the guides.
#[cfg(all(doctest, feature = "deflate"))]
#[doc = include_str!("../docs/anndata.md")]
struct AnndataGuide;

/// The programs of the guide to H5Col.
#[cfg(doctest)]
#[doc = include_str!("../docs/h5col.md")]
struct H5ColGuide;

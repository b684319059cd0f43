//! HDF5 without libhdf5.

pub mod bytes;
pub mod digest;
pub mod element;
pub mod error;
pub mod filter;
pub mod format;
mod limits;
mod object;
pub mod selection;
pub mod source;
mod walk;

pub use format::message::datatype::Datatype;

pub use error::{Error, ErrorKind, Result};
pub use limits::Limits;
pub use object::{
    Attribute, Attributes, Dataset, File, FillInfo, FilterInfo, Folder, Group, Layout, Link, Member, NamedDatatype,
    Neighbours, Object, ObjectInfo, Options, StoredChunk, Target,
};
pub use selection::{Hyperslab, Points, Selection, Slice};
pub use walk::Condition;
pub use walk::survey::{Counts, Data as SurveyData, Extent, Finding, Survey};

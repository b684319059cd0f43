//! H5Col (HEP001): tables of columns in HDF5.
//!
//! A table is a group; each dataset of one dimension in it is a column, and so is each group of a list column. A row
//! is one place of all columns.
//!
//! ```
//! # fn main() -> Result<(), h5kit::encoding::h5col::Error> {
//! use h5kit::encoding::h5col::{Table, column, tables};
//! let file = h5kit::File::open("testdata/h5col/stations.h5")?;
//! for group in tables(&file)? {
//!     let table = Table::open(&group)?;
//!     println!("{}: {} rows, {} columns", table.path(), table.nrows(), table.columns().len());
//! }
//! let table = Table::open(&file.group("/stations")?)?;
//! let rows = table.select(column("height").ge(500) & column("name").is_valid()).rows()?;
//! assert_eq!(rows.iter().collect::<Vec<_>>(), [1, 4]);
//! # Ok(())
//! # }
//! ```
//!
//! | part | what it is |
//! |---|---|
//! | [`tables`], [`Table`] | the tables of a file, and what is in them |
//! | [`Column`], [`Values`] | columns, and values of some of their rows |
//! | [`Predicate`], [`column()`], [`Select`] | which rows are looked for, and how they are found |
//! | [`SearchIndex`] | what a table stores to find rows faster |
//! | `Select::record_batches`, `Batch::record_batch` | the same as Apache Arrow, with the feature `arrow` |
//! | [`validate()`], [`Violation`] | the rules of the convention, and which are broken |
//!
//! What breaks a rule is read as far as the convention lets a reader go on; codes, offsets and lengths are compared
//! before anything is made of them.

#[cfg(feature = "arrow")]
pub mod arrow;
mod attribute;
mod column;
mod error;
mod find;
mod index;
mod kind;
mod list;
mod missing;
mod predicate;
mod rows;
mod scan;
mod select;
mod table;
mod validate;
mod values;

pub use attribute::Token;
pub use column::{Column, Labels, ScalarColumn};
pub use error::{Error, Fault, QueryError, Result, Rule, Verdict, Violation};
pub use index::{Bitmap, Bits, ChunkBloom, ChunkBounds, ChunkMinMax, Content, IndexKind, SearchIndex, SortedRows};
pub use kind::{Kind, is_boolean};
pub use list::{Level, ListColumn, ListLevel, StringLevel};
pub use predicate::{ColumnName, Literal, Operator, Predicate, column};
pub use rows::Rows;
pub use select::{Batch, IndexUse, Plan, Select};
pub use table::{Foreign, Table, tables};
pub use validate::{Depth, Findings, validate};
pub use values::{Data, Lists, Values};

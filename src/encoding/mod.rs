//! Conventions on top of HDF5: what groups and datasets mean to those who write them.
//!
//! * [`anndata`]: the elements of an `.h5ad` file of single-cell biology.
//! * [`h5col`]: column tables (HEP001).
//!
//! Both stand on the public API of this crate alone.

pub mod anndata;
#[cfg(feature = "arrow")]
mod arrow;
pub mod h5col;

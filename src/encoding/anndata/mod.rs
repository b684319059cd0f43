//! AnnData on HDF5 (`.h5ad`), of every version since 0.4.

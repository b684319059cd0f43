//! H5Col (HEP001): tables of columns in HDF5.

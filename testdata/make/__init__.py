"""Makers of the HDF5 test files: one module for each part of the format."""

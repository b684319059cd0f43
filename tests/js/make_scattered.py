"""A file of 1000 datasets whose headers are scattered through some 100 MB: python make_scattered.py FILE"""

import sys

import h5py
import numpy

with h5py.File(sys.argv[1], "w", libver=sys.argv[2] if len(sys.argv) > 2 else "earliest") as file:
    group = file.create_group("signals")
    for i in range(1000):
        values = group.create_dataset(f"signal_{i:04}", data=numpy.full(25_000, i, "<f4"))
        values.attrs["number"] = i

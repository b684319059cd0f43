"""Files that are read from far away: too large to be kept as they are, and mostly zeros."""

import gzip
import os
import tempfile

import h5py
import numpy

COUNT = 1000


def scattered(path, libver):
    """1,000 datasets of some 100 kB each, whose object headers lie between the values."""
    with tempfile.TemporaryDirectory() as folder:
        plain = os.path.join(folder, "scattered.h5")
        with h5py.File(plain, "w", libver=libver) as file:
            for number in range(COUNT):
                rows = 12800 - number
                dataset = file.create_dataset(f"d{number:04}", data=numpy.zeros((rows, 2), "f4"))
                dataset.attrs["number"] = number
        pack(plain, path)


def windows(path, libver):
    """A dataset of 20,000 chunks with room for more, and one of as many without: `steps` and `fixed`."""
    with tempfile.TemporaryDirectory() as folder:
        plain = os.path.join(folder, "windows.h5")
        with h5py.File(plain, "w", libver=libver) as file:
            values = numpy.arange(200_000, dtype="i4") // 1000
            file.create_dataset("steps", data=values, chunks=(10,), maxshape=(None,))
            file.create_dataset("fixed", data=values, chunks=(10,))
        pack(plain, path)


def pack(plain, path):
    with open(plain, "rb") as file, open(path, "wb") as out:
        with gzip.GzipFile("", "wb", 9, out, mtime=0) as packed:
            packed.write(file.read())


MAKERS = {
    "scattered.h5.gz": lambda path: scattered(path, "earliest"),
    "scattered_latest.h5.gz": lambda path: scattered(path, "latest"),
    "windows_earliest.h5.gz": lambda path: windows(path, "earliest"),
    "windows_latest.h5.gz": lambda path: windows(path, "latest"),
}

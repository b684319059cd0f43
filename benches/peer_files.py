"""The files that `peers` reads: one for each row, or for a few rows that share it.

Every file has its data in `/x`, but for those of small datasets (`/g000/d00` …), of many links (`/links/l0000000` …),
and of conversions. `small` makes them tiny, with the same structures where that is possible.
"""

import os

import h5py
import hdf5plugin
import numpy as np

# The oldest structures there are, and those of the newest version that most readers know.
EARLIEST, LATEST = ("earliest", "v108"), ("v114", "v114")
CHUNK = (256, 256)


class Sizes:
    """How much of everything."""

    def __init__(self, small):
        self.groups, self.datasets = (4, 25) if small else (200, 100)
        self.links = 2_000 if small else 1_000_000
        self.side = 512 if small else 8192  # of a square of float64
        self.integers = 200_000 if small else 50_000_000
        self.strings = 5_000 if small else 2_000_000
        self.records = 10_000 if small else 5_000_000
        self.converted = 20_000 if small else 32 << 20
        self.attributes = 50 if small else 1_000


def field(side):
    """A smooth field with noise, rounded to what an instrument resolves, like a temperature in kelvin."""
    random = np.random.default_rng(2)
    values = np.full((side, side), 280.0)
    for waves in (1, 3, 11):
        for axis in (0, 1):
            position = np.linspace(0, 2 * np.pi * waves * (axis + 1), side)
            values += (8 / waves * np.sin(position + waves)).reshape((-1, 1) if axis == 0 else (1, -1))
    values += random.normal(0, 0.1, values.shape)
    return np.round(values * 4096) / 4096


def mantissas(side):
    """Numbers of which only sign and exponent are alike."""
    return np.random.default_rng(3).uniform(1, 2, (side, side))


def small_datasets(folder, sizes):
    for name, libver in (("small_earliest.h5", EARLIEST), ("small_latest.h5", LATEST)):
        with h5py.File(os.path.join(folder, name), "w", libver=libver) as file:
            for g in range(sizes.groups):
                group = file.create_group(f"g{g:03}")
                for d in range(sizes.datasets):
                    group[f"d{d:02}"] = np.arange(4, dtype="f8") + g * sizes.datasets + d


def many_links(folder, sizes):
    """One group of links to a few datasets: which of them says the name."""
    for name, libver in (("links_symbols.h5", EARLIEST), ("links_dense.h5", LATEST)):
        with h5py.File(os.path.join(folder, name), "w", libver=libver) as file:
            targets = file.create_group("targets")
            for i in range(10):
                targets[str(i)] = np.arange(4, dtype="f8") + i
            links = file.create_group("links").id
            file.attrs["links"] = sizes.links
            for i in range(sizes.links):
                links.links.create_hard(b"l%07d" % i, targets.id, b"%d" % (i % 10))


def squares(folder, sizes):
    """The field in all the layouts and filters, and what compresses badly with one of them."""
    values = field(sizes.side)
    blosc, bitshuffle = hdf5plugin.Blosc, hdf5plugin.Bitshuffle
    gzip = {"chunks": CHUNK, "shuffle": True, "compression": "gzip", "compression_opts": 4}
    plugin = {
        "zstd": {"chunks": CHUNK, "shuffle": True, **hdf5plugin.Zstd(clevel=3)},
        "lz4": {"chunks": CHUNK, "shuffle": True, **hdf5plugin.LZ4()},
        "blosc_lz4": {"chunks": CHUNK, **blosc(cname="lz4", clevel=5, shuffle=blosc.SHUFFLE)},
        "blosc_zstd": {"chunks": CHUNK, **blosc(cname="zstd", clevel=5, shuffle=blosc.SHUFFLE)},
        "bitshuffle_lz4": {"chunks": CHUNK, **bitshuffle(cname="lz4")},
        "bitshuffle_zstd": {"chunks": CHUNK, **bitshuffle(cname="zstd")},
    }
    for name, how in {"contiguous": {}, "chunked": {"chunks": CHUNK}, "gzip": gzip, **plugin}.items():
        with h5py.File(os.path.join(folder, f"{name}.h5"), "w", libver=("v110", "v110")) as file:
            file.create_dataset("x", data=values, **how)
    with h5py.File(os.path.join(folder, "gzip_noise.h5"), "w", libver=("v110", "v110")) as file:
        file.create_dataset("x", data=mantissas(sizes.side), **gzip)


def integers(folder, sizes):
    """One dimension in small chunks, indexed by a B-tree or by an extensible array."""
    random = np.random.default_rng(4)
    values = np.cumsum(random.integers(-50, 60, sizes.integers)).astype("i4")
    how = {"chunks": (16 << 10,), "maxshape": (None,), "compression": "gzip", "compression_opts": 4, "shuffle": True}
    for name, libver in (("integers_btree.h5", EARLIEST), ("integers_array.h5", LATEST)):
        with h5py.File(os.path.join(folder, name), "w", libver=libver) as file:
            file.create_dataset("x", data=values, **how)


def strings(folder, sizes):
    """Strings of variable length, 5 to 30 bytes of UTF-8, some of them beyond ASCII."""
    random = np.random.default_rng(5)
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz0123456789_-. éü"))
    lengths = random.integers(5, 27, sizes.strings)
    drawn = "".join(letters[random.integers(0, len(letters), lengths.sum())])
    ends = np.cumsum(lengths)
    texts = [drawn[end - length : end] for end, length in zip(ends, lengths)]
    texts = [text.encode()[:30].decode(errors="ignore") for text in texts]
    with h5py.File(os.path.join(folder, "strings.h5"), "w", libver=("v110", "v110")) as file:
        file.create_dataset("x", data=texts, dtype=h5py.string_dtype())


def conversions(folder, sizes):
    random = np.random.default_rng(6)
    records = np.empty(sizes.records, [("time", "f8"), ("channel", "i4"), ("value", "f4")])
    records["time"] = np.arange(sizes.records) / 1000
    records["channel"] = random.integers(0, 64, sizes.records)
    records["value"] = random.normal(0, 1, sizes.records)
    numbers = random.normal(0, 1000, sizes.converted)
    with h5py.File(os.path.join(folder, "conversions.h5"), "w", libver=("v110", "v110")) as file:
        file["records"] = records
        file["big_endian"] = numbers.astype(">f8")
        file["short"] = numbers.astype("<i2")


def attributes(folder, sizes):
    """Many attributes of one object, in its header or in a heap."""
    for name, libver in (("attributes_compact.h5", EARLIEST), ("attributes_dense.h5", LATEST)):
        with h5py.File(os.path.join(folder, name), "w", libver=libver) as file:
            x = file.create_group("x")
            for i in range(sizes.attributes):
                x.attrs[f"attribute {i:04}"] = float(i)


def make(folder, small):
    for part in (small_datasets, many_links, squares, integers, strings, conversions, attributes):
        print(part.__name__.replace("_", " "), flush=True)
        part(folder, Sizes(small))

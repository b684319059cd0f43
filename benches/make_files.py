#!/usr/bin/env python3
"""Make the files that `filters` or `peers` reads, once.

python make_files.py FOLDER
python make_files.py --peers [--small] FOLDER

FOLDER gets one file for each family of filters, or for each row of `peers`, and `env.sh`, which sets where the C
libraries are. `--small` makes tiny files, to see whether all rows run.
"""

import argparse
import glob
import os
import sys
import sysconfig

import h5py
import hdf5plugin
import numpy as np

import peer_files
import python_peer_files

RAW = 8 << 20  # bytes of a dataset before its filters
LARGE, SMALL = 1 << 20, 64 << 10  # bytes of a chunk
LZF, NBIT, OPTIONAL, MANDATORY = 32000, 5, 1, 0

# Shapes of datasets of 2 Mi elements and of their chunks of 1 MiB and 64 KiB, for elements of 4 bytes.
SHAPES = {1: (2 << 20,), 2: (2048, 1024), 3: (128, 128, 128)}
CHUNKS = {
    (1, LARGE): (256 << 10,),
    (1, SMALL): (16 << 10,),
    (2, LARGE): (512, 512),
    (2, SMALL): (128, 128),
    (3, LARGE): (64, 64, 64),
    (3, SMALL): (16, 32, 32),
}


# ---------------------------------------------------------------- data


def shapes(kind, rank, chunk):
    """The shape of a dataset of `RAW` bytes and of its chunks of `chunk` bytes."""
    shape, box = list(SHAPES[rank]), list(CHUNKS[rank, chunk])
    size = np.dtype(kind).itemsize
    shape[-1] = shape[-1] * 4 // size
    box[-1] = box[-1] * 4 // size
    return tuple(shape), tuple(box)


def field(kind, rank):
    """A smooth field with some noise, like a temperature in kelvin; floats keep what an instrument resolves."""
    shape, _ = shapes(kind, rank, LARGE)
    rng = np.random.default_rng(rank)
    values = np.full(shape, 280.0)
    for waves in (1, 3, 11):
        for axis, length in enumerate(shape):
            position = np.linspace(0, 2 * np.pi * waves * (axis + 1), length)
            across = [1] * rank
            across[axis] = length
            values += 8 / waves * np.sin(position + waves).reshape(across)
    values += rng.normal(0, 0.03, shape)
    if np.dtype(kind).kind == "i":
        return np.round(values * 100).astype(kind)
    return (np.round(values * 128) / 128).astype(kind)


def simulated(kind, rank):
    """The same field with all the digits that a simulation writes."""
    values = field("f8", rank) if np.dtype(kind).itemsize == 8 else field(kind, rank)
    noise = np.random.default_rng(40 + rank).normal(0, 0.001, values.shape)
    return (values + noise).astype(kind)


def counts(kind, rank, most=None):
    """Counts with many zeros and a long tail, like reads of genes in cells."""
    shape, _ = shapes(kind, rank, LARGE)
    rng = np.random.default_rng(20 + rank)
    values = rng.poisson(rng.gamma(0.3, 10, shape))
    return np.minimum(values, most or np.iinfo(kind).max).astype(kind)


def text():
    """Words by Zipf's law."""
    rng = np.random.default_rng(7)
    letters = np.frombuffer(b"etaoinshrdlucmfwypvbgkjqxz", "u1")
    words = [bytes(letters[rng.geometric(0.12, n) % 26]) for n in rng.integers(2, 10, 5000)]
    rank = np.arange(1, len(words) + 1)
    drawn = rng.choice(len(words), RAW // 3, p=(1 / rank) / (1 / rank).sum())
    return np.frombuffer(b" ".join(words[i] for i in drawn)[:RAW], "u1")


DATA = {}


def data(name, kind, rank):
    """Data by name, made once."""
    make = {"field": field, "simulated field": simulated, "counts": counts}
    if (name, kind, rank) not in DATA:
        DATA[name, kind, rank] = text() if name == "text" else make[name](kind, rank)
    return DATA[name, kind, rank]


# ---------------------------------------------------------------- datasets


class Writer:
    """Writes one file; datasets are numbered in the order in which they are to be reported."""

    def __init__(self, folder, name):
        self.file = h5py.File(os.path.join(folder, name), "w", libver=("v110", "v110"))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.file.close()

    def add(self, label, steps, name, kind, rank, chunk=LARGE, values=None, bits=None):
        """A dataset of chunks that went through `steps`, functions of the creation property list."""
        values = data(name, kind, rank) if values is None else values
        box = (chunk,) if name == "text" else shapes(kind, rank, chunk)[1]
        plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        plist.set_chunk(box)
        for step in steps:
            step(plist)
        stored = h5py.h5t.py_create(np.dtype(kind)).copy()
        if bits is not None:
            stored.set_precision(bits)
        key = f"{len(self.file):03}".encode()
        made = h5py.h5d.create(self.file.id, key, stored, h5py.h5s.create_simple(values.shape), plist)
        made.write(h5py.h5s.ALL, h5py.h5s.ALL, np.ascontiguousarray(values))
        masks = {made.get_chunk_info(i).filter_mask for i in range(made.get_num_chunks())}
        if masks != {0}:
            raise SystemExit(f"{label}: libhdf5 left the filter out of some chunks, there is nothing to measure")
        attributes = h5py.Dataset(made).attrs
        attributes["filter"] = label
        attributes["data"] = "text" if name == "text" else f"{name}, {np.dtype(kind).name}, {rank}-D"
        attributes["chunk"] = "1 MiB" if chunk == LARGE else "64 KiB"
        # What it is read into as a whole; elements with fewer bits than bytes hold are read as bytes.
        attributes["element"] = np.dtype(kind).name if bits is None else "bytes"

    def usual(self, label, steps, small=False, plain=False):
        """What most codecs are measured on: a field, counts; with small chunks too; text too."""
        self.add(label, steps, "field", "f4", 2)
        if small:
            self.add(label, steps, "field", "f4", 2, SMALL)
        self.add(label, steps, "counts", "i4", 1)
        if plain:
            self.add(label, steps, "text", "u1", 1)


def step(settings):
    """The step of a filter of hdf5plugin."""
    number, values = settings["compression"], tuple(settings["compression_opts"])
    return [lambda plist: plist.set_filter(number, OPTIONAL, values)]


def shuffle(plist):
    plist.set_shuffle()


def deflate(level):
    return lambda plist: plist.set_deflate(level)


def built_in(folder):
    with Writer(folder, "1_built_in.h5") as out:
        out.usual("deflate 6", [deflate(6)], small=True, plain=True)
        out.usual("shuffle + deflate 6", [shuffle, deflate(6)])
        out.usual("shuffle", [shuffle], small=True)
        out.add("shuffle", [shuffle], "field", "f8", 2)
        out.add("shuffle", [shuffle], "counts", "u2", 1)
        out.usual("fletcher32", [lambda plist: plist.set_fletcher32()], small=True)
        nearest, entropy = h5py.h5z.SZIP_NN_OPTION_MASK, h5py.h5z.SZIP_EC_OPTION_MASK
        out.usual("szip nn, 32", [lambda plist: plist.set_szip(nearest, 32)])
        out.add("szip nn, 16", [lambda plist: plist.set_szip(nearest, 16)], "field", "i4", 2)
        out.add("szip ec, 16", [lambda plist: plist.set_szip(entropy, 16)], "counts", "u2", 1)
        nbit = [lambda plist: plist.set_filter(NBIT, MANDATORY, ())]
        out.add("n-bit 12", nbit, "counts", "u2", 1, values=counts("u2", 1, 4095), bits=12)
        out.add("n-bit 20", nbit, "counts", "i4", 1, values=counts("i4", 1, 4095), bits=20)
        integer, decimal = h5py.h5z.SO_INT, h5py.h5z.SO_FLOAT_DSCALE
        for kind in ("i4", "u2"):
            out.add("scale-offset", [lambda plist: plist.set_scaleoffset(integer, 0)], "counts", kind, 1)
        for kind in ("f4", "f8"):
            out.add("scale-offset 2 digits", [lambda plist: plist.set_scaleoffset(decimal, 2)], "field", kind, 2)


def lzf(folder):
    with Writer(folder, "2_lzf.h5") as out:
        own = [lambda plist: plist.set_filter(LZF, OPTIONAL, ())]
        out.add("LZF", own, "counts", "i4", 1)
        out.add("LZF", own, "counts", "i4", 1, SMALL)
        out.add("LZF", own, "text", "u1", 1)
        out.usual("shuffle + LZF", [shuffle, *own])


def single(folder):
    with Writer(folder, "3_lz4_zstd_bzip2.h5") as out:
        out.usual("LZ4", step(hdf5plugin.LZ4()), small=True, plain=True)
        out.add("LZ4, blocks of 16 KiB", step(hdf5plugin.LZ4(nbytes=16 << 10)), "field", "f4", 2)
        for level in (3, 19):
            out.usual(f"Zstandard {level}", step(hdf5plugin.Zstd(clevel=level)), small=level == 3, plain=True)
        out.usual("bzip2 9", step(hdf5plugin.BZip2(blocksize=9)), plain=True)


def bitshuffle(folder):
    with Writer(folder, "4_bitshuffle.h5") as out:
        for codec in ("none", "lz4", "zstd"):
            settings = step(hdf5plugin.Bitshuffle(cname=codec))
            out.usual(f"bitshuffle {codec}", settings, small=codec != "zstd")
            out.add(f"bitshuffle {codec}", settings, "field", "f8", 2)
            out.add(f"bitshuffle {codec}", settings, "counts", "u2", 1)


def blosc(folder):
    shuffles = ((1, "shuffle"), (2, "bitshuffle"), (0, "no shuffle"))
    with Writer(folder, "5_blosc.h5") as out:
        for codec in ("blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd"):
            fast = codec in ("blosclz", "lz4", "snappy")
            for number, name in shuffles:
                settings = step(hdf5plugin.Blosc(cname=codec, clevel=5, shuffle=number))
                plain = number == 0 and codec in ("lz4", "snappy", "zstd")
                out.usual(f"Blosc {codec}, {name}", settings, small=fast, plain=plain)


def blosc2(folder):
    filters = hdf5plugin.Blosc2
    with Writer(folder, "6_blosc2.h5") as out:
        for codec in ("blosclz", "lz4", "zlib", "zstd"):
            fast = codec in ("blosclz", "lz4")
            settings = step(filters(cname=codec, clevel=5, filters=filters.SHUFFLE))
            for rank in (1, 2):
                label = f"Blosc2 {codec}, shuffle"
                out.add(label, settings, "field", "f4", rank)
                out.add(label, settings, "counts", "i4", rank)
                if fast:
                    out.add(label, settings, "field", "f4", rank, SMALL)
            for number, name in ((filters.BITSHUFFLE, "bitshuffle"), (filters.NOFILTER, "no shuffle")):
                out.usual(f"Blosc2 {codec}, {name}", step(filters(cname=codec, clevel=5, filters=number)))
        settings = step(filters(cname="lz4", clevel=5, filters=filters.DELTA))
        out.add("Blosc2 lz4, delta", settings, "counts", "i4", 1)
        settings = step(filters(cname="lz4hc", clevel=5, filters=filters.SHUFFLE))
        out.add("Blosc2 lz4hc, shuffle", settings, "field", "f4", 2)
        settings = step(filters(cname="zstd", clevel=5, filters=filters.NOFILTER))
        out.add("Blosc2 zstd, no shuffle", settings, "text", "u1", 1)


def zfp(folder):
    modes = (
        ("rate 8", {"rate": 8}),
        ("precision 16", {"precision": 16}),
        ("accuracy 0.01", {"accuracy": 0.01}),
        ("reversible", {"reversible": True}),
    )
    with Writer(folder, "7_zfp.h5") as out:
        for label, mode in modes:
            for kind in ("f4", "f8", "i4"):
                if kind == "i4" and "accuracy" in mode:
                    continue  # only for floats
                for rank in (1, 2, 3):
                    name = "field" if kind == "i4" else "simulated field"
                    out.add(f"ZFP {label}", step(hdf5plugin.Zfp(**mode)), name, kind, rank)


# ---------------------------------------------------------------- where the C libraries are


def variables(peers):
    """What `filters` must be told, as (name, value); `peers` has its own libhdf5, and needs the plugins and Python."""
    yield "HDF5_PLUGIN_PATH", hdf5plugin.PLUGIN_PATH
    if peers:
        yield "PEERS_PYTHON", sys.executable
        return
    beside = os.path.join(os.path.dirname(os.path.dirname(h5py.__file__)), "h5py.libs", "libhdf5-*")
    found = glob.glob(beside)
    if len(found) != 1:
        raise SystemExit("h5py does not come with its own libhdf5 here: set LIBHDF5 by hand")
    yield "LIBHDF5", found[0]
    # LZF is within a module of h5py, which needs the library of Python to load.
    python = os.path.join(sysconfig.get_config_var("LIBDIR") or "", sysconfig.get_config_var("INSTSONAME") or "")
    if python.endswith(".a") or not os.path.isfile(python):
        print("the library of this Python is not there: LZF will be measured without its C side")
    else:
        yield "LZF_LIBRARY", h5py.h5z.__file__
        yield "LIBPYTHON", python


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--peers", action="store_true", help="the files of peers, some 4 GB")
    parser.add_argument("--small", action="store_true", help="tiny ones")
    arguments = parser.parse_args()
    folder = arguments.folder
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "env.sh"), "w") as out:
        for name, value in variables(arguments.peers):
            out.write(f"export {name}='{value}'\n")
    if arguments.peers:
        peer_files.make(folder, arguments.small)
        python_peer_files.make(folder, arguments.small)
        return
    for make in (built_in, lzf, single, bitshuffle, blosc, blosc2, zfp):
        print(make.__name__.replace("_", " "), flush=True)
        make(folder)


if __name__ == "__main__":
    main()

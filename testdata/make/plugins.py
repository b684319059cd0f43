"""Registered filters, each in all the ways its writers use it; hdf5plugin's plug-ins read them into the digests."""

import bz2
import ctypes
import io
import os
import zlib

import blosc2
import hdf5plugin
import lzallright
import numpy as np
from h5py import h5t
from PIL import Image

from .case import LIBRARY, case
from .digest import hash_of
from .elements import compound, fixed_string
from .filters import DEFLATE, FLETCHER, MANDATORY, OPTIONAL, SHUFFLE, filter_list, filtered, noise
from .hdf5 import chunk_write, create, dataset
from .image import uint

BZIP2, LZO, LZF = 307, 305, 32000
BLOSC, LZ4, BITSHUFFLE, ZFP, ZSTD, BLOSC2 = 32001, 32004, 32008, 32013, 32015, 32026
BITGROOM, GRANULAR_BITROUND, BITROUND, JPEG = 32022, 32023, 32032, 32019

CODECS = {"blosclz": 0, "lz4": 1, "lz4hc": 2, "snappy": 3, "zlib": 4, "zstd": 5}
NONE, BYTES, BITS, DELTA, TRUNCATE = 0, 1, 2, 3, 4
SIZES = (1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 17)
NUMBERS = {1: "u1", 2: "<u2", 4: "<i4", 8: "<i8"}

WRITTEN = "libhdf5, chunks by "  # the producer whose streams are stored past the filters


def opaque(size):
    t = h5t.create(h5t.OPAQUE, size)
    t.set_tag(b"")
    return t


def triple():
    return h5t.array_create(h5t.STD_I32LE, (3,))


def element(size):
    """A datatype of this size: a number where there is one, else a string, a compound or opaque."""
    if size == 3:
        return fixed_string(3)
    if size == 12:
        return compound(12, ("x", 0, "<f4"), ("y", 4, ">i4"), ("z", 8, "<u4"))
    return NUMBERS.get(size) or opaque(size)


def rising(size, count):
    """Elements that compress, but not to nothing: squares, eight of each, little-endian."""
    return b"".join(((i // 8) ** 2 % 256**size).to_bytes(size, "little") for i in range(50, 50 + count))


def random_bytes(count):
    return noise(count // 8 + 1, "<u8", 0, 2**62).tobytes()[:count]


def column(parent, name, size, count, *filters, chunk=None, raw=None):
    """A one-dimensional dataset of `count` elements, in one chunk unless told otherwise."""
    raw = rising(size, count) if raw is None else raw
    return filtered(parent, name, element(size), (count,), (chunk or count,), *filters, raw=raw)


def use(number, *values, flags=OPTIONAL):
    """A filter by its number and client data."""
    return "filter", number, flags, tuple(int(v) for v in values)


def stored(parent, name, kind, shape, *filters, encoded, mask=0):
    """A dataset of one chunk that is stored as it is, past the filters."""
    d = dataset(parent, name, kind, shape, plist=filter_list(shape, *filters))
    chunk_write(d, (0,) * len(shape), encoded, mask)
    return d


def library(name):
    """A plug-in as a library: what it is built on is among its symbols."""
    return ctypes.CDLL(os.path.join(hdf5plugin.PLUGIN_PATH, f"lib{name}.so"))


# ---------------------------------------------------------------- Blosc


def blosc(codec, shuffle, level=5, **how):
    return use(BLOSC, 0, 0, 0, 0, level, shuffle, CODECS[codec], **how)


def smooth(count, kind):
    return np.arange(count).astype(kind) // 16


@case(
    "plugin_blosc.h5",
    "Blosc: every codec without shuffle, with byte and bit shuffle; elements of 1 to 17 bytes; levels 0, 1, 5, 9; "
    "constant; incompressible (masked); big-endian; edge chunks; several blocks and a short last one; counts that are"
    " no multiple of 8",
)
def plugin_blosc(c):
    with create(c.name, "v110") as f:
        for number, codec in enumerate(CODECS):
            for shuffle in (NONE, BYTES, BITS):
                for size in SIZES if codec == "lz4" else SIZES[(number + shuffle) % 3 :: 3]:
                    column(f, f"{codec} {shuffle} of {size}", size, 301, blosc(codec, shuffle))
            for level in (1, 9):
                column(f, f"{codec} level {level}", 4, 301, blosc(codec, BYTES, level))
            column(f, f"{codec} constant", 8, 500, blosc(codec, BYTES), raw=b"seven 7 " * 500)
            column(f, f"{codec} long", 4, 37501, blosc(codec, BYTES, 1), raw=smooth(37501, "<i4").tobytes())
            column(f, f"{codec} bytes", 1, 3001, blosc(codec, NONE), raw=bytes(i // 50 % 256 for i in range(3001)))
            filtered(f, f"{codec} edges", ">i4", (13, 15), (8, 10), blosc(codec, number % 3))
        runs = b"".join(bytes([i % 256]) * 400 for i in range(350))
        column(f, "long runs", 1, 140000, blosc("blosclz", NONE, 1), raw=runs)
        column(f, "long bits", 2, 70003, blosc("blosclz", BITS, 1), raw=smooth(70003, "<u2").tobytes())
        for shuffle in (NONE, BITS):
            column(f, f"long zstd {shuffle}", 8, 20003, blosc("zstd", shuffle, 1), raw=smooth(20003, "<i8").tobytes())
        column(f, "long of 3", 3, 60001, blosc("lz4", BYTES, 1), raw=b"abcabdabe" * 20000 + b"xyz")
        column(f, "level 0", 4, 301, blosc("lz4", BYTES, 0))
        column(f, "incompressible", 8, 100, blosc("lz4", BYTES), raw=random_bytes(800))
        column(f, "short", 4, 5, blosc("lz4", BYTES))
        for count in (40, 41, 100, 255, 257):
            column(f, f"bits {count}", 4, count, blosc("lz4", BITS))
            column(f, f"bits in chunks of {count}", 2, 400, blosc("zstd", BITS), chunk=count)
        filtered(f, "cube", ">f8", (5, 7, 9), (2, 4, 5), blosc("zlib", BYTES), data=np.arange(315.0).reshape(5, 7, 9))
        filtered(f, "array", triple(), (99,), (99,), blosc("lz4", BYTES), raw=rising(4, 297))
        column(f, "of 300", 300, 9, blosc("lz4", BYTES), raw=bytes(i // 7 % 256 for i in range(2700)))


def blosc_frame(raw, codec, shuffle, size, level=5, block=0, split=4):
    """A buffer of c-blosc; `split` 1 splits blocks into a stream for each byte of elements, 2 never, 4 is usual."""
    made = library("h5blosc")
    out = ctypes.create_string_buffer(2 * len(raw) + 100)  # Snappy gives up where its worst case does not fit
    made.blosc_set_splitmode(split)
    length = made.blosc_compress_ctx(
        level,
        shuffle,
        ctypes.c_size_t(size),
        ctypes.c_size_t(len(raw)),
        raw,
        out,
        ctypes.c_size_t(len(out)),
        codec.encode(),
        ctypes.c_size_t(block),
        1,
    )
    made.blosc_set_splitmode(4)
    if length <= 0:
        raise ValueError(f"c-blosc: {length}")
    return out.raw[:length]


@case(
    "plugin_blosc_frames.h5",
    "Blosc buffers the plug-in does not write: small blocks, split and whole; copied (level 0, incompressible); bytes"
    " that are no multiple of the element; blocks that do not shrink between others that do",
    WRITTEN + "c-blosc",
)
def plugin_blosc_frames(c):
    def put(name, raw, codec, shuffle, size, **how):
        plist = blosc(codec, shuffle, flags=MANDATORY)
        stored(f, name, "u1", (len(raw),), plist, encoded=blosc_frame(raw, codec, shuffle, size, **how))

    with create(c.name, "v110") as f:
        for number, codec in enumerate(CODECS):
            for split in (1, 2):
                for shuffle, size in ((NONE, 4), (BYTES, (2, 8, 16)[number % 3]), (BITS, (4, 3, 7)[number % 3])):
                    raw = rising(size, (2300 if shuffle == BYTES else 1000) // size)
                    put(f"{codec} {shuffle} of {size} split {split}", raw, codec, shuffle, size, block=384, split=split)
            put(f"{codec} left over", rising(4, 200) + b"end", codec, BYTES, 4, block=512, split=number % 2 + 1)
            put(f"{codec} left over bits", rising(4, 203) + b"end", codec, BITS, 4, block=512, split=2)
            mixed = rising(4, 128) + random_bytes(512) + bytes(512) + random_bytes(200)
            put(f"{codec} mixed", mixed, codec, BYTES, 4, block=512, split=2)
            put(f"{codec} mixed split", mixed, codec, BYTES, 4, split=1)
            put(f"{codec} long split", smooth(36001, "<i4").tobytes(), codec, BYTES, 4, block=128, split=1)
        for shuffle in (NONE, BYTES, BITS):
            put(f"level 0 {shuffle}", rising(4, 100), "lz4", shuffle, 4, level=0)
            put(f"incompressible {shuffle}", random_bytes(777), "zstd", shuffle, 4)
        for size in SIZES:
            put(f"snappy whole of {size}", rising(size, 301), "snappy", size % 3, size, split=2)
        put("short", b"short", "lz4", BYTES, 4)
        put("of 255", bytes(i // 7 % 256 for i in range(2295)), "lz4", BYTES, 255)


# ---------------------------------------------------------------- Blosc2


def second(codec, step, level=5, block=0, **how):
    """Blosc2; `block` is the size of its blocks in bytes, 0 leaves it to the library."""
    return use(BLOSC2, 0, block, 0, 0, level, step, CODECS[codec], **how)


CODECS_2 = tuple(codec for codec in CODECS if codec != "snappy")


@case(
    "plugin_blosc2.h5",
    "Blosc2: every codec without filter, with byte and bit shuffle and delta; elements of 1 to 17 and of 300 bytes; "
    "one to twenty dimensions, blocks that do not divide the chunk; zeros, NaN, one value; incompressible; behind "
    "fletcher32; edge chunks",
)
def plugin_blosc2(c):
    with create(c.name, "v110") as f:
        for number, codec in enumerate(CODECS_2):
            for step in (NONE, BYTES, BITS, DELTA):
                for size in SIZES[(number + step) % 4 :: 4]:
                    column(f, f"{codec} {step} of {size}", size, 301, second(codec, step))
            column(f, f"{codec} blocks", 4, 701, second(codec, BYTES, block=512))
            column(f, f"{codec} delta blocks", 8, 301, second(codec, DELTA, block=512))
            column(f, f"{codec} level 9", 2, 301, second(codec, BYTES, 9))
            column(f, f"{codec} long", 4, 37501, second(codec, BYTES, 1), raw=smooth(37501, "<i4").tobytes())
            column(f, f"{codec} incompressible", 8, 70, second(codec, BYTES), raw=random_bytes(560))
            filtered(f, f"{codec} plane", "<i4", (20, 30), (20, 30), second(codec, number % 3, block=256))
            filtered(f, f"{codec} edges", ">i2", (13, 17), (10, 12), second(codec, number % 3))
        column(f, "level 0", 4, 301, second("lz4", BYTES, 0))
        column(f, "long bits", 2, 70003, second("zstd", BITS, 1), raw=smooth(70003, "<u2").tobytes())
        column(f, "of 300", 300, 9, second("lz4", BYTES), raw=bytes(i // 7 % 256 for i in range(2700)))
        column(f, "of 255", 255, 9, second("lz4", BITS), raw=bytes(i // 7 % 256 for i in range(2295)))
        column(f, "short", 4, 3, second("lz4", BYTES), raw=random_bytes(12))
        filtered(f, "array", triple(), (99,), (99,), second("lz4", BYTES), raw=rising(4, 297))
        for block in (0, 64, 300, 1000):
            for step in (BYTES, BITS, DELTA):
                how = second("lz4", step, block=block)
                filtered(f, f"plane {block} {step}", "<i2", (11, 17), (11, 17), how)
                filtered(f, f"cube {block} {step}", "<i4", (5, 7, 3), (5, 7, 3), how)
        filtered(f, "four", "<u2", (4, 6, 5, 3), (3, 4, 5, 3), second("zstd", BYTES, block=100))
        filtered(f, "flat", "<i4", (6, 50), (1, 50), second("lz4", BYTES, block=64))
        filtered(f, "of 3", opaque(3), (11, 17), (11, 17), second("lz4", BYTES, block=96), raw=rising(3, 187))
        filtered(f, "of 17", opaque(17), (7, 9), (7, 9), second("zstd", BITS, block=200), raw=rising(17, 63))
        eight, nine = (2, 1, 3, 2, 1, 2, 3, 2), (2, 1, 3, 2, 1, 2, 1, 3, 2)
        filtered(f, "eight", "<i2", eight, eight, second("lz4", BYTES))
        filtered(f, "nine", "<i2", nine, nine, second("lz4", BYTES))
        twenty = (2, 3) + (1,) * 16 + (5, 7)
        filtered(f, "twenty", "<i2", twenty, twenty, second("lz4", BYTES))
        for name, shape in (("line", (600,)), ("plane", (20, 30))):
            for kind in ("<i4", "<f8"):
                for value in (0, 7):
                    data = np.full(shape, value, kind)
                    filtered(f, f"{name} {value} {kind[1:]}", kind, shape, shape, second("lz4", BYTES), data=data)
            for kind in ("<f4", "<f8"):
                data = np.full(shape, np.nan, kind)
                filtered(f, f"{name} NaN {kind[1:]}", kind, shape, shape, second("lz4", BYTES), data=data)
            filtered(f, f"{name} fletcher", "<i4", shape, shape, FLETCHER, second("lz4", BYTES))
        column(f, "repeated of 3", 3, 600, second("lz4", BYTES), raw=b"abc" * 600)
        column(f, "repeated of 17", 17, 100, second("lz4", BYTES), raw=b"seventeen letters" * 100)
        column(f, "fletcher of 3", 3, 201, FLETCHER, second("zstd", BITS))


def line_frame(data, size=4, chunk=None, **settings):
    """The frame of a super-chunk that holds `data`; one thread, that blocks come in order."""
    settings = {"typesize": size, "nthreads": 1, **settings}
    return blosc2.SChunk(chunksize=chunk or len(data), data=data, cparams=settings, contiguous=True).to_cframe()


def special_frame(count, special, value=None):
    """The frame of a super-chunk whose chunk is no more than the name of its value."""
    made = blosc2.SChunk(chunksize=4 * count, cparams={"typesize": 4, "nthreads": 1}, contiguous=True)
    made.fill_special(count, special, value)
    return made.to_cframe()


def frames_of_lines():
    """name: (datatype, number of elements, frame)."""
    step, splits, codecs, kinds = blosc2.Filter, blosc2.SplitMode, blosc2.Codec, blosc2.SpecialValue
    raw, real, double = rising(4, 450), (np.arange(600) / 7).astype("<f4").tobytes(), (np.arange(300) / 7).tobytes()
    text = b"".join(b"line %d of a text that comes again, " % (i * i % 97) for i in range(160))
    mixed = raw[:1024] + random_bytes(512) + bytes(512) + b"seven" * 102 + random_bytes(102)
    runs = b"\xff" * 512 + bytes(512) + b"\x07" * 1024
    chains = {
        "delta": [(step.DELTA, 0)],
        "delta and shuffle": [(step.DELTA, 0), (step.SHUFFLE, 0)],
        "shuffle and delta": [(step.SHUFFLE, 0), (step.DELTA, 0)],
        "delta and bit shuffle": [(step.DELTA, 0), (step.BITSHUFFLE, 0)],
        "shuffle twice": [(step.SHUFFLE, 0), (step.SHUFFLE, 0)],
        "shuffle of 2": [(step.SHUFFLE, 2)],
        "byte delta": [(step.SHUFFLE, 0), (step.BYTEDELTA, 4)],
        "nothing and bit shuffle": [(step.NOFILTER, 0), (step.BITSHUFFLE, 0)],
    }
    out = {}
    for name, chain in chains.items():
        how = {"filters": [kind for kind, _ in chain], "filters_meta": [value for _, value in chain], "blocksize": 512}
        for codec in (codecs.LZ4, codecs.ZSTD):
            out[f"{name} {codec.name.lower()}"] = "<i4", 450, line_frame(raw, codec=codec, **how)
    for bits in (10, -10):
        how = {"filters": [step.TRUNC_PREC, step.SHUFFLE], "filters_meta": [bits, 0]}
        out[f"precision {bits}"] = "<f4", 600, line_frame(real, **how)
        out[f"precision {bits} double"] = "<f8", 300, line_frame(double, 8, **how)
    for split in (splits.ALWAYS_SPLIT, splits.NEVER_SPLIT):
        for codec in (codecs.BLOSCLZ, codecs.LZ4HC, codecs.ZLIB, codecs.ZSTD):
            frame = line_frame(raw, splitmode=split, codec=codec, blocksize=1024)
            out[f"{split.name.lower()} {codec.name.lower()}"] = "<i4", 450, frame
    out["level 0"] = "<i4", 450, line_frame(raw, clevel=0)
    out["dictionary"] = "u1", len(text), line_frame(text, 1, codec=codecs.ZSTD, use_dict=True, blocksize=1024)
    out["mixed blocks"] = "u1", len(mixed), line_frame(mixed, blocksize=512)
    out["runs of bytes"] = "u1", len(runs), line_frame(runs, 1, blocksize=512)
    out["zeros"] = "<i4", 600, special_frame(600, kinds.ZERO)
    out["NaN"] = "<f4", 600, special_frame(600, kinds.NAN)
    out["value"] = "<f4", 600, special_frame(600, kinds.VALUE, np.float32(2.5))
    return out


def frames_of_arrays():
    """name: (array, frame): arrays of several chunks in one frame."""
    plane, cube = np.arange(600, dtype="<i4").reshape(20, 30), np.arange(504, dtype="<i2").reshape(7, 8, 9)
    line = np.arange(1000, dtype="<i4")
    settings = blosc2.CParams(nthreads=1)
    out = {}
    for chunks, blocks in (((20, 30), (7, 8)), ((8, 16), (3, 5)), ((20, 30), (20, 30)), ((5, 30), (2, 4))):
        out[f"plane {chunks} {blocks}"] = plane, blosc2.asarray(plane, chunks=chunks, blocks=blocks, cparams=settings)
    out["cube"] = cube, blosc2.asarray(cube, chunks=(4, 5, 4), blocks=(2, 3, 3), cparams=settings)
    out["line in chunks"] = line, blosc2.asarray(line, chunks=(300,), blocks=(70,), cparams=settings)
    partly = blosc2.full((20, 30), 7, dtype="<i4", chunks=(8, 16), blocks=(4, 8), cparams=settings)
    partly[3:9, 4:20] = np.ascontiguousarray(plane[3:9, 4:20])
    out["value, partly written"] = partly[:], partly
    for name, made in (
        ("array of zeros", blosc2.zeros((20, 30), dtype="<i4", chunks=(8, 16), blocks=(4, 8), cparams=settings)),
        ("array of NaN", blosc2.nans((20, 30), dtype="<f8", chunks=(8, 16), blocks=(4, 8), cparams=settings)),
        ("array of a value", blosc2.full((20, 30), 1.5, dtype="<f8", chunks=(8, 16), blocks=(4, 8), cparams=settings)),
    ):
        out[name] = made[:], made
    return {name: (data, made.to_cframe()) for name, (data, made) in out.items()}


@case(
    "plugin_blosc2_frames.h5",
    "Blosc2 frames the plug-in does not write: delta, truncated precision, byte delta and several filters; split and "
    "whole blocks; a dictionary; chunks of zeros, NaN, one value; arrays of several chunks, also of one dimension",
    WRITTEN + "python-blosc2",
)
def plugin_blosc2_frames(c):
    with create(c.name, "v110") as f:
        for name, (kind, count, frame) in frames_of_lines().items():
            stored(f, name, kind, (count,), second("lz4", BYTES, flags=MANDATORY), encoded=frame)
        for name, (data, frame) in frames_of_arrays().items():
            stored(f, name, data.dtype, data.shape, second("lz4", BYTES, flags=MANDATORY), encoded=frame)


# ---------------------------------------------------------------- bitshuffle


@case(
    "plugin_bitshuffle.h5",
    "bitshuffle alone, with LZ4 and with Zstandard: elements of 1 to 17 and of 33 bytes; given block sizes; elements "
    "left over, fewer than 8; big-endian; several dimensions; incompressible",
)
def plugin_bitshuffle(c):
    codecs = {"none": (0,), "lz4": (2,), "zstd": (3, 5)}
    with create(c.name, "v110") as f:
        for codec, values in codecs.items():
            for size in (*range(1, 18), 33):
                column(f, f"{codec} of {size}", size, 77 if codec == "none" else 301, use(BITSHUFFLE, 0, *values))
            for block in (8, 16, 64, 1024):
                column(f, f"{codec} blocks of {block}", 2, 501, use(BITSHUFFLE, block, *values))
            for count in (1, 5, 7, 8, 9, 15, 16):
                column(f, f"{codec} {count}", 4, count, use(BITSHUFFLE, 0, *values), raw=random_bytes(4 * count))
            shape = (17, 23)
            filtered(f, f"{codec} edges", ">i4", shape, (8, 10), use(BITSHUFFLE, 0, *values))
            filtered(f, f"{codec} real", ">f8", (99,), (99,), use(BITSHUFFLE, 16, *values), data=np.arange(99) / 4)
            column(f, f"{codec} incompressible", 8, 100, use(BITSHUFFLE, 0, *values), raw=random_bytes(800))
            column(f, f"{codec} constant", 4, 600, use(BITSHUFFLE, 0, *values), raw=b"four" * 600)
            if codec != "none":
                long = smooth(10005, "<i4").tobytes()
                column(f, f"{codec} long", 4, 10005, use(BITSHUFFLE, 0, *values), raw=long)
        column(f, "nothing said", 4, 77, use(BITSHUFFLE))
        column(f, "block only", 4, 77, use(BITSHUFFLE, 16))


# ---------------------------------------------------------------- LZ4, Zstandard, bzip2


@case(
    "plugin_lz4.h5",
    "LZ4: one block, many small ones, a short last one, blocks that do not shrink; one byte; long runs",
)
def plugin_lz4(c):
    with create(c.name, "v110") as f:
        for size in (1, 2, 4, 8, 17):
            column(f, f"of {size}", size, 301, use(LZ4, 0))
            column(f, f"of {size} blocks", size, 301, use(LZ4, 100))
        for block in (16, 64, 1000, 1204, 2000):
            column(f, f"blocks of {block}", 4, 301, use(LZ4, block))
        mixed = rising(4, 64) + random_bytes(300) + bytes(300) + random_bytes(44)
        column(f, "mixed blocks", 1, 900, use(LZ4, 100), raw=mixed)
        column(f, "incompressible", 1, 700, use(LZ4, 0), raw=random_bytes(700))
        column(f, "one byte", 1, 1, use(LZ4, 0))
        column(f, "runs", 1, 20000, use(LZ4, 0), raw=bytes(i // 5000 for i in range(20000)))
        column(f, "long match", 1, 70000, use(LZ4, 0), raw=random_bytes(700) * 100)
        column(f, "nothing said", 4, 301, use(LZ4))
        column(f, "chunks", 4, 301, use(LZ4, 64), chunk=40)


@case(
    "plugin_zstd.h5",
    "Zstandard: levels from -5 to 22; constant, incompressible, short, text; several blocks",
)
def plugin_zstd(c):
    text = b"".join(b"record %d: %d; " % (i, i * i % 1009) for i in range(400))
    with create(c.name, "v110") as f:
        for level in (-5, 1, 3, 9, 15, 19, 22):
            column(f, f"level {level}", 4, 501, use(ZSTD, level % 2**32))
            column(f, f"text {level}", 1, len(text), use(ZSTD, level % 2**32), raw=text)
        for size in (1, 2, 3, 8, 17):
            column(f, f"of {size}", size, 301, use(ZSTD, 3))
        column(f, "constant", 8, 500, use(ZSTD, 3), raw=b"constant" * 500)
        column(f, "zeros", 1, 140000, use(ZSTD, 3), raw=bytes(140000))
        column(f, "incompressible", 1, 900, use(ZSTD, 3), raw=random_bytes(900))
        column(f, "one byte", 1, 1, use(ZSTD, 3))
        column(f, "long", 4, 70001, use(ZSTD, 1), raw=smooth(70001, "<i4").tobytes())
        column(f, "long match", 1, 150000, use(ZSTD, 3), raw=random_bytes(1500) * 100)
        column(f, "nothing said", 4, 301, use(ZSTD))
        filtered(f, "edges", ">i4", (17, 23), (8, 10), use(ZSTD, 3))


CONTENT_SIZE, CHECKSUM = 200, 201  # ZSTD_c_contentSizeFlag, ZSTD_c_checksumFlag


def zstd_frame(raw, **parameters):
    """A frame of the Zstandard library; parameters by number."""
    made = library("h5zstd")
    for name in ("ZSTD_createCCtx", "ZSTD_compress2", "ZSTD_CCtx_setParameter"):
        getattr(made, name).restype = ctypes.c_size_t
    context = ctypes.c_size_t(made.ZSTD_createCCtx())
    for number, value in parameters.items():
        made.ZSTD_CCtx_setParameter(context, int(number[1:]), value)
    out = ctypes.create_string_buffer(len(raw) + 512)
    length = made.ZSTD_compress2(context, out, ctypes.c_size_t(len(out)), raw, ctypes.c_size_t(len(raw)))
    made.ZSTD_freeCCtx(context)
    if length > len(out):
        raise ValueError("Zstandard failed")
    return out.raw[:length]


def skippable(content):
    return uint(0x184D2A50, 4) + uint(len(content), 4) + content


@case(
    "plugin_zstd_frames.h5",
    "Zstandard frames the plug-in does not write: a checksum; a skippable or an empty frame behind the first",
    WRITTEN + "Zstandard",
)
def plugin_zstd_frames(c):
    raw = rising(4, 301)
    frame = zstd_frame(raw)
    with create(c.name, "v110") as f:
        for name, encoded in (
            ("checksum", zstd_frame(raw, **{f"_{CHECKSUM}": 1})),
            ("skippable behind", frame + skippable(b"hello")),
            ("empty behind", frame + zstd_frame(b"")),
        ):
            stored(f, name, "<i4", (301,), use(ZSTD, 3, flags=MANDATORY), encoded=encoded)


@case(
    "plugin_zstd_more.h5",
    "valid Zstandard streams the plug-in refuses or reads wrongly, as it takes the length from the first frame: no "
    "content size, two frames, a skippable or an empty frame first",
    WRITTEN + "Zstandard",
    by_values=True,
)
def plugin_zstd_more(c):
    raw = rising(4, 301)
    frame, unsized = zstd_frame(raw), {f"_{CONTENT_SIZE}": 0}
    with create(c.name, "v110") as f:
        for name, encoded in (
            ("no content size", zstd_frame(raw, **unsized)),
            ("no content size, checksum", zstd_frame(raw, **unsized, **{f"_{CHECKSUM}": 1})),
            ("two frames", zstd_frame(raw[:500]) + zstd_frame(raw[500:])),
            ("two frames without content size", zstd_frame(raw[:500], **unsized) + zstd_frame(raw[500:], **unsized)),
            ("skippable first", skippable(b"") + frame),
            ("empty first", zstd_frame(b"") + frame),
        ):
            stored(f, name, "<i4", (301,), use(ZSTD, 3, flags=MANDATORY), encoded=encoded)
            c.corrections["/" + name] = hash_of(raw)


@case(
    "plugin_bzip2.h5",
    "bzip2: blocks of 100 and 900 thousand bytes, several in a stream; constant, incompressible, short",
)
def plugin_bzip2(c):
    with create(c.name, "v110") as f:
        for block in (1, 9):
            for size in (1, 2, 4, 8, 17):
                column(f, f"{block} of {size}", size, 301, use(BZIP2, block))
            column(f, f"{block} long", 4, 60001, use(BZIP2, block), raw=smooth(60001, "<i4").tobytes())
            column(f, f"{block} zeros", 1, 250000, use(BZIP2, block), raw=bytes(250000))
        column(f, "incompressible", 1, 700, use(BZIP2, 9), raw=random_bytes(700))
        column(f, "one byte", 1, 1, use(BZIP2, 9))
        column(f, "runs of 255", 1, 259 * 9, use(BZIP2, 1), raw=b"".join(bytes([i]) * 259 for i in range(9)))
        column(f, "runs of 4", 1, 400, use(BZIP2, 1), raw=b"".join(bytes([i]) * 4 for i in range(100)))
        column(f, "nothing said", 4, 301, use(BZIP2))
        filtered(f, "edges", ">i4", (17, 23), (8, 10), use(BZIP2, 9))
        encoded = bz2.compress(rising(4, 301)) + b"junk"
        stored(f, "bytes behind", "<i4", (301,), use(BZIP2, 9, flags=MANDATORY), encoded=encoded)


# ---------------------------------------------------------------- ZFP


MODES = {
    "rate": {"rate": 9},
    "precision": {"precision": 14},
    "accuracy": {"accuracy": 0.05},
    "reversible": {"reversible": True},
    "expert": {"minbits": 30, "maxbits": 2000, "maxprec": 25, "minexp": -8},
}


def zfp(**mode):
    return use(ZFP, *hdf5plugin.Zfp(**mode).filter_options)


def wave(shape, kind):
    """Smooth numbers with a little noise; integers stay below half of 30 bits, where ZFP does not overflow."""
    count = int(np.prod(shape))
    values = np.sin(np.arange(count) / 9) * 100 + noise(count, "<f8") / 500
    return (values * (1 if np.dtype(kind).kind == "f" else 1000)).astype(kind).reshape(shape)


@case(
    "plugin_zfp.h5",
    "ZFP: fixed rate, precision, accuracy, reversible, expert on 32- and 64-bit integers and floats in one to four "
    "dimensions; partial blocks; chunk dimensions of 1; big-endian; zeros, constants, NaN, infinities, extremes",
)
def plugin_zfp(c):
    shapes = ((30,), (9, 14), (5, 6, 7), (3, 5, 4, 6))
    with create(c.name, "v110") as f:
        for label, mode in MODES.items():
            for kind in ("<i4", "<i8", "<f4", "<f8"):
                for shape in shapes:
                    name = f"{label} {kind[1:]} {len(shape)}"
                    filtered(f, name, kind, shape, shape, zfp(**mode), data=wave(shape, kind))
        for name in ("1 5 7", "5 1 7", "5 7 1", "1 1 30", "1 9", "1 4 1 9", "1 3 4 5", "2 1 3 1 5", "1 1"):
            shape = tuple(map(int, name.split()))
            for label in ("rate", "reversible"):
                filtered(f, f"{label} {name}", "<f4", shape, shape, zfp(**MODES[label]), data=wave(shape, "<f4"))
        filtered(f, "edges", "<f8", (11, 13), (6, 5), zfp(accuracy=0.001), data=wave((11, 13), "<f8"))
        filtered(f, "edges in layers", "<i4", (3, 11, 13), (1, 6, 5), zfp(reversible=True))
        for rate in (1, 2.5, 16, 32):
            filtered(f, f"rate {rate}", "<f4", (9, 14), (9, 14), zfp(rate=rate), data=wave((9, 14), "<f4"))
        for bits in (1, 32, 64):
            filtered(f, f"precision {bits}", "<f8", (9, 14), (9, 14), zfp(precision=bits), data=wave((9, 14), "<f8"))
        for error in (1000, 1, 1e-12):
            filtered(f, f"accuracy {error}", "<f8", (9, 14), (9, 14), zfp(accuracy=error), data=wave((9, 14), "<f8"))
        for label, mode in MODES.items():
            filtered(f, f"{label} zeros", "<f4", (9, 14), (9, 14), zfp(**mode), data=np.zeros((9, 14)))
            filtered(f, f"{label} constant", "<i4", (9, 14), (9, 14), zfp(**mode), data=np.full((9, 14), 12345))
            filtered(f, f"{label} big-endian", ">f8", (9, 14), (9, 14), zfp(**mode), data=wave((9, 14), ">f8"))
        special = np.array([np.nan, np.inf, -np.inf, -0.0, 5e-324, 2.2e-308, 1.7e308, -1] * 4)
        filtered(f, "special", "<f8", (32,), (32,), zfp(reversible=True), data=special)
        filtered(f, "special single", "<f4", (32,), (32,), zfp(reversible=True), data=special)
        tiny = np.array([1e-40, -3e-41, 1e-45, 0] * 4)
        filtered(f, "subnormal", "<f4", (16,), (16,), zfp(rate=20), data=tiny)
        for bits in (32, 64):
            ends = np.array(
                [-(2 ** (bits - 1)), 2 ** (bits - 1) - 1, 0, -1, 1, 2 ** (bits - 2), 7] * 3, f"<i{bits // 8}"
            )
            filtered(f, f"extremes {bits}", ends.dtype, (21,), (21,), zfp(reversible=True), data=ends)
            filtered(f, f"extremes {bits} rate", ends.dtype, (21,), (21,), zfp(rate=20), data=ends)
        steep = 2.0 ** np.arange(-60, 66).reshape(9, 14)
        for label, mode in MODES.items():
            filtered(f, f"{label} steep", "<f8", (9, 14), (9, 14), zfp(**mode), data=steep)


# ---------------------------------------------------------------- LZO


TABLE, CARRAY = 0, 4  # the objects of PyTables, as the client data names them
# lzo1x_1_compress of the LZO library 2.10, the compressor of PyTables: an encoder of its own, besides lzallright's.
LZO_TEXT = b"HDF5 chunk of text, HDF5 chunk of text, and HDF5 chunks again; " * 6
LZO_STREAM = bytes.fromhex(
    "000248444635206368756e6b206f6620746578742c20324f00616e64295c00057320616761696e3b294800200004f8000a68756e6b73"
    "20616761696e3b20110000"
)


def lzo(level=1, version=21, kind=CARRAY, **how):
    """The client data of PyTables: level, version of the object, its kind."""
    return use(LZO, level, version, kind, **how)


def lzo_tail(raw):
    """What PyTables puts behind the stream: Adler-32 and length of the bytes, little-endian."""
    return uint(zlib.adler32(raw), 4) + uint(len(raw), 4)


def shuffled(raw, size):
    return np.frombuffer(raw, "u1").reshape(-1, size).T.tobytes()


@case(
    "plugin_lzo.h5",
    "LZO of PyTables: elements of several sizes, shuffled, constant, incompressible, long; tables before version 2, "
    "which have no checksum; libhdf5 has no such filter here: the values are those that were compressed",
    WRITTEN + "lzallright and LZO",
    by_values=True,
)
def plugin_lzo(c):
    def put(name, raw, size=1, filters=None, stream=None, tail=True):
        filters = filters or (lzo(),)
        given = shuffled(raw, size) if SHUFFLE in filters else raw
        stream = lzallright.LZOCompressor().compress(given) if stream is None else stream
        encoded = stream + (lzo_tail(given) if tail else b"")
        stored(f, name, element(size), (len(raw) // size,), *filters, encoded=encoded)
        c.corrections["/" + name] = hash_of(raw)

    with create(c.name, "v110") as f:
        for size in (1, 2, 3, 4, 8, 17):
            put(f"of {size}", rising(size, 301), size)
            put(f"of {size} shuffled", rising(size, 301), size, (SHUFFLE, lzo()))
        put("constant", bytes(3000))
        put("repeated", b"seven 7" * 300)
        put("incompressible", random_bytes(700))
        put("incompressible, long", random_bytes(5000))
        put("long match", random_bytes(2000) + bytes(18000) + random_bytes(2000))
        put("one byte", b"x")
        for count in (2, 3, 4, 17, 18, 19, 238, 239):
            put(f"{count} bytes", random_bytes(count))
        put("table", rising(4, 301), 4, (lzo(kind=TABLE, version=26),))
        put("old table", rising(4, 301), 4, (lzo(kind=TABLE, version=13),), tail=False)
        put("text", LZO_TEXT, stream=LZO_STREAM)
        put("text in an old table", LZO_TEXT, 1, (lzo(kind=TABLE, version=10),), LZO_STREAM, tail=False)


# ---------------------------------------------------------------- JPEG


def picture(width, height, bands):
    """Something like a photograph: gradients, a disc, some noise."""
    y, x = np.mgrid[0:height, 0:width]
    disc = 90 * ((x - width / 2) ** 2 + (y - height / 3) ** 2 < (height / 4) ** 2)
    grain = noise(width * height, "<f8", 0, 30).reshape(height, width)
    layers = [40 + 150 * (x * (b + 1) % width) / width + disc * (b != 1) - y * b / 2 + grain for b in range(bands)]
    return np.clip(np.stack(layers, 2), 0, 255).astype("u1").reshape((height, width, 3)[: 2 + (bands > 1)])


@case(
    "plugin_jpeg.h5",
    "JPEG: grey and colour, qualities from 10 to 100, 4:4:4, 4:2:2 and 4:2:0, odd sizes, progressive, optimised, "
    "restart markers, several images; libhdf5 has no such filter here: the values are those that libjpeg-turbo "
    "decodes",
    WRITTEN + "Pillow",
    by_values=True,
)
def plugin_jpeg(c):
    def encoded(data, **how):
        out = io.BytesIO()
        Image.fromarray(data).save(out, "JPEG", **how)
        return out.getvalue()

    def decoded(stream):
        return np.asarray(Image.open(io.BytesIO(stream))).tobytes()

    def put(name, data, quality=75, **how):
        stream = encoded(data, quality=quality, **how)
        height, width = data.shape[:2]
        stored(f, name, "u1", data.shape, use(JPEG, quality, width, height, data.ndim - 2), encoded=stream)
        c.corrections["/" + name] = hash_of(decoded(stream))

    with create(c.name, "v110") as f:
        for width, height in ((32, 16), (33, 17), (7, 5), (1, 1), (40, 3)):
            put(f"grey {width} x {height}", picture(width, height, 1))
            for sampling in ("4:4:4", "4:2:2", "4:2:0"):
                put(f"colour {width} x {height} {sampling}", picture(width, height, 3), subsampling=sampling)
        for quality in (10, 50, 90, 100):
            put(f"grey quality {quality}", picture(45, 31, 1), quality)
            put(f"colour quality {quality}", picture(45, 31, 3), quality)
        for bands, name in ((1, "grey"), (3, "colour")):
            put(f"{name} progressive", picture(45, 31, bands), progressive=True)
            put(f"{name} optimised", picture(45, 31, bands), optimize=True)
            put(f"{name} restarts", picture(45, 31, bands), restart_marker_blocks=2)
        put("colour progressive 4:4:4", picture(45, 31, 3), 85, progressive=True, subsampling="4:4:4")
        put("flat", np.full((24, 24), 130, "u1"))
        layers = [picture(20, 12, 1), 255 - picture(20, 12, 1)]
        plist = filter_list((1, 12, 20), use(JPEG, 80, 20, 12, 0))
        stack = dataset(f, "stack", "u1", (2, 12, 20), plist=plist)
        streams = [encoded(layer, quality=80) for layer in layers]
        for number, stream in enumerate(streams):
            chunk_write(stack, (number, 0, 0), stream)
        c.corrections["/stack"] = hash_of(b"".join(map(decoded, streams)))


# ---------------------------------------------------------------- filters that change nothing when reading


@case(
    "plugin_rounding.h5",
    "BitGroom, Granular BitRound and BitRound: they round when writing and change nothing when reading; alone and "
    "before shuffle and deflate; libhdf5 has no such filters here: the values are the bytes stored",
    LIBRARY,
    by_values=True,
)
def plugin_rounding(c):
    numbers = {BITGROOM: "bit groom", GRANULAR_BITROUND: "granular bit round", BITROUND: "bit round"}
    with create(c.name, "v110") as f:
        for number, label in numbers.items():
            for size, kind in ((4, "<f4"), (8, "<f8")):
                raw = (np.arange(50) / 8).astype(kind).tobytes()
                rounding = use(number, 3, size, 0, 0, 0)
                for name, steps, encoded in (
                    (f"{label} {size}", (rounding,), raw),
                    (f"{label} {size} packed", (rounding, SHUFFLE, DEFLATE), zlib.compress(shuffled(raw, size))),
                ):
                    stored(f, name, kind, (50,), *steps, encoded=encoded)
                    c.corrections["/" + name] = hash_of(raw)


# ---------------------------------------------------------------- masks and chains


UNKNOWN = 32767


@case(
    "plugin_masked.h5",
    "optional filters that gave up (mask bits set when writing) beside chunks where they did not; an unknown filter "
    "left out of all chunks, alone and between others",
)
def plugin_masked(c):
    half = rising(4, 200) + random_bytes(800)
    with create(c.name, "v110") as f:
        for name, step in (
            ("blosc", blosc("lz4", BYTES)),
            ("blosc zstd", blosc("zstd", NONE)),
            ("lzf", use(LZF)),
            ("bitshuffle", use(BITSHUFFLE, 0, 2)),
        ):
            column(f, name, 4, 400, step, chunk=200, raw=half)
            column(f, f"{name} then fletcher", 4, 400, SHUFFLE, step, FLETCHER, chunk=200, raw=half)
        column(f, "unknown", 4, 301, use(UNKNOWN, 1, 2), chunk=100)
        column(f, "unknown between", 4, 301, SHUFFLE, use(UNKNOWN), DEFLATE, chunk=100)
        mandatory = use(ZSTD, 3, flags=MANDATORY)
        stored(f, "mandatory", "<i4", (301,), SHUFFLE, mandatory, encoded=rising(4, 301), mask=3)


@case(
    "plugin_chains.h5",
    "registered filters in chains with those of the library and with each other; chunks that grow by padding and by the "
    "headers of many small blocks before they are compressed",
)
def plugin_chains(c):
    chains = {
        "shuffle lz4": (SHUFFLE, use(LZ4, 0)),
        "shuffle zstd fletcher": (SHUFFLE, use(ZSTD, 3), FLETCHER),
        "fletcher zstd": (FLETCHER, use(ZSTD, 3)),
        "fletcher lz4": (FLETCHER, use(LZ4, 100)),
        "fletcher bzip2": (FLETCHER, use(BZIP2, 9)),
        "fletcher blosc": (FLETCHER, blosc("lz4", BYTES)),
        "fletcher blosc bits": (FLETCHER, blosc("zstd", BITS)),
        "fletcher bitshuffle zstd": (FLETCHER, use(BITSHUFFLE, 0, 0), use(ZSTD, 3)),
        "shuffle blosc": (SHUFFLE, blosc("lz4", NONE)),
        "shuffle blosc shuffle": (SHUFFLE, blosc("blosclz", BYTES)),
        "shuffle blosc2": (SHUFFLE, second("zstd", NONE)),
        "shuffle bzip2": (SHUFFLE, use(BZIP2, 9)),
        "bitshuffle zstd": (use(BITSHUFFLE, 0, 0), use(ZSTD, 3)),
        "bitshuffle lz4 deflate": (use(BITSHUFFLE, 0, 2), DEFLATE),
        "deflate blosc": (DEFLATE, blosc("lz4", NONE)),
        "blosc deflate": (blosc("blosclz", BYTES), DEFLATE),
        "lz4 zstd bzip2": (use(LZ4, 0), use(ZSTD, 3), use(BZIP2, 1)),
        "nbit zstd": (("nbit",), use(ZSTD, 3)),
        "scale-offset lz4": (("scaleoffset", 2, 0), use(LZ4, 0)),
        "lzf zstd": (use(LZF), use(ZSTD, 3)),
    }
    with create(c.name, "v110") as f:
        for name, steps in chains.items():
            column(f, name, 4, 301, *steps)
            filtered(f, f"{name} edges", ">i4", (17, 23), (8, 10), *steps)
        filtered(f, "zfp deflate", "<f4", (9, 14), (9, 14), zfp(rate=9), DEFLATE, FLETCHER, data=wave((9, 14), "<f4"))
        # Before deflate these are longer than their chunk by more than an eighth and 4 KiB.
        thin, cube = (2, 2, 2, 300), (17, 17, 17)
        filtered(f, "zfp padded deflate", "<f4", thin, thin, zfp(rate=32), DEFLATE, data=wave(thin, "<f4"))
        filtered(f, "blosc2 padded deflate", "<i4", cube, cube, second("lz4", NONE, level=0, block=16384), DEFLATE)
        column(f, "bitshuffle blocks deflate", 1, 3001, use(BITSHUFFLE, 8, 3), DEFLATE)
        column(f, "lz4 blocks deflate", 1, 6000, use(LZ4, 4), DEFLATE)


# ---------------------------------------------------------------- refused by name


@case(
    "plugin_refused.h5",
    "SZ, SZ3, SPERR, FCIDECOMP and HTJ2K, which nobody but their own libraries decodes: an error that names the "
    "filter; the digest has what the plug-ins read",
)
def plugin_refused(c):
    plane = (9, 14)
    with create(c.name, "v110") as f:
        for name, settings, kind in (
            ("SZ", hdf5plugin.SZ(absolute=0.1), "<f4"),
            ("SZ3", hdf5plugin.SZ3(absolute=0.1), "<f4"),
            ("SPERR", hdf5plugin.Sperr(rate=16), "<f4"),
            ("FCIDECOMP", hdf5plugin.FciDecomp(), "<u2"),
            ("HTJ2K", hdf5plugin.Htj2k(), "<u2"),
        ):
            step = use(settings.filter_id, *settings.filter_options)
            filtered(f, name, kind, plane, plane, step, data=np.abs(wave(plane, "<f4")))
        dataset(f, "plain", "<i4", (4,), np.arange(4))

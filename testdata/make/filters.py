"""The filter pipeline: the filters of the library, LZF and the registered ones, alone and in chains."""

import hdf5plugin
import numpy as np
from h5py import h5t, h5z

from .case import PATCHED, case
from .datatypes import bits_of, custom_float, custom_integer
from .elements import compound, fixed_string
from .hdf5 import call, chunk_write, create, dataset, dataset_list
from .image import fletcher32, patch_at, read, uint

MANDATORY, OPTIONAL = 0, 1
LZF = 32000


def noise(count, kind="<i4", low=0, high=1000):
    """Numbers that look random, the same in every run."""
    state = np.uint64(88172645463325252)
    out = np.empty(count, "u8")
    with np.errstate(over="ignore"):
        for i in range(count):
            state ^= state << np.uint64(13)
            state ^= state >> np.uint64(7)
            state ^= state << np.uint64(17)
            out[i] = state
    return (low + (out % np.uint64(high - low)).astype("i8")).astype(kind)


def filter_list(chunk, *filters, **how):
    """A dataset creation list with filters given as (method of the property list or H5Pset function, arguments...)."""
    plist = dataset_list(chunk=chunk, **how)
    for function, *arguments in filters:
        if hasattr(plist, "set_" + function):
            getattr(plist, "set_" + function)(*arguments)
        else:
            call("H5Pset_" + function, plist, *arguments)
    return plist


def filtered(parent, name, kind, shape, chunk, *filters, data=None, raw=None, **how):
    """A chunked dataset with filters as in filter_list."""
    if data is None and raw is None:
        data = noise(int(np.prod(shape)), kind).reshape(shape)
    return dataset(parent, name, kind, shape, data, plist=filter_list(chunk, *filters, **how), raw=raw)


DEFLATE, SHUFFLE, FLETCHER = ("deflate", 6), ("shuffle",), ("fletcher32",)


@case(
    "filter_deflate_shuffle_fletcher.h5",
    "deflate of levels 0, 1, 6, 9; shuffle of 1-, 2-, 3-, 4-, 8-byte and compound elements; fletcher32 of odd "
    "lengths; chains in several orders, fletcher32 before shuffle leaves bytes over",
)
def filter_basic(c):
    three = np.dtype([("a", "u1"), ("b", "<i2"), ("c", "<f8")])
    for low in ("earliest", "v110"):
        with create(c.name if low == "earliest" else "filter_pipeline_2.h5", low) as f:
            for level in (0, 1, 6, 9):
                filtered(f, f"deflate {level}", "<i4", (10, 7), (4, 3), ("deflate", level))
            for kind in ("u1", "<i2", ">i4", "<f8"):
                filtered(f, f"shuffle {kind.strip('<>')}", kind, (25,), (8,), SHUFFLE)
            filtered(
                f,
                "shuffle compound",
                three,
                (7,),
                (3,),
                SHUFFLE,
                DEFLATE,
                data=np.array([(i, -i, i / 4) for i in range(7)], three),
            )
            filtered(f, "shuffle odd", custom_integer(3), (9,), (4,), SHUFFLE, raw=bits_of(range(9), 3))
            filtered(f, "fletcher", "<i4", (10, 7), (4, 3), FLETCHER)
            filtered(f, "fletcher odd", "u1", (9,), (3,), FLETCHER)
            filtered(f, "fletcher long", "<u2", (3000,), (2000,), FLETCHER)
            filtered(f, "usual chain", "<i4", (10, 7), (4, 3), SHUFFLE, DEFLATE, FLETCHER)
            filtered(f, "fletcher first", "<i4", (10, 7), (4, 3), FLETCHER, SHUFFLE)
            filtered(f, "fletcher first deflate", "<i4", (10, 7), (4, 3), FLETCHER, SHUFFLE, DEFLATE)
            filtered(f, "twice", "<i4", (10, 7), (4, 3), DEFLATE, SHUFFLE, DEFLATE)


@case(
    "filter_pipeline_2.h5",
    "the same with version 2 pipeline messages (written by the maker of filter_deflate_shuffle_fletcher.h5)",
)
def filter_pipeline_2(c):
    pass


@case(
    "filter_fletcher_swapped.h5",
    "fletcher32 checksums with the bytes of each half swapped, as libraries before 1.6.3 wrote them: accepted",
    PATCHED,
)
def filter_fletcher_swapped(c):
    with create(c.name) as f:
        d = filtered(f, "d", "<i4", (8,), (4,), FLETCHER, data=np.arange(8))
        for at in (0, 4):
            raw = np.arange(at, at + 4).astype("<i4").tobytes()
            checksum = uint(fletcher32(raw), 4)
            chunk_write(d, (at,), raw + bytes([checksum[1], checksum[0], checksum[3], checksum[2]]))


@case(
    "filter_fletcher_wrong.h5",
    "a wrong fletcher32 checksum in the second chunk: an error; the first chunk and the other dataset read",
    PATCHED,
)
def filter_fletcher_wrong(c):
    with create(c.name) as f:
        d = filtered(f, "d", "<i4", (8,), (4,), FLETCHER, data=np.arange(8))
        filtered(f, "good", "<i4", (8,), (4,), FLETCHER, data=np.arange(8))
        raw = np.arange(4, 8).astype("<i4").tobytes()
        chunk_write(d, (4,), raw + uint(fletcher32(raw) ^ 1, 4))
        c.expect_read(d, "i64", {"start": [0], "stride": [1], "count": [4], "block": [1]})


@case(
    "filter_unknown.h5",
    "a mandatory and an optional filter nobody knows: an error that names it, unless the chunk's mask leaves it out",
    PATCHED,
)
def filter_unknown(c):
    names = ("mandatory", "optional", "masked")
    with create(c.name) as f:
        for name in names:
            d = filtered(f, name, "<i4", (4,), (4,), FLETCHER, DEFLATE, data=np.arange(4))
            if name == "masked":
                chunk_write(d, (0,), np.arange(4).astype("<i4").tobytes(), 3)
        dataset(f, "plain", "<i4", (4,), np.arange(4))
    # Turn the fletcher32 filters into filter 32767, whose name stays; the id lies 8 bytes before the name, the flags 4.
    at = -1
    for name in names:
        at = read(c.name).index(b"fletcher32", at + 1)
        patch_at(c.name, at - 8, uint(32767, 2))
        patch_at(c.name, at - 4, uint(OPTIONAL if name == "optional" else MANDATORY, 2))


# ---------------------------------------------------------------- szip

NN, EC = h5z.SZIP_NN_OPTION_MASK, h5z.SZIP_EC_OPTION_MASK


@case(
    "filter_szip.h5",
    "szip: nearest neighbour and entropy coding; 1, 2, 4, 8 bytes, both orders, odd widths; 4 to 32 pixels per block; rows that "
    "are no multiple of the block; constant and random data; after shuffle",
)
def filter_szip(c):
    with create(c.name, "v110") as f:
        for option, mask in (("nn", NN), ("ec", EC)):
            for kind in ("u1", "<u2", ">i2", "<i4", ">u4", "<f4", "<i8", ">f8"):
                filtered(
                    f,
                    f"{option} {kind.replace('<', 'le ').replace('>', 'be ')}",
                    kind,
                    (13, 21),
                    (6, 16),
                    ("szip", mask, 8),
                )
            for pixels in (4, 10, 16, 32):
                filtered(
                    f,
                    f"{option} {pixels} pixels",
                    "<u2",
                    (5, 70),
                    (3, 37),
                    ("szip", mask, pixels),
                    data=noise(350, "<u2", 0, 60000).reshape(5, 70),
                )
            filtered(
                f, f"{option} constant", "<i4", (40, 40), (40, 40), ("szip", mask, 16), data=np.full((40, 40), 12345)
            )
            filtered(
                f,
                f"{option} smooth",
                "<i2",
                (64, 33),
                (32, 33),
                ("szip", mask, 8),
                data=np.arange(64 * 33).reshape(64, 33) // 3,
            )
            filtered(
                f,
                f"{option} mostly zero",
                "u1",
                (30, 64),
                (30, 64),
                ("szip", mask, 16),
                data=np.where(noise(1920).reshape(30, 64) < 20, noise(1920, "u1", 0, 200).reshape(30, 64), 0),
            )
            for bits, size in ((12, 2), (20, 4), (24, 4), (5, 1)):
                t = custom_integer(size, signed=False, precision=bits)
                filtered(
                    f,
                    f"{option} {bits} bits",
                    t,
                    (9, 16),
                    (4, 16),
                    ("szip", mask, 8),
                    raw=bits_of(noise(144, "i8", 0, 1 << bits), size, bits),
                )
            filtered(f, f"{option} shuffled", "<i4", (13, 21), (6, 16), SHUFFLE, ("szip", mask, 8))


# ---------------------------------------------------------------- n-bit

NBIT = ("nbit",)


@case(
    "filter_nbit.h5",
    "n-bit: integers of partial precision and offset, both orders, signed; a 20-bit float; arrays, compounds, nested; a full type "
    "(stored unchanged); strings and opaque (not packed)",
)
def filter_nbit(c):
    with create(c.name, "v110") as f:
        for size, precision, offset in ((2, 5, 3), (4, 17, 4), (8, 40, 0), (1, 3, 2), (4, 20, 12), (3, 17, 4)):
            for big in (False, True):
                for signed in (False, True):
                    t = custom_integer(size, h5t.ORDER_BE if big else h5t.ORDER_LE, signed, precision, offset)
                    values = noise(23, "i8", -(1 << precision - 1) if signed else 0, 1 << precision - signed)
                    name = f"{'i' if signed else 'u'}{precision} at {offset} in {size} {'be' if big else 'le'}"
                    d = filtered(
                        f,
                        name,
                        t,
                        (23,),
                        (8,),
                        NBIT,
                        raw=bits_of([int(v) for v in values], size, precision, offset, big),
                    )
                    # libhdf5 2.0 only swaps the bytes of big-endian integers without offset: no sign above the precision.
                    c.expect(f"/{name}", "i64" if signed else "u64", values)
        small = custom_float(4, h5t.ORDER_LE, (26, 20, 6, 7, 13), 31, 20, 7)
        filtered(f, "float", small, (12,), (5,), NBIT, data=np.arange(12) / 4 - 1)
        c.expect_read(f["float"], "f64")
        ten, six = custom_integer(4, precision=10, offset=2), custom_integer(2, h5t.ORDER_BE, False, 6, 5)

        def tens(values):
            return bits_of(values, 4, 10, 2)

        filtered(f, "array", h5t.array_create(ten, (2, 2)), (6,), (4,), NBIT, raw=tens(range(24)))
        inner = compound(7, ("x", 0, six), ("y", 3, ten))
        inner_raw = bits_of([9], 2, 6, 5, True) + b"\0" + tens([-5])
        outer = compound(24, ("n", 2, ten), ("inner", 6, inner), ("text", 13, fixed_string(3)), ("full", 16, "<f8"))
        raw = b"".join(b"\0\0" + tens([i]) + inner_raw + b"abc" + np.float64(i / 2).tobytes() for i in range(5))
        filtered(f, "compound", outer, (5,), (3,), NBIT, raw=raw)
        filtered(f, "array of compound", h5t.array_create(inner, (2,)), (3,), (2,), NBIT, raw=inner_raw * 6)
        filtered(f, "full", "<i4", (10,), (4,), NBIT)
        filtered(f, "chain", ten, (10,), (4,), NBIT, SHUFFLE, DEFLATE, FLETCHER, raw=tens(range(10)))
        holder = compound(10, ("s", 0, fixed_string(4)), ("a", 4, h5t.array_create(six, (3,))))
        filtered(
            f,
            "no-op beside array",
            holder,
            (4,),
            (4,),
            NBIT,
            raw=b"".join(b"wxyz" + bits_of([i, i + 1, i + 2], 2, 6, 5, True) for i in range(4)),
        )


# ---------------------------------------------------------------- scale-offset

FLOAT_DSCALE, INT = 0, 2


@case(
    "filter_scale_offset.h5",
    "scale-offset on integers: automatic and fixed bits, 1 to 8 bytes, both orders and signs, constant chunk, fill value in the "
    "data, full range, bits of the whole type; floats: decimal scale, both sizes and orders, fill value",
)
def filter_scale_offset(c):
    with create(c.name, "v110") as f:
        for kind in ("i1", "u1", "<i2", ">i2", "<u4", ">i4", "<i8", ">u8"):
            label = kind.replace("<", "le ").replace(">", "be ")
            for name, factor in (("auto", 0), ("fixed", 12 if kind[-1] != "1" else 7)):
                for fill in (None, 3):
                    how = {} if fill is None else {"fill": np.array(fill, kind)}
                    values = noise(29, kind, 0, 60 if name == "auto" else 100)
                    filtered(
                        f,
                        f"{label} {name}{'' if fill is None else ' fill'}",
                        kind,
                        (29,),
                        (8,),
                        ("scaleoffset", INT, factor),
                        data=values,
                        **how,
                    )
            info = np.iinfo(np.dtype(kind))
            ends = np.array([info.min, info.max, 0, 1, info.max - 1, 5], kind)
            filtered(f, f"{label} full range", kind, (6,), (6,), ("scaleoffset", INT, 0), data=ends)
            filtered(
                f, f"{label} whole type", kind, (6,), (6,), ("scaleoffset", INT, 8 * np.dtype(kind).itemsize), data=ends
            )
            filtered(f, f"{label} constant", kind, (10,), (5,), ("scaleoffset", INT, 0), data=np.full(10, 77, kind))
        for kind in ("<f4", ">f4", "<f8", ">f8"):
            label = kind.replace("<", "le ").replace(">", "be ")
            for digits in (0, 2, 4):
                values = noise(29, "i8", -5000, 5000) / 100
                filtered(
                    f, f"{label} {digits} digits", kind, (29,), (8,), ("scaleoffset", FLOAT_DSCALE, digits), data=values
                )
            with_fill = values.copy()
            with_fill[[3, 9]] = -99
            filtered(
                f,
                f"{label} fill",
                kind,
                (29,),
                (8,),
                ("scaleoffset", FLOAT_DSCALE, 2),
                data=with_fill,
                fill=np.array(-99, kind),
            )
            filtered(f, f"{label} constant", kind, (10,), (5,), ("scaleoffset", FLOAT_DSCALE, 2), data=np.full(10, 2.5))
        filtered(f, "chain", "<i4", (29,), (8,), ("scaleoffset", INT, 0), DEFLATE, FLETCHER)


# ---------------------------------------------------------------- registered filters


def plugin(parent, name, kind, shape, chunk, settings, data=None):
    """A dataset with a filter of hdf5plugin, made mandatory by nothing: plug-ins set the optional flag."""
    return filtered(
        parent,
        name,
        kind,
        shape,
        chunk,
        ("filter", settings["compression"], OPTIONAL, tuple(settings["compression_opts"])),
        data=data,
    )


@case("filter_lzf.h5", "LZF with and without shuffle; a chunk that does not shrink is stored raw with its mask bit set")
def filter_lzf(c):
    lzf = ("filter", LZF, OPTIONAL, ())
    with create(c.name) as f:
        filtered(f, "plain", "<i4", (40, 7), (16, 7), lzf)
        filtered(f, "shuffled", "<i4", (40, 7), (16, 7), SHUFFLE, lzf)
        filtered(f, "runs", "u1", (2000,), (1000,), lzf, data=np.arange(2000) // 300)
        filtered(f, "incompressible", "<u8", (64,), (16,), lzf, data=noise(64, "<u8", 0, 2**62))
        filtered(f, "chain", "<i2", (40, 7), (16, 7), SHUFFLE, lzf, FLETCHER)


@case(
    "filter_registered.h5",
    "registered filters: Blosc (each codec and shuffle), LZ4, bzip2, Zstandard, bitshuffle (with none, LZ4, Zstandard)",
)
def filter_registered(c):
    with create(c.name, "v110") as f:
        shape, chunk = (40, 20), (24, 20)
        for codec in ("blosclz", "lz4", "lz4hc", "zlib", "zstd"):
            for shuffle in (0, 1, 2):
                plugin(
                    f,
                    f"blosc {codec} {shuffle}",
                    "<i4",
                    shape,
                    chunk,
                    hdf5plugin.Blosc(cname=codec, clevel=5, shuffle=shuffle),
                )
        plugin(
            f, "blosc stored", "<u8", (64,), (64,), hdf5plugin.Blosc(cname="lz4", clevel=5), noise(64, "<u8", 0, 2**62)
        )
        plugin(
            f,
            "blosc bytes",
            "u1",
            (5000,),
            (5000,),
            hdf5plugin.Blosc(cname="zstd", clevel=3, shuffle=1),
            np.arange(5000) // 7 % 200,
        )
        plugin(f, "lz4", "<i4", shape, chunk, hdf5plugin.LZ4())
        plugin(f, "lz4 blocks", "<i2", (3000,), (3000,), hdf5plugin.LZ4(nbytes=1024), np.arange(3000) // 5)
        plugin(f, "lz4 stored", "<u8", (64,), (64,), hdf5plugin.LZ4(), noise(64, "<u8", 0, 2**62))
        plugin(f, "bzip2", "<i4", shape, chunk, hdf5plugin.BZip2(blocksize=9))
        plugin(f, "zstd", "<i4", shape, chunk, hdf5plugin.Zstd(clevel=7))
        for codec in ("none", "lz4", "zstd"):
            plugin(f, f"bitshuffle {codec}", "<i4", shape, chunk, hdf5plugin.Bitshuffle(cname=codec))
            plugin(
                f,
                f"bitshuffle {codec} blocks",
                "<i2",
                (1001,),
                (1001,),
                hdf5plugin.Bitshuffle(nelems=64, cname=codec),
                np.arange(1001) // 3,
            )


@case("filter_blosc2.h5", "Blosc2: one dimension (plain super-chunk) and two (b2nd), each codec and shuffle")
def filter_blosc2(c):
    with create(c.name, "v110") as f:
        for codec in ("blosclz", "lz4", "zlib", "zstd"):
            settings = hdf5plugin.Blosc2(cname=codec, clevel=5, filters=hdf5plugin.Blosc2.SHUFFLE)
            plugin(f, f"line {codec}", "<i4", (600,), (250,), settings)
            filtered(
                f,
                f"plane {codec}",
                "<i4",
                (40, 30),
                (25, 16),
                ("filter", settings["compression"], OPTIONAL, tuple(settings["compression_opts"])),
            )
        plugin(
            f,
            "bit shuffle",
            "<i4",
            (600,),
            (250,),
            hdf5plugin.Blosc2(cname="lz4", filters=hdf5plugin.Blosc2.BITSHUFFLE),
        )
        plugin(
            f, "no shuffle", "<i4", (600,), (250,), hdf5plugin.Blosc2(cname="zstd", filters=hdf5plugin.Blosc2.NOFILTER)
        )
        plugin(f, "constant", "<f8", (600,), (250,), hdf5plugin.Blosc2(cname="lz4"), np.full(600, 0.25))

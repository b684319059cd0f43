"""Virtual datasets: selections, sources, unlimited and printf mappings, both versions of the mapping block."""

import struct

import h5py
import numpy as np
from h5py import h5s, h5t

from .case import case
from .digest import hash_of
from .elements import compound, fixed_string
from .hdf5 import UNLIMITED, create, dataset, dataset_list


def box(shape, start, count, stride=None, block=None):
    """A dataspace with a hyperslab selected; a count may be UNLIMITED."""
    chosen = h5s.create_simple(
        tuple(max(s, 1) for s in shape),
        tuple(UNLIMITED if UNLIMITED in (n, (block or count)[i]) else s for i, (s, n) in enumerate(zip(shape, count))),
    )
    chosen.select_hyperslab(
        tuple(start), tuple(count), None if stride is None else tuple(stride), None if block is None else tuple(block)
    )
    return chosen


def union(shape, *boxes):
    """A dataspace with several (start, count) boxes selected: an irregular selection."""
    chosen = h5s.create_simple(shape)
    chosen.select_none()
    for start, count in boxes:
        chosen.select_hyperslab(start, count, None, None, h5s.SELECT_OR)
    return chosen


def virtual(parent, name, kind, shape, mappings, maxshape=None, fill=-1):
    """A virtual dataset; mappings = (selection here, file, dataset, selection there)."""
    plist = dataset_list(fill=None if fill is None else np.array(fill, kind))
    for here, file, path, there in mappings:
        plist.set_virtual(here, file.encode(), path.encode(), there)
    return dataset(parent, name, kind, shape, maxshape=maxshape, plist=plist)


LONG_NAME = "a dataset whose name is long enough to be shared"


def sources(low="v110"):
    """Two files with a dataset of 4 x 6 numbers each."""
    for i in range(2):
        with create(f"virtual_source_{i}.h5", low) as f:
            dataset(f, "x", "<i4", (4, 6), np.arange(24).reshape(4, 6) + 100 * i)
            dataset(f, LONG_NAME, "<i2", (4, 6), np.arange(24).reshape(4, 6) * 2)
            dataset(f, "big", ">i2", (4, 6), np.arange(24).reshape(4, 6) + 50 * i, chunk=(3, 4))
            dataset(
                f,
                "grows",
                "<i4",
                (3 + 2 * i, 4),
                np.arange(12 + 8 * i).reshape(-1, 4) + 10 * i,
                maxshape=(None, 4),
                chunk=(2, 4),
            )


def plain_mappings(file):
    here = "."
    dataset(file, "own", "<i4", (6,), np.arange(6) + 1000)
    virtual(
        file,
        "rows",
        "<i4",
        (5, 6),
        [
            (box((5, 6), (0, 0), (1, 6)), "virtual_source_0.h5", "x", box((4, 6), (2, 0), (1, 6))),
            (box((5, 6), (1, 0), (1, 6)), "virtual_source_1.h5", "/x", box((4, 6), (3, 0), (1, 6))),
            (box((5, 6), (2, 0), (1, 6)), here, "own", h5s.create_simple((6,))),
            (box((5, 6), (3, 0), (1, 6)), "virtual_absent.h5", "x", box((4, 6), (0, 0), (1, 6))),
        ],
    )
    rows = [(i, (2 * i + 1) % 4) for i in range(4)]
    virtual(
        file,
        "same names",
        "<i4",
        (4, 6),
        [(box((4, 6), (i, 0), (1, 6)), "virtual_source_1.h5", LONG_NAME, box((4, 6), (k, 0), (1, 6))) for i, k in rows],
    )
    whole = [(h5s.create_simple((4, 6)), "virtual_source_0.h5", "x", h5s.create_simple((4, 6)))]
    virtual(file, "whole", "<i4", (4, 6), whole)
    virtual(
        file,
        "converted",
        "<f8",
        (4, 6),
        [(h5s.create_simple((4, 6)), "virtual_source_1.h5", "big", h5s.create_simple((4, 6)))],
        fill=0.5,
    )
    virtual(
        file,
        "strided",
        "<i4",
        (9, 6),
        [
            (box((9, 6), (0, 0), (2, 3), (4, 2), (2, 1)), "virtual_source_0.h5", "x", box((4, 6), (0, 0), (4, 3))),
            (
                box((9, 6), (2, 1), (2, 3), (3, 2)),
                "virtual_source_1.h5",
                "x",
                box((4, 6), (1, 0), (1, 1), None, (3, 2)),
            ),
        ],
    )
    virtual(
        file,
        "irregular",
        "<i4",
        (4, 6),
        [
            (
                union((4, 6), ((0, 0), (2, 3)), ((1, 2), (2, 3))),
                "virtual_source_0.h5",
                "x",
                union((4, 6), ((3, 0), (1, 6)), ((0, 0), (1, 5))),
            )
        ],
    )
    virtual(
        file,
        "absent dataset",
        "<i4",
        (4, 6),
        [(h5s.create_simple((4, 6)), "virtual_source_0.h5", "no such", h5s.create_simple((4, 6)))],
    )
    virtual(
        file,
        "smaller source",
        "<i4",
        (6, 6),
        [(box((6, 6), (0, 0), (6, 6)), "virtual_source_0.h5", "x", box((6, 6), (0, 0), (6, 6)))],
    )
    virtual(
        file,
        "nothing mapped",
        "<i4",
        (3,),
        [(box((3,), (0,), (1,)), "virtual_absent.h5", "x", h5s.create_simple((1,)))],
    )
    virtual(file, "of virtual", "<i4", (6,), [(h5s.create_simple((6,)), here, "rows", box((5, 6), (1, 0), (1, 6)))])


# libhdf5 reads past the end of a source that is too small and hands out whatever follows in the file.
SMALLER = hash_of(np.concatenate([np.arange(24), np.full(12, -1)]).astype("<i4").tobytes())


def expect_rows(c):
    """Selections through several mappings; libhdf5 reads a virtual dataset only from a file that was closed."""
    with h5py.File(c.name, "r") as file:
        rows = file["rows"]
        c.expect_read(rows, "i64", {"start": [1, 1], "stride": [1, 2], "count": [4, 2], "block": [1, 1]})
        points = [[4, 5], [0, 0], [2, 3], [1, 1]]  # libhdf5 cannot read points of a virtual dataset
        c.expect("/rows", "i64", [rows[...][tuple(point)] for point in points], {"points": points})
        c.expect_read(file["irregular"], "i64")


SOURCES = ("virtual_source_0.h5", "virtual_source_1.h5")


@case(
    "virtual.h5",
    "virtual datasets (mapping block version 0): rows of two files and of this file, strided, irregular, converted, a missing "
    "file or dataset (fill value), a source too small, a virtual source",
    companions=SOURCES,
    digests=("virtual.h5", *SOURCES),
    corrections={"/smaller source": SMALLER},
)
def virtual_plain(c):
    sources()
    with create(c.name, "v110") as f:
        plain_mappings(f)
    expect_rows(c)


@case(
    "virtual_newest.h5",
    "the same mappings in version 1 of the block (HDF5 2.0): shared names, the same file marked by a flag",
    companions=SOURCES,
    corrections={"/smaller source": SMALLER},
)
def virtual_newest(c):
    with create(c.name, "v200") as f:
        plain_mappings(f)
    expect_rows(c)


@case(
    "virtual_rounded.h5",
    "virtual datasets of other numbers than their source: floats rounded to floats and to integers, integers to floats",
)
def virtual_rounded(c):
    with create(c.name) as f:
        dataset(f, "floats", "<f8", (7,), np.array([0.1, 1.5, 100.9, 1e-50, 16777219.5, 2.0**31, 0.99]))
        dataset(f, "signed", "<f8", (6,), np.array([0.1, -1.5, 2.5, -100.9, 126.99, -127.99]))
        dataset(f, "integers", "<i8", (5,), np.array([16777219, -16777217, 2**53 + 1, -(2**63), 2**63 - 1]))
        for source, kinds in (
            ("floats", ("<f4", "<u4", ">i8", "<u8")),
            ("signed", ("<f4", "|i1", ">i2", "<i4")),
            ("integers", ("<f4", "<f8", ">f8")),
        ):
            n = f[source].shape[0]
            for kind in kinds:
                whole = h5s.create_simple((n,))
                virtual(f, f"{source} as {kind}", kind, (n,), [(whole, ".", source, whole)], fill=1)


@case(
    "virtual_converted.h5",
    "virtual datasets of other strings, compounds and arrays than their source: cut and padded, members by name",
)
def virtual_converted(c):
    words = np.array([b"", b"a", b"four", b"longer", b"inner b ", b"longest!"], "S8").tobytes()
    with create(c.name) as f:
        whole = h5s.create_simple((6,))
        pads = {"terminated": h5t.STR_NULLTERM, "null": h5t.STR_NULLPAD, "space": h5t.STR_SPACEPAD}
        for source, pad in pads.items():
            raw = words.replace(b"\0", b" ") if source == "space" else words
            dataset(f, source, fixed_string(8, pad), (6,), raw=raw)
            for kind, other in pads.items():
                for size in (4, 8, 11):
                    if (kind, size) != (source, 8):
                        name = f"{source} as {kind} {size}"
                        virtual(f, name, fixed_string(size, other), (6,), [(whole, ".", source, whole)], fill=None)
        few = h5s.create_simple((3,))
        inner = compound(4, ("x", 0, "<i2"), ("y", 2, "<i2"))
        stored = compound(
            28, ("a", 0, "<f8"), ("b", 8, ">i4"), ("in", 12, inner), ("rows", 16, h5t.array_create(h5t.STD_I16LE, (3,)))
        )
        raw = b"".join(
            struct.pack("<d", i + 0.75) + struct.pack(">i", i - 1) + struct.pack("<hh3h6x", i, 2 * i, 3, i, -5)
            for i in range(3)
        )
        dataset(f, "compound", stored, (3,), raw=raw)
        shown = compound(
            40, ("rows", 0, h5t.array_create(h5t.STD_I32BE, (3,))), ("in", 16, compound(2, ("y", 0, "|i1"))), ("a", 24, "<f4")
        )
        virtual(f, "compound as another", shown, (3,), [(few, ".", "compound", few)], fill=None)


@case(
    "virtual_unlimited.h5",
    "virtual datasets without a limit: two growing sources, a strided one, printf names with and without a gap, %% in a name",
    companions=("virtual_part_0.h5", "virtual_part_1.h5", "virtual_part_3.h5", "virtual_100%.h5"),
)
def virtual_unlimited(c):
    for i in (0, 1, 3):
        with create(f"virtual_part_{i}.h5", "v110") as f:
            dataset(f, "x", "<i4", (2, 4), np.arange(8).reshape(2, 4) + 10 * i)
    with create("virtual_100%.h5", "v110") as f:
        for i in range(3):
            dataset(f, f"block {i}", "<i4", (4,), np.arange(4) + 10 * i)
    endless = UNLIMITED
    with create(c.name, "v110") as f:
        virtual(
            f,
            "one",
            "<i4",
            (1, 4),
            [(box((1, 4), (0, 0), (endless, 4)), "virtual_source_1.h5", "grows", box((1, 4), (0, 0), (endless, 4)))],
            (None, 4),
        )
        virtual(
            f,
            "interleaved",
            "<i4",
            (1, 4),
            [
                (
                    box((1, 4), (i, 0), (endless, 1), (2, 1), (1, 4)),
                    f"virtual_source_{i}.h5",
                    "grows",
                    box((1, 4), (0, 0), (endless, 4)),
                )
                for i in range(2)
            ],
            (None, 4),
        )
        for name, file in (("printf", "virtual_part_%b.h5"),):
            virtual(
                f,
                name,
                "<i4",
                (1, 4),
                [(box((1, 4), (0, 0), (endless, 1), (2, 1), (2, 4)), file, "x", h5s.create_simple((2, 4)))],
                (None, 4),
            )
        virtual(
            f,
            "printf dataset",
            "<i4",
            (1, 4),
            [
                (
                    box((1, 4), (0, 0), (endless, 1), (1, 1), (1, 4)),
                    "virtual_100%%.h5",
                    "block %b",
                    h5s.create_simple((4,)),
                )
            ],
            (None, 4),
        )

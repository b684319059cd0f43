"""Storage that is not chunked: compact, contiguous, external, and layout messages of old versions."""

import numpy as np
from h5py import h5d

from .case import BY_HAND, case
from .digest import group_line, integer_kind, known_dataset_line
from .elements import Sequences, element_types, variable_string
from .hdf5 import LATE, UNLIMITED, create, dataset, dataset_list
from .image import (
    UNDEFINED,
    build,
    dataspace,
    fill,
    group_info,
    integer,
    link,
    link_info,
    numbers,
    uint,
)


@case("compact.h5", "compact storage: numbers, strings, compounds, 6000 bytes, empty, scalar, never written")
def compact(c):
    keep = Sequences()
    with create(c.name) as f:

        def add(name, kind, shape, **data):
            return dataset(f, name, kind, shape, layout=h5d.COMPACT, **data)

        add("numbers", "<i4", (3, 4), data=np.arange(12).reshape(3, 4))
        add("big", "<i2", (3000,), data=np.arange(3000))
        add("scalar", ">f8", (), data=np.array(2.5))
        add("empty", "<i4", (0,))
        add("never", "<i4", (5,))
        add("strings", variable_string(), (2,), raw=keep.string(b"compact") + keep.string(b""))
        t = element_types()["nested"]
        add("compound", t, (3,), raw=bytes(range(3 * t.get_size())))
        c.expect_read(f["numbers"], "i64", {"start": [0, 1], "stride": [2, 2], "count": [2, 2], "block": [1, 1]})


@case(
    "contiguous.h5",
    "contiguous storage: one, two and three dimensions, scalar, empty, never written (reads as zeros or the fill value)",
)
def contiguous_storage(c):
    with create(c.name) as f:
        dataset(f, "one", "<f8", (20,), np.arange(20) / 8)
        d = dataset(f, "three", ">i4", (4, 5, 6), np.arange(120).reshape(4, 5, 6))
        dataset(f, "scalar", "<i8", (), np.array(-3))
        dataset(f, "empty", "<i4", (4, 0))
        dataset(f, "never", "<i4", (4, 3))
        dataset(f, "never filled", "<i4", (4, 3), fill=np.int32(9))
        dataset(f, "late", "<i4", (4,), np.arange(4), alloc=LATE)
        c.expect_read(f["one"], "f64", {"start": [3], "stride": [4], "count": [4], "block": [2]})
        c.expect_read(d, "i64", {"start": [1, 0, 2], "stride": [2, 3, 1], "count": [2, 2, 3], "block": [1, 1, 1]})
        c.expect_read(d, "i64", {"points": [[3, 4, 5], [0, 0, 0], [1, 2, 3], [0, 0, 0]]})


@case(
    "layout_versions.h5",
    "layout messages of version 1 and 2 (compact, contiguous, chunked), of version 3, and of version 4 for compact and contiguous",
    BY_HAND,
)
def layout_versions(c):
    data = numbers(8, 2)
    chunks = [numbers(4, 2), numbers(4, 2, 4)]

    def old(image, version, kind):
        head = bytes([version, 2, kind]) + bytes(5)
        if kind == 0:
            return head + uint(8, 4) + uint(2, 4) + uint(len(data), 4) + data
        if kind == 1:
            return head + image.addr("data") + uint(8, 4) + uint(2, 4)
        return head + image.addr("tree") + uint(4, 4) + uint(2, 4)

    def newer(image, version, kind):
        return bytes([version, kind]) + (
            uint(len(data), 2) + data if kind == 0 else image.addr("data") + image.length(len(data))
        )

    def tree(image):
        key = uint(8, 4) + uint(0, 4)
        body = b"TREE" + bytes([1, 0]) + uint(2, 2) + uint(UNDEFINED, 8) * 2
        for i in range(2):
            body += key + uint(4 * i, 8) + uint(0, 8) + image.addr(f"chunk {i}")
        return body + key + uint(8, 8) + uint(0, 8)

    def make(image):
        image.superblock2()
        image.place("data", data)
        for i, chunk in enumerate(chunks):
            image.place(f"chunk {i}", chunk)
        image.place("tree", tree(image), 24 + 64 * 8 + 65 * 24)
        names = []
        for version, kinds in ((1, (0, 1, 2)), (2, (0, 1, 2)), (3, (0, 1)), (4, (0, 1))):
            for kind in kinds:
                name = f"v{version} {('compact', 'contiguous', 'chunked')[kind]}"
                layout = (old if version < 3 else newer)(image, version, kind)
                for header, end in ((image.header1, ""), (image.header2, " new header")):
                    header(name + end, [dataspace(image, [8]), integer(2), fill(), (0x08, layout)])
                    names.append(name + end)
        image.header2("root", [link_info(image), group_info()] + [link(n.encode(), n, image) for n in names])

    build(c.name, make)


@case(
    "layout_with_idle_pipeline.h5",
    "a contiguous and a compact dataset that carry a filter pipeline message: it does not apply to them",
    BY_HAND,
    by_values=True,
)
def layout_with_idle_pipeline(c):
    data = numbers(6)
    pipeline = 0x0B, bytes([2, 1]) + uint(1, 2) + uint(0, 2) + uint(1, 2) + uint(6, 4)

    def make(image):
        image.superblock2()
        image.place("data", data)
        image.header2(
            "contiguous",
            [
                dataspace(image, [6]),
                integer(),
                fill(),
                pipeline,
                (0x08, bytes([3, 1]) + image.addr("data") + image.length(24)),
            ],
        )
        image.header2(
            "compact", [dataspace(image, [6]), integer(), fill(), pipeline, (0x08, bytes([3, 0]) + uint(24, 2) + data)]
        )
        image.header2(
            "root", [link_info(image), group_info()] + [link(n, n.decode(), image) for n in (b"contiguous", b"compact")]
        )

    build(c.name, make)
    c.lines = [group_line("/")] + [
        known_dataset_line("/" + n, integer_kind(), (6,), data) for n in ("compact", "contiguous")
    ]


@case(
    "layout_wide_chunk_dimensions.h5",
    "layout version 4 whose chunk dimensions take 8 bytes where 1 would do, as some writers store them; "
    "HDF5 2.0 refuses it",
    BY_HAND,
    by_values=True,
)
def layout_wide_chunk_dimensions(c):
    data = numbers(12)

    def make(image):
        layout = bytes([4, 2, 0, 2, 8]) + uint(12, 8) + uint(4, 8) + bytes([1]) + image.addr("chunk")
        image.superblock2()
        image.place("chunk", data)
        image.header2("x", [dataspace(image, [12]), integer(), fill(), (0x08, layout)])
        image.header2("root", [link_info(image), group_info(), link(b"x", "x", image)])

    build(c.name, make)
    c.lines = [group_line("/"), known_dataset_line("/x", integer_kind(), (12,), data)]
    c.expect("/x", "i64", range(12))


# ---------------------------------------------------------------- external files

REST_OF_FILE = UNLIMITED % (1 << 64)  # H5F_UNLIMITED


def external(parent, name, kind, shape, segments, **how):
    """A dataset in external files; segments = (file, offset, size)."""
    maxshape = how.pop("maxshape", None)
    plist = dataset_list(**how)
    for file, offset, size in segments:
        plist.set_external(file.encode(), offset, size)
    return dataset(parent, name, kind, shape, maxshape=maxshape, plist=plist)


@case(
    "external.h5",
    "external raw files: three segments in two files with offsets, the last unlimited; a short file (zeros beyond its end); "
    "a missing file is an error; resolved against the working directory",
    companions=("external_1.raw", "external_2.raw", "external_short.raw"),
)
def external_files(c):
    with (
        open("external_1.raw", "wb") as one,
        open("external_2.raw", "wb") as two,
        open("external_short.raw", "wb") as short,
    ):
        one.write(b"skip" + numbers(10, 4))
        two.write(b"#" * 16 + numbers(30, 4, 10))
        short.write(numbers(4, 4, 100))
    with create(c.name) as f:
        d = external(
            f,
            "segments",
            "<i4",
            (30,),
            [("external_1.raw", 4, 40), ("external_2.raw", 16, 20), ("external_2.raw", 36, REST_OF_FILE)],
        )
        external(f, "rows", "<i4", (5, 2), [("external_1.raw", 4, 40)])
        external(f, "short", "<i4", (10,), [("external_short.raw", 0, 40)], fill=np.int32(7))
        external(f, "growing", ">i2", (3, 4), [("external_2.raw", 16, REST_OF_FILE)], maxshape=(None, 4))
        external(f, "missing", "<i4", (4,), [("external_absent.raw", 0, 16)])
        c.expect_read(d, "i64", {"start": [8], "stride": [5], "count": [4], "block": [2]})

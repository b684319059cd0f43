"""Object headers: continuations, gaps, unknown messages, shared messages, times, comments, counts."""

import h5py
import numpy as np
from h5py import h5p

from .case import BY_HAND, PATCHED, case
from .hdf5 import (
    TRACKED_AND_INDEXED,
    address,
    attribute,
    call,
    commit,
    create,
    dataset,
    dataset_list,
    group,
    modification_time,
)
from .image import (
    build,
    contiguous,
    dataspace,
    fill,
    group_info,
    integer,
    link,
    link_info,
    number_attribute,
    numbers,
    padded,
    patch,
    patch_at,
    read,
    seal_header,
    uint,
)


@case(
    "header_1_continuations.h5",
    "version 1 headers grown into many continuation blocks, with deleted attributes (NIL messages)",
)
def header_1_continuations(c):
    with create(c.name) as f:
        objects = [dataset(f, "d", "<i2", (3,), np.arange(3)), group(f, "g"), f]
        for i in range(60):
            for target in objects:
                attribute(target, f"attribute {i:02}", "<i4", (i % 5,), np.arange(i % 5))
        for i in range(0, 60, 7):
            for target in objects[:2]:
                del target.attrs[f"attribute {i:02}"]


@case(
    "header_1_count.h5", "a version 1 header that claims more messages than it holds, as old writers left it", BY_HAND
)
def header_1_count(c):
    def make(image):
        image.superblock2()
        image.place("data", numbers(3))
        messages = [dataspace(image, [3]), integer(), fill(), contiguous(image, "data", 12), number_attribute(b"a", 1)]
        image.header1("more", messages, count=65535)
        image.header2("root", [link_info(image), group_info(), link(b"more", "more", image)])

    build(c.name, make)


BLOCKS = 120


@case(
    "header_1_chain.h5",
    f"version 1 header of {BLOCKS} chained continuation blocks, one attribute each, NIL messages between; "
    "old modification time message (0x0e)",
    BY_HAND,
)
def header_1_chain(c):
    old_time = (0x0E, b"20010203040506\0\0")

    def make(image):
        image.superblock2()
        image.place("x data", numbers(3))
        image.header1(
            "x",
            [
                dataspace(image, [3]),
                integer(),
                fill(),
                contiguous(image, "x data", 12),
                old_time,
                image.continue_at("block 0", block_size(image, 0)),
            ],
            count=BLOCKS * 3 + 5,
        )
        for i in range(BLOCKS):
            image.continuation1(f"block {i}", block(image, i))
        image.header2("root", [link_info(image), group_info(), link(b"x", "x", image)])

    def block(image, i):
        messages = [(0x00, bytes([i]) * 8), number_attribute(b"a%03d" % i, i)]
        return messages + ([image.continue_at(f"block {i + 1}", block_size(image, i + 1))] if i + 1 < BLOCKS else [])

    def block_size(image, i):
        return sum(8 + len(padded(body)) for _, body in ((0, bytes(8)), number_attribute(b"a000", 0))) + (
            8 + 16 if i + 1 < BLOCKS else 0
        )

    build(c.name, make)
    c.expect("/x#mtime", "u64", [981173106])  # 2001-02-03 04:05:06 UTC


@case(
    "header_2_chain.h5",
    f"version 2 headers of {BLOCKS} chained continuation blocks with a gap each; with and without "
    "creation order in the message headers",
    BY_HAND,
)
def header_2_chain(c):
    def make(image):
        image.superblock2()
        for name, order in (("plain", False), ("ordered", True)):
            chain(image, name, order)
        image.header2(
            "root", [link_info(image), group_info(), link(b"plain", "plain", image), link(b"ordered", "ordered", image)]
        )

    def chain(image, name, order):
        gap = 5 if order else 3
        size = 4 + 2 * (4 + 2 * order) + len(number_attribute(b"a000", 0)[1]) + 16 + gap + 4
        last = 4 + (4 + 2 * order) + len(number_attribute(b"a000", 0)[1]) + gap + 4
        data = numbers(3)
        image.place(name + " data", data)
        image.header2(
            name,
            [
                dataspace(image, [3]),
                integer(),
                fill(),
                contiguous(image, name + " data", 12),
                image.continue_at(name + " 0", size),
            ],
            order,
            gap,
        )
        for i in range(BLOCKS):
            more = [image.continue_at(f"{name} {i + 1}", size if i + 2 < BLOCKS else last)] if i + 1 < BLOCKS else []
            image.continuation2(f"{name} {i}", more + [number_attribute(b"a%03d" % i, i)], order, gap)

    build(c.name, make)


@case(
    "header_2_gaps.h5",
    "version 2 headers: gaps of 1, 2, 3 bytes (and 5 with creation order), times and phase change stored",
    BY_HAND,
)
def header_2_gaps(c):
    times = (1000000001, 1000000002, 1000000003, 1000000004)

    def make(image):
        image.superblock2()
        image.place("data", numbers(4))
        names = []
        for name, how in (
            ("gap1", dict(gap=1)),
            ("gap2", dict(gap=2)),
            ("gap3", dict(gap=3)),
            ("gap5", dict(gap=5, order=True)),
            ("times", dict(times=times)),
            ("phase", dict(attribute_phase=(3, 2))),
            ("all", dict(gap=4, order=True, times=times, attribute_phase=(20, 10))),
        ):
            image.header2(name, [dataspace(image, [4]), integer(), fill(), contiguous(image, "data", 16)], **how)
            names.append(name)
        image.header2("root", [link_info(image), group_info()] + [link(n.encode(), n, image) for n in names])

    build(c.name, make)
    for name in ("times", "all"):
        c.expect(f"/{name}#mtime", "u64", [times[1]])
        c.expect(f"/{name}#times", "u64", times)


@case(
    "header_unknown_messages.h5",
    "messages of an undefined type: ignored (flags 0), marked (bits 4, 5), failing when writing (bit 3) "
    "or always (bit 7); in version 1 and 2 headers",
    BY_HAND,
)
def header_unknown_messages(c):
    flags = {"ignored": 0x00, "mark_if_changed": 0x10, "was_changed": 0x30, "fail_if_write": 0x08, "fail_always": 0x80}

    def make(image):
        image.superblock2()
        image.place("data", numbers(4))
        messages = [dataspace(image, [4]), integer(), fill(), contiguous(image, "data", 16)]
        for name, flag in flags.items():
            image.header2(name, messages + [(0x1C, b"unknown!", flag)])
            image.header1(name + "_1", messages + [(0x1C, b"unknown!", flag)])
        image.header2(
            "root",
            [link_info(image), group_info()]
            + [link((name + end).encode(), name + end, image) for name in flags for end in ("", "_1")],
        )

    build(c.name, make)
    for name in ("ignored", "mark_if_changed", "was_changed", "fail_if_write"):
        c.expect("/" + name, "i64", range(4))


def write_times(path, address_of, times):
    """Set the four times of a version 2 header."""
    assert read(path)[address_of + 5] & 0x20
    patch_at(path, address_of + 6, b"".join(uint(t, 4) for t in times))
    seal_header(path, address_of)


@case("header_times.h5", "modification time message (version 1 header) and a comment", PATCHED)
def header_times(c):
    with create(c.name) as f:
        d = dataset(f, "d", "<i4", (3,), np.arange(3), times=True)
        call("H5Oset_comment", d, b"a comment")
        call("H5Oset_comment", group(f, "g"), "ein längerer Kommentar: größer".encode())
        written = modification_time(d)
    patch(c.name, uint(1, 4) + uint(written, 4), uint(1, 4) + uint(1234567890, 4))
    c.expect("/d#mtime", "u64", [1234567890])
    c.expect("/d#comment", "string", ["a comment"])
    c.expect("/g#comment", "string", ["ein längerer Kommentar: größer"])


@case("header_times_2.h5", "times stored in version 2 headers, comment messages there", PATCHED)
def header_times_2(c):
    with create(c.name, "v110") as f:
        d = dataset(f, "d", "<i4", (3,), np.arange(3), times=True)
        g = group(f, "g", times=True)
        call("H5Oset_comment", d, b"a comment")
        places = {"/d": address(d), "/g": address(g)}
    for i, (name, at) in enumerate(places.items()):
        times = [1500000000 + 10 * i + k for k in range(4)]
        write_times(c.name, at, times)
        c.expect(name + "#mtime", "u64", times[1:2])
        c.expect(name + "#times", "u64", times)
    c.expect("/d#comment", "string", ["a comment"])


@case("header_reference_count.h5", "an object with four hard links: reference count message in a version 2 header")
def header_reference_count(c):
    with create(c.name, "v200") as f:
        f["first"] = dataset(f, "x", "<i4", (4,), np.arange(4))
        g = group(f, "g")
        g["second"] = g["third"] = f["x"]
        f["also g"] = g


@case(
    "header_creation_order.h5",
    "creation order of links and attributes tracked and indexed, or only tracked; names not in alphabetical order",
)
def header_creation_order(c):
    names = [f"n{(7 * i) % 13:02}" for i in range(13)]
    with create(c.name, "v110") as f:
        for label, few in (("few", 6), ("many", 13)):
            g = group(f, label, order=TRACKED_AND_INDEXED, attribute_order=True)
            for i, name in enumerate(names[:few]):
                dataset(g, name, "<i1", (), np.array(i))
                g.attrs[name] = np.int16(i)
            del g[names[2]]
            g[names[2]] = g[names[0]]
            c.expect(f"/{label}#order", "string", [n for n in names[:few] if n != names[2]] + [names[2]])
        tracked = group(f, "tracked", order=h5p.CRT_ORDER_TRACKED)
        for name in names:
            tracked[name] = f["few"]
        c.expect("/tracked#order", "string", names)
        plist = dataset_list()
        call("H5Pset_attr_creation_order", plist, 3)
        call("H5Pset_attr_phase_change", plist, 3, 2)
        d = dataset(f, "d", "<i4", (2,), np.arange(2), plist=plist)
        for i, name in enumerate(names):
            attribute(d, name, "<i4", (), np.array(i))
        c.expect("/d#attribute_order", "string", names)


# ---------------------------------------------------------------- shared messages


def committed_tree(file):
    compound = np.dtype([("x", "<f8"), ("n", "<i2")])
    named = commit(file, "type", compound)
    h5py.Datatype(named).attrs["about"] = np.int32(1)
    values = np.array([(1.5, 2), (2.5, 3)], compound)
    for name in ("a", "b"):
        d = dataset(file, name, named, (2,), values)
        attribute(d, "same type", named, (1,), values[:1])
    attribute(file, "same type", named, (), values[0])
    dataset(file, "plain", commit(file, "number", ">i4"), (3,), np.arange(3), chunk=(2,))


for _low in ("earliest", "v108", "v200"):

    @case(
        f"shared_committed_{_low}.h5",
        f"committed datatypes used by datasets and attributes (shared messages), lower bound {_low}",
    )
    def shared_committed(c, low=_low):
        with create(c.name, low) as f:
            committed_tree(f)


KINDS = {"dataspace": 0x0002, "datatype": 0x0008, "fill": 0x0020, "pipeline": 0x0800, "attribute": 0x1000}


def shared_tree(file, count):
    """Objects whose messages repeat."""
    kind = np.dtype([("a", "<i4"), ("b", "<f8")])
    for i in range(count):
        plist = dataset_list(chunk=(2,), fill=np.array((i % 3, 1.5), kind))
        plist.set_shuffle()
        plist.set_deflate(4)
        d = dataset(file, f"d{i}", kind, (3,), np.array([(1, 2.0)] * 3, kind), plist=plist)
        attribute(d, "repeated", "<i8", (6,), np.arange(6))
        attribute(d, "own", "<i8", (2,), np.arange(2) + i)
        attribute(d, "typed", kind, (1,), np.array([(i % 2, 0.5)], kind))


def sohm_settings(indexes, to_tree=50, to_list=40):
    """File creation properties for shared messages: one (kinds, minimum size) for each index."""

    def apply(plist):
        call("H5Pset_shared_mesg_nindexes", plist, len(indexes))
        for i, (kinds, minimum) in enumerate(indexes):
            call("H5Pset_shared_mesg_index", plist, i, kinds, minimum)
        call("H5Pset_shared_mesg_phase_change", plist, to_tree, to_list)

    return apply


ALL_KINDS = sum(KINDS.values())


@case("sohm_list.h5", "shared object header messages, one index of all kinds, kept as a list")
def sohm_list(c):
    with create(c.name, "v108", setup=sohm_settings([(ALL_KINDS, 1)])) as f:
        shared_tree(f, 5)


@case("sohm_btree.h5", "shared object header messages, kept in a version 2 B-tree")
def sohm_btree(c):
    with create(c.name, "v110", setup=sohm_settings([(ALL_KINDS, 1)], 4, 2)) as f:
        shared_tree(f, 12)


@case("sohm_old_headers.h5", "shared messages with version 1 object headers below a version 2 superblock")
def sohm_old_headers(c):
    with create(c.name, "earliest", setup=sohm_settings([(ALL_KINDS, 1)])) as f:
        shared_tree(f, 4)


@case(
    "sohm_three_indexes.h5",
    "shared messages in three indexes: datatypes and dataspaces, attributes, the rest; one unused kind",
)
def sohm_three_indexes(c):
    indexes = [(KINDS["datatype"] | KINDS["dataspace"], 10), (KINDS["attribute"], 20), (KINDS["pipeline"], 5)]
    with create(c.name, "v200", setup=sohm_settings(indexes, 6, 3)) as f:
        shared_tree(f, 9)


@case(
    "sohm_dense_attributes.h5",
    "shared attributes in dense attribute storage: the record's heap id is one of the shared heap",
)
def sohm_dense_attributes(c):
    with create(c.name, "v110", setup=sohm_settings([(KINDS["attribute"], 30)])) as f:
        for name in ("a", "b"):
            g = group(f, name)
            for i in range(14):
                attribute(g, f"attribute{i:02}", "<i8", (4,), np.arange(4) + i)
            attribute(g, "tiny", "<i1", (), np.array(len(name)))

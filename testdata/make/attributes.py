"""Attributes: message versions, compact and dense storage, every class of type, every kind of dataspace."""

import h5py
import numpy as np
from h5py import h5t

from .case import BY_HAND, case
from .elements import Sequences, element_types, fixed_string, variable_string
from .hdf5 import attribute, call, commit, create, dataset, dataset_list, group
from .image import (
    build,
    contiguous,
    dataspace,
    fill,
    group_info,
    integer,
    link,
    link_info,
    numbers,
    padded,
    uint,
)


@case(
    "attributes_versions.h5",
    "attribute messages of version 1, 2 and 3 side by side, names and types of odd sizes, UTF-8 name; in version 1 and 2 headers",
    BY_HAND,
)
def attributes_versions(c):
    def body(version, name, count, value, charset=0):
        kind, space = integer(2)[1], bytes([1, 1, 0, 0, 0, 0, 0, 0]) + uint(count, 8)
        pad = padded if version == 1 else bytes
        head = bytes([version, 0]) + uint(len(name) + 1, 2) + uint(len(kind), 2) + uint(len(space), 2)
        head += bytes([charset]) if version == 3 else b""
        return 0x0C, head + pad(name + b"\0") + pad(kind) + pad(space) + uint(value, 2) * count

    def make(image):
        messages = [body(v, b"x" * n + b"%d" % v, n, 10 * v + n) for v in (1, 2, 3) for n in (1, 3, 6, 7)]
        messages.append(body(3, "größe €".encode(), 2, 5, 1))
        image.superblock2()
        image.place("data", numbers(2))
        dataset_messages = [dataspace(image, [2]), integer(), fill(), contiguous(image, "data", 8)]
        image.header1("old", dataset_messages + messages)
        image.header2("new", dataset_messages + messages)
        image.header2("root", [link_info(image), group_info(), link(b"old", "old", image), link(b"new", "new", image)])

    build(c.name, make)
    for path in ("/old", "/new"):
        c.expect(path + "@größe €", "i64", [5, 5])


def every_attribute(target):
    """One attribute of each class of type and kind of dataspace."""
    keep = Sequences()
    attribute(target, "null", "<i4", None)
    attribute(target, "scalar", "<i4", (), np.array(5))
    attribute(target, "empty", "<f8", (0,))
    attribute(target, "empty 2", "<f8", (3, 0))
    attribute(target, "matrix", ">f4", (2, 3), np.arange(6).reshape(2, 3))
    attribute(target, "null string", variable_string(), None)
    attribute(target, "string", fixed_string(5, h5t.STR_NULLTERM), (), raw=b"abc\0\0")
    attribute(
        target, "variable", variable_string(h5t.CSET_UTF8), (2,), raw=keep.string("Größe".encode()) + keep.string(b"")
    )
    attribute(target, "sequence", h5t.vlen_create(h5t.STD_I16LE), (1,), raw=keep.sequence(b"\1\0\2\0", 2))
    attribute(target, "bool", np.bool_, (2,), np.array([True, False]))
    attribute(target, "bits", h5t.STD_B8LE, (), raw=b"\x5a")
    attribute(target, "time", h5t.UNIX_D32LE, (), raw=b"\0\0\0\1")
    opaque = h5t.create(h5t.OPAQUE, 3)
    opaque.set_tag(b"tag")
    attribute(target, "opaque", opaque, (), raw=b"\1\2\3")
    for name in ("nested", "array", "holes", "enum"):
        t = element_types()[name]
        attribute(target, name, t, (2,), raw=bytes(i % 100 for i in range(2 * t.get_size())))
    attribute(target, "reference", h5t.STD_REF_OBJ, (1,), raw=bytes(8))


for _low in ("earliest", "v108", "v200"):

    @case(
        f"attributes_all_{_low}.h5",
        f"attributes of every class and kind of dataspace on a group, a dataset and a datatype; lower bound {_low}",
    )
    def attributes_all(c, low=_low):
        with create(c.name, low) as f:
            every_attribute(f)
            every_attribute(dataset(f, "d", "<i4", (2,), np.arange(2)))
            every_attribute(h5py.Datatype(commit(f, "t", "<i4")))
            attribute(f, "größe €", "<i4", (), np.array(3))
            attribute(f, b"latin \xe9", "<i4", (), np.array(4))


@case("committed_by_many.h5", "a committed compound of 40 members, which 12 datasets and 60 attributes of a group have")
def committed_by_many(c):
    compound = np.dtype([(f"a member with a name {i:02}", "<i2") for i in range(40)])
    with create(c.name, "v108") as f:
        kind = commit(f, "t", compound)
        for i in range(12):
            dataset(f, f"d{i:02}", kind, (i % 3,), np.arange(40 * (i % 3), dtype="<i2").view(compound))
        g = group(f, "g")
        for i in range(60):
            attribute(g, f"n{i:02}", kind, (), np.arange(i, i + 40, dtype="<i2").view(compound)[0])


@case(
    "attributes_dense.h5",
    "dense attribute storage: 120 attributes (name index of depth 1), some removed, vlen among them; on a group and a dataset",
)
def attributes_dense(c):
    with create(c.name, "v108") as f:
        for target in (group(f, "g"), dataset(f, "d", "<i4", (2,), np.arange(2))):
            for i in range(120):
                attribute(target, f"attribute {(i * 77) % 120:03}", "<i4", (i % 4,), np.arange(i % 4))
            target.attrs["text"] = "größe"
            for i in range(0, 120, 6):
                del target.attrs[f"attribute {i:03}"]


@case("attributes_dense_ordered.h5", "dense attributes with a creation order index, few and many; phase change 2/1")
def attributes_dense_ordered(c):
    names = [f"n{(i * 17) % 40:02}" for i in range(40)]
    with create(c.name, "v110") as f:
        for label, count in (("few", 5), ("many", 40)):
            plist = dataset_list()
            call("H5Pset_attr_creation_order", plist, 3)
            call("H5Pset_attr_phase_change", plist, 2, 1)
            d = dataset(f, label, "<i4", (2,), np.arange(2), plist=plist)
            for i, name in enumerate(names[:count]):
                attribute(d, name, "<i2", (), np.array(i))
            del d.attrs[names[1]]
            c.expect(f"/{label}#attribute_order", "string", [n for n in names[:count] if n != names[1]])


@case("attributes_emptied.h5", "dense attribute storage that lost all, or all but one, of its attributes")
def attributes_emptied(c):
    with create(c.name, "v108") as f:
        for label, left in (("none", 0), ("one", 1)):
            g = group(f, label)
            for i in range(20):
                g.attrs[f"a{i}"] = np.int32(i)
            for i in range(left, 20):
                del g.attrs[f"a{i}"]


@case(
    "attributes_large.h5",
    "an attribute of 70 KiB and one of 5000 bytes: huge objects of the fractal heap, and managed ones beside them",
)
def attributes_large(c):
    with create(c.name, "v110") as f:
        g = group(f, "g")
        attribute(g, "large", "<i4", (17920,), np.arange(17920))
        attribute(g, "medium", "<i4", (1250,), np.arange(1250))
        attribute(g, "small", "<i4", (2,), np.arange(2))
        attribute(f, "compact", "<i1", (10000,), np.arange(10000) % 100)


@case(
    "dataspaces.h5",
    "null, scalar, empty, one-element, rank 32 and unlimited dataspaces; datasets and attributes; old and new messages",
)
def dataspaces(c):
    with create(c.name) as f:
        spaces = {
            "null": None,
            "scalar": (),
            "empty": (0,),
            "empty 3": (2, 0, 3),
            "one": (1,),
            "rank 32": (1,) * 31 + (2,),
        }
        for name, shape in spaces.items():
            count = 0 if shape is None else int(np.prod(shape, dtype=int))
            data = np.arange(count, dtype="<i4").reshape(shape) if count else None
            d = dataset(f, name, "<i4", shape, data)
            attribute(d, "a", "<i4", shape, data)
        dataset(f, "unlimited", "<i4", (3, 2), np.arange(6).reshape(3, 2), maxshape=(None, 4), chunk=(2, 2))
        dataset(f, "empty unlimited", "<i4", (0,), maxshape=(None,), chunk=(4,))
        dataset(f, "larger maximum", "<i4", (2,), np.arange(2), maxshape=(10,), chunk=(4,))

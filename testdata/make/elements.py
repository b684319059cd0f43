"""Types made of types: compound, enumeration, array, variable-length sequence."""

import ctypes
import struct

import numpy as np
from h5py import h5t

from .case import BY_HAND, case
from .hdf5 import attribute, call, create, dataset, dataset_list
from .image import (
    build,
    contiguous,
    dataspace,
    fill,
    group_info,
    integer,
    link,
    link_info,
    padded,
    uint,
)

# The datatype versions of containers: 1 and 2 (with arrays), 3, 4, 5.
VERSIONS = {"earliest": "1 and 2", "v108": "3", "v112": "4", "v200": "5"}


def compound(size, *members):
    """A compound type; members are (name, offset, type)."""
    t = h5t.create(h5t.COMPOUND, size)
    for name, offset, kind in members:
        t.insert(
            name.encode(), offset, kind if isinstance(kind, h5t.TypeID) else h5t.py_create(np.dtype(kind), logical=True)
        )
    return t


def fixed_string(size, pad=h5t.STR_NULLPAD, charset=h5t.CSET_ASCII):
    t = h5t.C_S1.copy()
    t.set_size(size)
    t.set_strpad(pad)
    t.set_cset(charset)
    return t


def element_types():
    """name: a type without pointers in it."""
    color = h5t.enum_create(h5t.STD_I16BE)
    for name, value in (("GREEN", 7), ("RED", -1), ("BLUE", 300)):
        color.enum_insert(name.encode(), value)
    inner = compound(7, ("a", 0, "<i2"), ("b", 3, "<f4"))
    return {
        "packed": compound(7, ("a", 0, "<i2"), ("bb", 2, ">f4"), ("an eight", 6, "u1")),
        "holes": compound(24, ("x", 2, "<i2"), ("y", 8, "<f8"), ("z", 20, "u1")),
        "unordered": compound(12, ("late", 8, "<i4"), ("early", 0, "<i4"), ("middle", 4, ">i4")),
        "nested": compound(20, ("inner", 1, inner), ("again", 9, inner), ("n", 16, "<i4")),
        "strings": compound(13, ("s", 0, fixed_string(6)), ("t", 6, fixed_string(7, h5t.STR_SPACEPAD, h5t.CSET_UTF8))),
        "of enum": compound(4, ("c", 0, color), ("d", 2, color)),
        "wide": compound(300, ("first", 0, "<i4"), ("last", 296, "<i4")),
        "utf8 name": compound(4, ("größe €", 0, "<i4")),
        "one": compound(1, ("o", 0, "u1")),
        "enum": color,
        "array": h5t.array_create(h5t.STD_I16BE, (2, 3)),
        "array of compound": h5t.array_create(inner, (2,)),
        "array of array": h5t.array_create(h5t.array_create(h5t.STD_I8LE, (3,)), (2,)),
        "array of string": h5t.array_create(fixed_string(3), (4,)),
        "compound of array": compound(17, ("m", 0, h5t.array_create(h5t.STD_I32LE, (2, 2))), ("n", 16, "u1")),
        "array of enum": h5t.array_create(color, (3,)),
    }


def pattern(size, count):
    return bytes((7 * i + 3) % 251 for i in range(size * count))


for _low, _version in VERSIONS.items():

    @case(
        f"compound_{_low}.h5",
        f"compound, enumeration and array types, datatype version {_version}: nested, with holes, members out of "
        "order, as datasets and attributes",
    )
    def compounds(c, low=_low):
        with create(c.name, low) as f:
            for name, t in element_types().items():
                raw = pattern(t.get_size(), 3)
                d = dataset(f, name, t, (3,), raw=raw)
                attribute(d, "a", t, (2,), raw=raw[: 2 * t.get_size()])
            chunked = dataset_list(chunk=(2,))
            chunked.set_deflate(3)
            t = element_types()["nested"]
            dataset(f, "chunked", t, (5,), raw=pattern(t.get_size(), 5), plist=chunked)


@case(
    "compound_1_member_dims.h5",
    "compound version 1 whose members carry dimensions of their own: arrays as written before HDF5 1.4",
    BY_HAND,
)
def compound_1_member_dims(c):
    raw = (
        np.arange(3, dtype="<i4").tobytes()
        + np.arange(10, 14, dtype="<i2").tobytes()
        + np.arange(5, 8, dtype="<i4").tobytes()
        + np.arange(20, 24, dtype="<i2").tobytes()
    )

    def member(name, offset, dims, kind):
        sizes = b"".join(uint(d, 4) for d in (*dims, 0, 0, 0, 0)[:4])
        return padded(name + b"\0") + uint(offset, 4) + bytes([len(dims)]) + bytes(3) + bytes(8) + sizes + kind

    def make(image):
        kind = (
            bytes([0x16, 2, 0, 0])
            + uint(20, 4)
            + member(b"a", 0, (3,), integer(4)[1])
            + member(b"b", 12, (2, 2), integer(2)[1])
        )
        image.superblock2()
        image.place("data", raw)
        image.header2("c", [dataspace(image, [2]), (0x03, kind), fill(), contiguous(image, "data", 40)])
        image.header2("root", [link_info(image), group_info(), link(b"c", "c", image)])

    build(c.name, make)


@case(
    "enums.h5", "enumerations: unsorted values, big-endian, 8 bytes, a value that is no member, booleans, in attributes"
)
def enums(c):
    with create(c.name) as f:
        for name, base, members in (
            ("unsorted", h5t.STD_I32LE, {"b": 5, "a": -2, "c": 0}),
            ("big", h5t.STD_U16BE, {"LOW": 1, "HIGH": 65535}),
            ("long", h5t.STD_I64LE, {"min": -(2**63), "max": 2**63 - 1}),
        ):
            t = h5t.enum_create(base)
            for member, value in members.items():
                t.enum_insert(member.encode(), value) if base.get_size() < 8 else insert_long(t, member, value)
            order, size, signed = "big" if name == "big" else "little", base.get_size(), name != "big"
            values = [*members.values(), 9]
            raw = b"".join(v.to_bytes(size, order, signed=signed) for v in values)
            d = dataset(f, name, t, (len(values),), raw=raw)
            attribute(d, "a", t, (), raw=raw[:size])
            c.expect("/" + name, "enum", [*members, None])
            c.expect("/" + name, "i64", values)
        d = dataset(f, "bool", np.bool_, (3,), np.array([True, False, True]))
        d.attrs["flag"] = np.bool_(True)
        c.expect("/bool", "enum", ["TRUE", "FALSE", "TRUE"])


def insert_long(t, name, value):
    call("H5Tenum_insert", t, name, np.array([value], "<i8"))


# ---------------------------------------------------------------- variable-length sequences


class Sequences:
    """Memory of hvl_t elements: keeps what the pointers point to."""

    def __init__(self):
        self.kept = []

    def sequence(self, raw, count):
        buffer = ctypes.create_string_buffer(raw, max(1, len(raw)))
        self.kept.append(buffer)
        return struct.pack("=QQ", count, ctypes.addressof(buffer) if count else 0)

    def string(self, raw):
        buffer = ctypes.create_string_buffer(raw)
        self.kept.append(buffer)
        return struct.pack("=Q", ctypes.addressof(buffer))


def variable_string(charset=h5t.CSET_ASCII):
    return fixed_string(h5t.VARIABLE, h5t.STR_NULLTERM, charset)


def sequence_elements(keep):
    """name: (type, element bytes in memory)"""
    ints = h5t.vlen_create(h5t.STD_I32LE)

    def some(values, kind):
        return keep.sequence(np.array(values, kind).tobytes(), len(values))

    text = variable_string()
    record = compound(32, ("n", 0, "<i4"), ("v", 8, ints), ("s", 24, text))
    record_raw = [uint(i, 4) + bytes(4) + some(range(i), "<i4") + keep.string(b"s" * i) for i in range(4)]
    inner = compound(24, ("k", 0, "<i2"), ("v", 8, h5t.vlen_create(h5t.STD_U8LE)))
    inner_raw = [uint(i, 2) + bytes(6) + some(range(i), "u1") for i in range(4)]
    return {
        "ints": (ints, [some(v, "<i4") for v in ([1, 2, 3], [], [4], list(range(40)))]),
        "big endian": (h5t.vlen_create(h5t.STD_I16BE), [some(v, ">i2") for v in ([256, 1], [], [-2])]),
        "doubles": (h5t.vlen_create(h5t.IEEE_F64LE), [some(v, "<f8") for v in ([0.5], [1.5, 2.5])]),
        "of vlen": (
            h5t.vlen_create(ints),
            [
                keep.sequence(some([1], "<i4") + some([2, 3], "<i4"), 2),
                keep.sequence(b"", 0),
                keep.sequence(some([], "<i4"), 1),
            ],
        ),
        "of strings": (
            h5t.vlen_create(text),
            [keep.sequence(keep.string(b"one") + keep.string(b""), 2), keep.sequence(b"", 0)],
        ),
        "of compound": (
            h5t.vlen_create(inner),
            [keep.sequence(b"".join(inner_raw[1:3]), 2), keep.sequence(inner_raw[3], 1)],
        ),
        "in compound": (record, record_raw),
        "array": (
            h5t.array_create(ints, (2,)),
            [some([1], "<i4") + some([], "<i4"), some([5, 6], "<i4") + some([7], "<i4")],
        ),
        "of array": (
            h5t.vlen_create(h5t.array_create(h5t.STD_I8LE, (3,))),
            [keep.sequence(bytes(range(6)), 2), keep.sequence(bytes(3), 1)],
        ),
    }


for _low in ("earliest", "v200"):

    @case(
        f"vlen_{_low}.h5",
        "variable-length sequences of numbers, sequences, strings, compounds, arrays; in compounds and arrays; empty and "
        f"never written; contiguous, chunked, attribute; lower bound {_low}",
    )
    def vlen(c, low=_low):
        keep = Sequences()
        with create(c.name, low) as f:
            for name, (t, elements) in sequence_elements(keep).items():
                raw = b"".join(elements)
                d = dataset(f, name, t, (len(elements),), raw=raw)
                attribute(d, "a", t, (len(elements),), raw=raw)
                plist = dataset_list(chunk=(2,))
                plist.set_deflate(5)
                dataset(f, name + " chunked", t, (len(elements),), raw=raw, plist=plist)
                dataset(f, name + " never", t, (3,))


@case(
    "vlen_large.h5",
    "variable-length elements larger than a global heap collection (4096 bytes), many small ones, deleted objects in the heap",
)
def vlen_large(c):
    keep = Sequences()
    t = h5t.vlen_create(h5t.STD_U8LE)

    def raw(sizes):
        return b"".join(keep.sequence(bytes(k % 256 for k in range(n)), n) for n in sizes)

    with create(c.name) as f:
        dataset(f, "large", t, (3,), raw=raw([9000, 1, 5000]))
        dataset(f, "small", t, (300,), raw=raw([i % 30 for i in range(300)]))
        again = dataset(f, "rewritten", t, (40,), raw=raw([20] * 40))
        call("H5Dwrite", again, t, 0, 0, 0, np.frombuffer(raw([8, 33] * 20), "u1"))

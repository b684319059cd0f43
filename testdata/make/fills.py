"""Fill values: message versions, allocation and write times, every kind of type."""

import h5py
import numpy as np
from h5py import h5t

from .case import BY_HAND, case
from .digest import group_line, hash_of, integer_kind, known_dataset_line
from .elements import Sequences, compound, element_types, fixed_string, variable_string
from .hdf5 import (
    EARLY,
    FILL_AT_ALLOCATION,
    FILL_IF_SET,
    FILL_NEVER,
    INCREMENTAL,
    LATE,
    call,
    create,
    dataset,
    dataset_list,
)
from .image import (
    UNDEFINED,
    build,
    dataspace,
    group_info,
    integer,
    link,
    link_info,
    uint,
)


def set_fill(plist, t, raw):
    call("H5Pset_fill_value", plist, t, np.frombuffer(raw, "u1"))


for _low in ("earliest", "v108", "v200"):

    @case(
        f"fill_times_{_low}.h5",
        "fill values with every allocation and write time; unwritten, partly written; default, given, undefined; "
        f"contiguous and chunked; lower bound {_low}",
    )
    def fill_times(c, low=_low):
        with create(c.name, low) as f:
            for alloc_name, alloc in (("early", EARLY), ("late", LATE), ("incremental", INCREMENTAL)):
                for time_name, time in (("alloc", FILL_AT_ALLOCATION), ("ifset", FILL_IF_SET)):
                    for chunk in (None, (3,)):
                        if chunk is None and alloc == INCREMENTAL:
                            continue
                        for value in (None, 42):
                            name = (
                                f"{alloc_name} {time_name}{' chunked' if chunk else ''}{'' if value is None else ' 42'}"
                            )
                            fill = None if value is None else np.int32(value)
                            dataset(f, name, "<i4", (7,), chunk=chunk, alloc=alloc, fill_time=time, fill=fill)
            partly = dataset(f, "partly", ">i2", (10, 10), chunk=(4, 4), fill=np.array(258, ">i2"))
            partly[2:5, 3] = 1
            written = dataset_list(fill_time=FILL_NEVER, fill=np.int32(9))
            dataset(f, "never filled but written", "<i4", (4,), np.arange(4), plist=written)
            undefined = dataset_list()
            call("H5Pset_fill_value", undefined, h5t.STD_I32LE, None)
            dataset(f, "undefined but written", "<i4", (4,), np.arange(4), plist=undefined)


@case(
    "fill_types.h5",
    "fill values of float, big-endian, string, enum, array, opaque and compound type; datasets never written, with a missing chunk",
)
def fill_types(c):
    with create(c.name) as f:
        types = {
            name: t
            for name, t in element_types().items()
            if name in ("packed", "holes", "nested", "enum", "array", "strings")
        }
        types.update({"f8": h5t.IEEE_F64BE, "f2": h5t.IEEE_F16LE, "string": fixed_string(5), "one byte": h5t.STD_U8LE})
        for name, t in types.items():
            raw = bytes(range(1, 1 + t.get_size()))
            plain, chunked = dataset_list(), dataset_list(chunk=(2,))
            for plist in (plain, chunked):
                set_fill(plist, t, raw)
            dataset(f, name, t, (3,), plist=plain)
            d = dataset(f, name + " chunked", t, (5,), plist=chunked)
            write_first(d, t)


def write_first(target, t):
    """Write zeros into the first element."""
    memory = h5py.h5s.create_simple((1,))
    there = target.id.get_space()
    there.select_hyperslab((0,), (1,))
    call("H5Dwrite", target, t, memory, there, 0, np.zeros(t.get_size(), "u1"))


def canonical_string(value):
    """The canonical bytes of a variable-length string."""
    return uint(len(value), 8) + value


FILL_TEXT, FILL_NAME = "Füllung".encode(), b"in record"
FILL_RECORD = uint(5, 4) + canonical_string(FILL_NAME) + uint(2, 8) + uint(1, 2) + uint(2, 2)


# libhdf5 fails to read a missing chunk with such a fill value ("no write intent on file").
FILLED_CHUNKS = {
    "/text chunked": hash_of(canonical_string(b"") + canonical_string(FILL_TEXT) * 4),
    "/record chunked": hash_of(bytes(4 + 8 + 8) + FILL_RECORD * 4),
}


@case(
    "fill_variable.h5",
    "fill values of variable-length type (stored in the global heap): strings, sequences, in compounds; never written and with "
    "missing chunks",
    corrections=FILLED_CHUNKS,
)
def fill_variable(c):
    keep = Sequences()
    text, ints = variable_string(h5t.CSET_UTF8), h5t.vlen_create(h5t.STD_I16LE)
    record = compound(32, ("n", 0, "<i4"), ("s", 8, text), ("v", 16, ints))
    values = {
        "text": (text, keep.string(FILL_TEXT)),
        "record": (record, uint(5, 4) + bytes(4) + keep.string(FILL_NAME) + keep.sequence(b"\1\0\2\0", 2)),
    }
    with create(c.name) as f:
        for name, (t, raw) in values.items():
            plain, chunked = dataset_list(), dataset_list(chunk=(2,))
            for plist in (plain, chunked):
                set_fill(plist, t, raw)
            dataset(f, name, t, (3,), plist=plain)
            write_first(dataset(f, name + " chunked", t, (5,), plist=chunked), t)
    c.expect("/text", "string", [FILL_TEXT.decode()] * 3)
    c.expect("/text chunked", "string", [""] + [FILL_TEXT.decode()] * 4)


SEVEN = uint(4, 4) + uint(7, 4)

DEFINED = {  # name: messages of a dataset that reads as sevens, or as zeros where the default is meant
    "v1 value": [(0x05, bytes([1, 2, 2, 1]) + SEVEN)],
    "v2 value": [(0x05, bytes([2, 2, 2, 1]) + SEVEN)],
    "v2 default": [(0x05, bytes([2, 2, 2, 1]) + uint(0, 4))],
    "v3 value": [(0x05, bytes([3, 0x2A]) + SEVEN)],
    "v3 default": [(0x05, bytes([3, 0x0A]))],
    "old value": [(0x04, SEVEN)],
    "old value beside a new one": [(0x04, uint(4, 4) + uint(8, 4)), (0x05, bytes([2, 2, 2, 1]) + SEVEN)],
}
UNDEFINED_FILLS = {
    "v1 none": [(0x05, bytes([1, 2, 2, 0]))],
    "v2 none": [(0x05, bytes([2, 2, 0, 0]))],
    "v2 negative size": [(0x05, bytes([2, 2, 2, 1]) + uint(UNDEFINED, 4))],
    "v3 undefined": [(0x05, bytes([3, 0x1A]))],
    "old of size 0": [(0x04, uint(0, 4))],
    "no message": [],
}


def never_written(path, messages_of):
    """A contiguous dataset without storage for each set of fill messages, in a version 1 and a version 2 header."""

    def make(image):
        image.superblock2()
        names = []
        for name, messages in messages_of.items():
            for header, end in ((image.header1, " old"), (image.header2, " new")):
                header(
                    name + end,
                    [
                        dataspace(image, [3]),
                        integer(),
                        *messages,
                        (0x08, bytes([3, 1]) + image.addr(None) + image.length(12)),
                    ],
                )
                names.append(name + end)
        image.header2("root", [link_info(image), group_info()] + [link(n.encode(), n, image) for n in names])

    build(path, make)


@case(
    "fill_messages.h5",
    "fill value messages of version 1, 2, 3 and the old message (0x04): value and default; the old message alone and "
    "beside a new one",
    BY_HAND,
)
def fill_messages(c):
    never_written(c.name, DEFINED)
    for name in DEFINED:
        for end in ("old", "new"):
            c.expect(f"/{name} {end}", "i64", [0 if "default" in name else 7] * 3)


@case(
    "fill_undefined.h5",
    "undefined fill values and no fill message at all, storage never allocated: zeros here (libhdf5 refuses to read them)",
    BY_HAND,
    by_values=True,
)
def fill_undefined(c):
    never_written(c.name, UNDEFINED_FILLS)
    names = sorted(f"/{name} {end}" for name in UNDEFINED_FILLS for end in ("old", "new"))
    c.lines = [group_line("/")] + [known_dataset_line(name, integer_kind(), (3,), bytes(12)) for name in names]

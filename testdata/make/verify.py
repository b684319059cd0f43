"""Chunks that another encoder wrote, decoded by libhdf5 and the plug-ins.

A line of the input is a JSON object:

    {"name": str, "filters": [[number, flags, [value, ...]], ...], "mask": int, "itemsize": int,
     "plain": hexadecimal, "encoded": hexadecimal, "dtype": numpy's name of the datatype (optional)}

and a line of the output {"name": str, "ok": bool, "why": str}: whether `encoded`, stored as the only chunk of a dataset
with these filters, reads as `plain`. Flag 1 marks a filter as optional. "-" is the standard input.
"""

import json
import sys

import hdf5plugin  # noqa: F401 (it registers the filters)
import numpy as np
from h5py import h5d, h5f, h5s, h5t

from .hdf5 import file_type
from .image import assemble, dataspace, encoded, fill, group_info, link, link_info, uint

SINGLE_CHUNK = 1


def verify_all(path):
    """Print what becomes of each line of the input; True when all are well."""
    good = True
    with sys.stdin if path == "-" else open(path, encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                case = json.loads(line)
                why = fault(case)
                good = good and not why
                print(json.dumps({"name": case["name"], "ok": not why, "why": why}), flush=True)
    return good


def fault(case):
    """What is wrong with a chunk; nothing when it is not."""
    plain = bytes.fromhex(case["plain"])
    size, kind = case["itemsize"], datatype(case)
    if len(plain) % size or kind.get_size() != size:
        return f"{len(plain)} bytes of elements of {size} in a datatype of {kind.get_size()}"
    try:
        found = decoded(bytes.fromhex(case["encoded"]), kind, len(plain) // size, case)
    except (OSError, RuntimeError, ValueError, KeyError) as error:
        return str(error)
    if found == plain:
        return ""
    at = next(i for i, (a, b) in enumerate(zip(found, plain, strict=True)) if a != b)
    return f"byte {at} is {found[at]}, not {plain[at]}"


def datatype(case):
    """The type the case names; or unsigned integers of its size; or opaque elements, which nothing converts."""
    size = case["itemsize"]
    name = case.get("dtype") or {1: "u1", 2: "<u2", 4: "<u4", 8: "<u8"}.get(size)
    if name:
        return file_type(np.dtype(name))
    t = h5t.create(h5t.OPAQUE, size)
    t.set_tag(b"")
    return t


def decoded(chunk, kind, count, case):
    """The elements of a dataset of one chunk, as bytes.

    The file is made by hand: a filter's "set local" callback would put its own client data in the place of those given.
    """
    steps = case["filters"]
    data, _ = assemble(lambda image: one_chunk(image, chunk, kind, count, steps, case.get("mask", 0)))
    file = h5f.open_file_image(data)
    try:
        target = h5d.open(file, b"d")
        stored = [target.get_create_plist().get_filter(i)[:3] for i in range(len(steps))]
        given = [(number, flags, tuple(values)) for number, flags, values in steps]
        if stored != given:
            raise ValueError(f"the file has the filters {stored}")
        out = np.zeros(count * kind.get_size(), "u1")
        target.read(h5s.ALL, h5s.ALL, out, target.get_type())
        return out.tobytes()
    finally:
        file.close()


def one_chunk(image, chunk, kind, count, steps, mask):
    """A file with one dataset, /d: its chunk is found through the layout message."""
    width = encoded(max(count, kind.get_size()))
    layout = bytes([4, 2, 2, 2, width]) + uint(count, width) + uint(kind.get_size(), width)
    layout += bytes([SINGLE_CHUNK]) + image.length(len(chunk)) + uint(mask, 4) + image.addr("chunk")
    image.superblock2()
    image.place("chunk", chunk)
    image.header2("d", [dataspace(image, [count]), (0x03, message(kind)), fill(), pipeline(steps), (0x08, layout)])
    image.header2("root", [link_info(image), group_info(), link(b"d", "d", image)])


def message(kind):
    """The datatype message, which two bytes precede in H5Tencode's answer."""
    return bytes(kind.encode())[2:]


def pipeline(steps):
    """A filter pipeline message, version 2; filters have no names."""
    body = bytes([2, len(steps)])
    for number, flags, values in steps:
        body += uint(number, 2) + (uint(0, 2) if number >= 256 else b"") + uint(flags, 2) + uint(len(values), 2)
        body += b"".join(uint(value, 4) for value in values)
    return 0x0B, body

"""The canonical digest of an HDF5 file, as libhdf5 reads it: one JSON object per line.

The walk starts at "/", follows hard links depth first, children in the order of their name's bytes.
Element bytes are those of the file's own datatype; compound padding is left out; variable-length
values are their count (u64, little-endian) and then their elements. They are hashed with XXH3-128.
"""

import ctypes
import json
import os
import struct

import numpy as np
import xxhash
from h5py import h5a, h5d, h5f, h5l, h5o, h5p, h5s, h5t

from .hdf5 import call

ORDERS = {h5t.ORDER_LE: "le", h5t.ORDER_BE: "be", h5t.ORDER_VAX: "vax", h5t.ORDER_NONE: "none"}
PADS = {h5t.STR_NULLTERM: "nullterm", h5t.STR_NULLPAD: "nullpad", h5t.STR_SPACEPAD: "spacepad"}
CHARSETS = {h5t.CSET_ASCII: "ascii", h5t.CSET_UTF8: "utf8"}
# size: (sign position, exponent position, exponent size, mantissa position, mantissa size), bias
IEEE = {2: ((15, 10, 5, 0, 10), 15), 4: ((31, 23, 8, 0, 23), 127), 8: ((63, 52, 11, 0, 52), 1023)}
SLAB = 64 << 20  # bytes of elements held at once


class Unsupported(Exception):
    """libhdf5 could read it, but the digest does not define its bytes."""


def text(name):
    """A name as text; bytes that are not UTF-8 show as \\xNN."""
    name = name.encode("utf-8", "surrogateescape") if isinstance(name, str) else name
    return name.decode("utf-8", "backslashreplace")


# ---------------------------------------------------------------- datatypes


def reference_kind(t):
    if t.equal(h5t.STD_REF_OBJ):
        return "object"
    return "region" if t.equal(h5t.STD_REF_DSETREG) else "std"


def bit_field(described, t):
    """Add precision and offset unless every bit of the element counts."""
    precision, offset = call("H5Tget_precision", t), call("H5Tget_offset", t)
    if (precision, offset) != (8 * t.get_size(), 0):
        described.update(precision=precision, offset=offset)
    return described


def describe_float(t):
    size = t.get_size()
    described = {"class": "float", "size": size, "order": ORDERS[t.get_order()]}
    precision, offset, fields, bias = t.get_precision(), t.get_offset(), t.get_fields(), t.get_ebias()
    if (precision, offset) != (8 * size, 0) or IEEE.get(size) != (fields, bias):
        described.update(precision=precision, offset=offset, fields=list(fields), bias=bias)
    return described


def member_types(t):
    return [t.get_member_type(i) for i in range(t.get_nmembers())]


def describe(t):
    """A datatype as a JSON object."""
    kind, size = t.get_class(), t.get_size()
    if kind == h5t.INTEGER:
        return bit_field(
            {"class": "integer", "size": size, "order": ORDERS[t.get_order()], "signed": t.get_sign() == h5t.SGN_2}, t
        )
    if kind == h5t.FLOAT:
        return describe_float(t)
    if kind == h5t.TIME:
        return {"class": "time", "size": size}
    if kind == h5t.STRING:
        tail = {"pad": PADS[t.get_strpad()], "charset": CHARSETS[t.get_cset()]}
        return {"class": "vlen-string", **tail} if t.is_variable_str() else {"class": "string", "size": size, **tail}
    if kind == h5t.BITFIELD:
        return bit_field({"class": "bitfield", "size": size, "order": ORDERS[t.get_order()]}, t)
    if kind == h5t.OPAQUE:
        return {"class": "opaque", "size": size, "tag": text(t.get_tag())}
    if kind == h5t.COMPOUND:
        return {
            "class": "compound",
            "size": size,
            "members": [
                {"name": text(t.get_member_name(i)), "offset": t.get_member_offset(i), "type": describe(m)}
                for i, m in enumerate(member_types(t))
            ],
        }
    if kind == h5t.REFERENCE:
        return {"class": "reference", "kind": reference_kind(t)}
    if kind == h5t.ENUM:
        return {
            "class": "enum",
            "base": describe(t.get_super()),
            "members": [[text(t.get_member_name(i)), int(t.get_member_value(i))] for i in range(t.get_nmembers())],
        }
    if kind == h5t.VLEN:
        return {"class": "vlen", "base": describe(t.get_super())}
    if kind == h5t.ARRAY:
        return {"class": "array", "dims": list(t.get_array_dims()), "base": describe(t.get_super())}
    if kind == h5t.COMPLEX:
        return {"class": "complex", "base": describe(t.get_super())}
    raise Unsupported(f"datatype class {kind}")


# ---------------------------------------------------------------- elements


def canonical(t):
    """None where an element's canonical bytes are its bytes in memory, else the function that gives them."""
    kind, size = t.get_class(), t.get_size()
    if kind == h5t.STRING and t.is_variable_str():
        return canonical_string
    if kind == h5t.VLEN:
        return canonical_sequence(t.get_super())
    if kind == h5t.COMPOUND:
        return canonical_compound(t)
    if kind == h5t.ARRAY:
        base, step = canonical(t.get_super()), t.get_super().get_size()
        return base and (lambda raw: b"".join(base(raw[at : at + step]) for at in range(0, size, step)))
    if kind == h5t.REFERENCE and reference_kind(t) == "std":
        raise Unsupported("revised reference")
    return None


def canonical_string(raw):
    (pointer,) = struct.unpack("=Q", raw)
    value = ctypes.string_at(pointer) if pointer else b""
    return struct.pack("<Q", len(value)) + value


def canonical_sequence(base):
    convert, step = canonical(base), base.get_size()

    def sequence(raw):
        count, pointer = struct.unpack("=QQ", raw)
        block = ctypes.string_at(pointer, count * step) if count else b""
        if convert:
            block = b"".join(convert(block[at : at + step]) for at in range(0, len(block), step))
        return struct.pack("<Q", count) + block

    return sequence


def canonical_compound(t):
    members = [(t.get_member_offset(i), m.get_size(), canonical(m)) for i, m in enumerate(member_types(t))]
    ends = [offset + size for offset, size, _ in members]
    starts = [offset for offset, _, _ in members]
    if not any(convert for *_, convert in members) and starts == [0] + ends[:-1] and ends[-1] == t.get_size():
        return None
    return lambda raw: b"".join(
        convert(raw[at : at + size]) if convert else raw[at : at + size] for at, size, convert in members
    )


def feed(hasher, t, buffer):
    """Hash the elements in `buffer`."""
    convert, size = canonical(t), t.get_size()
    if convert is None:
        hasher.update(buffer)
        return
    raw = buffer.tobytes()
    for at in range(0, len(raw), size):
        hasher.update(convert(raw[at : at + size]))


def shape_of(space):
    """None for a null dataspace, [] for a scalar."""
    if space.get_simple_extent_type() == h5s.NULL:
        return None
    return list(space.get_simple_extent_dims()) if space.get_simple_extent_type() == h5s.SIMPLE else []


def element_count(shape):
    count = 1
    for extent in shape:
        count *= extent
    return count


def hash_elements(t, shape, read):
    """Hash all elements. read(first, rows, buffer) fills in rows along the first dimension; a scalar is one row."""
    hasher = xxhash.xxh3_128()
    if shape is None:
        return None
    if element_count(shape) == 0:
        return hasher.hexdigest()
    canonical(t)
    rows = shape[0] if shape else 1
    row = t.get_size() * element_count(shape[1:])
    step = max(1, SLAB // row)
    for first in range(0, rows, step):
        count = min(step, rows - first)
        buffer = np.zeros(count * row, "u1")
        memory = read(first, count, buffer)
        feed(hasher, t, buffer)
        if canonical(t):
            call("H5Treclaim", t, memory, 0, buffer)
    return hasher.hexdigest()


def hash_dataset(did):
    t, file_space = did.get_type(), did.get_space()
    shape = shape_of(file_space)

    def read(first, count, buffer):
        if not shape:
            memory = h5s.create(h5s.SCALAR)
            call("H5Dread", did, t, memory, file_space, 0, buffer)
            return memory
        block = (count, *shape[1:])
        memory, part = h5s.create_simple(block), file_space.copy()
        part.select_hyperslab((first,) + (0,) * (len(shape) - 1), block)
        call("H5Dread", did, t, memory, part, 0, buffer)
        return memory

    return hash_elements(t, shape, read)


def hash_attribute(aid):
    t, space = aid.get_type(), aid.get_space()
    shape = shape_of(space)
    flat = shape and [element_count(shape)]

    def read(_first, _count, buffer):
        whole = np.zeros(element_count(shape) * t.get_size(), "u1")
        call("H5Aread", aid, t, whole)
        buffer[:] = whole[_first * t.get_size() :][: len(buffer)]
        return space

    return hash_elements(t, flat, read)


# ---------------------------------------------------------------- the walk


def fault(error):
    return "unsupported" if isinstance(error, Unsupported) else "unreadable"


def attributes(object_id):
    found = {}
    names = []
    h5a.iterate(object_id, lambda name: names.append(bytes(name)) and None)  # the count can be wrong
    for name in names:
        aid = h5a.open(object_id, name)
        entry = {"type": describe(aid.get_type()), "shape": shape_of(aid.get_space())}
        try:
            entry["xxh3"] = hash_attribute(aid)
        except (OSError, RuntimeError, Unsupported) as error:
            entry["error"] = fault(error)
        found[name_of(aid)] = entry
    return {text(name): found[name] for name in sorted(found)}


def name_of(aid):
    size = call("H5Aget_name", aid, 0, None, result=ctypes.c_int64)
    buffer = ctypes.create_string_buffer(size + 1)
    call("H5Aget_name", aid, size + 1, buffer, result=ctypes.c_int64)
    return buffer.value


def dataset_line(did, path):
    line = {"path": path, "kind": "dataset"}
    try:
        line["type"] = describe(did.get_type())
        space = did.get_space()
        line["shape"] = shape_of(space)
        if line["shape"]:
            line["maxshape"] = [None if m == h5s.UNLIMITED else m for m in space.get_simple_extent_dims(True)]
        line["xxh3"] = hash_dataset(did)
    except (OSError, RuntimeError, ValueError, Unsupported) as error:
        line["error"] = fault(error)
    line["attrs"] = attributes(did)
    return line


def walk(object_id, path, printed, lines):
    info = h5o.get_info(object_id)
    if info.addr in printed:
        lines.append({"path": path, "kind": "hardlink", "target": printed[info.addr]})
        return
    printed[info.addr] = path
    if isinstance(object_id, h5d.DatasetID):
        lines.append(dataset_line(object_id, path))
    elif isinstance(object_id, h5t.TypeID):
        lines.append({"path": path, "kind": "datatype", "type": describe(object_id), "attrs": attributes(object_id)})
    else:
        lines.append({"path": path, "kind": "group", "attrs": attributes(object_id)})
        for name in sorted(bytes(n) for n in object_id):
            walk_link(object_id, name, path.rstrip("/") + "/" + text(name), printed, lines)


def walk_link(parent, name, path, printed, lines):
    kind = parent.links.get_info(name).type
    if kind == h5l.TYPE_HARD:
        try:
            child = h5o.open(parent, name)
        except (OSError, KeyError, RuntimeError) as error:
            lines.append({"path": path, "kind": "error", "error": fault(error)})
            return
        walk(child, path, printed, lines)
    elif kind == h5l.TYPE_SOFT:
        lines.append({"path": path, "kind": "softlink", "target": text(parent.links.get_val(name))})
    elif kind == h5l.TYPE_EXTERNAL:
        file, target = parent.links.get_val(name)
        lines.append({"path": path, "kind": "extlink", "file": text(file), "target": text(target)})
    else:
        lines.append({"path": path, "kind": "userlink", "class": int(kind)})


def open_file(path):
    """Open for reading: `NAME%05d.h5` is a family of files, `NAME` a split file or a multi file by what is there."""
    access = h5p.create(h5p.FILE_ACCESS)
    access.set_fclose_degree(h5f.CLOSE_STRONG)
    if "%" in path:
        access.set_fapl_family(os.path.getsize(path % 0), h5p.create(h5p.FILE_ACCESS))
    elif os.path.exists(path + "-s.h5"):
        call("H5Pset_fapl_multi", access, None, None, None, None, True)
    elif os.path.exists(path + "-m.h5"):
        part = h5p.create(h5p.FILE_ACCESS)
        access.set_fapl_split(b"-m.h5", part, b"-r.h5", part)
    return h5f.open(os.fsencode(path), h5f.ACC_RDONLY, access)


def digest(path):
    """The lines of the digest, as a list of dicts."""
    fid = open_file(path)
    try:
        lines = []
        walk(h5o.open(fid, b"/"), "/", {}, lines)
        return lines
    finally:
        fid.close()


def dump(lines):
    return "".join(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n" for line in lines)


# ---------------------------------------------------------------- lines from known values, without libhdf5


def hash_of(raw):
    return {"xxh3": xxhash.xxh3_128(raw).hexdigest()}


def group_line(path, attrs=None):
    return {"path": path, "kind": "group", "attrs": attrs or {}}


def known_dataset_line(path, kind, shape, raw, maxshape=None, attrs=None):
    """The line of a dataset whose datatype (as JSON) and element bytes are known."""
    line = {"path": path, "kind": "dataset", "type": kind, "shape": list(shape)}
    if shape:
        line["maxshape"] = list(shape if maxshape is None else maxshape)
    return {**line, "xxh3": xxhash.xxh3_128(raw).hexdigest(), "attrs": attrs or {}}


def integer_kind(size=4, order="le", signed=True):
    return {"class": "integer", "size": size, "order": order, "signed": signed}

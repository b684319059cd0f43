"""The libhdf5 that h5py carries: calls h5py has no binding for, and short ways to create things."""

import ctypes
import glob
import os

os.environ["HDF5_USE_FILE_LOCKING"] = "FALSE"

import h5py
import numpy as np
from h5py import h5a, h5d, h5f, h5g, h5p, h5s, h5t

LIBRARY = ctypes.CDLL(glob.glob(os.path.join(os.path.dirname(h5py.__file__), "..", "h5py.libs", "libhdf5-*"))[0])
LIBRARY.H5Eset_auto2(ctypes.c_int64(0), None, None)

# Library version bounds, oldest first: each selects other versions of the on-disk structures.
BOUNDS = {
    "earliest": h5f.LIBVER_EARLIEST,
    "v108": h5f.LIBVER_V18,
    "v110": h5f.LIBVER_V110,
    "v112": h5f.LIBVER_V112,
    "v114": h5f.LIBVER_V114,
    "v200": h5f.LIBVER_V200,
}
NEWEST = "v200"
UNLIMITED = h5s.UNLIMITED

EARLY, LATE, INCREMENTAL = 1, 2, 3
FILL_AT_ALLOCATION, FILL_NEVER, FILL_IF_SET = 0, 1, 2


def argument(value):
    """A Python value as the C argument it stands for."""
    if isinstance(value, bool) or value is None:
        return ctypes.c_void_p(None) if value is None else ctypes.c_int64(value)
    if isinstance(value, (int, np.integer)):
        return ctypes.c_int64(value)
    if isinstance(value, float):
        return ctypes.c_double(value)
    if isinstance(value, str):
        return ctypes.c_char_p(value.encode())
    if isinstance(value, bytes):
        return ctypes.c_char_p(value)
    if isinstance(value, np.ndarray):
        return ctypes.c_void_p(value.ctypes.data)
    if hasattr(value, "id"):
        low = value.id
        return ctypes.c_int64(low if isinstance(low, int) else low.id)
    return value


def call(name, *arguments, result=ctypes.c_int):
    """Call a function of libhdf5; a negative result is an error."""
    function = getattr(LIBRARY, name)
    function.restype = result
    answer = function(*[argument(a) for a in arguments])
    if answer is not None and answer < 0:
        raise OSError(f"{name} failed")
    return answer


def call_id(name, *arguments):
    """Call a function of libhdf5 that returns an identifier."""
    return call(name, *arguments, result=ctypes.c_int64)


def constant(name):
    """A predefined datatype of libhdf5, such as H5T_VAX_F32_g."""
    return h5t.TypeID(ctypes.c_int64.in_dll(LIBRARY, name).value).copy()


def creation_list(**settings):
    """A file creation property list; each setting is a call set_NAME(*values). Times are off unless asked for."""
    plist = h5p.create(h5p.FILE_CREATE)
    plist.set_obj_track_times(False)
    for name, values in settings.items():
        values = values if isinstance(values, tuple) else (values,)
        if hasattr(plist, "set_" + name):
            getattr(plist, "set_" + name)(*values)
        else:
            call("H5Pset_" + name, plist, *values)
    return plist


def access_list(low="earliest", high="v200"):
    """A file access property list with the given bounds."""
    plist = h5p.create(h5p.FILE_ACCESS)
    plist.set_fclose_degree(h5f.CLOSE_STRONG)
    plist.set_libver_bounds(BOUNDS[low], BOUNDS[high])
    return plist


def create(path, low="earliest", access=None, setup=None, **creation):
    """A new file, with the lower bound `low` and the given file creation properties; setup(list) sets more of them."""
    access = access or access_list(low)
    plist = creation_list(**creation)
    if setup:
        setup(plist)
    fid = h5f.create(os.fsencode(path), h5f.ACC_TRUNC, plist, access)
    return h5py.File(fid)


def reopen(path, low="earliest"):
    """An existing file opened for changes."""
    return h5py.File(h5f.open(os.fsencode(path), h5f.ACC_RDWR, access_list(low)))


def dataset_list(chunk=None, fill=None, fill_type=None, alloc=None, fill_time=None, layout=None, times=False):
    """A dataset creation property list."""
    plist = h5p.create(h5p.DATASET_CREATE)
    plist.set_obj_track_times(times)
    if layout is not None:
        plist.set_layout(layout)
    if chunk is not None:
        plist.set_chunk(chunk)
    if alloc is not None:
        plist.set_alloc_time(alloc)
    if fill_time is not None:
        plist.set_fill_time(fill_time)
    if fill is not None:
        fill = np.asarray(fill)
        call(
            "H5Pset_fill_value", plist, fill_type or h5t.py_create(fill.dtype, logical=True), np.ascontiguousarray(fill)
        )
    return plist


def space(shape, maxshape=None):
    """A dataspace: None is the null space, () a scalar."""
    if shape is None:
        return h5s.create(h5s.NULL)
    if shape == ():
        return h5s.create(h5s.SCALAR)
    return h5s.create_simple(
        tuple(shape), None if maxshape is None else tuple(UNLIMITED if m is None else m for m in maxshape)
    )


def name_bytes(name):
    return name if isinstance(name, bytes) else name.encode()


def file_type(dtype):
    """The HDF5 datatype for a numpy dtype; a TypeID stands for itself."""
    return dtype if isinstance(dtype, h5t.TypeID) else h5t.py_create(np.dtype(dtype), logical=True)


def dataset(parent, name, dtype, shape, data=None, maxshape=None, plist=None, raw=None, **properties):
    """Create a dataset. `data` is converted from numpy's type; `raw` is bytes in the file's own datatype."""
    tid = file_type(dtype)
    plist = plist or dataset_list(**properties)
    did = h5d.create(parent.id, name_bytes(name), tid, space(shape, maxshape), plist)
    if data is not None:
        data = np.ascontiguousarray(data)
        did.write(h5s.ALL, h5s.ALL, data, memory_type(data, tid))
    if raw is not None:
        write_raw(did, raw)
    return h5py.Dataset(did)


def memory_type(data, tid):
    """The memory type of a numpy array; Python objects (strings, sequences, references) go by the file's type."""
    return h5t.py_create(tid.dtype) if data.dtype.kind == "O" else h5t.py_create(data.dtype, logical=True)


def write_raw(did, raw):
    """Write bytes that are elements of the dataset's own datatype: nothing is converted."""
    call("H5Dwrite", did, did.get_type(), 0, 0, 0, np.frombuffer(bytes(raw), "u1"))


def attribute(parent, name, dtype, shape, data=None, raw=None):
    """Create an attribute, from numpy data or from bytes in its own datatype."""
    tid = file_type(dtype)
    aid = h5a.create(parent.id, name_bytes(name), tid, space(shape))
    if data is not None:
        data = np.ascontiguousarray(data)
        aid.write(data, memory_type(data, tid))
    if raw is not None:
        call("H5Awrite", aid.id, tid.id, np.frombuffer(bytes(raw), "u1"))
    return aid


TRACKED_AND_INDEXED = h5p.CRT_ORDER_TRACKED | h5p.CRT_ORDER_INDEXED


def group(parent, name, order=None, phase=None, estimate=None, times=False, attribute_order=False):
    """Create a group; `order` says how creation order is kept, `phase` = (max compact, min dense) links,
    `estimate` = (links, length of a name) expected."""
    plist = h5p.create(h5p.GROUP_CREATE)
    call("H5Pset_obj_track_times", plist, times)
    if order:
        call("H5Pset_link_creation_order", plist, order)
    if attribute_order:
        call("H5Pset_attr_creation_order", plist, TRACKED_AND_INDEXED)
    if phase:
        call("H5Pset_link_phase_change", plist, *phase)
    if estimate:
        call("H5Pset_est_link_info", plist, *estimate)
    links = h5p.create(h5p.LINK_CREATE)
    return h5py.Group(h5g.create(parent.id, name_bytes(name), links, plist))


def commit(parent, name, dtype):
    """Give a datatype a name in the file; returns the committed type."""
    tid = file_type(dtype).copy()
    plist = call_id("H5Pcreate", ctypes.c_int64.in_dll(LIBRARY, "H5P_CLS_DATATYPE_CREATE_ID_g").value)
    call("H5Pset_obj_track_times", plist, False)
    call("H5Tcommit2", parent, name, tid, 0, plist, 0)
    call("H5Pclose", plist)
    return tid


def chunk_write(target, offset, data, mask=0):
    """Store one chunk as it is, past the filters."""
    target.id.write_direct_chunk(tuple(offset), bytes(data), mask)


NATIVE = {"i64": h5t.NATIVE_INT64, "u64": h5t.NATIVE_UINT64, "f64": h5t.NATIVE_DOUBLE}
NUMPY = {"i64": "i8", "u64": "u8", "f64": "f8"}


def converted(target, kind, selected=None):
    """Elements converted by libhdf5 to i64, u64 or f64, as a flat array. `selected` is a dataspace."""
    low = getattr(target, "id", target)
    low = target if isinstance(low, int) else low
    count = (selected or low.get_space()).get_select_npoints()
    out = np.zeros(count, NUMPY[kind])
    if isinstance(low, h5a.AttrID):
        call("H5Aread", low, NATIVE[kind], out)
    else:
        memory = h5s.create_simple((count,))
        call("H5Dread", low, NATIVE[kind], memory, selected or 0, 0, out)
    return out


def selection(target, select):
    """The dataspace of a dataset with a selection: {"start", "stride", "count", "block"} or {"points"}."""
    chosen = target.id.get_space()
    if "points" in select:
        chosen.select_elements(np.array(select["points"], "u8"))
    else:
        count = select["count"]
        ones = (1,) * len(count)
        chosen.select_hyperslab(
            tuple(select["start"]), tuple(count), tuple(select.get("stride", ones)), tuple(select.get("block", ones))
        )
    return chosen


def address(target):
    """The address of an object's header."""
    return h5py.h5o.get_info(target.id).addr


def modification_time(target):
    """The time in the modification time message of a version 1 header; H5O_info2_t calls it the change time."""
    info = np.zeros(16, "u8")
    call("H5Oget_info3", target, info, 2)
    return int(info[6])

"""References: to objects, to regions of datasets, and the revised ones of HDF5 1.12."""

import itertools

import h5py
import numpy as np
from h5py import h5r, h5s, h5t

from .case import case
from .elements import Sequences, compound
from .hdf5 import (
    address,
    attribute,
    call,
    commit,
    constant,
    create,
    dataset,
    dataset_list,
    group,
)

SHAPE = (6, 8)


def grid(ranges):
    """The coordinates of a block, row-major."""
    return [list(point) for point in itertools.product(*ranges)]


def regions():
    """(dataspace, the coordinates selected in the order of the region; None for the whole dataset)"""

    def fresh():
        return h5s.create_simple(SHAPE)

    one = fresh()
    one.select_hyperslab((1, 2), (1, 1), None, (2, 3))
    strided = fresh()
    strided.select_hyperslab((0, 1), (2, 2), (3, 4), (1, 2))
    union = fresh()
    union.select_hyperslab((0, 0), (1, 1), None, (2, 2))
    union.select_hyperslab((1, 1), (1, 1), None, (3, 3), h5s.SELECT_OR)
    points = fresh()
    listed = [[5, 7], [0, 0], [3, 2]]
    points.select_elements(np.array(listed, "u8"))
    whole, nothing = fresh(), fresh()
    nothing.select_none()
    covered = sorted({(r, q) for r in range(2) for q in range(2)} | {(r, q) for r in range(1, 4) for q in range(1, 4)})
    return {
        "block": (one, grid([range(1, 3), range(2, 5)])),
        "strided": (strided, grid([(0, 3), (1, 2, 5, 6)])),
        "union": (union, [list(p) for p in covered]),
        "points": (points, listed),
        "all": (whole, grid([range(6), range(8)])),
        "none": (nothing, []),
    }


def targets(file):
    g = group(file, "g")
    d = dataset(g, "d", "<i4", SHAPE, np.arange(48).reshape(SHAPE))
    attribute(d, "about", "<i2", (2,), np.arange(2))
    attribute(g, "of group", "<f8", (), np.array(0.5))
    commit(file, "type", "<i4")


for _low in ("earliest", "v200"):

    @case(
        f"references_{_low}.h5",
        "object references (group, dataset, type, null) and region references (block, strided, union, points, all, "
        f"none, null); in attribute, compound, array, vlen; lower bound {_low}",
    )
    def references(c, low=_low):
        with create(c.name, low) as f:
            targets(f)
            paths = ("/g/d", "/g", "/type", "/")
            elements = b"".join(np.uint64(address(f[path])).tobytes() for path in paths) + bytes(8)
            dataset(f, "objects", h5t.STD_REF_OBJ, (5,), raw=elements)
            attribute(f, "objects", h5t.STD_REF_OBJ, (5,), raw=elements)
            for where in ("/objects", "/@objects"):
                c.expect(where, "reference", [*paths, None])
            write_regions(c, f)
            containers(f, elements[:16])


def write_regions(c, file):
    expected = []
    out = dataset(file, "regions", h5t.STD_REF_DSETREG, (7,))
    refs = np.empty(7, dtype=h5py.regionref_dtype)
    for i, (space, coordinates) in enumerate(regions().values()):
        refs[i] = h5r.create(file.id, b"/g/d", h5r.DATASET_REGION, space)
        expected.append({"path": "/g/d", "points": coordinates})
    refs[6] = h5r.RegionReference()
    out[...] = refs
    c.expect("/regions", "region", [*expected, None])


def containers(file, two):
    """Object references inside other types; `two` are two of them."""
    keep = Sequences()
    pair = compound(12, ("n", 0, "<i4"), ("ref", 4, h5t.STD_REF_OBJ))
    dataset(
        file, "in compound", pair, (2,), raw=b"".join(bytes([i, 0, 0, 0]) + two[8 * i : 8 * i + 8] for i in range(2))
    )
    dataset(file, "in array", h5t.array_create(h5t.STD_REF_OBJ, (2,)), (1,), raw=two)
    dataset(file, "in vlen", h5t.vlen_create(h5t.STD_REF_OBJ), (2,), raw=keep.sequence(two, 2) + keep.sequence(b"", 0))


# ---------------------------------------------------------------- revised references


class Revised(list):
    """H5R_ref_t elements, 64 bytes each."""

    def add(self, function, *arguments):
        element = np.zeros(64, "u1")
        call(function, *arguments, 0, element)
        self.append(element)

    def raw(self):
        return b"".join(e.tobytes() for e in self)


@case(
    "references_revised.h5",
    "revised references: objects, regions, attributes, null, into another file; in an attribute and a compound",
    companions=("references_external.h5",),
)
def references_revised(c):
    with create("references_external.h5", "v112") as other, create(c.name, "v112") as f:
        targets(other)
        targets(f)
        file_id, other_id = f.id, other.id
        refs, expected = Revised(), []
        for path in ("/g/d", "/g", "/type"):
            refs.add("H5Rcreate_object", file_id, path)
            expected.append({"kind": "object", "path": path})
        for space, coordinates in regions().values():
            refs.add("H5Rcreate_region", file_id, "/g/d", space)
            expected.append({"kind": "region", "path": "/g/d", "points": coordinates})
        for path, name in (("/g/d", "about"), ("/g", "of group")):
            refs.add("H5Rcreate_attr", file_id, path, name)
            expected.append({"kind": "attribute", "path": path, "attribute": name})
        refs.append(np.zeros(64, "u1"))
        expected.append(None)
        inside = len(expected)
        refs.add("H5Rcreate_object", other_id, "/g/d")
        refs.add("H5Rcreate_region", other_id, "/g/d", regions()["strided"][0])
        refs.add("H5Rcreate_attr", other_id, "/g/d", "about")
        outside = {"file": "references_external.h5"}
        expected += [
            {"kind": "object", "path": "/g/d", **outside},
            {"kind": "region", "path": "/g/d", "points": regions()["strided"][1], **outside},
            {"kind": "attribute", "path": "/g/d", "attribute": "about", **outside},
        ]
        kind = constant("H5T_STD_REF_g")
        dataset(f, "references", kind, (len(refs),), raw=refs.raw())
        attribute(f, "references", kind, (inside,), raw=refs.raw()[: 64 * inside])
        c.expect("/references", "revised reference", expected)
        c.expect("/@references", "revised reference", expected[:inside])
        plist = dataset_list(chunk=(4,))
        plist.set_deflate(6)
        dataset(f, "chunked", kind, (inside,), raw=refs.raw()[: 64 * inside], plist=plist)
        c.expect("/chunked", "revised reference", expected[:inside])
        dataset(f, "never", kind, (2,))
        c.expect("/never", "revised reference", [None, None])
        for element in refs:
            if element.any():
                call("H5Rdestroy", element)


@case(
    "references_external.h5",
    "the file that external references lead to (written by the maker of references_revised.h5)",
)
def references_external(c):
    pass

"""Groups and links: symbol tables, compact and dense storage, every kind of link and of name."""

import ctypes

import h5py
import numpy as np

from .case import BY_HAND, case
from .hdf5 import TRACKED_AND_INDEXED, call, create, dataset, group
from .image import build, group_info, link, link_info, numbers, small_dataset


def point(parent, name, value=0):
    """The smallest dataset."""
    return dataset(parent, name, "<u1", (), np.array(value, "u1"))


# ---------------------------------------------------------------- symbol tables


@case(
    "symbols_deep.h5",
    "symbol table groups with K = 1: B-trees several levels deep; names added in mixed order, some removed",
)
def symbols_deep(c):
    with create(c.name, sym_k=(1, 1)) as f:
        d = point(f, "target", 5)
        g = group(f, "g")
        for i in range(90):
            g[f"name {(i * 37) % 90:03}"] = d
        for i in range(0, 90, 9):
            del g[f"name {i:03}"]


@case(
    "symbols_removed.h5",
    "symbol table group with removed and added names: free list in the local heap, moved heap data, an emptied group",
)
def symbols_removed(c):
    with create(c.name) as f:
        d = point(f, "target", 5)
        g, empty = group(f, "g"), group(f, "emptied")
        for i in range(40):
            g[f"a rather long name number {i:03}"] = d
        for i in range(0, 40, 3):
            del g[f"a rather long name number {i:03}"]
        for i in range(20):
            g[f"n{i}"] = d
        for i in range(10):
            empty[f"x{i}"] = d
        for i in range(10):
            del empty[f"x{i}"]


@case(
    "symbols_soft.h5",
    "soft links in symbol tables (cache type 2): absolute, relative, dangling, to itself, through a group",
)
def symbols_soft(c):
    with create(c.name) as f:
        soft_links(f)


def soft_links(file):
    g = group(file, "g")
    point(g, "x", 3)
    links = {
        "absolute": "/g/x",
        "dangling": "/nowhere",
        "itself": "itself",
        "chain": "g/relative",
        "to group": "g",
        "dots": "./g/.//x",
    }
    for name, path in links.items():
        file[name] = h5py.SoftLink(path)
    g["relative"] = h5py.SoftLink("x")
    g["up"] = h5py.SoftLink("../g/x")


# ---------------------------------------------------------------- compact and dense


@case(
    "links_all.h5",
    "compact links of every kind: hard, soft, external, user-defined; a cycle to the root; UTF-8 and undecodable names",
    companions=("links_target.h5",),
)
def links_all(c):
    with create(c.name, "v108") as f:
        soft_links(f)
        f["root again"] = f
        f["g"]["root"] = f
        f["g/x again"] = f["g/x"]
        f["external"] = h5py.ExternalLink("links_target.h5", "/inner/data")
        f["external group"] = h5py.ExternalLink("links_target.h5", "/")
        f["external missing"] = h5py.ExternalLink("no_such_file.h5", "/x")
        f["Größe €"] = f["g/x"]
        f.id.links.create_hard(b"latin \xe9", f.id, b"g/x")
        user_link(f, b"user defined", b"some data of the link")
    c.expect("/external", "i64", [1, 2, 3])
    c.expect("/chain", "i64", [3])


class LinkClass(ctypes.Structure):
    """H5L_class_t"""

    TRAVERSE = ctypes.CFUNCTYPE(
        ctypes.c_int64,
        ctypes.c_char_p,
        ctypes.c_int64,
        ctypes.c_void_p,
        ctypes.c_size_t,
        ctypes.c_int64,
        ctypes.c_int64,
    )
    _fields_ = [
        ("version", ctypes.c_int),
        ("id", ctypes.c_int),
        ("comment", ctypes.c_char_p),
        ("create", ctypes.c_void_p),
        ("move", ctypes.c_void_p),
        ("copy", ctypes.c_void_p),
        ("traverse", TRAVERSE),
        ("delete", ctypes.c_void_p),
        ("query", ctypes.c_void_p),
    ]


USER_CLASS = LinkClass(1, 187, b"test", None, None, None, LinkClass.TRAVERSE(lambda *_: -1), None, None)


def user_link(parent, name, data):
    call("H5Lregister", ctypes.byref(USER_CLASS))
    call("H5Lcreate_ud", parent, name, 187, data, len(data), 0, 0)


@case("links_target.h5", "the file external links lead to")
def links_target(c):
    with create(c.name, "v108") as f:
        dataset(group(f, "inner"), "data", "<i4", (3,), np.arange(1, 4))


@case(
    "links_compact.h5",
    "compact groups: phase change 20/10 and estimates stored (group info message), an empty group, links spread over continuation blocks",
)
def links_compact(c):
    with create(c.name, "v110") as f:
        d = point(f, "target", 9)
        g = group(f, "g", phase=(20, 10))
        other = group(f, "other", phase=(20, 10), estimate=(30, 20))
        group(f, "empty")
        for i in range(18):
            g[f"link {i}"] = d
            other[f"link {i}" * 3] = g
        del g["link 3"], g["link 4"]


@case(
    "links_dense.h5",
    "dense groups: 400 links (name index of depth 1, root indirect block of several rows), some removed; soft and external ones",
)
def links_dense(c):
    with create(c.name, "v108") as f:
        d = point(f, "target", 9)
        g = group(f, "g")
        for i in range(400):
            name = f"link number {(i * 171) % 400:03} ".ljust(30, "x")
            g[name] = h5py.SoftLink("/target") if i % 10 == 0 else h5py.ExternalLink("f.h5", "/x") if i % 10 == 1 else d
        for name in list(g)[::7]:
            del g[name]


@case("links_dense_deep.h5", "dense group of 900 links: name index of depth 2 (B-tree nodes of 512 bytes)")
def links_dense_deep(c):
    with create(c.name, "v110") as f:
        g = group(f, "g")
        for i in range(900):
            g[f"{i * 7919 % 900:04}"] = h5py.SoftLink(".")


@case(
    "links_dense_ordered.h5",
    "dense group with a creation order index (B-tree type 6), names in falling order, some removed",
)
def links_dense_ordered(c):
    with create(c.name, "v110") as f:
        d = point(f, "target", 9)
        g = group(f, "g", order=TRACKED_AND_INDEXED)
        names = [f"n{120 - i:03}" for i in range(120)]
        for name in names:
            g[name] = d
        for name in names[::5]:
            del g[name]
        c.expect("/g#order", "string", [n for i, n in enumerate(names) if i % 5])


@case("links_dense_emptied.h5", "a group that became dense and then lost all or most of its links")
def links_dense_emptied(c):
    with create(c.name, "v108") as f:
        d = point(f, "target", 9)
        for label, left in (("emptied", 0), ("compact again", 2)):
            g = group(f, label)
            for i in range(30):
                g[f"link {i}"] = d
            for i in range(left, 30):
                del g[f"link {i}"]


@case(
    "names_huge.h5",
    "names of 300 and 5000 bytes: two-byte name lengths, links that are huge objects of the fractal heap",
)
def names_huge(c):
    with create(c.name, "v108") as f:
        d = point(f, "target", 9)
        compact, dense = group(f, "compact"), group(f, "dense")
        for g in (compact, dense):
            g["a" * 300] = d
            g["b" * 5000] = d
        for i in range(12):
            dense[f"short {i}"] = d
        dense["c" * 4500] = h5py.SoftLink("/target")


# Pairs of names with the same lookup3 hash.
SAME_HASH = [("n0050769", "n0060671"), ("n0010700", "n0335431"), ("n0209730", "n0231661"), ("n0297182", "n0299224")]


@case("names_same_hash.h5", "dense links and attributes whose names share a hash: the index orders them by name")
def names_same_hash(c):
    with create(c.name, "v110") as f:
        d = point(f, "target", 9)
        for label, step in (("up", 1), ("down", -1)):
            g = group(f, label)
            for i, pair in enumerate(SAME_HASH):
                for name in pair[::step]:
                    g[name] = d
                    g.attrs[name] = np.int32(i)
            for i in range(8):
                g[f"other {i}"] = d
                g.attrs[f"other {i}"] = np.int32(i)
    for label in ("up", "down"):
        c.expect(f"/{label}/n0335431", "u64", [9])
        c.expect(f"/{label}@n0335431", "i64", [1])


@case(
    "names_length_widths.h5",
    "link messages with name lengths of 1, 2, 4 and 8 bytes, character sets given, creation order in the message",
    BY_HAND,
)
def names_length_widths(c):
    def make(image):
        image.superblock2()
        small_dataset(image, "x", numbers(3))
        links = [link(b"width %d" % w, "x", image, width=w) for w in (1, 2, 4, 8)]
        links += [
            link(b"ascii", "x", image, charset=0),
            link("Größe".encode(), "x", image, charset=1, width=4),
            link(b"ordered", "x", image, order=5),
            link(b"soft", b"width 8", width=8, charset=1, order=2),
        ]
        image.header2("root", [link_info(image), group_info()] + links)

    build(c.name, make)


@case("groups_nested.h5", "120 groups, one in the other, and one object reached by several paths")
def groups_nested(c):
    with create(c.name, "v200") as f:
        g = f
        for i in range(120):
            g = group(g, f"g{i}")
        g["x"] = point(f, "x", 1)
        f["short cut"] = g


for _low in ("earliest", "v200"):

    @case(
        f"groups_cycles_{_low}.h5",
        f"hard links that form cycles: a group in itself, two groups in each other, the root in a leaf; lower bound {_low}",
    )
    def groups_cycles(c, low=_low):
        with create(c.name, low) as f:
            a, b = group(f, "a"), group(f, "b")
            a["itself"], a["b"], b["a"] = a, b, a
            group(b, "deep")["root"] = f
            f["c"] = b

"""The file level: superblocks, user blocks, field widths, drivers, the superblock extension, file space."""

import ctypes

import h5py
import numpy as np
from h5py import h5f, h5p

from .case import BY_HAND, PATCHED, case
from .digest import group_line, integer_kind, known_dataset_line
from .hdf5 import access_list, call, create, dataset, dataset_list, group
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
    patch_at,
    read,
    seal_superblock,
    uint,
)


def small_tree(file):
    """Something stored through every kind of address: groups, chunks, heaps, references."""
    file.attrs["version"] = np.int32(7)
    g = group(file, "g")
    dataset(g, "contiguous", "<i4", (6,), np.arange(6))
    plist = dataset_list(chunk=(4, 3))
    plist.set_deflate(6)
    dataset(g, "chunked", "<i2", (7, 5), np.arange(35).reshape(7, 5), plist=plist)
    dataset(g, "strings", h5py.string_dtype(), (3,), np.array(["a", "", "três"], dtype=object))
    dataset(file, "reference", h5py.ref_dtype, (2,), np.array([g["chunked"].ref, g.ref], dtype=h5py.ref_dtype))
    region = g["chunked"].regionref[1:3, 2:5]
    dataset(file, "region", h5py.regionref_dtype, (1,), np.array([region], dtype=h5py.regionref_dtype))


def expect_small_tree(c, offsets=8):
    # With short addresses libhdf5 2.0 stores the first reference only, and zeros in place of the others.
    c.expect("/reference", "reference", ["/g/chunked", "/g" if offsets >= 8 else None])
    c.expect("/region", "region", [{"path": "/g/chunked", "points": [[r, q] for r in (1, 2) for q in (2, 3, 4)]}])
    c.expect("/g/strings", "string", ["a", "", "três"])


def library_case(name, proves, low="earliest", **creation):
    @case(name, proves)
    def make(c):
        with create(c.name, low, **creation) as f:
            small_tree(f)
        expect_small_tree(c)


library_case("superblock_0.h5", "superblock version 0: old groups, v1 headers, layout 3")
library_case("superblock_2.h5", "superblock version 2 (HDF5 1.8): v2 headers, compact groups", "v108")
library_case("superblock_3.h5", "superblock version 3 (HDF5 1.10): layout 4", "v110")
library_case(
    "superblock_3_newest.h5", "superblock version 3, newest formats of HDF5 2.0: layout 5, datatype version 5", "v200"
)
library_case(
    "user_block_512.h5",
    "user block of 512 bytes before a version 0 superblock: every address is relative to it",
    userblock=512,
)
library_case("user_block_1024.h5", "user block of 1024 bytes before a version 2 superblock", "v108", userblock=1024)
library_case("user_block_4096.h5", "user block of 4096 bytes, newest formats", "v200", userblock=4096)
library_case(
    "space_paged.h5",
    "paged file space, page size 512, persistent free space (file space info message)",
    "v110",
    file_space_strategy=(h5f.FSPACE_STRATEGY_PAGE, True, 1),
    file_space_page_size=512,
)
library_case(
    "space_none.h5", "file space strategy NONE", "v110", file_space_strategy=(h5f.FSPACE_STRATEGY_NONE, False, 1)
)
library_case(
    "space_aggregate.h5", "file space strategy AGGR", "v110", file_space_strategy=(h5f.FSPACE_STRATEGY_AGGR, False, 1)
)


@case(
    "space_persist_freed.h5", "persistent free-space managers that list freed blocks (FSHD, FSSE): a reader skips them"
)
def space_persist_freed(c):
    with create(c.name, "v110", file_space_strategy=(h5f.FSPACE_STRATEGY_FSM_AGGR, True, 1)) as f:
        for i in range(6):
            dataset(f, f"d{i}", "<i4", (100,), np.arange(100) * i)
        for i in (1, 3):
            del f[f"d{i}"]


# ---------------------------------------------------------------- K values


def deep_tree(file):
    g = group(file, "many")
    for i in range(14):
        dataset(g, f"name{i:02}", "<u1", (), np.array(i))
    dataset(file, "chunks", "<i4", (9, 7), np.arange(63).reshape(9, 7), chunk=(2, 2))


@case(
    "superblock_1.h5", "superblock version 1, which holds the chunk B-tree K (1); group K 1 and leaf K 1: deep B-trees"
)
def superblock_1(c):
    with create(c.name, istore_k=1, sym_k=(1, 1)) as f:
        deep_tree(f)


@case(
    "superblock_2_k_values.h5",
    "superblock version 2 whose extension holds the K values message (0x13): deep chunk B-tree with K = 1",
)
def superblock_2_k_values(c):
    with create(c.name, "v108", istore_k=1, sym_k=(1, 1)) as f:
        deep_tree(f)


@case(
    "superblock_extension.h5", "superblock extension with K values, shared message table and file space info together"
)
def superblock_extension(c):
    with create(
        c.name,
        "v110",
        istore_k=3,
        sym_k=(2, 2),
        shared_mesg_nindexes=1,
        shared_mesg_index=(0, 0x0002 | 0x0008, 20),
        file_space_strategy=(h5f.FSPACE_STRATEGY_PAGE, True, 1),
    ) as f:
        deep_tree(f)
        small_tree(f)


# ---------------------------------------------------------------- field widths


def plain_chunks(file):
    """Chunked datasets with a fixed extent, filtered and not."""
    plist = dataset_list(chunk=(2, 3))
    plist.set_shuffle()
    dataset(file, "fixed", "<i4", (5, 4), np.arange(20).reshape(5, 4), plist=plist)
    dataset(file, "plain", "<i4", (5, 4), np.arange(20).reshape(5, 4), chunk=(2, 3))
    for i in range(4):
        file.attrs[f"a{i}"] = np.arange(i)


def old_widths(offsets, lengths, **creation):
    @case(
        f"widths_o{offsets}_l{lengths}.h5",
        f"addresses of {offsets} and lengths of {lengths} bytes, superblock {1 if creation else 0}, old structures; "
        "an unlimited dimension is all ones at that width; a symbol's name offset is a length, not an address",
    )
    def make(c):
        with create(c.name, sizes=(offsets, lengths), **creation) as f:
            small_tree(f)
            plain_chunks(f)
            dataset(f, "extendible", "<i4", (3, 4), np.arange(12).reshape(3, 4), maxshape=(None, 4), chunk=(2, 2))
        expect_small_tree(c, offsets)


def new_widths(offsets, lengths):
    @case(
        f"widths_o{offsets}_l{lengths}_v110.h5",
        f"addresses of {offsets} and lengths of {lengths} bytes, superblock 3: dense links and attributes, chunk indexes",
    )
    def make(c):
        with create(c.name, "v110", sizes=(offsets, lengths)) as f:
            small_tree(f)
            plain_chunks(f)
            many = group(f, "many")
            for i in range(12):
                many[f"link {i}"] = f["plain"]
                many.attrs[f"attribute {i}"] = np.int32(i)
            if lengths == 8:  # libhdf5 cannot use these indexes with an unlimited mark of fewer bytes
                for name, maxshape in (("extensible", (None, 4)), ("btree", (None, None))):
                    dataset(f, name, "<i4", (30, 4), np.arange(120).reshape(30, 4), maxshape=maxshape, chunk=(1, 4))
        expect_small_tree(c, offsets)


for _offsets, _lengths in ((2, 2), (4, 4), (8, 4)):
    old_widths(_offsets, _lengths)
for _offsets, _lengths in ((2, 4), (2, 8), (4, 2), (4, 8), (8, 2)):
    old_widths(_offsets, _lengths, istore_k=2)
for _offsets, _lengths in ((2, 8), (4, 4), (4, 8), (8, 4)):
    new_widths(_offsets, _lengths)


@case(
    "widths_o16_l16.h5",
    "addresses and lengths of 16 bytes (superblock 2); libhdf5 cannot write it",
    BY_HAND,
    by_values=True,
)
def widths_16(c):
    data = numbers(6)

    def make(image):
        image.superblock2(version=2)
        image.place("x data", data)
        image.header2("x", [dataspace(image, [6]), integer(), fill(), contiguous(image, "x data", len(data))])
        image.header2("root", [link_info(image), group_info(), link(b"x", "x", image)])

    build(c.name, make, offsets=16, lengths=16)
    c.lines = [group_line("/"), known_dataset_line("/x", integer_kind(), (6,), data)]


# ---------------------------------------------------------------- bytes around and after the file


def shifted(name, low, size):
    @case(
        name,
        f"{size} bytes put before a finished file (lower bound {low}): the base address stored is 0, the true one {size}",
        PATCHED,
    )
    def make(c):
        with create(c.name, low) as f:
            small_tree(f)
        data = read(c.name)
        with open(c.name, "wb") as out:
            out.write(b"#" * size + data)
        expect_small_tree(c)


shifted("prepended_512.h5", "earliest", 512)
shifted("prepended_2048_newest.h5", "v200", 2048)


@case("trailing_bytes.h5", "junk after the end-of-file address is ignored", PATCHED)
def trailing_bytes(c):
    with create(c.name) as f:
        small_tree(f)
    with open(c.name, "ab") as out:
        out.write(b"junk" * 100)
    expect_small_tree(c)


@case(
    "superblock_0_flags.h5",
    "superblock version 0 with a non-zero flags word: it has no meaning and is ignored",
    PATCHED,
)
def superblock_0_flags(c):
    with create(c.name) as f:
        small_tree(f)
    patch_at(c.name, 20, uint(3, 4))
    expect_small_tree(c)


def numbers_file(path, low):
    with create(path, low) as f:
        dataset(f, "x", "<i4", (6,), np.arange(6))
        dataset(f, "y", "<f8", (100,), np.arange(100) / 4)


def left_open(name, flags, proves):
    lines = [
        group_line("/"),
        known_dataset_line("/x", integer_kind(), (6,), numbers(6)),
        known_dataset_line("/y", {"class": "float", "size": 8, "order": "le"}, (100,), (np.arange(100) / 4).tobytes()),
    ]

    @case(name, proves, PATCHED, by_values=True)
    def make(c):
        numbers_file(c.name, "v110")
        patch_at(c.name, 11, bytes([flags]))
        seal_superblock(c.name)
        c.lines = lines
        c.expect("/#open", "refused", ["open for writing"])


left_open(
    "left_open_write.h5",
    1,
    "superblock 3 marked open for writing (its writer died): refused by default; the digest is what is under the mark",
)
left_open(
    "left_open_swmr.h5",
    5,
    "superblock 3 marked open for writing and for SWMR writing; the digest is what is under the mark",
)


@case(
    "truncated.h5",
    "the file ends 40 bytes before its end-of-file address: refused by default; /x lies whole before the cut",
    PATCHED,
    digests=(),
)
def truncated(c):
    numbers_file(c.name, "earliest")
    data = read(c.name)
    with open(c.name, "wb") as out:
        out.write(data[:-40])
    c.expect("/#open", "refused", ["truncated"])
    c.expect("/x", "i64", range(6))


# ---------------------------------------------------------------- cache image


class CacheImageConfig(ctypes.Structure):
    """H5AC_cache_image_config_t"""

    _fields_ = [
        ("version", ctypes.c_int),
        ("generate_image", ctypes.c_bool),
        ("save_resize_status", ctypes.c_bool),
        ("entry_ageout", ctypes.c_int),
    ]


@case(
    "cache_image.h5",
    "metadata cache image (message 0x18): it holds newer metadata than the addresses in the file do; "
    "/g and the attribute of / are nowhere else",
)
def cache_image(c):
    access = access_list("v110")
    with create(c.name, access=access) as f:
        dataset(f, "old", "<i4", (4,), np.arange(4))
    config = CacheImageConfig(1, True, False, -1)
    call("H5Pset_mdc_image_config", access, ctypes.byref(config))
    with h5py.File(h5f.open(c.name.encode(), h5f.ACC_RDWR, access)) as f:
        f.attrs["added"] = np.int32(5)
        g = group(f, "g")
        dataset(g, "new", "<i2", (3,), np.arange(3))


# ---------------------------------------------------------------- files in parts


def family(name, low, member):
    @case(
        name,
        f"family driver: members of {member} bytes, read as one file; lower bound {low}",
        companions=(name % 0 + " ...",),
    )
    def make(c):
        access = access_list(low)
        access.set_fapl_family(member, h5p.create(h5p.FILE_ACCESS))
        with create(c.name, access=access) as f:
            small_tree(f)
            dataset(f, "long", "<i4", (700,), np.arange(700))
        expect_small_tree(c)


family("family_%05d.h5", "v110", 1024)
family("family_old_%d.h5", "earliest", 4096)


@case(
    "split",
    "split driver: metadata in split-m.h5, raw data in split-r.h5",
    digests=("split",),
    companions=("split-m.h5", "split-r.h5"),
)
def split(c):
    part = h5p.create(h5p.FILE_ACCESS)
    access = access_list("earliest")
    access.set_fapl_split(b"-m.h5", part, b"-r.h5", part)
    with create(c.name, access=access) as f:
        small_tree(f)
    expect_small_tree(c)


@case(
    "multi",
    "multi driver: one file for each kind of data, the superblock in multi-s.h5",
    digests=("multi",),
    companions=tuple(f"multi-{kind}.h5" for kind in "sbrglo"),
)
def multi(c):
    access = access_list("earliest")
    call("H5Pset_fapl_multi", access, None, None, None, None, True)
    with create(c.name, access=access) as f:
        small_tree(f)
    expect_small_tree(c)

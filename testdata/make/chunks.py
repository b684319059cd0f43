"""Chunked storage: every chunk index, edges, missing chunks, masks, large sparse datasets."""

import zlib

import numpy as np

from .case import case
from .hdf5 import EARLY, call, chunk_write, create, dataset, dataset_list

DONT_FILTER_EDGES = 2  # H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS


def chunked(parent, name, kind, shape, chunk, maxshape=None, deflate=False, data=None, shuffle=False, **how):
    """A chunked dataset, holding 1, 2, 3 ... unless told otherwise."""
    plist = dataset_list(chunk=chunk, **how)
    if shuffle:
        plist.set_shuffle()
    if deflate:
        plist.set_deflate(5)
    if data is None:
        data = np.arange(1, 1 + np.prod(shape)).reshape(shape).astype(kind)
    return dataset(parent, name, kind, shape, data if data is not False else None, maxshape, plist)


def sparse(parent, name, kind, shape, chunk, cells, maxshape=None, deflate=False, **how):
    """A chunked dataset of which only some cells are written; every other reads as the fill value 7."""
    d = chunked(parent, name, kind, shape, chunk, maxshape, deflate, data=False, fill=np.array(7, kind), **how)
    for number, cell in enumerate(cells):
        d[cell] = number + 1
    return d


def expect_parts(c, target):
    """A strided block selection and a list of points."""
    shape = target.shape
    c.expect_read(
        target,
        "i64",
        {
            "start": [s // 5 for s in shape],
            "stride": [3] * len(shape),
            "count": [max(1, s // 5) for s in shape],
            "block": [2 if s > 5 else 1 for s in shape],
        },
    )
    c.expect_read(target, "i64", {"points": [[s - 1 for s in shape], [0] * len(shape), [s // 2 for s in shape]]})


@case(
    "chunks_btree1.h5",
    "version 1 B-tree index, K = 2 (depth 2): edge chunks in every dimension, missing chunks, big-endian, "
    "filtered, a chunk larger than the dataset, one dimension",
)
def chunks_btree1(c):
    with create(c.name, istore_k=2) as f:
        d = chunked(f, "three", ">i2", (5, 7, 9), (2, 3, 4))
        expect_parts(c, d)
        expect_parts(c, chunked(f, "deflated", "<i4", (7, 10), (2, 3), deflate=True))
        sparse(f, "missing", "<i4", (9, 9), (2, 2), [(0, 0), (8, 8), (4, 1)], (None, None))
        chunked(f, "one chunk", "<i4", (3, 4), (5, 6), (10, 10))
        chunked(f, "line", "<u1", (50,), (7,), (None,))
        chunked(f, "never", "<i4", (4, 4), (2, 2), data=False)


def every_index(c, low):
    with create(c.name, low) as f:
        for deflate in (False, True):
            end = " deflated" if deflate else ""
            chunked(f, "single" + end, "<i4", (4, 6), (4, 6), deflate=deflate)
            chunked(f, "single never" + end, "<i4", (4, 6), (4, 6), deflate=deflate, data=False)
            chunked(f, "not single" + end, "<i4", (4, 6), (4, 6), (8, 6), deflate=deflate)
            expect_parts(c, chunked(f, "fixed" + end, "<i4", (7, 10), (2, 3), deflate=deflate))
            expect_parts(c, chunked(f, "fixed larger maximum" + end, "<i2", (7, 10), (2, 3), (11, 25), deflate=deflate))
            sparse(f, "fixed missing" + end, "<i4", (9, 9), (2, 2), [(0, 0), (8, 8), (4, 1)], deflate=deflate)
            chunked(f, "fixed 3" + end, ">i2", (3, 5, 7), (2, 2, 3), deflate=deflate)
            expect_parts(c, chunked(f, "extensible" + end, "<i2", (61, 4), (1, 2), (None, 4), deflate=deflate))
            expect_parts(c, chunked(f, "extensible second" + end, "<i4", (5, 40), (2, 3), (9, None), deflate=deflate))
            chunked(f, "extensible middle" + end, "<u1", (3, 20, 5), (2, 2, 2), (3, None, 7), deflate=deflate)
            sparse(
                f,
                "extensible missing" + end,
                "<i4",
                (500, 2),
                (1, 2),
                [(0, 0), (3, 1), (30, 0), (499, 1)],
                (None, 2),
                deflate=deflate,
            )
            expect_parts(c, chunked(f, "btree" + end, "<i2", (25, 23), (2, 2), (None, None), deflate=deflate))
            sparse(
                f,
                "btree missing" + end,
                "<i4",
                (60, 9),
                (2, 2),
                [(0, 0), (58, 8), (30, 1)],
                (None, None),
                deflate=deflate,
            )
        chunked(f, "implicit", "<i4", (7, 10), (2, 3), alloc=EARLY)
        chunked(f, "implicit larger maximum", "<i4", (7, 10), (2, 3), (11, 25), alloc=EARLY)
        chunked(f, "implicit never", "<i4", (5,), (2,), alloc=EARLY, data=False)


for _low, _layout in (("v110", 4), ("v200", 5)):
    case(
        f"chunks_all_v{_layout}.h5",
        f"layout message version {_layout}: single chunk, implicit, fixed array, extensible array (unlimited dimension "
        "first, second, in the middle), version 2 B-tree; filtered and not; edges, missing chunks, maximum above current dimensions",
    )(lambda c, low=_low: every_index(c, low))


@case(
    "chunks_extensible_many.h5",
    "extensible array of 300 chunks: elements in the index block, in data blocks, behind super blocks",
)
def chunks_extensible_many(c):
    with create(c.name, "v110") as f:
        chunked(f, "plain", "<u1", (300,), (1,), (None,))
        chunked(f, "deflated", "<u2", (60, 5), (1, 1), (None, 5), deflate=True)


@case(
    "chunks_fixed_paged.h5",
    "fixed array of 2500 chunks: three pages, the middle one never written, the last short; also filtered",
)
def chunks_fixed_paged(c):
    with create(c.name, "v110") as f:
        for name, deflate in (("plain", False), ("deflated", True)):
            sparse(f, name, "<u1", (2500,), (1,), [0, 5, 1023, 2048, 2499], deflate=deflate)


@case(
    "chunks_extensible_paged.h5",
    "extensible array with paged data blocks (from element 131060 on), one page written; the page bitmap of the super block",
)
def chunks_extensible_paged(c):
    cells = [0, 5, 200, 131060, 131060 + 1023, 135000, 139999]
    with create(c.name, "v110") as f:
        d = sparse(f, "far", "<u1", (140000,), (1,), cells, (None,))
        c.expect_read(d, "u64", {"points": [[cell] for cell in cells + [1, 131061, 132084]]})


@case(
    "chunks_btree2_many.h5",
    "version 2 B-tree chunk index of depth 1 with filtered records, three dimensions; chunks written in mixed order",
)
def chunks_btree2_many(c):
    with create(c.name, "v110") as f:
        d = chunked(f, "d", "<i4", (14, 9, 3), (1, 1, 1), (None, None, 3), deflate=True, data=False, fill=np.int32(-1))
        for i in range(14 * 9 * 3 - 40):
            at = (i * 101) % (14 * 9 * 3)
            d[at // 27, at // 3 % 9, at % 3] = at
        expect_parts(c, d)


@case(
    "chunks_edges_unfiltered.h5",
    "partial edge chunks stored unfiltered although their mask is 0 (fixed array, extensible array, B-tree, single chunk)",
)
def chunks_edges_unfiltered(c):
    with create(c.name, "v110") as f:
        for name, maxshape in (
            ("fixed", None),
            ("extensible", (None, 10)),
            ("btree", (None, None)),
            ("larger maximum", (20, 20)),
        ):
            plist = dataset_list(chunk=(4, 3))
            plist.set_deflate(6)
            call("H5Pset_chunk_opts", plist, DONT_FILTER_EDGES)
            dataset(f, name, "<i4", (10, 10), np.arange(100).reshape(10, 10), maxshape, plist)


@case(
    "chunks_masks.h5",
    "chunks stored past the filters: masks leave out both filters, one of them, none; version 1 B-tree",
)
def chunks_masks(c):
    values = np.arange(16, dtype="<u4").reshape(4, 4) * 1000
    chunk_bytes = [values[i].tobytes() for i in range(4)]

    def shuffled(raw):
        return np.frombuffer(raw, "u1").reshape(-1, 4).T.tobytes()

    stored = [
        (zlib.compress(shuffled(chunk_bytes[0])), 0),
        (chunk_bytes[1], 3),
        (shuffled(chunk_bytes[2]), 2),
        (zlib.compress(chunk_bytes[3]), 1),
    ]
    for low, ends in (("earliest", {"btree1": (16,)}), ("v110", {"fixed": (16,), "extensible": (None,)})):
        name = c.name if low == "earliest" else "chunks_masks_newer.h5"
        with create(name, low) as f:
            for label, maxshape in ends.items():
                plist = dataset_list(chunk=(4,))
                plist.set_shuffle()
                plist.set_deflate(6)
                d = dataset(f, label, "<u4", (16,), maxshape=maxshape, plist=plist)
                for i, (raw, mask) in enumerate(stored):
                    chunk_write(d, (4 * i,), raw, mask)
            plist = dataset_list(chunk=(4,))
            plist.set_shuffle()
            plist.set_deflate(6)
            single = dataset(f, "single", "<u4", (4,), plist=plist)
            chunk_write(single, (0,), chunk_bytes[1], 3)


@case(
    "chunks_masks_newer.h5",
    "the same with the indexes of HDF5 1.10, the single chunk's mask in the layout message (written by the maker of chunks_masks.h5)",
)
def chunks_masks_newer(c):
    pass


@case(
    "chunks_large_sparse.h5",
    "datasets of 8 GiB and more of which a few elements are written: coordinates and chunk numbers beyond 32 bits; "
    "no digest, only the elements in values.json",
    digests=(),
)
def chunks_large_sparse(c):
    with create(c.name, "v110") as f:
        large = 1 << 33
        end = (large - 1,)
        shapes = {
            "fixed": ((large,), None, [(5,), (1 << 32,), end]),
            "extensible": ((large,), (None,), [(5,), end]),
            "btree": ((large, 3), (None, None), [(5, 1), (large - 1, 2)]),
            "wide": ((2, large), (None, large), [(0, 5), (1, large - 1)]),
        }
        chunks = {"fixed": (1 << 23,), "extensible": (1 << 20,), "btree": (1 << 19, 2), "wide": (1, 1 << 20)}
        for name, (shape, maxshape, cells) in shapes.items():
            d = sparse(f, name, "<u1", shape, chunks[name], cells, maxshape, deflate=True)
            empty = [tuple(x // 2 for x in shape), tuple(1 for _ in shape)]
            c.expect_read(d, "u64", {"points": [list(cell) for cell in cells + empty]})


@case("chunks_large_sparse_old.h5", "the same in a version 1 B-tree", digests=())
def chunks_large_sparse_old(c):
    with create(c.name) as f:
        large = 1 << 33
        cells = [(5, 0), (1 << 32, 1), (large - 1, 2)]
        d = sparse(f, "d", "<u1", (large, 3), (1 << 20, 2), cells, deflate=True)
        c.expect_read(d, "u64", {"points": [list(cell) for cell in cells + [(7, 1), (large // 2, 2)]]})


@case(
    "chunks_resized.h5",
    "datasets shrunk and grown again: what was cut off reads as the fill value; old and new indexes",
)
def chunks_resized(c):
    for name in (c.name, "chunks_resized_newer.h5"):
        with create(name, "earliest" if name == c.name else "v200") as f:
            for label, maxshape in (("one", (None, 9)), ("both", (None, None)), ("bounded", (20, 20))):
                d = chunked(f, label, "<i4", (9, 9), (2, 4), maxshape, fill=np.int32(-8), deflate=label == "both")
                d.resize((4, 3))
                d.resize((8, 9))
            grown = chunked(f, "grown", "<i2", (3, 3), (2, 2), (None, None), fill=np.int16(5))
            grown.resize((7, 5))


@case("chunks_resized_newer.h5", "the same with the indexes of HDF5 2.0 (written by the maker of chunks_resized.h5)")
def chunks_resized_newer(c):
    pass


@case(
    "chunks_for_threads.h5",
    "datasets of some megabytes that compress to little, each element its own number: enough for several threads to share",
)
def chunks_for_threads(c):
    squeezed = {"deflate": True, "shuffle": True}
    with create(c.name, "v110") as f:
        chunked(f, "plane", "<i4", (1500, 1400), (256, 300), **squeezed)
        chunked(f, "stack", "<u4", (3, 700, 800), (3, 100, 300), (None, 700, 800), **squeezed)
        chunked(f, "line", "<i4", (2_000_000,), (50_000,), (None,), **squeezed)
        # Every third chunk is there.
        d = chunked(f, "holes", "<i4", (1200, 1100), (100, 600), data=False, fill=np.array(-1, "<i4"), **squeezed)
        values = np.arange(1, 1 + 1200 * 1100, dtype="<i4").reshape(1200, 1100)
        for n in range(0, 24, 3):
            row, column = n // 2 * 100, n % 2 * 600
            d[row : row + 100, column : column + 600] = values[row : row + 100, column : column + 600]

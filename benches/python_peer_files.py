"""The files of the rows that are measured beside Python: an AnnData by rows and by columns, and a table of H5Col."""

import os

import h5py
import numpy as np

try:  # Those who measure other rows only need neither.
    import anndata.io
    import pandas as pd
    import scipy.sparse
except ImportError:
    anndata = None

BOOLEAN = h5py.enum_dtype({"FALSE": 0, "TRUE": 1}, basetype="i1")


class Sizes:
    """How much of everything."""

    def __init__(self, small):
        self.cells, self.genes, self.entries = (1_500, 300, 40) if small else (62_500, 20_000, 1_040)
        self.rows = 20_000 if small else 2_000_000
        self.lists = 2_000 if small else 200_000


# ---------------------------------------------------------------- AnnData

GZIP = {"compression": "gzip", "compression_opts": 4}
BLOCK = 512  # cells that are drawn at once


def detection(random, sizes):
    """How often each gene is read: a few in every cell, and a long tail; scaled to the entries of an average cell."""
    rate = 1 / np.arange(1, sizes.genes + 1) ** 0.9
    random.shuffle(rate)
    low, high = 0.0, 1e6
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if -np.expm1(-rate * middle).sum() < sizes.entries else (low, middle)
    return (rate * low).astype("f4")


def expression(random, sizes):
    """Logarithms of counts of genes in cells, by rows."""
    rate = detection(random, sizes)
    depth = np.exp(random.normal(0, 0.35, sizes.cells)).astype("f4")
    values, indices, lengths = [], [], []
    for start in range(0, sizes.cells, BLOCK):
        mean = depth[start : start + BLOCK, None] * rate
        rows, columns = np.nonzero(random.random(mean.shape, dtype="f4") < -np.expm1(-mean))
        counts = 1 + random.poisson(mean[rows, columns] * 0.7)
        sums = np.bincount(rows, counts, mean.shape[0])
        values.append(np.log1p(counts / sums[rows] * 1e4).astype("f4"))
        indices.append(columns.astype("i4"))
        lengths.append(np.bincount(rows, minlength=mean.shape[0]))
    pointers = np.concatenate([[0], np.cumsum(np.concatenate(lengths))]).astype("i4")
    shape = (sizes.cells, sizes.genes)
    return scipy.sparse.csr_matrix((np.concatenate(values), np.concatenate(indices), pointers), shape)


def observations(random, matrix):
    """20 columns about the cells: ten of categories, six of numbers, two of booleans, integers with gaps, strings."""
    n = matrix.shape[0]
    columns = {}
    kinds = {"cell_type": 60, "tissue": 25, "donor": 150, "assay": 6, "sex": 3, "disease": 12, "stage": 40, "batch": 300}
    for name, k in {**kinds, "cluster": 35, "severity": 4}.items():
        chance = 1 / np.arange(1, k + 1)
        codes = random.choice(k, n, p=chance / chance.sum())
        if name in ("stage", "severity"):
            codes[random.random(n) < 0.1] = -1
        labels = [f"{name} {i:03}" for i in range(k)]
        columns[name] = pd.Categorical.from_codes(codes, labels, ordered=name == "severity")
    columns["n_genes"] = np.diff(matrix.indptr)
    columns["n_counts"] = np.asarray(matrix.sum(axis=1)).ravel().astype("f4")
    columns["mitochondrial"] = (random.beta(2, 30, n) * 100).astype("f4")
    columns["doublet_score"] = random.beta(1, 9, n)
    columns["s_score"], columns["g2m_score"] = random.standard_normal((2, n))
    columns["is_primary"] = random.random(n) < 0.8
    columns["doublet"] = columns["doublet_score"] > 0.3
    columns["age"] = pd.arrays.IntegerArray(random.integers(20, 90, n), random.random(n) < 0.1)
    columns["barcode"] = np.array([f"S{i % 977:03}-{i:07}" for i in range(n)], object)
    bases = np.array(list("ACGT"))[random.integers(0, 4, (n, 16))]
    return pd.DataFrame(columns, index=["".join(drawn) + f"-{i}" for i, drawn in enumerate(bases)])


def cells(folder, sizes):
    """The same matrix by rows, with what is known of the cells and genes, and by columns."""
    if anndata is None:
        print("  left out: there is no anndata here")
        return
    random = np.random.default_rng(8)
    matrix = expression(random, sizes)
    obs = observations(random, matrix)
    var = pd.DataFrame(
        {"name": [f"GENE{i}" for i in range(sizes.genes)], "variable": random.random(sizes.genes) < 0.1},
        index=[f"ENSG{i:011}" for i in random.permutation(sizes.genes)],
    )
    obsm = {"X_pca": random.standard_normal((sizes.cells, 50)).astype("f4")}
    rows = anndata.AnnData(matrix, obs, var, obsm=obsm, uns={"title": "an atlas that was made"})
    columns = anndata.AnnData(matrix.tocsc(), obs[["cell_type"]], var)
    for name, data in (("cells_csr.h5ad", rows), ("cells_csc.h5ad", columns)):
        anndata.io.write_h5ad(os.path.join(folder, name), data, **GZIP)


# ---------------------------------------------------------------- H5Col

CHUNK = 4 << 20  # bytes of a chunk, as the H5Col writer of Python makes them
INDEX_CHUNK = 64 << 10  # and of an index


def text(value, charset="ascii"):
    return np.array(value.encode(), h5py.string_dtype(charset, len(value.encode()) + 1))


def ascending(group, name, values, nbytes, **more):
    """A dataset that can grow, in chunks of so many bytes."""
    length = max(1, min(nbytes // values.dtype.itemsize, values.shape[-1]))
    shape = (*(1 for _ in values.shape[:-1]), length)
    return group.create_dataset(name, data=values, chunks=shape, maxshape=(None,) * values.ndim, **more)


def index(column, name, kind, values, **attributes):
    dataset = ascending(column.parent.require_group("SEARCH_INDEXES"), name, values, INDEX_CHUNK)
    dataset.attrs["KIND"] = text(kind)
    dataset.attrs["SOURCE_GENERATION"], dataset.attrs["SOURCE_NROWS"] = np.uint64(0), np.uint64(len(column))
    for key, value in attributes.items():
        dataset.attrs.create(key, value, dtype=BOOLEAN if isinstance(value, bool) else None)
    column.attrs.create("SEARCH_INDEX_LIST", [dataset.ref], dtype=h5py.ref_dtype)
    return dataset


def table(folder, sizes):
    """Numbers and codes, with and without indexes, and a list of some numbers for each row of another table."""
    random = np.random.default_rng(9)
    n, missing = sizes.rows, -9999.0
    level = np.round(random.normal(0, 1000, n), 3)
    level[random.random(n) < 0.01] = missing
    columns = {
        "time": (np.cumsum(random.integers(1, 5, n)), np.iinfo("i8").min),
        "level": (level, missing),
        "signal": (random.normal(0, 1, n), np.nan),
        "count": (random.poisson(20, n).astype("i4"), -1),
        "station": (random.integers(0, 25, n).astype("u1"), 255),
    }
    with h5py.File(os.path.join(folder, "table.h5"), "w", libver=("v110", "v110")) as file:
        group = group_of(file, "table", n)
        for name, (values, fill) in columns.items():
            ascending(group, name, values, CHUNK, fillvalue=fill)
        ordered(group, *columns)
        gone = np.flatnonzero(level == missing)
        order = np.argsort(np.where(level == missing, np.inf, level), kind="stable")
        tails = {"nan_tail_length": np.uint64(0), "fill_tail_length": np.uint64(gone.size)}
        index(group["level"], "level_sorted", "SORTED_ROWS", order.astype("u8"), ordered=True, **tails)
        stations = columns["station"][0]
        listed = np.arange(25, dtype="u1")
        bits = np.packbits([stations == station for station in listed], axis=1, bitorder="little")
        bitmap = index(group["station"], "station_bitmap", "BITMAP", bits, exhaustive=True, ordered=True)
        bitmap.attrs["VALUES"] = group["SEARCH_INDEXES"].create_dataset("station_bitmap_values", data=listed).ref
        lists(group_of(file, "lists", sizes.lists), random, sizes.lists)


def group_of(file, name, n):
    group = file.create_group(name)
    group.attrs["CLASS"], group.attrs["VERSION"] = text("COLUMN_TABLE"), text("1.0")
    group.attrs["NROWS"], group.attrs["GENERATION"] = np.uint64(n), np.uint64(0)
    return group


def ordered(group, *names):
    width = max(len(name) for name in names) + 1
    group.attrs.create("column-order", [name.encode() for name in names], dtype=h5py.string_dtype("utf-8", width))


def lists(group, random, n):
    """0 to 20 numbers a row; some rows have no list."""
    column = group.create_group("readings")
    column.attrs["CLASS"], column.attrs["KIND"] = text("LIST_COLUMN"), text("OFFSETS")
    there = random.random(n) < 0.95
    lengths = np.where(there, random.integers(0, 21, n), 0)
    ends = np.concatenate([[0], np.cumsum(lengths)]).astype("u8")
    ascending(column, "OFFSETS", ends, CHUNK)
    ascending(column, "MASK", there.astype("i1"), CHUNK, dtype=BOOLEAN)
    ascending(column, "VALUES", random.normal(0, 1, int(ends[-1])), CHUNK, fillvalue=np.nan)
    ordered(group, "readings")


def make(folder, small):
    for part in (cells, table):
        print(part.__name__, flush=True)
        part(folder, Sizes(small))

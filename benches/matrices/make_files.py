#!/usr/bin/env python3
"""Write the two files that the benchmark streams: FOLDER/sparse.h5ad and FOLDER/dense.h5ad.

    make_files.py FOLDER [--gigabytes 4]

The matrices have float32 counts of 20,000 genes, gzip at level 1, in the chunks that h5py chooses for arrays of their
length. Indices and pointers of the sparse one have 32 bits. GIGABYTES are those of the sparse one's values and indices
uncompressed; the dense one has a quarter of them. The file is what anndata writes, but for obs and var without columns.
"""

import argparse
import os

import h5py
import numpy as np
from h5py._hl.filters import guess_chunk

GENES, PER_CELL, BLOCK = 20_000, 1_000, 2_048
HOW = {"compression": "gzip", "compression_opts": 1}


def frame(file, name, prefix, count):
    group = file.create_group(name)
    group.attrs.update({"encoding-type": "dataframe", "encoding-version": "0.2.0", "_index": "_index"})
    group.attrs.create("column-order", [], dtype="f8")
    labels = group.create_dataset("_index", data=[f"{prefix}{i}" for i in range(count)], dtype=h5py.string_dtype())
    labels.attrs.update({"encoding-type": "string-array", "encoding-version": "0.2.0"})


def anndata(path, cells):
    file = h5py.File(path, "w")
    file.attrs.update({"encoding-type": "anndata", "encoding-version": "0.1.0"})
    frame(file, "obs", "cell", cells)
    frame(file, "var", "gene", GENES)
    for name in ("layers", "obsm", "obsp", "uns", "varm", "varp"):
        file.create_group(name).attrs.update({"encoding-type": "dict", "encoding-version": "0.1.0"})
    return file


def blocks(random, cells):
    """For each block of cells the sorted genes of each, and counts. Genes near the beginning are in more cells."""
    weights = 1.0 / np.arange(100, 100 + GENES) ** 0.7
    kept = [
        np.sort(np.array([random.choice(GENES, PER_CELL, False, weights / weights.sum()) for _ in range(64)]), axis=1)
        for _ in range(4)
    ]
    for start in range(0, cells, BLOCK):
        rows = min(BLOCK, cells - start)
        genes = np.concatenate([kept[k] for k in random.integers(0, 4, BLOCK // 64)])[:rows]
        yield start, genes, (random.geometric(0.5, genes.shape)).astype("f4")


def sparse(path, random, gigabytes):
    cells = int(gigabytes * 1e9 / (8 * PER_CELL))
    with anndata(path, cells) as file:
        x = file.create_group("X")
        x.attrs.update({"encoding-type": "csr_matrix", "encoding-version": "0.1.0", "shape": (cells, GENES)})
        n = cells * PER_CELL
        x.create_dataset("indptr", data=np.arange(0, n + 1, PER_CELL, dtype="i4"), **HOW)
        members = {name: x.create_dataset(name, (n,), of, chunks=guess_chunk((n,), (None,), 4), **HOW) for name, of in (("data", "f4"), ("indices", "i4"))}
        for start, genes, counts in blocks(random, cells):
            part = slice(start * PER_CELL, start * PER_CELL + genes.size)
            members["data"][part], members["indices"][part] = counts.ravel(), genes.ravel()


def dense(path, random, gigabytes):
    cells = int(gigabytes * 1e9 / (4 * GENES))
    with anndata(path, cells) as file:
        x = file.create_dataset("X", (cells, GENES), "f4", chunks=True, **HOW)
        x.attrs.update({"encoding-type": "array", "encoding-version": "0.2.0"})
        for start, genes, counts in blocks(random, cells):
            rows = np.zeros((len(genes), GENES), "f4")
            np.put_along_axis(rows, genes, counts, axis=1)
            x[start : start + len(rows)] = rows


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--gigabytes", type=float, default=4)
    options = parser.parse_args()
    os.makedirs(options.folder, exist_ok=True)
    random = np.random.default_rng(1)
    sparse(os.path.join(options.folder, "sparse.h5ad"), random, options.gigabytes)
    dense(os.path.join(options.folder, "dense.h5ad"), random, options.gigabytes / 4)


main()

#!/usr/bin/env python3
"""Write testdata/matrices.h5ad with the anndata package, and matrices.json with what scipy and awkward find in it.

It needs `pip install anndata==0.12.14 awkward==2.14.0` in an environment of its own, so generate.py does not run it; both
files are committed.
Usage: python make/anndata_matrices.py matrices.h5ad
"""

import json
import sys

import anndata
import awkward as ak
import h5py
import numpy as np
import scipy.sparse as sparse

CELLS, GENES = 60, 23


def raggeds():
    strings = [[f"T{i % 5}", "größer"][: i % 3] for i in range(CELLS)]
    return {
        "numbers": ak.Array([[j * 0.5 - i for j in range(i % 4)] for i in range(CELLS)]),
        "nested": ak.Array([[[i, j], []][: j % 3] for i in range(CELLS) for j in [i % 5]]),
        "strings": ak.Array(strings),
        "records": ak.Array([[{"locus": "IGH", "umi": i, "ok": i % 2 == 0}] * (i % 3) for i in range(CELLS)]),
        "tuples": ak.Array([[(i, f"t{i}")] * (i % 2) for i in range(CELLS)]),
        "missing": ak.Array([None if i % 7 == 0 else [i, None, -i] for i in range(CELLS)]),
        "union": ak.Array([[i] if i % 3 else f"text {i}" for i in range(CELLS)]),
        "regular": ak.to_regular(ak.Array([[i, i + 1, i + 2] for i in range(CELLS)]), axis=1),
        "matrices": ak.Array(ak.contents.NumpyArray(np.arange(CELLS * 6, dtype="i2").reshape(CELLS, 2, 3))),
        "masked": ak.Array(
            ak.contents.ByteMaskedArray(
                ak.index.Index8(np.arange(CELLS) % 4 == 0), ak.contents.NumpyArray(np.arange(CELLS)), valid_when=False
            )
        ),
        "bits": ak.Array(
            ak.contents.BitMaskedArray(
                ak.index.IndexU8(np.packbits(np.arange(CELLS) % 5 != 0)),
                ak.contents.NumpyArray(np.arange(CELLS) * 2),
                valid_when=True,
                length=CELLS,
                lsb_order=False,
            )
        ),
    }


def build():
    random = np.random.default_rng(4)
    counts = random.poisson(0.6, (CELLS, GENES)).astype("f4")
    counts[[3, 17]] = 0
    data = anndata.AnnData(sparse.csr_matrix(counts))
    data.layers["csc"] = sparse.csc_matrix(counts.astype("i4"))
    data.layers["dense"] = counts.astype("f8") / 8
    for name, array in raggeds().items():
        data.obsm[name] = array
    return data


def shuffled(layers, name, matrix):
    """A CSR matrix whose entries are out of order and partly there twice, with indices of 64 bits."""
    data, indices, indptr = [], [], [0]
    for row in matrix:
        columns = np.flatnonzero(row)[::-1]
        for column in columns:
            whole = float(row[column])
            parts = [whole - 1.0, 1.0] if column % 3 == 0 else [whole]
            data += parts
            indices += [column] * len(parts)
        indptr.append(len(indices))
    group = layers.create_group(name)
    group.attrs.update({"encoding-type": "csr_matrix", "encoding-version": "0.1.0", "shape": matrix.shape})
    for member, values in (("data", np.array(data, "f4")), ("indices", np.array(indices, "i8")), ("indptr", np.array(indptr, "i8"))):
        group.create_dataset(member, data=values, chunks=(min(7, len(values)),), compression="gzip")


def plain(matrix):
    return np.asarray(matrix.todense() if sparse.issparse(matrix) else matrix).tolist()


def tuples(value):
    """JSON of what awkward gives: tuples as {"tuple": [...]}."""
    if isinstance(value, tuple):
        return {"tuple": [tuples(v) for v in value]}
    if isinstance(value, list):
        return [tuples(v) for v in value]
    return {k: tuples(v) for k, v in value.items()} if isinstance(value, dict) else value


def main(path):
    data = build()
    data.write_h5ad(path, compression="gzip")
    with h5py.File(path, "r+") as file:
        shuffled(file["layers"], "shuffled", data.X.toarray())
        del file["layers/dense"]
        dense = file["layers"].create_dataset("dense", data=data.layers["dense"], chunks=(8, 5), compression="gzip")
        dense.attrs.update({"encoding-type": "array", "encoding-version": "0.2.0"})
    read = anndata.read_h5ad(path)
    expected = {
        "X": plain(read.X),
        "layers": {name: plain(read.layers[name]) for name in sorted(read.layers)},
        "obsm": {name: tuples(ak.to_list(read.obsm[name])) for name in sorted(read.obsm)},
    }
    with open(path.replace(".h5ad", ".json"), "w", encoding="utf-8") as out:
        json.dump(expected, out, ensure_ascii=False, separators=(",", ":"))
        out.write("\n")


main(sys.argv[1])

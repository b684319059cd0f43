#!/usr/bin/env python3
"""Write testdata/pbmc_small.h5ad with the anndata package: 200 cells of made-up counts.

It needs `pip install anndata==0.12.14` in an environment of its own, so generate.py does not run it; the file is committed.
Usage: python make/anndata_file.py pbmc_small.h5ad
"""

import sys

import anndata
import numpy as np
import pandas as pd
import scipy.sparse as sparse

CELLS, GENES = 200, 50


def annotations(random):
    obs = pd.DataFrame(index=pd.Index([f"CELL{i:04}-1" for i in range(CELLS)], name="barcode"))
    types = ["B", "CD4 T", "CD8 T", "Monocyte", "NK", "Größer"]
    obs["cell_type"] = pd.Categorical(random.choice(types[:5], CELLS), categories=types)
    obs["stage"] = pd.Categorical(random.choice(["early", "late"], CELLS), categories=["early", "late"], ordered=True)
    obs["n_counts"] = random.integers(500, 5000, CELLS).astype("i4")
    obs["percent_mito"] = random.random(CELLS).astype("f4")
    obs["doublet"] = random.random(CELLS) > 0.9
    obs["batch"] = pd.array([None if i % 17 == 0 else i % 3 for i in range(CELLS)], dtype="Int64")
    obs["checked"] = pd.array([None if i % 23 == 0 else i % 2 == 0 for i in range(CELLS)], dtype="boolean")
    missing = [None if i % 40 == 0 else t for i, t in enumerate(obs["cell_type"].astype(str))]
    obs["label"] = pd.Categorical(missing)
    obs["note"] = [f"note {i}" for i in range(CELLS)]
    var = pd.DataFrame(index=[f"GENE{i}" for i in range(GENES)])
    var["gene_ids"] = [f"ENSG{i:011}" for i in range(GENES)]
    var["highly_variable"] = random.random(GENES) > 0.8
    var["mean"] = random.random(GENES)
    return obs, var


def build():
    random = np.random.default_rng(20)
    counts = random.poisson(0.4, (CELLS, GENES)).astype("f4")
    obs, var = annotations(random)
    data = anndata.AnnData(sparse.csr_matrix(counts), obs=obs, var=var)
    data.raw = data.copy()
    data.layers["counts"] = sparse.csc_matrix(counts.astype("i4"))
    data.layers["scaled"] = (counts - counts.mean(0)).astype("f4")
    data.obsm["X_pca"] = random.normal(size=(CELLS, 10)).astype("f4")
    data.obsm["X_umap"] = random.normal(size=(CELLS, 2))
    data.obsm["scores"] = pd.DataFrame({"a": random.random(CELLS), "b": np.arange(CELLS)}, index=obs.index)
    data.varm["PCs"] = random.normal(size=(GENES, 10))
    near = sparse.random(CELLS, CELLS, 0.02, format="csr", random_state=3)
    data.obsp["distances"] = near
    data.uns["cell_type_colors"] = np.array(["#1f77b4", "#ff7f0e", "#2ca02c", "#d62728", "#9467bd", "#8c564b"])
    data.uns["neighbors"] = {"params": {"n_neighbors": 15, "method": "umap", "random_state": 0}, "empty": {}}
    data.uns["log1p"] = {"base": 2.0}
    data.uns["flag"] = True
    data.uns["rank_genes_groups"] = np.array(
        [("GENE1", 0.5), ("GENE2", 0.25)], dtype=[("names", "O"), ("scores", "f4")]
    )
    return data


if __name__ == "__main__":
    build().write_h5ad(sys.argv[1], compression="gzip")

"""What the benchmark does, by anndata's backed mode: `backed.py FILE TASK` prints "checksum seconds peak-kilobytes"."""

import resource
import sys
import time

import anndata
import numpy as np
import scipy.sparse

ROWS = 4_000  # of about 32 MB of a sparse matrix, 1,000 entries a row
DENSE_ROWS = 400  # of 32 MB

path, task = sys.argv[1:]
start = time.perf_counter()
data = anndata.read_h5ad(path, backed="r")
total = 0.0
if task == "blocks":
    height = DENSE_ROWS if isinstance(data.file["X"], __import__("h5py").Dataset) else ROWS
    for block, _, _ in data.chunked_X(height):
        total += block.sum(dtype="f8")
elif task == "rows":
    rows = np.arange(0, data.n_obs, 500)
    block = data.X[rows]
    total = block.sum(dtype="f8")
elif task == "columns":
    columns = np.arange(0, data.n_vars, 2_000)
    for block, _, _ in data.chunked_X(ROWS):
        total += block[:, columns].sum(dtype="f8")
print(total, time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)

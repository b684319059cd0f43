// The values of one gene for all cells, whatever form its matrix has.

/** Entries of a sparse matrix, or values of a dense one, that are read at once. */
const PART = 1 << 20;

/** A column of a matrix. `progress` is told which part of it is read. */
export async function expression(matrix, gene, { signal, progress = () => {} }) {
  if (matrix.kind === "dense") return dense(matrix, gene, { signal, progress });
  if (matrix.format === "csc") return scattered(await matrix.columns([gene], { signal }), matrix.shape[0]);
  return byRows(matrix, gene, { signal, progress });
}

/** The entries of one column, at their rows. Those that are there more than once are added up. */
function scattered({ indices, data }, rows) {
  const values = new Float32Array(rows);
  for (let i = 0; i < indices.length; i++) values[indices[i]] += Number(data[i]);
  return values;
}

/** Rows hold a gene anywhere, so that all of them are read: a part at a time, the next one on its way. */
async function byRows(matrix, gene, { signal, progress }) {
  const [rows] = matrix.shape;
  const values = new Float32Array(rows);
  const step = Math.max(1, Math.round(PART / Math.max(1, matrix.nnz / rows)));
  const read = (start) => matrix.rows({ start, stop: Math.min(rows, start + step) }, { signal });
  await inTurn(rows, step, read, (start, { indptr, indices, data }) => {
    for (let row = 0; row + 1 < indptr.length; row++) {
      for (let i = indptr[row]; i < indptr[row + 1]; i++) if (indices[i] === gene) values[start + row] += Number(data[i]);
    }
    progress(Math.min(1, (start + step) / rows));
  });
  return values;
}

async function dense(matrix, gene, { signal, progress }) {
  const [rows, columns] = matrix.shape;
  const values = new Float32Array(rows);
  const step = Math.max(1, Math.round((4 * PART) / Math.max(1, columns)));
  const read = (start) => matrix.read([{ start, stop: Math.min(rows, start + step) }, gene], { signal });
  await inTurn(rows, step, read, (start, { data }) => {
    for (let i = 0; i < data.length; i++) values[start + i] = Number(data[i]);
    progress(Math.min(1, (start + step) / rows));
  });
  return values;
}

/** Reads part after part, with one more on its way than is worked on. */
async function inTurn(rows, step, read, work) {
  let coming = rows > 0 ? read(0) : undefined;
  for (let start = 0; start < rows; start += step) {
    const part = await coming;
    coming = start + step < rows ? read(start + step) : undefined;
    coming?.catch(() => {});
    work(start, part);
  }
}

// Groups that stand for one thing in an AnnData: a data frame, a sparse matrix, a column.
import { openAnnData } from "./h5kit/index.js";
import { el } from "./dom.js";
import { frameView } from "./frame_view.js";
import { number, plural, shapeText } from "./format.js";
import { summary } from "./summary.js";
import { Table } from "./table.js";
import { Task } from "./task.js";

/** The AnnData that were opened, by file and path. */
const known = new WeakMap();

async function annDataAt(file, path, signal) {
  if (!known.has(file)) known.set(file, new Map());
  const all = known.get(file);
  if (!all.has(path)) {
    const group = path === "/" ? file : await file.get(path, { signal });
    all.set(path, await openAnnData(group, { signal }));
  }
  return all.get(path);
}

/** The path of the AnnData that an object is in. */
async function owner(group, signal) {
  const names = group.path.split("/").filter(Boolean);
  for (let n = names.length - 1; n > 0; n--) {
    const path = `/${names.slice(0, n).join("/")}`;
    const attributes = await (await group.file.get(path, { signal })).attrs({ signal });
    if (attributes.has("encoding-type") && attributes.get("encoding-type") === "anndata") return path;
  }
  return "/";
}

export async function elementViews(group, encoding, signal) {
  const views = { dataframe, csr_matrix: sparse, csc_matrix: sparse, categorical: column };
  const make = views[encoding] ?? (encoding.startsWith("nullable") ? column : undefined);
  if (!make) return { views: [], about: encoding };
  const path = await owner(group, signal);
  const data = await annDataAt(group.file, path, signal);
  const element = await data.get(group.path.slice(path === "/" ? 1 : path.length + 1), { signal });
  return make(element, encoding, data);
}

function dataframe(frame, encoding, data) {
  const about = `data frame · ${plural(frame.length, "row")} × ${plural(frame.columns.length, "column")}`;
  return { views: [{ name: "rows", title: "Rows", make: () => frameView(data, frame) }], about };
}

function column(stored, encoding) {
  const view = () => {
    const task = new Task();
    const body = el("div", { class: "side narrow" });
    const show = async () => {
      const read = await task.run("Reading values…", (signal) => stored.read({ signal }), { retry: show });
      if (read) body.replaceChildren(summary(read));
    };
    show();
    return { node: el("div", {}, task.place, body), close: () => task.end() };
  };
  return { views: [{ name: "column", title: "Column", make: view }], about: `${encoding} · ${shapeText(stored.shape)}` };
}

/** Rows or columns of a sparse matrix that are read at once. */
const BLOCK = 64;

function sparse(matrix, encoding) {
  const [rows, columns] = matrix.shape;
  const byRows = matrix.format === "csr";
  const view = () => {
    const table = new Table({
      label: "Values of a sparse matrix",
      rows,
      columns: { length: columns, at: (i) => ({ name: String(i), width: 110, numeric: true }) },
      // What is stored together is read together.
      blockRows: byRows ? BLOCK : rows,
      blockColumns: byRows ? columns : BLOCK,
      read: async (window, signal) => {
        const [start, stop] = byRows ? window.rows : window.columns;
        const part = await (byRows ? matrix.rows({ start, stop }, { signal }) : matrix.columns({ start, stop }, { signal }));
        return (row, column) => (byRows ? entry(part, row - start, column) : entry(part, column - start, row));
      },
    });
    return { node: table.node, close: () => table.close() };
  };
  const about = `${encoding} · ${shapeText(matrix.shape)} · ${matrix.type} · ${plural(matrix.nnz, "stored value")}`;
  return { views: [{ name: "matrix", title: "Matrix", make: view }], about };
}

/** An entry as text; what is not stored is a zero that is seen to be none. */
function entry({ indptr, indices, data }, major, minor) {
  let sum;
  for (let i = indptr[major]; i < indptr[major + 1]; i++) {
    if (indices[i] === minor) sum = sum === undefined ? data[i] : sum + data[i];
  }
  return sum === undefined ? "·" : number(sum, data instanceof Float32Array);
}

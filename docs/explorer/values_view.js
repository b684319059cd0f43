// The values of a dataset as a table.
import { Axes } from "./axes.js";
import { el } from "./dom.js";
import { readElements } from "./lenient.js";
import { count, elementText, isNumeric } from "./format.js";
import { Table } from "./table.js";

/** Pixels of a column of a datatype. */
function width(dtype) {
  if (dtype.kind === "string") return 240;
  if (["compound", "vlen", "array"].includes(dtype.kind)) return 320;
  if (["int", "uint", "bool"].includes(dtype.kind) && dtype.size <= 2) return 84;
  return dtype.kind === "complex" || dtype.kind === "reference" ? 220 : 140;
}

const VIRTUAL =
  "This dataset is put together from others. What lies in other files is read if they are dropped with this one, and has the fill value if not.";

const column = (name, dtype) => ({ name, width: width(dtype), numeric: isNumeric(dtype) });

export function valuesView(dataset) {
  if (dataset.space === "null") return { node: el("p", { class: "note" }, "This dataset has no values (its dataspace is null).") };
  const node = el("div", { class: "values" });
  const about = dataset.layout === "virtual" && el("p", { class: "note" }, VIRTUAL);
  let table;
  const axes = new Axes(dataset.shape, () => show());
  const show = () => {
    table?.close();
    table = dataset.dtype.kind === "compound" && dataset.shape.length < 2 ? records(dataset) : cells(dataset, axes);
    node.replaceChildren(...[about, axes.node, table.node].filter(Boolean));
  };
  show();
  return { node, close: () => table.close() };
}

/** Elements in rows and columns. */
function cells(dataset, axes) {
  const { rows, columns } = axes.extent;
  const { dtype, shape } = dataset;
  const flat = axes.columns === undefined;
  return new Table({
    label: `Values of ${dataset.path}`,
    rows: shape.includes(0) ? 0 : rows,
    columns: { length: flat ? 1 : columns, at: (i) => column(flat ? "value" : count(i), dtype) },
    blockRows: flat ? 1024 : 128,
    rowLabel: shape.length === 0 ? () => "" : undefined,
    read: async (window, signal) => {
      const data = await readElements(dataset, shape.length === 0 ? null : axes.selection(window), signal);
      return (row, column) => elementText(data, dtype, axes.place(row, column, window));
    },
  });
}

/** Compound elements: a column for each field. */
function records(dataset) {
  const { fields } = dataset.dtype;
  const scalar = dataset.shape.length === 0;
  return new Table({
    label: `Values of ${dataset.path}`,
    rows: scalar ? 1 : dataset.shape[0],
    columns: fields.map(({ name, dtype }) => column(name, dtype)),
    blockRows: 256,
    read: async ({ rows }, signal) => {
      const { data } = await dataset.read(scalar ? null : [{ start: rows[0], stop: rows[1] }], { signal });
      return (row, i) => elementText(data[fields[i].name], fields[i].dtype, row - rows[0]);
    },
  });
}

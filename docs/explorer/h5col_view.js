// An H5Col table with a condition on its rows.
import { openTable } from "./h5kit/index.js";
import { el, labelled, unique } from "./dom.js";
import { errorText } from "./errors.js";
import { count, number, plural } from "./format.js";
import { Ragged } from "./h5kit/index.js";
import { Table } from "./table.js";
import { Task } from "./task.js";

export async function tableViews(group, signal) {
  const table = await openTable(group, { signal });
  const about = `H5Col table · ${plural(table.length, "row")} × ${plural(table.columns.length, "column")}`;
  return { views: [{ name: "rows", title: "Rows", make: () => rowsView(table) }], about };
}

function rowsView(table) {
  const view = new RowsView(table);
  return { node: view.node, close: () => view.close() };
}

class RowsView {
  task = new Task();
  labelsOf = new Map();

  constructor(table) {
    this.table = table;
    const id = unique("query");
    this.input = el("input", {
      type: "text",
      class: "query",
      autocomplete: "off",
      spellcheck: false,
      placeholder: example(table),
      "aria-describedby": `${id}-state ${id}-error`,
    });
    this.error = el("p", { class: "field-error", id: `${id}-error`, role: "alert", hidden: true });
    this.state = el("p", { class: "note", id: `${id}-state`, role: "status" });
    this.place = el("div", { class: "rows" });
    const ask = el("button", { class: "primary" }, "Find");
    const all = el("button", { type: "button", onclick: () => ((this.input.value = ""), this.all()) }, "All rows");
    const form = el("form", { class: "query-form" }, labelled("Rows where", this.input), el("div", { class: "row" }, ask, all));
    form.addEventListener("submit", (event) => (event.preventDefault(), this.find()));
    this.node = el("div", { class: "h5col" }, form, this.error, this.task.place, this.state, this.place);
    this.all();
  }

  /** Columns of the table, with units of their kinds. */
  #columns() {
    return this.table.columns.map(({ name, kind }) => ({ name, width: 150, title: `${name}: ${kind}` }));
  }

  /** The labels of a categorical column; without them its codes are shown. */
  #labels(name) {
    if (!this.labelsOf.has(name)) this.labelsOf.set(name, this.table.labels(name).catch(() => null));
    return this.labelsOf.get(name);
  }

  #show(options) {
    this.shown?.close();
    const columns = this.#columns();
    this.shown = new Table({ label: `Rows of ${this.table.path}`, columns, rowHead: "row", ...options(columns) });
    this.place.replaceChildren(this.shown.node);
  }

  all() {
    const { table } = this;
    this.task.end();
    this.#wrong(undefined);
    this.state.textContent = `all ${plural(table.length, "row")}`;
    this.#rows(table.length, ([start, stop]) => ({ start, stop }));
  }

  async find() {
    const condition = this.input.value.trim();
    if (condition === "") return this.all();
    this.#wrong(undefined);
    const work = async (signal) => {
      try {
        const rows = await this.table.rows(condition, { signal });
        return { rows, plan: await this.table.plan(condition, { signal }) };
      } catch (error) {
        if (error.kind !== "Query") throw error;
        this.#wrong(error);
        return undefined;
      }
    };
    const made = await this.task.run("Looking for rows…", work, { retry: () => this.find() });
    if (made) this.#found(made);
    return undefined;
  }

  #found({ rows, plan }) {
    this.state.textContent = `${count(rows.length)} of ${plural(this.table.length, "row")}`;
    this.state.append(el("details", {}, el("summary", {}, "How they were found"), el("pre", {}, plan)));
    this.#rows(rows.length, ([start, stop]) => ({ rows: rows.subarray(start, stop) }), { rowLabel: (i) => count(rows[i]) });
  }

  /** Shows rows, which are read as they are seen: `which` says what to read for some of them. */
  #rows(length, which, more = {}) {
    this.#show((columns) => ({
      rows: length,
      blockRows: 512,
      ...more,
      read: async ({ rows, columns: [first, last] }, signal) => {
        const names = columns.slice(first, last).map(({ name }) => name);
        const of = (name) => Promise.all([this.table.column(name, { ...which(rows), signal }), this.#labels(name)]);
        const read = await Promise.allSettled(names.map(of));
        signal.throwIfAborted();
        if (read.every(({ status }) => status === "rejected")) throw read[0].reason;
        return (row, i) => {
          const { status, value } = read[i - first];
          return status === "rejected" ? "⚠" : cellText(value[0], row - rows[0], value[1]);
        };
      },
    }));
  }

  /** An error of the condition is shown where it is typed. */
  #wrong(error) {
    this.input.setAttribute("aria-invalid", String(error !== undefined));
    this.error.hidden = error === undefined;
    this.error.textContent = error ? errorText(error) : "";
    if (error) this.input.focus();
  }

  close() {
    this.task.end();
    this.shown?.close();
  }
}

/** A condition that could be asked of a table. */
function example({ columns }) {
  const [first] = columns;
  return first ? `such as: ${/^[A-Za-z_]\w*$/.test(first.name) ? first.name : `"${first.name}"`} is not null` : "";
}

function cellText(column, row, labels) {
  const value = column.at(row);
  if (labels && value !== null) return String(labels[Number(value)] ?? value);
  return value === null || value === undefined ? null : text(value, column.values);
}

function text(value, from) {
  if (typeof value === "number" || typeof value === "bigint") return number(value, from instanceof Float32Array);
  if (value instanceof Ragged) return `[${[...value].map((inner) => text(inner)).join(", ")}]`;
  if (Array.isArray(value) || ArrayBuffer.isView(value)) return `[${Array.from(value, (item) => text(item, value)).join(", ")}]`;
  return String(value);
}

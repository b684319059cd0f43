// A data frame: its rows as a table, and what one of its columns holds.
import { el, choice } from "./dom.js";
import { number } from "./format.js";
import { labelsOf } from "./labels.js";
import { summary } from "./summary.js";
import { Table } from "./table.js";
import { Task } from "./task.js";

export function frameView(data, frame) {
  const { columns } = frame;
  const label = labelsOf(data, frame);
  const shown = [{ name: frame.indexName || "index", width: 200 }, ...columns.map((name) => ({ name, width: 130, title: name }))];
  const table = new Table({
    label: `Rows of ${frame.path}`,
    rows: frame.length,
    columns: shown,
    blockRows: 512,
    read: async ({ rows: [start, stop], columns: [first, last] }, signal) => {
      const of = (i) => (i === 0 ? label(start, stop, signal) : frame.column(shown[i].name, { start, stop, signal }));
      const read = await Promise.allSettled(shown.slice(first, last).map((_, i) => of(first + i)));
      signal.throwIfAborted();
      const texts = read.map((result, i) => cellText(result, shown[first + i]));
      if (read.every(({ status }) => status === "rejected")) throw read[0].reason;
      return (row, i) => texts[i - first](row - start);
    },
    onHead: (i) => i > 0 && about.show(shown[i].name),
  });
  const about = new About(frame);
  const node = el("div", { class: "frame" }, columns.length > 0 && about.node, table.node);
  return { node, close: () => (table.close(), about.task.end()) };
}

/** How cells of a column that was read are written; one that is damaged is so alone. */
function cellText({ status, value, reason }, shown) {
  if (status === "rejected") {
    shown.title = String(reason?.message ?? reason);
    return () => "⚠";
  }
  if (Array.isArray(value)) return (row) => value[row];
  shown.numeric = ArrayBuffer.isView(value.values) && value.type !== "bool";
  const single = value.values instanceof Float32Array;
  return (row) => {
    const item = value.at(row);
    return item === null ? null : typeof item === "number" || typeof item === "bigint" ? number(item, single) : String(item);
  };
}

/** What one column holds. */
class About {
  task = new Task();

  constructor(frame) {
    this.frame = frame;
    this.body = el("div");
    this.pick = choice("Column", frame.columns, frame.columns[0], (name) => this.show(name));
    this.node = el("aside", { class: "side", "aria-label": "A column" }, this.pick, this.task.place, this.body);
    if (frame.columns.length > 0) this.show(frame.columns[0]);
  }

  async show(name) {
    this.pick.select.value = name;
    this.body.replaceChildren();
    const read = (signal) => this.frame.column(name, { signal });
    const column = await this.task.run(`Reading ${name}…`, read, { retry: () => this.show(name) });
    if (column) this.body.replaceChildren(summary(column));
  }
}

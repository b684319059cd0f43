// A table of any size: only the cells that are seen are there. It is used by mouse, touch and keys.
import { el, onceAFrame, unique } from "./dom.js";
import { errorPanel } from "./errors.js";
import { count } from "./format.js";
import { Windows } from "./windows.js";

const ROW = 28;
/** Higher elements are not drawn by all browsers; more rows share this height. */
const HIGHEST = 8_000_000;

/**
 * `columns`: `{name, width, numeric}` for each, or `{length, at(i)}` where there are many.
 * `read(window, signal)` gives `cell(row, column)`, the text of a cell of the window; `blockRows` and `blockColumns` say how large
 * a window is.
 */
export class Table {
  #rows;
  #columns;
  #label;
  #windows;
  #active = { row: 0, column: 0 };
  #id = unique("table");
  #draw = onceAFrame(() => this.#drawn());

  constructor({ label, rows, columns, rowLabel = (row) => count(row), rowHead = "", read, onHead, ...blocks }) {
    this.#rows = rows;
    this.#columns = Array.isArray(columns) ? { length: columns.length, at: (i) => columns[i] } : columns;
    this.#label = rowLabel;
    this.onHead = onHead;
    this.rowHead = rowHead;
    this.#windows = new Windows({
      rows,
      columns: this.#columns.length,
      ...blocks,
      read,
      changed: (error) => (error && this.#failed(error), this.#draw()),
    });
    this.#offsets();
    this.#build(label);
  }

  /** Where each column begins; many columns have one width. */
  #offsets() {
    const { length } = this.#columns;
    this.rowHeadWidth = Math.max(56, 16 + 8 * Math.max(this.rowHead.length, count(Math.max(0, this.#rows - 1)).length));
    const even = length > 5000 ? this.#columns.at(0).width : undefined;
    const ends = even ? undefined : [0];
    if (ends) for (let i = 0; i < length; i++) ends.push(ends[i] + this.#columns.at(i).width);
    this.left = (column) => (even ? column * even : ends[column]);
    this.columnAt = (x) => {
      if (even) return Math.min(length - 1, Math.max(0, Math.floor(x / even)));
      const found = ends.findIndex((end) => end > x);
      return found < 0 ? Math.max(0, length - 1) : Math.max(0, found - 1);
    };
  }

  #build(label) {
    this.spacer = el("div", { class: "table-spacer", role: "presentation" });
    this.layer = el("div", { class: "table-layer", role: "presentation" });
    this.scroller = el(
      "div",
      {
        class: "table",
        tabIndex: 0,
        role: "grid",
        "aria-label": label,
        "aria-rowcount": String(this.#rows + 1),
        "aria-colcount": String(this.#columns.length + 1),
        onscroll: this.#draw,
        onkeydown: (event) => this.#key(event),
        onclick: (event) => this.#clicked(event),
        onfocus: this.#draw,
        onblur: this.#draw,
      },
      this.layer,
      this.spacer,
    );
    this.errors = el("div");
    this.value = el("output", { class: "cell-value", "aria-live": "off" });
    this.node = el("div", { class: "table-box" }, this.errors, this.scroller, this.value);
    const height = ROW * (this.#rows + 1);
    this.scale = Math.max(1, height / HIGHEST);
    // `min` keeps a short table from being higher than it is.
    this.node.style.setProperty("--table-height", `${Math.min(height, HIGHEST) + 2}px`);
    this.spacer.style.height = `${Math.min(height, HIGHEST)}px`;
    this.spacer.style.width = `${this.rowHeadWidth + this.left(this.#columns.length)}px`;
    this.sizes = new ResizeObserver(this.#draw);
    this.sizes.observe(this.scroller);
  }

  /** The first row that is seen, and how much of it is above the edge. */
  #top() {
    const { scrollTop, clientHeight, scrollHeight } = this.scroller;
    if (this.scale === 1) return { row: Math.floor(scrollTop / ROW), above: scrollTop % ROW };
    const most = this.#rows - Math.floor((clientHeight - ROW) / ROW);
    const row = Math.round((scrollTop / Math.max(1, scrollHeight - clientHeight)) * most);
    return { row: Math.min(row, most), above: 0 };
  }

  #seen() {
    const { clientHeight, clientWidth, scrollLeft } = this.scroller;
    const { row, above } = this.#top();
    const bottom = Math.min(this.#rows, row + Math.ceil((clientHeight - ROW + above) / ROW));
    const first = this.columnAt(scrollLeft);
    const last = this.columnAt(scrollLeft + clientWidth - this.rowHeadWidth);
    return { rows: [row, Math.max(row, bottom)], above, columns: [first, Math.min(this.#columns.length, last + 1)] };
  }

  #drawn() {
    if (!this.scroller.isConnected || this.scroller.clientHeight === 0) return;
    const { rows, above, columns } = this.#seen();
    const { clientWidth, clientHeight, scrollLeft } = this.scroller;
    const size = { width: `${clientWidth}px`, height: `${clientHeight}px`, marginBottom: `${-clientHeight}px` };
    Object.assign(this.layer.style, size);
    if (this.#columns.length > 0) this.#windows.see(rows, columns);
    const body = el("div", { class: "table-body", role: "rowgroup" });
    body.style.top = `${ROW - above}px`;
    for (let row = rows[0]; row < rows[1]; row++) body.append(this.#row(row, (row - rows[0]) * ROW, columns, scrollLeft));
    this.layer.replaceChildren(body, this.#head(columns, scrollLeft));
    this.scroller.setAttribute("aria-busy", String(this.#windows.busy));
    const id = this.#cellId(this.#active.row, this.#active.column);
    const there = document.getElementById(id) !== null;
    if (there) this.scroller.setAttribute("aria-activedescendant", id);
    else this.scroller.removeAttribute("aria-activedescendant");
    this.value.textContent = this.#rows === 0 ? "no rows" : (this.#text(this.#active.row, this.#active.column) ?? "…");
  }

  #head(columns, scrollLeft) {
    const head = el("div", { class: "table-row table-head", role: "row", "aria-rowindex": "1" });
    for (let i = columns[0]; i < columns[1]; i++) {
      const { name, numeric, width, title } = this.#columns.at(i);
      const cell = el("div", { class: numeric ? "cell numeric" : "cell", role: "columnheader", title: title ?? name }, name);
      cell.dataset.head = i;
      cell.setAttribute("aria-colindex", i + 2);
      this.#place(cell, this.rowHeadWidth + this.left(i) - scrollLeft, width);
      head.append(cell);
    }
    const corner = el("div", { class: "cell row-head", role: "columnheader" }, this.rowHead);
    this.#place(corner, 0, this.rowHeadWidth);
    head.append(corner);
    return head;
  }

  #row(row, top, columns, scrollLeft) {
    const line = el("div", { class: row % 2 ? "table-row odd" : "table-row", role: "row" });
    line.setAttribute("aria-rowindex", row + 2);
    line.style.top = `${top}px`;
    for (let i = columns[0]; i < columns[1]; i++) {
      const { numeric, width } = this.#columns.at(i);
      const text = this.#text(row, i);
      const cell = el("div", { class: numeric ? "cell numeric" : "cell", role: "gridcell", id: this.#cellId(row, i) });
      cell.textContent = text ?? "…";
      if (text === undefined) cell.classList.add("waiting");
      if (text === null) Object.assign(cell, { textContent: "missing" }).classList.add("missing");
      if (row === this.#active.row && i === this.#active.column) cell.classList.add("active");
      Object.assign(cell.dataset, { row, column: i });
      cell.setAttribute("aria-colindex", i + 2);
      this.#place(cell, this.rowHeadWidth + this.left(i) - scrollLeft, width);
      line.append(cell);
    }
    const head = el("div", { class: "cell row-head", role: "rowheader" }, this.#label(row));
    this.#place(head, 0, this.rowHeadWidth);
    line.append(head);
    return line;
  }

  #place(cell, left, width) {
    cell.style.left = `${left}px`;
    cell.style.width = `${width}px`;
  }

  /** The text of a cell: undefined before it is read, `null` where there is no value. */
  #text(row, column) {
    const block = this.#windows.at(row, column);
    if (block?.error) return "⚠";
    return block?.value ? block.value(row, column) : undefined;
  }

  #cellId(row, column) {
    return `${this.#id}-${row}-${column}`;
  }

  #failed(error) {
    const again = () => {
      this.errors.replaceChildren();
      this.#windows.forgetErrors();
      this.#draw();
    };
    this.errors.replaceChildren(errorPanel(error, again));
  }

  #clicked({ target }) {
    const { row, column, head } = target.closest(".cell")?.dataset ?? {};
    if (head !== undefined) this.onHead?.(Number(head));
    if (row !== undefined) this.#go(Number(row), Number(column));
  }

  #key(event) {
    const { row, column } = this.#active;
    const page = Math.max(1, Math.floor(this.scroller.clientHeight / ROW) - 2);
    const [all, across] = [event.ctrlKey || event.metaKey, this.#columns.length - 1];
    const moves = {
      ArrowUp: [row - 1, column],
      ArrowDown: [row + 1, column],
      ArrowLeft: [row, column - 1],
      ArrowRight: [row, column + 1],
      PageUp: [row - page, column],
      PageDown: [row + page, column],
      Home: [all ? 0 : row, 0],
      End: [all ? this.#rows - 1 : row, across],
    };
    if (!moves[event.key]) return;
    event.preventDefault();
    this.#go(...moves[event.key]);
  }

  #go(row, column) {
    const within = (n, length) => Math.max(0, Math.min(length - 1, n));
    this.#active = { row: within(row, this.#rows), column: within(column, this.#columns.length) };
    this.#reveal();
    this.#draw();
  }

  /** Scrolls to the active cell. */
  #reveal() {
    const { row, column } = this.#active;
    const { clientHeight, clientWidth, scrollHeight } = this.scroller;
    const { row: top, above } = this.#top();
    const full = Math.max(1, Math.floor((clientHeight - ROW) / ROW));
    const up = row < top || (row === top && above > 0);
    if (up || row >= top + full) {
      const first = up ? row : row - full + 1;
      const most = Math.max(1, this.#rows - full);
      const exact = up ? first * ROW : (row + 2) * ROW - clientHeight;
      this.scroller.scrollTop = this.scale === 1 ? exact : (first / most) * (scrollHeight - clientHeight);
    }
    const [left, right] = [this.left(column), this.left(column + 1)];
    const room = clientWidth - this.rowHeadWidth;
    if (left < this.scroller.scrollLeft) this.scroller.scrollLeft = left;
    else if (right > this.scroller.scrollLeft + room) this.scroller.scrollLeft = Math.min(left, right - room);
  }

  close() {
    this.sizes.disconnect();
    this.#windows.close();
  }
}

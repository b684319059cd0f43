// What is seen of an array of many dimensions: two of them are rows and columns, of the others one index.
import { choice, el, labelled } from "./dom.js";
import { count } from "./format.js";

export class Axes {
  #shape;
  #changed;

  constructor(shape, changed) {
    this.#shape = shape;
    this.#changed = changed;
    const n = shape.length;
    // The last dimension of a picture are its colours.
    const picture = n === 3 && shape[2] <= 4;
    this.rows = picture ? 0 : Math.max(0, n - 2);
    this.columns = picture ? 1 : n > 1 ? n - 1 : undefined;
    this.index = shape.map(() => 0);
    this.node = el("fieldset", { class: "axes", hidden: n < 3 }, el("legend", { class: "unseen" }, "What is seen"));
    this.#build();
  }

  get extent() {
    const { rows, columns } = this;
    return { rows: this.#shape[rows] ?? 1, columns: columns === undefined ? 1 : this.#shape[columns] };
  }

  /** The selection of a window, and the text of where it is. */
  selection({ rows, columns }) {
    return this.#shape.map((_, axis) => {
      if (axis === this.rows) return { start: rows[0], stop: rows[1] };
      if (axis === this.columns) return { start: columns[0], stop: columns[1] };
      return this.index[axis];
    });
  }

  /** The number of an element in what `selection` gave. */
  place(row, column, { rows, columns }) {
    if (this.columns === undefined) return row - rows[0];
    const [height, width] = [rows[1] - rows[0], columns[1] - columns[0]];
    const [down, across] = [row - rows[0], column - columns[0]];
    return this.rows < this.columns ? down * width + across : across * height + down;
  }

  #build() {
    const names = this.#shape.map((extent, axis) => [String(axis), `${axis} (${count(extent)})`]);
    if (names.length < 3) return;
    const pick = (which, other) => (text) => {
      const axis = Number(text);
      if (axis === this[other]) this[other] = this[which];
      this[which] = axis;
      this.#again();
    };
    const down = choice("Rows", names, String(this.rows), pick("rows", "columns"));
    const across = choice("Columns", names, String(this.columns), pick("columns", "rows"));
    const fixed = this.#shape.flatMap((extent, axis) => (axis === this.rows || axis === this.columns ? [] : [this.#slider(axis, extent)]));
    this.node.replaceChildren(this.node.firstElementChild, down, across, ...fixed);
  }

  #again() {
    this.#build();
    this.#changed();
  }

  #slider(axis, extent) {
    const range = { min: 0, max: Math.max(0, extent - 1), value: this.index[axis] };
    const text = `Index of dimension ${axis}`;
    const number = el("input", { type: "number", ...range });
    const slider = el("input", { type: "range", ...range, "aria-label": text });
    const take = (from, to) => () => {
      const value = Math.max(0, Math.min(extent - 1, Math.trunc(Number(from.value) || 0)));
      this.index[axis] = value;
      to.value = value;
      this.#changed();
    };
    number.addEventListener("change", take(number, slider));
    slider.addEventListener("input", take(slider, number));
    const box = labelled(text, number);
    box.append(slider);
    return box;
  }
}

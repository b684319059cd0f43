// A matrix as an image: a window of it at a time.
import { Axes } from "./axes.js";
import { SCALE, SCALE_CSS, step } from "./colours.js";
import { el, fitted, labelled, onceAFrame, watchLook } from "./dom.js";
import { count, drawable, extent, number, plural, rough } from "./format.js";
import { Task } from "./task.js";

/** Rows and columns of a window. */
const WINDOW = 1024;
/** How much wider than high a value may be drawn, and the other way. */
const STRETCH = 4;

export function imageView(dataset) {
  const view = new ImageView(dataset);
  return { node: view.node, close: () => view.task.end() };
}

class ImageView {
  task = new Task();
  #from = { rows: 0, columns: 0 };
  #range;
  /** Whether the range is that of the values that are seen. */
  #auto = true;
  #draw = onceAFrame(() => this.#drawn());

  constructor(dataset) {
    this.dataset = dataset;
    this.axes = new Axes(dataset.shape, () => this.#moved());
    this.canvas = el("canvas", { class: "image", role: "img" });
    this.readout = el("output", { class: "readout" });
    this.place = el("div", { class: "controls" });
    this.least = this.#limit(0);
    this.most = this.#limit(1);
    const auto = el("button", { type: "button", onclick: () => this.#automatic() }, "Range of what is seen");
    const bar = el("span", { class: "scale-bar", "aria-hidden": "true" });
    bar.style.background = SCALE_CSS;
    this.scale = el("div", { class: "controls scale" }, labelled("Least", this.least), bar, labelled("Most", this.most), auto);
    this.node = el("div", { class: "drawing" }, this.axes.node, this.place, this.scale, this.task.place, this.canvas, this.readout);
    this.canvas.addEventListener("pointermove", (event) => this.#hover(event));
    watchLook(this.canvas, this.#draw);
    this.#moved();
  }

  #limit(side) {
    const input = el("input", { type: "number", step: "any" });
    input.addEventListener("change", () => {
      if (input.value === "" || !this.#range) return this.#automatic();
      this.#range[side] = Number(input.value);
      this.#auto = false;
      this.#paint();
    });
    return input;
  }

  #automatic() {
    this.#auto = true;
    this.#paint();
  }

  #moved() {
    this.#from = { rows: 0, columns: 0 };
    this.#load();
  }

  /** Buttons that move the window, where there is more than one. */
  #places() {
    const { extent } = this.axes;
    const mover = (axis) => {
      if (extent[axis] <= WINDOW) return null;
      const to = (by) => () => {
        this.#from[axis] = Math.max(0, Math.min(extent[axis] - 1, this.#from[axis] + by));
        this.#from[axis] -= this.#from[axis] % WINDOW;
        this.#load();
      };
      const last = Math.min(extent[axis], this.#from[axis] + WINDOW);
      return el(
        "div",
        { class: "mover" },
        el("button", { type: "button", disabled: this.#from[axis] === 0, onclick: to(-WINDOW), "aria-label": `${axis} before` }, "‹"),
        el("span", {}, `${axis} ${count(this.#from[axis])} to ${count(last - 1)} of ${count(extent[axis])}`),
        el("button", { type: "button", disabled: last === extent[axis], onclick: to(WINDOW), "aria-label": `${axis} after` }, "›"),
      );
    };
    this.place.replaceChildren(...[mover("rows"), mover("columns")].filter(Boolean));
  }

  async #load() {
    this.#places();
    const { extent: all } = this.axes;
    const range = (axis) => [this.#from[axis], Math.min(all[axis], this.#from[axis] + WINDOW)];
    const window = { rows: range("rows"), columns: range("columns") };
    const read = (signal, progress) =>
      this.dataset.read(this.axes.selection(window), { signal, onProgress: (done, of) => progress(done / of) });
    const array = await this.task.run("Reading values…", read, { retry: () => this.#load() });
    if (!array) return;
    this.values = drawable(array.data);
    this.window = window;
    this.at = (row, column) => this.values[this.axes.place(row, column, window)];
    this.#paint();
  }

  /** The pixels, one for each value. */
  #paint() {
    if (!this.values) return;
    if (this.#auto) this.#range = extent(this.values) ?? [0, 1];
    [this.least.value, this.most.value] = this.#range.map(rough);
    const { rows, columns } = this.window;
    const [height, width] = [rows[1] - rows[0], columns[1] - columns[0]];
    const pixels = new ImageData(width, height);
    for (let row = 0, at = 0; row < height; row++) {
      for (let column = 0; column < width; column++, at += 4) {
        const n = this.at(rows[0] + row, columns[0] + column);
        if (Number.isNaN(n)) continue;
        const colour = 3 * step(n, this.#range);
        pixels.data.set([SCALE[colour], SCALE[colour + 1], SCALE[colour + 2], 255], at);
      }
    }
    this.bitmap = el("canvas", { width, height });
    this.bitmap.getContext("2d").putImageData(pixels, 0, 0);
    const [least, most] = this.#range.map((n) => number(n));
    this.canvas.setAttribute("aria-label", `Image of ${count(height)} × ${plural(width, "value")}, from ${least} to ${most}`);
    this.canvas.dataset.drawn = `${height}×${width}`;
    this.#draw();
  }

  /** Pixels of a value: all of the image is on the canvas, and a long one is made wider than it is. */
  #box() {
    const [width, height] = [this.canvas.clientWidth, this.canvas.clientHeight];
    const { width: w, height: h } = this.bitmap;
    const scale = Math.min(width / w, height / h);
    return { x: Math.min(width / w, STRETCH * scale), y: Math.min(height / h, STRETCH * scale) };
  }

  #drawn() {
    const { ratio, width, height } = fitted(this.canvas);
    const context = this.canvas.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    if (!this.bitmap || width === 0) return;
    const { x, y } = this.#box();
    context.imageSmoothingEnabled = x < 1 || y < 1;
    context.drawImage(this.bitmap, 0, 0, this.bitmap.width * x, this.bitmap.height * y);
  }

  #hover({ offsetX, offsetY }) {
    if (!this.bitmap) return;
    const { x, y } = this.#box();
    const [row, column] = [Math.floor(offsetY / y), Math.floor(offsetX / x)];
    const inside = row >= 0 && column >= 0 && row < this.bitmap.height && column < this.bitmap.width;
    const [r, c] = [this.window.rows[0] + row, this.window.columns[0] + column];
    this.readout.textContent = inside ? `[${count(r)}, ${count(c)}] ${number(this.at(r, c))}` : "";
  }
}

// The cells on a map, coloured by a column of obs or by a gene.
import { Combobox } from "./combobox.js";
import { MISSING, rgb } from "./colours.js";
import { colouring, numbers } from "./colouring.js";
import { choice, el } from "./dom.js";
import { errorPanel } from "./errors.js";
import { expression } from "./expression.js";
import { count, number, plural } from "./format.js";
import { legend } from "./legend.js";
import { PointMap } from "./map.js";
import { Task } from "./task.js";

export function embeddingView(data, maps) {
  const view = new Embedding(data, maps);
  return { node: view.node, close: () => view.close() };
}

class Embedding {
  #data;
  #maps;
  #map = new PointMap((point) => this.#tip(point));
  #moving = new Task();
  #colouring = new Task();
  #names = [];
  #components = [0, 1];
  #axes = el("div", { class: "pair" });
  #legend = el("div", { class: "legend-box" });
  #genesOf = new Map();
  #shown;

  constructor(data, maps) {
    this.#data = data;
    this.#maps = maps;
    this.#basis = maps[0];
    const { columns } = data.obs;
    const basis = choice("Embedding", maps.map(({ key }) => key), maps[0].key, (key) => this.#choose(key));
    this.by = choice("Colour by", [["", "nothing"], ...columns], this.#first(columns), (name) => this.#colourBy(name));
    this.gene = new Combobox("Or by a gene", "name of a gene", (i, name) => this.#colourByGene(i, name));
    this.gene.input.addEventListener("focus", () => this.#genes());
    this.matrices = choice("Values of", matrices(data), undefined, () => this.#genes());
    this.matrices.hidden = this.matrices.select.length < 2;
    this.gene.node.hidden = this.matrices.select.length === 0;
    const controls = el("div", { class: "controls map-controls" }, basis, this.#axes, this.by, this.gene.node, this.matrices);
    const side = el("aside", { class: "side", "aria-label": "Colours" }, controls, this.#colouring.place, this.#legend);
    this.node = el("div", { class: "embedding" }, el("div", { class: "map-box" }, this.#moving.place, this.#map.node), side);
    this.#place();
    this.#colourBy(this.by.select.value);
  }

  #basis;

  /** What cells are first coloured by: what looks like their kind. */
  #first(columns) {
    return columns.find((name) => /cell.?type|leiden|louvain|cluster/i.test(name)) ?? columns[0] ?? "";
  }

  #choose(key) {
    this.#basis = this.#maps.find((map) => map.key === key);
    this.#components = [0, 1];
    this.#place();
  }

  /** Choices of the two columns, where there are more. */
  #pairs() {
    const width = this.#basis.array.shape[1];
    if (width === 2) return this.#axes.replaceChildren();
    const options = Array.from({ length: width }, (_, i) => [String(i), `${i + 1}`]);
    const pick = (axis) => (text) => {
      this.#components[axis] = Number(text);
      this.#place();
    };
    return this.#axes.replaceChildren(...["Across", "Up"].map((text, axis) => choice(text, options, String(this.#components[axis]), pick(axis))));
  }

  async #place() {
    this.#pairs();
    const { key, array } = this.#basis;
    const read = (signal) => Promise.all(this.#components.map((i) => array.column(i, { signal })));
    const columns = await this.#moving.run(`Reading ${key}…`, read, { retry: () => this.#place() });
    if (!columns) return;
    const [x, y] = columns.map((column) => column.data);
    this.#map.setPlaces(x, y, `${plural(x.length, "cell")} by ${key}`);
    this.#paint();
    this.#data.obsNames().then((names) => (this.#names = names), () => {});
  }

  #paint() {
    if (this.#shown) {
      const { colours, order } = this.#shown.legend.paint();
      this.#map.setColours(colours, order);
    } else {
      const n = this.#data.shape[0];
      const colours = new Uint8Array(4 * n);
      for (let i = 0; i < n; i++) colours.set([...MISSING, 255], 4 * i);
      this.#map.setColours(colours);
    }
  }

  async #colourBy(name) {
    this.gene.input.value = "";
    if (name === "") return this.#show(undefined);
    const work = async (signal) => {
      const [column, own] = await Promise.all([this.#data.obs.column(name, { signal }), this.#ownColours(name, signal)]);
      return { name, found: colouring(column), own };
    };
    const made = await this.#colouring.run(`Reading ${name}…`, work, { retry: () => this.#colourBy(name) });
    if (made) this.#show(made);
    return undefined;
  }

  /** The colours that a file has for the categories of a column. */
  async #ownColours(name, signal) {
    if (!this.#data.uns.has(`${name}_colors`)) return undefined;
    try {
      const stored = await this.#data.uns.get(`${name}_colors`, { signal });
      return (await stored.read(null, { signal })).data.map(rgb);
    } catch {
      return undefined;
    }
  }

  #show(made) {
    this.#shown = made && { ...made, legend: legend(made.found, made.own, () => this.#paint()) };
    const title = made && el("h3", {}, made.name);
    this.#legend.replaceChildren(...(made ? [title, this.#shown.legend.node] : []));
    this.#paint();
  }

  /** The genes of the chosen matrix. */
  async #genes() {
    const path = this.matrices.select.value;
    const frame = path.startsWith("raw/") ? "raw/var" : "var";
    this.#genesOf.get(frame) ?? this.#genesOf.set(frame, this.#namesOf(frame));
    try {
      const names = await this.#genesOf.get(frame);
      if (this.matrices.select.value === path) this.gene.names = names;
    } catch (error) {
      this.#genesOf.delete(frame);
      this.#legend.replaceChildren(errorPanel(error));
    }
  }

  async #namesOf(frame) {
    return frame === "var" ? this.#data.varNames() : (await this.#data.get(frame)).index();
  }

  async #colourByGene(i, name) {
    this.by.select.value = "";
    const path = this.matrices.select.value;
    const work = async (signal, progress) => {
      const matrix = await this.#data.get(path, { signal });
      const told = (part) => progress(part, `${Math.round(100 * part)} %`);
      return { name, found: numbers(await expression(matrix, i, { signal, progress: told })) };
    };
    const made = await this.#colouring.run(`Reading ${name}…`, work, { retry: () => this.#colourByGene(i, name) });
    if (made) this.#show(made);
  }

  #tip(point) {
    const name = this.#names[point] ?? `cell ${count(point)}`;
    if (!this.#shown) return name;
    const { found, name: what } = this.#shown;
    const value = found.kind === "numbers" ? number(found.values[point], found.values instanceof Float32Array) : (found.names[found.codes[point]] ?? "missing");
    return `${name}\n${what}: ${value}`;
  }

  close() {
    this.#moving.end();
    this.#colouring.end();
    this.#map.close();
  }
}

/** Paths of the matrices that have a value for each cell and gene. */
function matrices(data) {
  const layers = data.layers.keys().map((key) => [`layers/${key}`, `layer ${key}`]);
  const raw = data.hasRaw ? [["raw/X", "raw"]] : [];
  return [...(data.keys.includes("X") ? [["X", "X"]] : []), ...layers, ...raw];
}

// What the colours of points mean: categories that can be looked at alone, or a scale with its range.
import { MISSING, SCALE, SCALE_CSS, categoryColours, css, step } from "./colours.js";
import { el, labelled } from "./dom.js";
import { count, rough } from "./format.js";

/** `{node, paint()}`; `paint` gives `{colours, order}` for the points. `changed` is called when they are others. */
export function legend(colouring, own, changed) {
  return colouring.kind === "categories" ? new Categories(colouring, own, changed) : new Scale(colouring, changed);
}

class Categories {
  #chosen = new Set();

  constructor({ names, codes, counts, missing }, own, changed) {
    this.codes = codes;
    this.colours = own?.length >= names.length && own.slice(0, names.length).every(Boolean) ? own : categoryColours(names.length);
    const line = (name, n, code, colour) => {
      const swatch = el("span", { class: "swatch", "aria-hidden": "true" });
      swatch.style.background = css(colour);
      const button = el("button", { type: "button", "aria-pressed": "false" }, swatch, el("span", { class: "name" }, name), el("span", { class: "n" }, count(n)));
      button.addEventListener("click", () => {
        if (!this.#chosen.delete(code)) this.#chosen.add(code);
        button.setAttribute("aria-pressed", String(this.#chosen.has(code)));
        changed();
      });
      return el("li", {}, button);
    };
    const lines = names.map((name, code) => line(name, counts[code], code, this.colours[code]));
    if (missing > 0) lines.push(line("missing", missing, -1, MISSING));
    this.node = el("ul", { class: "legend", "aria-label": "Categories" }, lines);
  }

  paint() {
    const { codes, colours } = this;
    const all = this.#chosen.size === 0;
    const bytes = new Uint8Array(4 * codes.length);
    const [below, above] = [[], []];
    for (let i = 0; i < codes.length; i++) {
      const seen = all || this.#chosen.has(codes[i]);
      const [r, g, b] = seen ? (colours[codes[i]] ?? MISSING) : MISSING;
      bytes[4 * i] = r;
      bytes[4 * i + 1] = g;
      bytes[4 * i + 2] = b;
      bytes[4 * i + 3] = seen ? 255 : 70;
      if (!all) (seen ? above : below).push(i);
    }
    return { colours: bytes, order: all ? undefined : Uint32Array.from([...below, ...above]) };
  }
}

class Scale {
  constructor({ values, range, missing }, changed) {
    this.values = values;
    this.range = range ? [...range] : [0, 1];
    const limit = (side) => {
      const input = el("input", { type: "number", step: "any", value: Number(rough(this.range[side])) });
      input.addEventListener("change", () => {
        this.range[side] = input.value === "" ? (range ?? [0, 1])[side] : Number(input.value);
        changed();
      });
      return input;
    };
    const bar = el("div", { class: "scale-bar", role: "img", "aria-label": "Colour scale, from the least to the most" });
    bar.style.background = SCALE_CSS;
    const ends = el("div", { class: "ends" }, labelled("Least", limit(0)), labelled("Most", limit(1)));
    const none = missing > 0 && el("p", { class: "note" }, `${count(missing)} missing, in grey`);
    this.node = el("div", { class: "legend-scale" }, bar, ends, none);
  }

  /** What is more lies above what is less. */
  paint() {
    const { values, range } = this;
    const n = values.length;
    const bytes = new Uint8Array(4 * n);
    // Points by the steps of the scale; step 0 is for what is missing.
    const steps = new Uint16Array(n);
    const starts = new Uint32Array(259);
    for (let i = 0; i < n; i++) {
      const missing = Number.isNaN(values[i]);
      const at = missing ? 0 : step(values[i], range);
      const colour = missing ? MISSING : SCALE.subarray(3 * at, 3 * at + 3);
      bytes.set(colour, 4 * i);
      bytes[4 * i + 3] = missing ? 110 : 255;
      steps[i] = missing ? 0 : at + 1;
      starts[steps[i] + 1]++;
    }
    for (let i = 1; i < starts.length; i++) starts[i] += starts[i - 1];
    const order = new Uint32Array(n);
    for (let i = 0; i < n; i++) order[starts[steps[i]]++] = i;
    return { colours: bytes, order };
  }
}

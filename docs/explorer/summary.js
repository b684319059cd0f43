// What a column holds: counts of categories, or how numbers are spread.
import { colouring } from "./colouring.js";
import { el } from "./dom.js";
import { errorPanel } from "./errors.js";
import { count, number, plural, rough } from "./format.js";

/** Categories that are listed. */
const LISTED = 300;
const BINS = 24;

export function summary(column) {
  try {
    const found = colouring(column);
    return found.kind === "categories" ? categories(found, column) : numbers(found);
  } catch (error) {
    return column.length === 0 ? el("p", { class: "note" }, "no rows") : errorPanel(error);
  }
}

function categories({ names, counts, missing }, { ordered }) {
  if (names.length > 1 && counts.every((n) => n === 1)) return el("p", { class: "note" }, `${count(names.length)} values, each of them once`);
  const order = names.map((_, i) => i);
  if (!ordered) order.sort((a, b) => counts[b] - counts[a]);
  const most = Math.max(1, ...counts);
  const lines = order.slice(0, LISTED).map((i) => bar(names[i], counts[i], most));
  if (missing > 0) lines.push(bar("missing", missing, most, "missing"));
  const about = `${plural(names.length, "category", "categories")}${ordered ? ", in order" : ""}`;
  const more = names.length > LISTED && el("p", { class: "note" }, `the ${LISTED} of most rows`);
  return el("div", {}, el("p", { class: "note" }, about), more, el("ul", { class: "counts" }, lines));
}

function bar(name, n, most, kind = "") {
  const fill = el("span", { class: "fill", "aria-hidden": "true" });
  fill.style.width = `${(100 * n) / most}%`;
  return el("li", { class: kind }, fill, el("span", { class: "name", title: name }, name), el("span", { class: "n" }, count(n)));
}

function numbers({ values, range, missing }) {
  if (!range) return el("p", { class: "note" }, "no finite numbers");
  const [least, most] = range;
  let [sum, n] = [0, 0];
  const bins = new Float64Array(BINS);
  for (const value of values) {
    if (!Number.isFinite(value)) continue;
    sum += value;
    n++;
    bins[most > least ? Math.min(BINS - 1, Math.floor(((value - least) / (most - least)) * BINS)) : 0]++;
  }
  const highest = Math.max(...bins);
  const bars = Array.from(bins, (height) => {
    const bar = el("span");
    bar.style.height = `${Math.ceil((100 * height) / highest)}%`;
    return bar;
  });
  const single = values instanceof Float32Array;
  const facts = [["least", number(least, single)], ["mean", rough(sum / n)], ["most", number(most, single)], ["missing", count(missing)]];
  const chart = el("div", { class: "histogram", role: "img", "aria-label": `Histogram from ${rough(least)} to ${rough(most)}` }, bars);
  const list = el("dl", { class: "facts" }, facts.flatMap(([name, text]) => [el("dt", {}, name), el("dd", {}, text)]));
  return el("div", {}, chart, el("p", { class: "ends" }, el("span", {}, rough(least)), el("span", {}, rough(most))), list);
}

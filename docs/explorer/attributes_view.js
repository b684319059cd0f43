// The attributes of an object. One that is damaged is an error in its own line.
import { el } from "./dom.js";
import { errorText } from "./errors.js";
import { dtypeText, elementText, shapeText } from "./format.js";

/** Elements of an attribute that are written out. */
const MOST = 200;

export function attributesView(attributes) {
  const names = attributes.keys();
  if (names.length === 0) return { node: el("p", { class: "note" }, "There are no attributes.") };
  const body = el("tbody", {}, names.map((name) => line(attributes, name)));
  const head = el("tr", {}, ["Name", "Value", "Type"].map((text) => el("th", { scope: "col" }, text)));
  return { node: el("div", { class: "wide", tabIndex: 0 }, el("table", { class: "plain" }, el("thead", {}, head), body)) };
}

function line(attributes, name) {
  const about = attributes.describe(name);
  return el(
    "tr",
    {},
    el("th", { scope: "row" }, name),
    value(attributes, name),
    el("td", { class: "quiet" }, about ? `${dtypeText(about.dtype)}${about.shape.length ? `, ${shapeText(about.shape)}` : ""}` : ""),
  );
}

function value(attributes, name) {
  try {
    return el("td", {}, attributeText(attributes.array(name)));
  } catch (error) {
    return el("td", { class: "failed" }, `⚠ ${errorText(error)}`);
  }
}

/** All elements of an array as text. */
export function attributeText(array) {
  if (!array) return "no value";
  const { data, dtype, shape } = array;
  if (shape.length === 0) return elementText(data, dtype, 0);
  const size = shape.reduce((product, n) => product * n, 1);
  const texts = Array.from({ length: Math.min(size, MOST) }, (_, i) => elementText(data, dtype, i));
  if (size > MOST) texts.push("…");
  return `[${texts.join(", ")}]`;
}

/** How a dataset is stored. */
export function storageView({ layout, chunkShape, filters, maxShape, shape, dtype }) {
  const facts = [
    ["Datatype", dtypeText(dtype)],
    ["Shape", shapeText(shape)],
    ["Largest shape", maxShape?.length ? maxShape.map((n) => n ?? "unlimited").join(" × ") : "as it is"],
    ["Layout", layout],
    chunkShape && ["Chunks", chunkShape.join(" × ")],
    ["Filters", filters.length ? filters.map(filterText).join(", ") : "none"],
  ].filter(Boolean);
  return { node: el("dl", { class: "facts" }, facts.flatMap(([name, text]) => [el("dt", {}, name), el("dd", {}, text)])) };
}

const filterText = ({ id, name, values, supported }) =>
  `${name ?? `filter ${id}`}${values.length ? ` (${values.join(", ")})` : ""}${supported ? "" : ", not supported"}`;

// What is shown of an object: its head, and its views.
import { annDataViews, looksLikeAnnData } from "./anndata_view.js";
import { elementViews } from "./element_view.js";
import { attributeText, attributesView, storageView } from "./attributes_view.js";
import { el } from "./dom.js";
import { errorPanel } from "./errors.js";
import { count, dtypeText, isNumeric, plural, shapeText, shortDtype } from "./format.js";
import { tableViews } from "./h5col_view.js";
import { imageView } from "./image_view.js";
import { plotView } from "./plot_view.js";
import { Tabs } from "./tabs.js";
import { valuesView } from "./values_view.js";

/** Reads an object, and gives `{node, close}`. `place` is `{view, go(path), setView(name)}`. */
export async function objectView(file, path, place, signal) {
  const object = path === "/" ? file : await file.get(path, { signal });
  let attributes;
  let wrong;
  try {
    attributes = await object.attrs({ signal });
  } catch (error) {
    if (signal.aborted) throw error;
    wrong = error;
  }
  const made = await views(object, attributes, place, signal);
  if (attributes) made.views.push({ name: "attributes", title: `Attributes (${count(attributes.size)})`, make: () => attributesView(attributes) });
  const tabs = made.views.length > 0 && new Tabs(`Views of ${object.path}`, made.views, place.view, place.setView);
  const problems = [wrong, made.error].filter(Boolean).map((error) => errorPanel(error));
  const node = el("article", { class: "object" }, head(object, made.about, place), problems, tabs && tabs.node);
  return { node, close: () => (tabs && tabs.close(), made.close?.()) };
}

function head({ path, kind }, about, { go }) {
  const names = path.split("/").filter(Boolean);
  const steps = names.map((name, i) => ({ name, path: `/${names.slice(0, i + 1).join("/")}` }));
  const crumb = ({ name, path }, last) =>
    el("li", {}, last ? el("span", { "aria-current": "page" }, name) : el("button", { type: "button", onclick: () => go(path) }, name));
  const all = [{ name: "/", path: "/" }, ...steps];
  const crumbs = el("ol", { class: "crumbs" }, all.map((step, i) => crumb(step, i === all.length - 1)));
  return el("header", { class: "object-head" }, el("nav", { "aria-label": "Path" }, crumbs), el("p", { class: "about" }, about ?? kind));
}

async function views(object, attributes, place, signal) {
  if (object.kind === "dataset") return datasetViews(object);
  if (object.kind === "datatype") return { views: [], about: `named datatype: ${dtypeText(object.dtype)}` };
  const contents = { name: "contents", title: "Contents", make: () => contentsView(object, place) };
  try {
    const special = await specialViews(object, attributes, signal);
    return { ...special, about: special.about ?? "group", views: [...special.views, contents] };
  } catch (error) {
    if (signal.aborted) throw error;
    return { views: [contents], about: "group", error };
  }
}

/** Views of a group that is an AnnData or a table. */
async function specialViews(group, attributes, signal) {
  const known = (name) => {
    try {
      return attributes?.has(name) ? attributeText(attributes.array(name)) : undefined;
    } catch {
      return undefined;
    }
  };
  if (known("CLASS") === "COLUMN_TABLE") return tableViews(group, signal);
  const encoding = known("encoding-type");
  if (await looksLikeAnnData(group, encoding, signal)) return annDataViews(group, signal);
  return encoding === undefined ? { views: [] } : elementViews(group, encoding, signal);
}

function datasetViews(dataset) {
  const { shape, dtype, space } = dataset;
  const about = `${space === "null" ? "no values" : shapeText(shape)} · ${dtypeText(dtype)}`;
  const views = [{ name: "values", title: "Values", make: () => valuesView(dataset) }];
  const drawn = isNumeric(dtype) && !shape.includes(0);
  if (drawn && shape.length >= 2) views.push({ name: "image", title: "Image", make: () => imageView(dataset) });
  if (drawn && (shape.length === 1 || shape.length === 2)) {
    views.push({ name: "plot", title: "Plot", make: () => plotView(lineSource(dataset)) });
  }
  views.push({ name: "storage", title: "Storage", make: () => storageView(dataset) });
  return { views, about };
}

function lineSource(dataset) {
  const [length, lines = 1] = dataset.shape;
  const read = async (start, stop, line, signal) => {
    const rows = { start, stop };
    return (await dataset.read(dataset.shape.length === 1 ? [rows] : [rows, line], { signal })).data;
  };
  return { length, lines, read };
}

/** Members that are listed; of larger groups the tree shows all. */
const LISTED = 500;

function contentsView(group, { go }) {
  const node = el("div", { class: "wide", tabIndex: 0 }, el("p", { class: "note" }, "reading…"));
  const controller = new AbortController();
  const { signal } = controller;
  const path = (name) => `${group.path === "/" ? "" : group.path}/${name}`;
  const line = ({ name, kind, shape, dtype, link, target, error }) =>
    el(
      "tr",
      {},
      el("th", { scope: "row" }, el("button", { type: "button", class: "link", onclick: () => go(path(name)) }, name)),
      el("td", {}, kind ?? (link ? `${link} link` : "")),
      el("td", { class: error ? "failed" : "quiet" }, error ? `⚠ ${error}` : dtype ? `${shape ? `${shapeText(shape)} · ` : ""}${shortDtype(dtype)}` : (target ?? "")),
    );
  (async () => {
    const names = await group.keys({ signal });
    const entries = names.length > LISTED ? names.slice(0, LISTED).map((name) => ({ name })) : await group.entries({ signal });
    const body = el("tbody", {}, entries.map(line));
    const more = names.length > LISTED && `The first ${LISTED} of ${count(names.length)} members; the tree has all.`;
    const text = names.length === 0 ? "This group is empty." : more || plural(names.length, "member");
    node.replaceChildren(el("p", { class: "note" }, text), el("table", { class: "plain" }, body));
  })().catch((error) => signal.aborted || node.replaceChildren(errorPanel(error)));
  return { node, close: () => controller.abort() };
}

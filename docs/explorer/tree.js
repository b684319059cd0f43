// The tree of a file. Groups are read when they are opened, and only the lines that are seen are in the page.
import { el, onceAFrame, unique } from "./dom.js";
import { errorText } from "./errors.js";
import { plural, shapeText, shortDtype } from "./format.js";

const LINE = 28;
/** A group with more members is listed by names; what they are is looked up as they are seen. */
const LARGE = 500;

const SIGNS = { group: "▤", dataset: "▦", datatype: "τ", link: "↪", error: "⚠", unknown: "·" };

/** `onChoose(path)` is told what was chosen; a group in the tree is `{path, name, level, kind, children…}`. */
export class Tree {
  #file;
  #onChoose;
  #root;
  #lines = [];
  #active;
  #id = unique("tree");
  #draw = onceAFrame(() => this.#drawn());

  constructor(file, name, onChoose) {
    this.#file = file;
    this.#onChoose = onChoose;
    this.#root = { path: "/", name, level: 1, kind: "group", place: 1, of: 1 };
    this.#active = this.#root;
    this.spacer = el("div", { class: "tree-lines", role: "presentation" });
    this.node = el(
      "div",
      {
        class: "tree",
        role: "tree",
        tabIndex: 0,
        "aria-label": `Objects of ${name}`,
        onscroll: this.#draw,
        onkeydown: (event) => this.#key(event),
        onclick: (event) => this.#clicked(event),
      },
      this.spacer,
    );
    this.sizes = new ResizeObserver(this.#draw);
    this.sizes.observe(this.node);
  }

  start() {
    return this.#open(this.#root);
  }

  async #open(group) {
    group.open = true;
    if (!group.children) {
      group.children = [note(group, "reading…")];
      this.#list();
      try {
        group.children = await this.#members(group);
      } catch (error) {
        group.children = [{ ...note(group, errorText(error)), kind: "error" }];
        group.failed = true;
      }
      if (group.children.length === 0) group.children = [note(group, "empty")];
    }
    this.#list();
  }

  async #members(group) {
    const object = group.path === "/" ? this.#file : await this.#file.get(group.path);
    const names = await object.keys();
    const entries = names.length > LARGE ? names.map((name) => ({ name, unknown: true })) : await object.entries();
    return entries.map((entry, i) => member(group, entry, i, entries.length));
  }

  #close(group) {
    group.open = false;
    if (group.failed) Object.assign(group, { children: undefined, failed: false });
    this.#list();
  }

  /** The lines of all groups that are open. */
  #list() {
    const lines = [];
    const add = (node) => {
      lines.push(node);
      if (node.open) for (const child of node.children) add(child);
    };
    add(this.#root);
    this.#lines = lines;
    this.spacer.style.height = `${lines.length * LINE}px`;
    this.#draw();
  }

  #drawn() {
    const { scrollTop, clientHeight } = this.node;
    if (clientHeight === 0) return;
    const first = Math.max(0, Math.floor(scrollTop / LINE) - 4);
    const last = Math.min(this.#lines.length, Math.ceil((scrollTop + clientHeight) / LINE) + 4);
    const seen = this.#lines.slice(first, last);
    this.spacer.replaceChildren(...seen.map((node, i) => this.#line(node, first + i)));
    const at = this.#lines.indexOf(this.#active);
    if (at >= first && at < last) this.node.setAttribute("aria-activedescendant", `${this.#id}-${at}`);
    else this.node.removeAttribute("aria-activedescendant");
    for (const node of seen) if (node.kind === "unknown") this.#look(node);
  }

  /** Finds out what a member of a large group is. */
  async #look(node) {
    node.kind = "looking";
    try {
      const { kind, shape, dtype } = await this.#file.get(node.path);
      Object.assign(node, { kind, shape, dtype });
    } catch (error) {
      Object.assign(node, { kind: "error", error: errorText(error) });
    }
    this.#draw();
  }

  #line(node, at) {
    const line = el("div", { class: "tree-line", role: "treeitem", id: `${this.#id}-${at}` });
    line.dataset.at = at;
    line.style.top = `${at * LINE}px`;
    line.style.paddingLeft = `${8 + 16 * (node.level - 1)}px`;
    line.setAttribute("aria-level", node.level);
    line.setAttribute("aria-posinset", node.place);
    line.setAttribute("aria-setsize", node.of);
    line.setAttribute("aria-selected", String(node === this.#active));
    if (node.kind === "group") line.setAttribute("aria-expanded", String(node.open === true));
    if (node.kind === "note") line.classList.add("note");
    if (node.kind === "error") line.classList.add("failed");
    const twist = node.kind === "group" ? (node.open ? "▾" : "▸") : "";
    line.append(
      el("span", { class: "twist", "aria-hidden": "true" }, twist),
      el("span", { class: `sign ${node.kind}`, "aria-hidden": "true" }, SIGNS[node.kind] ?? SIGNS.unknown),
      el("span", { class: "tree-name", title: node.error ?? node.name }, node.name),
      el("span", { class: "tree-about" }, about(node)),
    );
    return line;
  }

  #clicked(event) {
    const line = event.target.closest(".tree-line");
    const node = line && this.#lines[line.dataset.at];
    if (!node || node.kind === "note") return;
    if (event.target.classList.contains("twist") && node.kind === "group") this.#toggle(node);
    else this.#choose(node);
  }

  #toggle(node) {
    if (node.open) this.#close(node);
    else this.#open(node);
  }

  #choose(node) {
    this.#go(node);
    if (node.kind === "group" && !node.open) this.#open(node);
    this.#onChoose(node.path);
  }

  #go(node) {
    if (!node || node.kind === "note") return;
    this.#active = node;
    const top = this.#lines.indexOf(node) * LINE;
    const { scrollTop, clientHeight } = this.node;
    if (top < scrollTop) this.node.scrollTop = top;
    else if (top + LINE > scrollTop + clientHeight) this.node.scrollTop = top + LINE - clientHeight;
    this.#draw();
  }

  #key(event) {
    const node = this.#active;
    const at = this.#lines.indexOf(node);
    const page = Math.floor(this.node.clientHeight / LINE);
    const near = (to) => this.#lines[Math.max(0, Math.min(this.#lines.length - 1, to))];
    const keys = {
      ArrowDown: () => this.#go(near(at + 1)),
      ArrowUp: () => this.#go(near(at - 1)),
      PageDown: () => this.#go(near(at + page)),
      PageUp: () => this.#go(near(at - page)),
      Home: () => this.#go(near(0)),
      End: () => this.#go(near(Infinity)),
      ArrowRight: () => node.kind === "group" && (node.open ? this.#go(near(at + 1)) : this.#open(node)),
      ArrowLeft: () => (node.open ? this.#close(node) : this.#go(node.parent)),
      Enter: () => this.#choose(node),
      " ": () => this.#choose(node),
    };
    if (keys[event.key]) {
      event.preventDefault();
      keys[event.key]();
    } else if (event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey) {
      const next = [...this.#lines.slice(at + 1), ...this.#lines.slice(0, at)];
      this.#go(next.find(({ name }) => name.toLowerCase().startsWith(event.key.toLowerCase())));
    }
  }

  /** Opens the groups that lead to an object and marks it; what is not in the tree stays unmarked. */
  async reveal(path) {
    let node = this.#root;
    for (const name of path.split("/").filter(Boolean)) {
      if (node.kind !== "group") return;
      if (!node.open || !node.children) await this.#open(node);
      const next = node.children.find((child) => child.name === name);
      if (!next) return;
      node = next;
    }
    this.#go(node);
  }

  close() {
    this.sizes.disconnect();
  }
}

function member(group, entry, i, of) {
  const { name, kind, shape, dtype, error, target, file, link } = entry;
  const path = `${group.path === "/" ? "" : group.path}/${name}`;
  const shown = error ? "error" : (kind ?? (entry.unknown ? "unknown" : "link"));
  const to = link === "external" ? `${file}:${target}` : target;
  return { path, name, parent: group, level: group.level + 1, place: i + 1, of, kind: shown, shape, dtype, error, to };
}

function note(group, text) {
  return { path: group.path, name: text, parent: group, level: group.level + 1, kind: "note", place: 1, of: 1 };
}

function about({ kind, shape, dtype, to, children, open }) {
  if (kind === "dataset" && dtype) return `${shapeText(shape)} ${shortDtype(dtype)}`;
  if (kind === "link") return `→ ${to ?? ""}`;
  if (kind === "group" && open && children?.length > 20) return plural(children.length, "member");
  return "";
}

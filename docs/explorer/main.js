// Opens files, and shows what the address of the page says.
import { open, openInWorker } from "./h5kit/index.js";
import { el } from "./dom.js";
import { bytes, plural } from "./format.js";
import { objectView } from "./object_view.js";
import { go, place } from "./place.js";
import { Task } from "./task.js";
import { Tree } from "./tree.js";

const by = (id) => document.getElementById(id);
const opening = new Task(by("open-state"));
const showing = new Task();

/** What is open: `{file, name, url, tree, view, path}`. */
let now;

/** Opens an address or a file; others that were dropped with it are there for it to name. */
async function openInput(input, { path, view, others = [] } = {}) {
  const url = typeof input === "string" ? input : undefined;
  const name = url ? nameOf(url) : input.name;
  const again = () => openInput(input, { path, view, others });
  show("start");
  const file = await opening.run(`Opening ${name}…`, (signal) => opened(input, others, signal), { retry: again });
  if (!file) return;
  closeFile();
  now = { file, name, url };
  by("file-name").textContent = name;
  by("file-name").title = url ?? name;
  document.title = `${name} · h5kit explorer`;
  now.tree = new Tree(file, name, (path) => visit(path));
  by("tree-pane").replaceChildren(now.tree.node);
  traffic();
  show("explorer");
  go({ url, path: path ?? "/", view }, { replace: true });
  await now.tree.start();
  await look();
  now?.tree.reveal(now.path);
}

/** The last part of an address. */
function nameOf(url) {
  try {
    return decodeURIComponent(new URL(url, location.href).pathname.split("/").pop()) || url;
  } catch {
    return url;
  }
}

/** Work is done in a worker; files beside it can only be looked up here. */
function opened(input, others, signal) {
  const options = { signal, fullDownload: "small" };
  if (others.length === 0) return openInWorker(input, options);
  const named = (name) => others.find((file) => file.name === name.split("/").pop());
  return open(input, { ...options, neighbours: named });
}

function closeFile() {
  now?.view?.close();
  now?.tree.close();
  now?.file.close().catch(() => {});
  now = undefined;
  by("content").replaceChildren();
  by("traffic").textContent = "";
}

function show(id) {
  for (const name of ["start", "explorer"]) by(name).hidden = name !== id;
  by("reopen").hidden = by("toggle-tree").hidden = id === "start";
  treeShown(false);
}

/** On a narrow screen either the tree or the object is seen. */
function treeShown(shown) {
  document.body.classList.toggle("tree-shown", shown);
  by("toggle-tree").setAttribute("aria-expanded", String(shown));
}

function visit(path, view) {
  go({ url: now.url, path, view });
  treeShown(false);
  return look();
}

/** Shows the object that the address names. */
async function look() {
  const { path, view } = place();
  const content = by("content");
  const { file } = now;
  now.view?.close();
  now.view = undefined;
  now.path = path;
  content.replaceChildren(showing.place);
  const at = {
    view,
    go: (path) => (visit(path), now.tree.reveal(path)),
    setView: (view) => go({ url: now.url, path, view }, { replace: true }),
  };
  const made = await showing.run(`Reading ${path}…`, (signal) => objectView(file, path, at, signal), { retry: look });
  if (!made) return;
  if (now?.file !== file || now.path !== path) return made.close();
  now.view = made;
  content.replaceChildren(showing.place, made.node);
  content.scrollTop = 0;
}

/** What else may be wrong is told at the top, and the page goes on. */
function trouble(error) {
  if (error?.name === "AbortError") return;
  console.error(error);
  const close = () => note.remove();
  const text = el("span", {}, `Something went wrong in this page: ${error?.message ?? error}`);
  const note = el("div", { class: "trouble", role: "alert" }, text, el("button", { onclick: close, "aria-label": "Close" }, "×"));
  document.querySelector(".trouble")?.remove();
  document.body.append(note);
}

function traffic() {
  if (!now) return;
  const { requests, bytes: fetched } = now.file.stats;
  by("traffic").textContent = now.url ? `${plural(requests, "request")} · ${bytes(fetched)}` : `${bytes(fetched)} read`;
}

function dropped(event) {
  event.preventDefault();
  document.body.classList.remove("dragging");
  const [file, ...others] = event.dataTransfer?.files ?? [];
  if (file) openInput(file, { others });
}

function listen() {
  by("file").addEventListener("change", ({ target }) => target.files[0] && openInput(target.files[0]));
  by("open-form").addEventListener("submit", (event) => {
    event.preventDefault();
    const url = by("url").value.trim();
    if (url) openInput(URL.canParse(url, location.href) ? new URL(url, location.href).href : url);
  });
  by("home").addEventListener("click", (event) => {
    event.preventDefault();
    leave();
  });
  by("reopen").addEventListener("click", leave);
  by("toggle-tree").addEventListener("click", () => treeShown(!document.body.classList.contains("tree-shown")));
  document.addEventListener("dragover", (event) => (event.preventDefault(), document.body.classList.add("dragging")));
  document.addEventListener("dragleave", (event) => event.relatedTarget ?? document.body.classList.remove("dragging"));
  document.addEventListener("drop", dropped);
  addEventListener("popstate", moved);
  addEventListener("error", ({ error, message }) => trouble(error ?? message));
  addEventListener("unhandledrejection", ({ reason }) => trouble(reason));
  setInterval(traffic, 300);
}

/** Back to the first page. */
function leave() {
  closeFile();
  by("file").value = "";
  by("file-name").textContent = "";
  document.title = "h5kit explorer";
  history.pushState(null, "", location.pathname);
  show("start");
}

/** The address has changed: by the buttons of the browser, or by hand. */
function moved() {
  const { url, path, view } = place();
  if (url && url !== now?.url) return openInput(url, { path, view });
  if (!now) return undefined;
  look();
  return now.tree.reveal(path);
}

listen();
const { url, path, view } = place();
if (url) {
  by("url").value = url;
  openInput(url, { path, view });
}

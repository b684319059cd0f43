// The two modules: the core, and the codecs that few files need.
import init, * as core from "./wasm/h5kit.js";
import { H5Error } from "./errors.js";

/** Where else the modules are, by their names. */
const places = {};
let loading;
let loadingCodecs;
/** What ended the core. Nothing of it can be used after that. */
let dead;

/** Says where the modules are, for bundlers that move them: an address, a response, bytes, or a compiled module. */
export function setWasm({ core, codecs }) {
  if (core !== undefined) places.core = core;
  if (codecs !== undefined) places.codecs = codecs;
}

/** The core, loaded by the first call. */
export async function load() {
  loading ??= place("core", new URL("./wasm/h5kit_bg.wasm", import.meta.url)).then((module_or_path) =>
    init({ module_or_path }),
  );
  try {
    await loading;
  } catch (cause) {
    loading = undefined;
    throw new H5Error("Io", `the WebAssembly of h5kit cannot be loaded: ${cause.message}`, { cause });
  }
  return core;
}

/** Node has no `fetch` of files; it reads them where that is needed. */
async function place(name, url) {
  if (places[name] !== undefined) return places[name];
  const files = url.protocol === "file:" ? globalThis.process?.getBuiltinModule?.("node:fs/promises") : undefined;
  return files ? await files.readFile(url) : url;
}

/** Loads the module of codecs, unless it is loaded. Tells whether it decodes a filter that the core does not. */
export async function loadCodecs(filter) {
  const first = loadingCodecs === undefined;
  loadingCodecs ??= codecs();
  try {
    const filters = await loadingCodecs;
    return first && filters.includes(filter);
  } catch (cause) {
    loadingCodecs = undefined;
    throw new H5Error("Io", `the codecs of h5kit cannot be loaded: ${cause.message}`, { cause });
  }
}

async function codecs() {
  const module = await import("./wasm/h5kit_codecs.js");
  const module_or_path = await place("codecs", new URL("./wasm/h5kit_codecs_bg.wasm", import.meta.url));
  await module.default({ module_or_path });
  const filters = Array.from(module.filters());
  for (const id of filters) {
    if (!own.has(id)) core.registerDecoder(id, (bytes, values, most) => module.decode(id, bytes, values, most));
  }
  return filters;
}

/** Filters that a program decodes itself. */
const own = new Set();

/** Decodes a filter by a function of the bytes, the client data, and the most bytes that may come out. */
export async function registerFilter(id, decode) {
  const { registerDecoder } = await load();
  own.add(id);
  registerDecoder(id, decode);
}

/** True where the codecs have been loaded. */
export function codecsLoaded() {
  return loadingCodecs !== undefined;
}

/** Calls into the core. What it throws becomes an error; a panic ends it. */
export function call(work) {
  if (dead) throw dead;
  try {
    return work();
  } catch (error) {
    if (typeof error?.kind === "string") throw error instanceof H5Error ? error : H5Error.from(error);
    dead = new H5Error("Internal", `h5kit has stopped, load it anew: ${said() || error}`, { cause: error });
    throw dead;
  }
}

function said() {
  try {
    return core.lastPanic().replaceAll(/\s*\n\s*/g, " ");
  } catch {
    return "";
  }
}

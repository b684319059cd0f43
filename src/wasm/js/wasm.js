// The modules of WebAssembly: the core; the same with AnnData, H5Col and the digest; and the codecs that few files need.
import { usage } from "./arguments.js";
import { H5Error } from "./errors.js";

/** Where else the modules are, by their names. */
const places = {};

/** Says where the modules are, for bundlers that move them: an address, a response, bytes, or a compiled module. */
export function setWasm(modules) {
  Object.assign(places, modules);
}

const SCRIPTS = {
  core: () => import("./wasm/h5kit.js"),
  tables: () => import("./wasm/h5kit_tables.js"),
  codecs: () => import("./wasm/h5kit_codecs.js"),
};

const ADDRESSES = {
  core: () => new URL("./wasm/h5kit_bg.wasm", import.meta.url),
  tables: () => new URL("./wasm/h5kit_tables_bg.wasm", import.meta.url),
  codecs: () => new URL("./wasm/h5kit_codecs_bg.wasm", import.meta.url),
};

const loading = {};

/** A module by its name, loaded by the first call. */
async function script(name) {
  loading[name] ??= (async () => {
    const module = await SCRIPTS[name]();
    await module.default({ module_or_path: places[name] ?? (await place(ADDRESSES[name]())) });
    return module;
  })();
  try {
    return await loading[name];
  } catch (cause) {
    delete loading[name];
    throw new H5Error("Io", `the WebAssembly of h5kit (${name}) cannot be loaded: ${cause.message}`, { cause });
  }
}

/** Node has no `fetch` of files; it reads them where that is needed. */
async function place(url) {
  const files = url.protocol === "file:" ? globalThis.process?.getBuiltinModule?.("node:fs/promises") : undefined;
  return files ? await files.readFile(url) : url;
}

/** Decoders of programs, by the numbers of filters. */
const own = new Map();
/** The cores that are loaded. */
const cores = {};

/** Those that panicked, and have to be made anew. */
const dead = new Set();

/** The core, or that with AnnData and H5Col. */
export async function load(name = "core") {
  if (cores[name]) return cores[name];
  const module = await script(name);
  if (dead.delete(name)) module.__wbg_reset_state();
  return (cores[name] ??= new Core(name, module));
}

/** Decodes a filter by a function of the bytes, the client data, and the most bytes that may come out. */
export async function registerFilter(id, decode) {
  own.set(id, decode);
  await load();
  for (const core of Object.values(cores)) core.register(id, decode);
}

/** The names of the modules that are loaded. */
export function loadedModules() {
  return Object.keys(loading);
}

class Core {
  /** What ended it. Nothing of it can be used after that. */
  dead;
  #name;
  #codecs;

  constructor(name, module) {
    this.#name = name;
    this.module = module;
    for (const [id, decode] of own) this.register(id, decode);
  }

  register(id, decode) {
    this.call(() => this.module.registerDecoder(id, decode));
  }

  /** Loads the codecs, unless they are loaded. Tells whether they decode a filter that could not be decoded before. */
  async loadCodecs(filter) {
    if (this.#codecs) return false;
    const codecs = await script("codecs");
    this.#codecs = Array.from(codecs.filters());
    for (const id of this.#codecs) {
      if (!own.has(id)) this.register(id, (bytes, values, most) => decoded(codecs, id, bytes, values, most));
    }
    return this.#codecs.includes(filter);
  }

  /**
   * Calls into the core. What it throws becomes an error; a panic ends it, and the next file is opened in a new one. Arguments
   * that cannot be given to it are none: a panic is no `TypeError`.
   */
  call(work) {
    if (this.dead) throw this.dead;
    try {
      return work();
    } catch (error) {
      if (typeof error?.kind === "string") throw error instanceof H5Error ? error : H5Error.from(error);
      if (error instanceof TypeError) throw usage(`this cannot be given to h5kit: ${error.message}`);
      this.dead = new H5Error("Internal", `h5kit has stopped: ${this.#said() || error}; open the file again`, { cause: error });
      delete cores[this.#name];
      dead.add(this.#name);
      throw this.dead;
    }
  }

  #said() {
    try {
      return this.module.lastPanic().replaceAll(/\s*\n\s*/g, " ");
    } catch {
      return "";
    }
  }
}

/** Decodes in the module of codecs. Faults of the bytes are text; anything else was a panic, after which it is made anew. */
function decoded(codecs, ...chunk) {
  try {
    return codecs.decode(...chunk);
  } catch (error) {
    if (typeof error !== "string") codecs.__wbg_reset_state();
    throw error;
  }
}

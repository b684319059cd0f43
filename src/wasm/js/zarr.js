// An HDF5 file as a store of Zarr (version 2), so that what reads Zarr reads it. Chunks are given with their filters undone.
import { H5Error } from "./errors.js";

/** Bytes of the chunks of datasets that have none. */
const CHUNK = 1 << 20;

const encoder = new TextEncoder();
const text = (value) => encoder.encode(JSON.stringify(value));

/** A store as zarrita takes it: `get("/obsm/X_umap/.zarray")`, `get("/obsm/X_umap/0.0")`. `undefined` is what is not there. */
export function zarrStore(file) {
  return new Store(file);
}

class Store {
  #file;
  #arrays = new Map();

  constructor(file) {
    this.#file = file;
  }

  async get(key, options) {
    const slash = key.lastIndexOf("/");
    const [path, name] = [key.slice(0, slash) || "/", key.slice(slash + 1)];
    const object = await this.#object(path, options);
    if (object === undefined) return undefined;
    switch (name) {
      case ".zgroup":
        return object.kind === "group" ? text({ zarr_format: 2 }) : undefined;
      case ".zattrs":
        return text(attributes(await object.attrs(options)));
      case ".zarray":
        return object.kind === "dataset" ? text(described(object)) : undefined;
      default:
        return object.kind === "dataset" && /^\d+(\.\d+)*$/.test(name) ? chunk(object, name.split(".").map(Number), options) : undefined;
    }
  }

  async getRange(key, range, options) {
    const bytes = await this.get(key, options);
    if (range.suffixLength !== undefined) return bytes?.slice(-range.suffixLength);
    return bytes?.slice(range.offset, range.offset + range.length);
  }

  /** What is at a path. Objects stay open; of what is not there nothing is kept. */
  async #object(path, options) {
    if (!this.#arrays.has(path)) {
      try {
        this.#arrays.set(path, await this.#file.get(path, options));
      } catch (error) {
        if (error.kind === "NotFound" || error.kind === "Usage") return undefined;
        throw error;
      }
    }
    return this.#arrays.get(path);
  }
}

function described(dataset) {
  const { shape, dtype } = dataset;
  const variable = dtype.kind === "string" && dtype.length === null;
  return {
    zarr_format: 2,
    shape,
    chunks: grid(dataset),
    dtype: typeText(dataset),
    compressor: null,
    fill_value: null,
    order: "C",
    filters: variable ? [{ id: "vlen-utf8" }] : null,
  };
}

/** The shape of chunks: that of the file, or as many rows as make a piece. */
function grid({ shape, chunkShape, itemSize }) {
  if (chunkShape) return chunkShape;
  if (shape.length === 0) return [];
  const row = shape.slice(1).reduce((product, extent) => product * Math.max(1, extent), itemSize);
  const rows = Math.min(Math.max(1, shape[0]), Math.max(1, Math.floor(CHUNK / row)));
  return [rows, ...shape.slice(1).map((extent) => Math.max(1, extent))];
}

/** The datatype as NumPy writes it. */
function typeText({ path, dtype, itemSize }) {
  const numbers = dtype.kind === "enum" ? dtype.base : dtype;
  const order = numbers.size === 1 ? "|" : numbers.littleEndian ? "<" : ">";
  switch (numbers.kind) {
    case "int":
    case "uint":
    case "float":
      // NumPy has no others.
      if ([1, 2, 4, 8].includes(numbers.size)) return `${order}${numbers.kind[0]}${numbers.size}`;
      break;
    case "bool":
      if (itemSize === 1) return "|b1";
      break;
    case "string":
      return numbers.length === null ? "|O" : `|S${numbers.length}`;
    case "opaque":
      return `|V${numbers.size}`;
  }
  throw new H5Error("Unsupported", `${path}: Zarr has no datatype for these elements (${dtype.kind})`, { path });
}

/** The bytes of a chunk; at the ends of a dimension it is filled up. */
async function chunk(dataset, place, options) {
  const { shape, dtype, itemSize } = dataset;
  const chunks = grid(dataset);
  const start = chunks.map((extent, i) => extent * place[i]);
  if (start.some((start, i) => start >= shape[i])) return undefined;
  const stop = start.map((start, i) => Math.min(start + chunks[i], shape[i]));
  const selection = start.map((start, i) => ({ start, stop: stop[i] }));
  if (dtype.kind === "string" && dtype.length === null) {
    const { data } = await dataset.read(selection, options);
    return lengthsAndTexts(filled(data, start, stop, chunks, (length) => new Array(length).fill(""), 1));
  }
  typeText(dataset);
  const bytes = await dataset.readBytes(selection, options);
  return filled(bytes, start, stop, chunks, (length) => new Uint8Array(length), itemSize);
}

/** A part of a chunk within the whole of it; `width` numbers stand for one element. */
function filled(part, start, stop, chunks, make, width) {
  const some = stop.map((stop, i) => stop - start[i]);
  if (some.every((extent, i) => extent === chunks[i])) return part;
  const whole = make(chunks.reduce((product, extent) => product * extent, width));
  const run = some.at(-1) * width;
  const rows = some.slice(0, -1);
  for (let row = 0; row * run < part.length; row++) {
    let [at, rest, step] = [0, row, chunks.at(-1)];
    for (let i = rows.length - 1; i >= 0; i--) {
      at += (rest % rows[i]) * step;
      rest = Math.floor(rest / rows[i]);
      step *= chunks[i];
    }
    for (let i = 0; i < run; i++) whole[at * width + i] = part[row * run + i];
  }
  return whole;
}

/** Text as the filter `vlen-utf8` has it. */
function lengthsAndTexts(texts) {
  const all = texts.map((text) => encoder.encode(text));
  const bytes = new Uint8Array(all.reduce((length, text) => length + 4 + text.length, 4));
  const view = new DataView(bytes.buffer);
  view.setUint32(0, all.length, true);
  let at = 4;
  for (const text of all) {
    view.setUint32(at, text.length, true);
    bytes.set(text, at + 4);
    at += 4 + text.length;
  }
  return bytes;
}

/** Attributes as JSON: those that JSON cannot say are left out. */
function attributes(all) {
  const found = all.keys().flatMap((name) => {
    const value = plain(all.get(name));
    return value === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries(found);
}

function plain(value) {
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : undefined;
  if (value === null || ["string", "number", "boolean"].includes(typeof value)) return value;
  const { data, shape } = value;
  if (!Array.isArray(shape) || !(ArrayBuffer.isView(data) || Array.isArray(data))) return undefined;
  const items = Array.from(data, plain);
  return items.includes(undefined) ? undefined : items;
}

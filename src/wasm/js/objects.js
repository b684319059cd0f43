// Files, and what is in them.
import { count, shown, text, usage } from "./arguments.js";
import { H5Error } from "./errors.js";
import { plan } from "./plan.js";
import { resolve } from "./selection.js";
import { NdArray, Reference, asNumbers, datatype, elements, encoded, joined, none, scalar, strings, taken } from "./values.js";

const encoder = new TextEncoder();

/** More levels of groups than any file has. */
const DEEP = 2 ** 31;

/** A path, or the bytes of one that is not UTF-8. */
function bytesOf(path) {
  if (typeof path === "string") return encoder.encode(path);
  if (path instanceof Uint8Array) return path;
  throw usage(`a path is text or a Uint8Array, not ${shown(path)}`);
}

/** Every object: where it is, and its attributes. */
class Node {
  /** Not for programs: what the package's own modules call. */
  session;
  place;

  constructor(file, described, path) {
    this.file = file ?? this;
    this.session = file?.session;
    this.path = described.path ?? path;
    this.kind = described.kind;
    const { address = NaN } = described;
    this.place = { address, path: bytesOf(this.path) };
    hide(this, "session", "place", "file");
  }

  /** All attributes, in one batch. */
  async attrs({ signal } = {}) {
    return new Attributes(await this.session.attributes(this.place, signal), this.file);
  }
}

function hide(object, ...names) {
  for (const name of names) Object.defineProperty(object, name, { enumerable: false });
}

/** The attributes of an object. One that is damaged is an error of its own, when it is asked for. */
class Attributes {
  #all = new Map();
  #file;

  constructor(raw, file) {
    this.#file = file;
    for (let i = 0; i < raw.length; i += 3) this.#all.set(raw[i], { about: raw[i + 1], raw: raw[i + 2] });
  }

  get size() {
    return this.#all.size;
  }

  keys() {
    return [...this.#all.keys()];
  }

  has(name) {
    return this.#all.has(name);
  }

  /** The value: one element of a scalar attribute, else an array; `null` of a null dataspace. */
  get(name) {
    const array = this.array(name);
    if (!array) return array;
    return array.shape.length === 0 ? scalar(array.data, array.dtype) : array;
  }

  /** The value as an array, whatever its shape. */
  array(name) {
    const attribute = this.#all.get(name);
    if (attribute === undefined) return undefined;
    if (attribute.about === null) throw H5Error.from(attribute.raw);
    const { shape, dtype, space } = this.#about(attribute);
    if (space === "null") return null;
    return new NdArray(elements(attribute.raw, dtype, this.#file), shape, dtype);
  }

  /** Shape and datatype. */
  describe(name) {
    const attribute = this.#all.get(name);
    return attribute && attribute.about !== null ? this.#about(attribute) : undefined;
  }

  #about({ about }) {
    const { dtype, ...rest } = JSON.parse(about);
    return { ...rest, dtype: datatype(dtype) };
  }

  toObject() {
    return Object.fromEntries(this.keys().map((name) => [name, this.get(name)]));
  }

  *[Symbol.iterator]() {
    for (const name of this.keys()) yield [name, this.get(name)];
  }
}

export class Group extends Node {
  /** Names alone: no child is opened. Links that are damaged have none; where nothing but these is left that is an error. */
  async keys({ signal } = {}) {
    const links = JSON.parse(await this.session.entries(this.place, 0, signal));
    const names = links.flatMap(({ name = [] }) => name);
    if (names.length === 0 && links.length > 0) throw new H5Error("Corrupt", links[0].error, { path: this.path });
    return names;
  }

  /** All children with their kind, and of datasets shape and datatype; `depth` levels of them. */
  async entries({ depth = 1, signal } = {}) {
    const levels = depth === Infinity ? DEEP : Math.min(Math.max(1, count(depth, "`depth`")), DEEP);
    return JSON.parse(await this.session.entries(this.place, levels, signal)).map(entry);
  }

  /** Whether there is an object at a path from here. */
  async has(path, { signal } = {}) {
    return this.session.exists(this.place, bytesOf(path), signal);
  }

  /** The object at a path from here. */
  async get(path, { signal } = {}) {
    return opened(this.file, await this.session.object(this.place, bytesOf(path), signal));
  }

  async group(path, options) {
    return needed(await this.get(path, options), "group");
  }

  async dataset(path, options) {
    return needed(await this.get(path, options), "dataset");
  }
}

function needed(object, kind) {
  if (object.kind === kind) return object;
  throw new H5Error("Usage", `${object.path}: this is a ${object.kind}, not a ${kind}`, { path: object.path });
}

/** A link as it is described; of one that is damaged there is nothing but the error. */
function entry({ name = "", link = "damaged", dtype, entries, bytes, ...rest }) {
  const more = {};
  if (dtype !== undefined) more.dtype = datatype(dtype);
  if (entries !== undefined) more.entries = entries.map(entry);
  if (bytes !== undefined) more.bytes = Uint8Array.from(bytes);
  return { name, link, ...rest, ...more };
}

function opened(file, json) {
  const described = JSON.parse(json);
  const kinds = { group: Group, dataset: Dataset, datatype: NamedDatatype };
  return new kinds[described.kind](file, described);
}

export class NamedDatatype extends Node {
  constructor(file, described) {
    super(file, described);
    this.dtype = datatype(described.dtype);
  }
}

export class Dataset extends Node {
  constructor(file, described) {
    super(file, described);
    this.#describe(described);
  }

  #describe({ shape, maxShape, size, space, dtype, layout, chunkShape, filters, itemSize, position }) {
    Object.assign(this, { shape, maxShape, size, space, dtype: datatype(dtype), layout, chunkShape, filters, itemSize });
    if (position !== undefined) this.position = position;
    if (size > Number.MAX_SAFE_INTEGER) {
      throw new H5Error("Integer", `${this.path}: ${size} elements are more than a number of JavaScript counts`);
    }
  }

  /** The selected elements, all by default. */
  async read(selection, { signal, onProgress, into, ...options } = {}) {
    const wanted = this.#wanted(options);
    if (this.space === "null") return new NdArray(none(wanted.dtype, wanted.text), [0], wanted.dtype);
    const selected = resolve(selection, this.shape);
    const [number, about] = await this.session.begin(this.place, selected, undefined, signal, wanted.fields);
    try {
      const { shape, array, length } = JSON.parse(about);
      // Numbers that are wanted as they come are read to where they are wanted.
      const straight = into && !this.session.elsewhere && !selected.list && fits(into, array, length) ? into : undefined;
      const raw = await this.session.all(number, false, signal, onProgress, straight);
      const read = this.#result(this.#data(raw, wanted), shape, selected.list, wanted);
      if (into && !straight) read.data = put(read.data, into);
      return read;
    } finally {
      await this.session.drop(number);
    }
  }

  /** How elements are wanted. */
  #wanted({ int64 = "bigint", strings: form = "js", fields: names }) {
    const text = form === "bytes" ? encoded : strings;
    if (names === undefined) return { int64, text, dtype: this.dtype };
    if (!Array.isArray(names)) throw usage("`fields` is an array of names");
    const { kind, fields: all = [] } = this.dtype;
    if (kind !== "compound") throw new H5Error("Usage", `${this.path}: these are no compounds, and have no fields`, { path: this.path });
    const fields = Array.from(names, (name) => all.findIndex((field) => field.name === name));
    const unknown = names.find((_, i) => fields[i] < 0);
    if (unknown !== undefined) {
      const known = all.map(({ name }) => name).join(", ");
      throw new H5Error("NotFound", `${this.path}: no field \`${unknown}\`; there is ${known}`, { path: this.path });
    }
    return { int64, text, fields, dtype: { ...this.dtype, fields: fields.map((field) => all[field]) } };
  }

  #data(raw, { dtype, text }) {
    if (!Array.isArray(raw)) return raw;
    return raw.length === 0 ? none(dtype, text) : joined(raw.map((part) => elements(part, dtype, this.file, text)));
  }

  #result(data, shape, list, { int64, dtype }) {
    if (list) {
      const along = (part) => part.reduce((product, n) => product * n, 1);
      const { axis, places, dropped } = list;
      const [before, after] = [along(list.shape.slice(0, axis)), along(list.shape.slice(axis + 1))];
      data = taken(data, dtype, before, list.read, after, places);
      shape = list.shape.map((n, i) => (i === axis ? places.length : n)).filter((_, i) => !dropped[i]);
    }
    return new NdArray(int64 === "number" ? asNumbers(data) : data, shape, dtype);
  }

  /** The only element that is selected. */
  async readScalar(selection, options) {
    const { data, shape, dtype } = await this.read(selection, options);
    const size = shape.reduce((product, n) => product * n, 1);
    if (size !== 1) throw new H5Error("Usage", `${this.path}: ${size} elements where one was asked for`);
    return scalar(data, dtype);
  }

  /** The bytes of the selected elements as they are stored, filters undone. */
  async readBytes(selection, { signal, onProgress } = {}) {
    const [number] = await this.session.begin(this.place, resolve(selection, this.shape), undefined, signal);
    try {
      const parts = await this.session.all(number, true, signal, onProgress);
      return parts.length === 0 ? new Uint8Array() : joined(parts);
    } finally {
      await this.session.drop(number);
    }
  }

  /** The selected elements part by part, each with the place of its first in the selection: in little memory. */
  async *blocks(selection, { signal, maxBytes = 16 << 20, ...options } = {}) {
    const wanted = this.#wanted(options);
    if (this.space === "null") return;
    const selected = resolve(selection, this.shape);
    if (selected.list) throw new H5Error("Selection", "selection: listed places are not read in blocks");
    const [number, about] = await this.session.begin(this.place, selected, maxBytes, signal, wanted.fields);
    try {
      const { parts, shape: whole } = JSON.parse(about);
      let before = 0;
      for (let part = 0; part < parts; part++) {
        const [described, raw] = await this.session.part(number, part, signal);
        const shape = JSON.parse(described);
        const block = this.#result(this.#data([raw], wanted), shape, undefined, wanted);
        block.origin = origin(before, whole);
        before += shape.reduce((product, n) => product * n, 1);
        yield block;
      }
    } finally {
      await this.session.drop(number);
    }
  }

  /** What elements are that were never written; `null` where the file does not say. */
  async fillValue({ signal } = {}) {
    const raw = await this.session.fillValue(this.place, signal);
    return raw === null ? null : scalar(elements(raw, this.dtype, this.file), this.dtype);
  }

  /** The chunks that are in the file. */
  async chunks({ signal } = {}) {
    return JSON.parse(await this.session.chunks(this.place, signal));
  }

  /** The stretches of the file that a read of a selection takes its elements from. */
  async plan(selection, { signal } = {}) {
    // What is wrong with the selection is told as by a read.
    const [number] = await this.session.begin(this.place, resolve(selection, this.shape), undefined, signal);
    await this.session.drop(number);
    return plan(this, selection, { signal });
  }

  /** Looks what became of the dataset, and of its shape, in a file that grows. */
  async refresh({ signal } = {}) {
    await this.file.refresh({ signal });
    this.#describe(JSON.parse(await this.session.object(this.place, new Uint8Array(), signal)));
  }
}

/** Whether an array is one of this name with so many numbers. */
function fits(into, array, length) {
  return into.constructor.name === array && into.length === length;
}

/** Numbers in the array in which they are wanted. */
function put(data, into) {
  if (!ArrayBuffer.isView(data) || !fits(into, data.constructor.name, data.length)) {
    const found = ArrayBuffer.isView(data) ? `a ${data.constructor.name} of ${data.length}` : "no array of numbers";
    throw new H5Error("Usage", `\`into\` is a ${into.constructor.name} of ${into.length}, the elements are ${found}`);
  }
  into.set(data);
  return into;
}

/** The coordinates of an element by its number. */
function origin(number, shape) {
  const place = new Array(shape.length);
  for (let i = shape.length - 1; i >= 0; i--) {
    place[i] = number % shape[i];
    number = Math.floor(number / shape[i]);
  }
  return place;
}

/** An open file: its root group. */
export class H5File extends Group {
  #named = new Map();

  constructor(session) {
    super(undefined, session.root);
    this.session = session;
    hide(this, "session");
  }

  /** What was fetched so far. */
  get stats() {
    return { ...this.session.stats };
  }

  /** The object whose header is at an address. */
  async at(address, { signal } = {}) {
    if (!Number.isInteger(address) || address < 0) throw usage(`an address is a whole number, not ${shown(address)}`);
    const place = { address, path: bytesOf(`<object at ${address}>`) };
    return opened(this, await this.session.object(place, new Uint8Array(), signal));
  }

  /** A file that this one names, beside it. It is closed with this one. */
  async neighbour(name) {
    const session = await this.session.other(text(name, "the name of a file"));
    if (this.#named.get(name)?.session !== session) this.#named.set(name, new H5File(session));
    return this.#named.get(name);
  }

  /** Lets go of all that was read, of a file that grows. Objects of it stay; groups and attributes are read anew. */
  async refresh({ signal } = {}) {
    const { address = NaN } = await this.session.refresh(signal);
    this.place.address = address;
  }

  /** A path of the object that a reference leads to, `null` where no hard link leads there. The first call visits the file. */
  async pathOf(reference, { signal } = {}) {
    if (!(reference instanceof Reference)) throw usage(`this is no reference: ${shown(reference)}`);
    const { address, otherFile } = reference;
    return otherFile === undefined ? this.session.pathAt(address, signal) : null;
  }

  /** The lines of the canonical digest. */
  async *digest({ signal } = {}) {
    const session = await this.session.withTables();
    const number = await session.digest();
    try {
      for (let line; (line = await session.ask(number, "next", [], signal)) !== null; ) yield line;
    } finally {
      await session.drop(number);
    }
  }

  close() {
    return this.session.close();
  }

  [Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose")]() {
    return this.close();
  }
}

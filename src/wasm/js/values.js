// What the core gives, as values of JavaScript.
import { H5Error } from "./errors.js";

/** A datatype as it is described: values of enumerations become numbers. */
export function datatype(described) {
  switch (described.kind) {
    case "enum": {
      const number = described.base.size === 8 ? BigInt : Number;
      const members = Object.fromEntries(described.members.map(([name, value]) => [name, number(value)]));
      return { ...described, members };
    }
    case "compound": {
      const fields = described.fields.map((field) => ({ ...field, dtype: datatype(field.dtype) }));
      return { ...described, fields };
    }
    case "array":
    case "vlen":
    case "complex":
      return { ...described, base: datatype(described.base) };
    default:
      return described;
  }
}

/** Values in row-major order and their shape. */
export class NdArray {
  constructor(data, shape, dtype) {
    this.data = data;
    this.shape = shape;
    this.dtype = dtype;
  }

  /** Elements from one to the next, in each dimension. */
  get stride() {
    let step = 1;
    return this.shape.map((_, i) => this.shape.slice(i + 1).reduce((product, n) => product * n, step));
  }
}

/** Sequences of any length: sequence `i` has the values from `offsets[i]` up to `offsets[i + 1]`. */
export class Ragged {
  constructor(values, offsets) {
    this.values = values;
    this.offsets = offsets;
  }

  get length() {
    return this.offsets.length - 1;
  }

  /** The values of one sequence. */
  at(i) {
    return slice(this.values, this.offsets[i], this.offsets[i + 1]);
  }

  *[Symbol.iterator]() {
    for (let i = 0; i < this.length; i++) yield this.at(i);
  }
}

/** What a reference leads to: an object, a region of a dataset, or an attribute. */
export class Reference {
  #file;

  constructor(file, { address, file: other, kind, name, form, numbers }) {
    this.#file = file;
    this.kind = kind;
    this.address = address;
    if (other !== undefined) this.otherFile = other;
    if (name !== undefined) this.name = name;
    if (form !== undefined) this.region = { form, numbers };
  }

  /** The object. Its path is not known: `file.pathOf(reference)` finds it. */
  async open(options) {
    const file = this.otherFile === undefined ? this.#file : await this.#file.neighbour(this.otherFile);
    return file.at(this.address, options);
  }

  /** The elements of the region. */
  async read(options) {
    const dataset = await this.open(options);
    return dataset.read(this.region ?? null, options);
  }
}

/** Elements of a datatype. `file` is where their references lead; `text` makes of strings what is wanted. */
export function elements(raw, dtype, file, text = strings) {
  switch (dtype.kind) {
    case "string":
      return text(raw);
    case "compound":
      return Object.fromEntries(dtype.fields.map((field, i) => [field.name, elements(raw[i], field.dtype, file, text)]));
    case "reference":
      return JSON.parse(raw).map((reference) => reference && new Reference(file, reference));
    case "vlen":
      return new Ragged(elements(raw.values, dtype.base, file, text), offsets(raw.ends));
    case "array":
      return ArrayBuffer.isView(raw) ? raw : elements(raw, dtype.base, file, text);
    default:
      return raw;
  }
}

/** Strings that came in one piece. */
export function strings({ text, ends }) {
  const all = new Array(ends.length);
  let start = 0;
  for (let i = 0; i < all.length; i++) {
    all[i] = text.slice(start, ends[i]);
    start = ends[i];
  }
  return all;
}

const encoder = new TextEncoder();

/** The same as the bytes of their UTF-8, in one array. */
export function encoded({ text, ends }) {
  const values = encoder.encode(text);
  if (values.length === text.length) return new Ragged(values, offsets(ends));
  let [at, bytes] = [0, 0];
  const inBytes = ends.map((end) => {
    for (; at < end; at++) bytes += width8(text.charCodeAt(at));
    return bytes;
  });
  return new Ragged(values, offsets(inBytes));
}

/** The bytes that a unit of UTF-16 has in UTF-8; those of a pair share its four. */
function width8(unit) {
  if (unit < 0x80) return 1;
  return unit < 0x800 || (unit >= 0xd800 && unit < 0xe000) ? 2 : 3;
}

function offsets(ends) {
  const offsets = new Float64Array(ends.length + 1);
  offsets.set(ends, 1);
  return offsets;
}

/** Parts of elements as one. */
export function joined(parts) {
  const [first] = parts;
  if (parts.length === 1) return first;
  if (Array.isArray(first)) return parts.flat(1);
  if (ArrayBuffer.isView(first)) {
    const all = new first.constructor(parts.reduce((length, part) => length + part.length, 0));
    let at = 0;
    for (const part of parts) {
      all.set(part, at);
      at += part.length;
    }
    return all;
  }
  if (first instanceof Ragged) {
    const values = joined(parts.map((part) => part.values));
    let before = 0;
    const ends = parts.map(({ offsets }) => {
      const moved = offsets.subarray(1).map((end) => end + before);
      before += offsets.at(-1);
      return moved;
    });
    return new Ragged(values, offsets(joined(ends)));
  }
  return Object.fromEntries(Object.keys(first).map((name) => [name, joined(parts.map((part) => part[name]))]));
}

/** Values of which there are none. */
export function none(dtype, text = strings) {
  const empty = { text: "", ends: new Float64Array() };
  switch (dtype.kind) {
    case "compound":
      return Object.fromEntries(dtype.fields.map(({ name, dtype }) => [name, none(dtype, text)]));
    case "vlen":
      return new Ragged(none(dtype.base, text), new Float64Array(1));
    case "array":
      return none(dtype.base, text);
    case "reference":
      return [];
    case "string":
      return text(empty);
    default:
      return new Uint8Array();
  }
}

function slice(values, start, end) {
  if (ArrayBuffer.isView(values)) return values.subarray(start, end);
  if (Array.isArray(values)) return values.slice(start, end);
  if (values instanceof Ragged) return Array.from({ length: end - start }, (_, i) => values.at(start + i));
  return Object.fromEntries(Object.entries(values).map(([name, column]) => [name, slice(column, start, end)]));
}

/** How many numbers or strings stand for one element. */
function width(dtype) {
  switch (dtype.kind) {
    case "array":
      return dtype.shape.reduce((product, n) => product * n, 1) * width(dtype.base);
    case "complex":
      return 2;
    case "opaque":
      return dtype.size;
    default:
      return 1;
  }
}

/** The elements at some places, in their order, where `before` × places × `after` elements are there. */
export function taken(data, dtype, before, along, after, places) {
  if (dtype.kind === "compound") {
    const column = ({ name, dtype }) => [name, taken(data[name], dtype, before, along, after, places)];
    return Object.fromEntries(dtype.fields.map(column));
  }
  if (data instanceof Ragged) {
    const rows = Array.from({ length: data.length }, (_, i) => i);
    const order = taken(rows, { kind: "int" }, before, along, after, places);
    return joined(order.map((i) => new Ragged(data.at(i), Float64Array.of(0, data.offsets[i + 1] - data.offsets[i]))));
  }
  const run = after * width(dtype);
  const parts = [];
  for (let i = 0; i < before; i++) {
    for (const place of places) parts.push(slice(data, (i * along + place) * run, (i * along + place + 1) * run));
  }
  return parts.length === 0 ? slice(data, 0, 0) : joined(parts);
}

/** One element. */
export function scalar(data, dtype, at = 0) {
  switch (dtype.kind) {
    case "bool":
      return data[at] !== 0;
    case "compound":
      return Object.fromEntries(dtype.fields.map(({ name, dtype }) => [name, scalar(data[name], dtype, at)]));
    case "vlen":
      return data.at(at);
    case "complex":
      return { re: data[2 * at], im: data[2 * at + 1] };
    case "array":
      return new NdArray(slice(data, at * width(dtype), (at + 1) * width(dtype)), dtype.shape, dtype.base);
    case "opaque":
      return data.slice(at * dtype.size, (at + 1) * dtype.size);
    default:
      return data instanceof Ragged ? data.at(at) : data[at];
  }
}

/** The same with 64-bit integers as numbers. One that no number is fails: nothing is rounded. */
export function asNumbers(data) {
  if (data instanceof BigInt64Array || data instanceof BigUint64Array) {
    const numbers = new Float64Array(data.length);
    for (let i = 0; i < data.length; i++) {
      const number = Number(data[i]);
      if (!Number.isSafeInteger(number)) {
        throw new H5Error("Integer", `element ${i}: ${data[i]} is no number of JavaScript; read it as a bigint`);
      }
      numbers[i] = number;
    }
    return numbers;
  }
  if (data instanceof Ragged) return new Ragged(asNumbers(data.values), data.offsets);
  if (Array.isArray(data) || ArrayBuffer.isView(data)) return data;
  return Object.fromEntries(Object.entries(data).map(([name, column]) => [name, asNumbers(column)]));
}

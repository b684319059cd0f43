// AnnData.
import { shown, text } from "./arguments.js";
import { H5Error } from "./errors.js";
import { along, place, resolve } from "./selection.js";
import { NdArray, Ragged, strings } from "./values.js";

const SHAPE_1 = [Infinity];

/** Asks the core about one AnnData. */
class Asking {
  constructor(session, number) {
    this.session = session;
    this.number = number;
  }

  ask(method, args, { signal } = {}) {
    return this.session.ask(this.number, method, args, signal);
  }

  async element(path, options) {
    return element(this, JSON.parse(await this.ask("element", [path], options)));
  }
}

/** The AnnData of a file, or of a group of it. */
export async function annData(group, { signal } = {}) {
  const session = await group.session.withTables();
  const asking = new Asking(session, await session.anndata(group.place, signal));
  return new AnnData(asking, JSON.parse(await asking.ask("describe", [], { signal })), group.file);
}

export class AnnData {
  #asking;

  constructor(asking, described, file) {
    this.#asking = asking;
    this.file = file;
    this.shape = described.shape;
    this.keys = described.keys;
    this.obs = new Frame(asking, described.obs);
    this.var = new Frame(asking, described.var);
    for (const name of ["layers", "obsm", "varm", "obsp", "varp", "uns"]) {
      this[name] = new Mapping(asking, name, described[name]);
    }
    this.hasRaw = described.raw;
    Object.defineProperty(this, "file", { enumerable: false });
  }

  /** Any element by its path, such as `obsm/X_umap`, `raw/X` or `uns/neighbors/params`. */
  async get(path, options) {
    return this.#asking.element(text(path, "the path of an element"), options);
  }

  /** The matrix, `null` where there is none. */
  async X(options) {
    return this.keys.includes("X") ? this.get("X", options) : null;
  }

  /** What is wrong with it, and where: all rules that are broken. Text, codes and indices are read for that. */
  async faults(options) {
    return JSON.parse(await this.#asking.ask("faults", [], options));
  }

  /** The names of the observations. */
  obsNames(options) {
    return this.obs.index(options);
  }

  /** The names of the variables. */
  varNames(options) {
    return this.var.index(options);
  }
}

class Mapping {
  #asking;
  #path;
  #keys;

  constructor(asking, path, keys) {
    this.#asking = asking;
    this.#path = path;
    this.#keys = keys;
  }

  keys() {
    return [...this.#keys];
  }

  has(key) {
    return this.#keys.includes(key);
  }

  async get(key, options) {
    return this.#asking.element(`${this.#path}/${text(key, "a key")}`, options);
  }
}

/** A data frame. */
class Frame {
  #asking;

  constructor(asking, { path, rows, indexName, columns }) {
    this.#asking = asking;
    this.path = path;
    this.kind = "frame";
    this.length = rows;
    this.indexName = indexName;
    this.columns = columns;
  }

  /** The labels of the rows. */
  async index(options) {
    return strings(await this.#asking.ask("labels", [this.path], options));
  }

  /** A column, or some of its rows. */
  async column(name, { start, stop, ...options } = {}) {
    text(name, "the name of a column");
    if (!this.columns.includes(name)) {
      throw new H5Error("NotFound", `${this.path}: no column \`${name}\`; there is ${this.columns.join(", ")}`);
    }
    return column(this.#asking, `${this.path}/${name}`, [{ start, stop }], options);
  }

  /** The categories of a column, without its codes. */
  async categories(name, options) {
    text(name, "the name of a column");
    return categories(this.#asking, `${this.path}/${name}`, options);
  }
}

/** Rows of a column. */
async function column(asking, path, selection, options) {
  const about = JSON.parse(await asking.ask("element", [path], options));
  const { form, numbers } = resolve(selection, SHAPE_1);
  const raw = await asking.ask("column", [path, form, numbers], options);
  if (raw.codes === undefined) return new Column(about.type, plain(raw.values), raw.missing);
  return new Categorical(codes(raw.codes, about.categories), await categories(asking, path, options), about);
}

/** Whether complex numbers are meant: each is two values, one after the other. */
const isComplex = (type) => /^complex/.test(type);

/** A value of a type of NumPy. */
function valueAt(values, type, i) {
  if (isComplex(type)) return [values[2 * i], values[2 * i + 1]];
  return type === "bool" ? values[i] !== 0 : values[i];
}

/** Values of a column. `missing` is 1 where there is none, and undefined where all are there. */
class Column {
  kind = "values";

  constructor(type, values, missing) {
    this.type = type;
    this.values = values;
    if (missing) this.missing = missing;
  }

  get length() {
    return isComplex(this.type) ? this.values.length / 2 : this.values.length;
  }

  /** A value, `null` where it is missing. */
  at(i) {
    return this.missing?.[i] ? null : valueAt(this.values, this.type, i);
  }
}

/** Categories, and for each row the number of its own; -1 where it is missing. */
class Categorical {
  kind = "category";
  #of;

  constructor(codes, categories, { type, ordered }) {
    this.#of = type;
    this.type = "category";
    this.codes = codes;
    this.categories = categories;
    this.ordered = ordered;
  }

  get length() {
    return this.codes.length;
  }

  at(i) {
    return this.codes[i] < 0 ? null : valueAt(this.categories, this.#of, this.codes[i]);
  }
}

function codes(codes, categories) {
  const Codes = [Int8Array, Int16Array, Int32Array].find((_, i) => categories <= 2 ** (8 * 2 ** i - 1));
  return Codes ? Codes.from(codes) : codes;
}

async function categories(asking, path, options) {
  return plain(await asking.ask("values", [path, "all", new Float64Array()], options));
}

/** Arrays as they are, text as strings. */
function plain(raw) {
  return raw.text === undefined ? raw : strings(raw);
}

function element(asking, about) {
  if (about.frame) return new Frame(asking, about.frame);
  if (about.format) return new SparseMatrix(asking, about);
  if (about.keys) return Object.assign(new Mapping(asking, about.path, about.keys), { kind: "mapping" });
  if (about.encoding === "categorical" || /^nullable/.test(about.encoding)) return new StoredColumn(asking, about);
  if (about.form !== undefined) return new Awkward(asking, about);
  if (about.fields) return new Records(asking, about);
  if (about.type) return new Dense(asking, about);
  return { kind: "other", ...about };
}

/** What every element has. */
class Stored {
  constructor(asking, { path, encoding, shape, type, legacy, warnings }) {
    Object.defineProperty(this, "asking", { value: asking });
    Object.assign(this, { path, encoding, shape, type, warnings });
    if (legacy) this.legacy = legacy;
  }
}

/** A column that stands alone. */
class StoredColumn extends Stored {
  kind = "column";

  read({ start, stop, ...options } = {}) {
    return column(this.asking, this.path, [{ start, stop }], options);
  }
}

/** Lists of any lengths, and what else an awkward array has. */
class Awkward extends Stored {
  kind = "awkward";

  constructor(asking, about) {
    super(asking, about);
    this.form = JSON.parse(about.form);
    this.length = about.length;
  }

  /** Entries: lists are arrays, records objects, what is missing is `null`. */
  async read({ start = 0, stop = this.length, ...options } = {}) {
    return this.asking.ask("entries", [this.path, place(start), place(stop)], options);
  }

  /** The buffers by their names, as `awkward.from_buffers` takes them with the form and the length. */
  async buffers(options) {
    const buffers = await this.asking.ask("buffers", [this.path], options);
    return Object.fromEntries(buffers.map(([name, values]) => [name, plain(values)]));
  }

  /** All of it in few arrays: lists as `Ragged`, records as columns. Not for unions and what can be missing. */
  async columns(options) {
    return layout(this, this.form, this.length, await this.buffers(options));
  }
}

/** What a node of a form stands for, of which there are so many entries. */
function layout(array, form, length, buffers) {
  const buffer = (part) => buffers[`${form.form_key}-${part}`];
  const inner = (content, length) => layout(array, content, length, buffers);
  switch (form.class) {
    case "NumpyArray": {
      const each = (form.inner_shape ?? []).reduce((product, n) => product * n, 1);
      return buffer("data").subarray(0, length * each);
    }
    case "EmptyArray":
      return new Float64Array();
    case "ListOffsetArray": {
      const offsets = Float64Array.from(buffer("offsets").subarray(0, length + 1), Number);
      const content = inner(form.content, offsets.at(-1) ?? 0);
      return form.parameters?.__array__ === "string" ? decoded(content, offsets) : new Ragged(content, offsets);
    }
    case "RegularArray": {
      const offsets = Float64Array.from({ length: length + 1 }, (_, i) => i * form.size);
      return new Ragged(inner(form.content, length * form.size), offsets);
    }
    case "RecordArray":
      return Object.fromEntries(form.contents.map((content, i) => [form.fields?.[i] ?? String(i), inner(content, length)]));
    default:
      throw new H5Error("Unsupported", `${array.path}: a ${form.class} has no columns; \`read\` gives its entries`, { path: array.path });
  }
}

/** Text by its bytes. */
function decoded(bytes, offsets) {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  return Array.from({ length: offsets.length - 1 }, (_, i) => decoder.decode(bytes.subarray(offsets[i], offsets[i + 1])));
}

/** Records: one column for each field. */
class Records extends Stored {
  kind = "records";

  constructor(asking, about) {
    super(asking, about);
    this.fields = about.fields;
  }

  /** Values of one field. */
  async field(name, selection, options) {
    const field = this.fields.find((field) => field.name === name);
    if (!field) {
      const known = this.fields.map(({ name }) => name).join(", ");
      throw new H5Error("NotFound", `${this.path}: no field \`${name}\`; there is ${known}`);
    }
    const selected = resolve(selection, this.shape);
    if (selected.list) throw new H5Error("Selection", "selection: of records no places are listed");
    const { form, numbers } = selected;
    const shape = selectedShape(selected, this.shape);
    const values = plain(await this.asking.ask("field", [this.path, name, form, numbers], options));
    return new NdArray(values, [...shape, ...field.shape], { kind: field.type });
  }

  /** The selected records as columns of their fields, all of them or those of some names. */
  async read(selection, { fields = this.fields.map(({ name }) => name), ...options } = {}) {
    const columns = await Promise.all(fields.map((name) => this.field(name, selection, options)));
    return Object.fromEntries(fields.map((name, i) => [name, columns[i]]));
  }
}

/** An array of numbers or text. */
class Dense extends Stored {
  kind = "dense";

  /** The selected values. */
  async read(selection, options) {
    const selected = resolve(selection, this.shape);
    if (selected.list) return this.#listed(selection, selected.list, options);
    const shape = selectedShape(selected, this.shape);
    const values = plain(await this.asking.ask("values", [this.path, selected.form, selected.numbers], options));
    return new NdArray(values, shape, { kind: this.type });
  }

  /** Listed places are read one run after the other. */
  async #listed(selection, { axis }, options) {
    const parts = [];
    if (axis !== 0) throw new H5Error("Selection", "selection: places of a dense matrix are listed in its first dimension");
    for (const place of Array.from(selection[axis])) parts.push(await this.read([place, ...selection.slice(1)], options));
    const length = parts.reduce((sum, { data }) => sum + data.length, 0);
    const first = parts[0]?.data ?? [];
    const data = Array.isArray(first) ? parts.flatMap(({ data }) => data) : new first.constructor(length);
    if (!Array.isArray(data)) parts.reduce((at, part) => (data.set(part.data, at), at + part.data.length), 0);
    return new NdArray(data, [parts.length, ...(parts[0]?.shape ?? this.shape.slice(1))], { kind: this.type });
  }

  /** Rows: from one to another, or a list of them. */
  async rows(rows, options) {
    if (typeof rows !== "object" || rows === null) {
      throw new H5Error("Usage", `${shown(rows)}: neither a range, such as { start: 0, stop: 10 }, nor a list of places`);
    }
    return this.read([rows], options);
  }

  /** One column of a matrix. */
  async column(column, options) {
    return this.read([null, place(column)], options);
  }
}

/** The shape of what is selected by ranges and single places. */
function selectedShape({ form, numbers }, shape) {
  if (form === "all") return shape;
  if (form !== "slices") throw new H5Error("Selection", "selection: of elements of an AnnData no regions are read");
  return shape.flatMap((extent, i) => {
    const [start, end, step] = 3 * i < numbers.length ? numbers.subarray(3 * i, 3 * i + 3) : [0, NaN, 1];
    const stop = Number.isNaN(end) ? extent : end;
    return step === 0 ? [] : [Math.max(0, Math.ceil((stop - start) / step))];
  });
}

/** A sparse matrix, which is read in parts. */
class SparseMatrix extends Stored {
  kind = "sparse";

  constructor(asking, about) {
    super(asking, about);
    this.format = about.format.slice(0, 3);
    this.nnz = about.nnz;
  }

  /** Rows: from one to another, or a list of them in its order. Of CSR only these are read, of CSC all of it. */
  rows(rows, options) {
    return this.#some(rows, 0, options);
  }

  /** The same of columns. Of CSC only these are read, of CSR all of it. */
  columns(columns, options) {
    return this.#some(columns, 1, options);
  }

  async #some(wanted, axis, options) {
    const major = this.format === (axis === 0 ? "csr" : "csc");
    const { list, start, stop } = along(wanted, this.shape[axis], axis);
    const places = list ?? Float64Array.from({ length: major ? 0 : stop - start }, (_, i) => start + i);
    const raw = await (major
      ? list
        ? this.asking.ask("major", [this.path, list], options)
        : this.asking.ask("majorRange", [this.path, start, stop], options)
      : this.asking.ask("minor", [this.path, places], options));
    const n = list ? list.length : stop - start;
    const shape = axis === 0 ? [n, this.shape[1]] : [this.shape[0], n];
    return new SparsePart(axis === 0 ? "csr" : "csc", shape, raw);
  }
}

/** Rows (`csr`) or columns (`csc`): the entries of row `i` are from `indptr[i]` up to `indptr[i + 1]`. */
class SparsePart {
  constructor(format, shape, { indptr, indices, data }) {
    Object.assign(this, { format, shape, indptr, indices, data });
  }

  /** The same with its zeros, row-major. Entries that are there more than once are added up. */
  toDense() {
    const [rows, columns] = this.shape;
    const dense = new this.data.constructor(rows * columns);
    for (let major = 0; major + 1 < this.indptr.length; major++) {
      for (let i = this.indptr[major]; i < this.indptr[major + 1]; i++) {
        const [row, column] = this.format === "csr" ? [major, this.indices[i]] : [this.indices[i], major];
        dense[row * columns + column] += this.data[i];
      }
    }
    return dense;
  }
}

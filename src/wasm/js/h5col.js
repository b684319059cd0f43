// H5Col: tables of columns.
import { count, text, usage } from "./arguments.js";
import { H5Error } from "./errors.js";
import { place } from "./selection.js";
import { datatype, strings } from "./values.js";

/** The table in a group. */
export async function table(group, { signal } = {}) {
  if (!group?.session) throw usage("a table is in a group of an open file");
  const session = await group.session.withTables();
  const number = await session.table(group.place, signal);
  return new Table(session, number, JSON.parse(await describe(session, number)));
}

/** The paths of the groups of a file that are tables. */
export async function tables(file, { signal } = {}) {
  if (!file?.session) throw usage("tables are looked for in an open file");
  return (await file.session.withTables()).tables(signal);
}

function describe(session, number) {
  return session.ask(number, "describe", []);
}

export class Table {
  #session;
  #number;

  constructor(session, number, { path, rows, version, columns, foreign }) {
    this.#session = session;
    this.#number = number;
    const described = columns.map(({ dtype, ...column }) => (dtype ? { ...column, dtype: datatype(dtype) } : column));
    Object.assign(this, { path, length: rows, version, columns: described, foreign });
  }

  #ask(method, args, { signal } = {}) {
    return this.#session.ask(this.#number, method, args, signal);
  }

  /** Some rows of a column, all by default: from one to another, or by their numbers in ascending order. */
  async column(name, { start = 0, stop = this.length, rows, ...options } = {}) {
    text(name, "the name of a column");
    if (rows !== undefined) return column(await this.#ask("readRows", [name, ascending(rows)], options));
    return column(await this.#ask("read", [name, place(start), place(stop)], options));
  }

  /** The labels of a categorical column; `null` where it has none. */
  async labels(name, options) {
    const labels = await this.#ask("labels", [text(name, "the name of a column")], options);
    return labels === null ? null : column(labels).values;
  }

  /** The numbers of the rows that a condition is true of, such as `height >= 500 and name is not null`. */
  async rows(condition, { limit, ...options } = {}) {
    return numbers(await this.#ask("rows", [conditionOf(condition), most(limit)], options));
  }

  /** These rows, with their values of some columns, or of all. */
  async query(condition, { columns, limit, ...options } = {}) {
    const raw = await this.#ask("query", [conditionOf(condition), namesOf(columns), most(limit)], options);
    return {
      rows: numbers(raw.rows),
      columns: Object.fromEntries(raw.columns.map(({ name, values }) => [name, column(values)])),
    };
  }

  /** How the rows will be found, in words. */
  async plan(condition, options) {
    return this.#ask("plan", [conditionOf(condition)], options);
  }
}

/** A condition, `undefined` where there is none. */
function conditionOf(condition) {
  return condition === undefined || condition === null ? undefined : text(condition, "a condition");
}

/** The names of columns, `undefined` where all are wanted. */
function namesOf(columns) {
  if (columns === undefined || columns === null) return undefined;
  if (!Array.isArray(columns)) throw usage("`columns` is an array of names");
  return columns.map((name) => text(name, "the name of a column"));
}

/** How many rows are wanted at most; `NaN`: all. */
function most(limit) {
  return limit === undefined || limit === null || limit === Infinity ? NaN : count(limit, "`limit`");
}

function ascending(rows) {
  if (typeof rows !== "object" || rows === null || !(Symbol.iterator in rows || "length" in rows)) throw usage("`rows` is a list of numbers");
  const numbers = Float64Array.from(rows, place);
  if (numbers.every((row, i) => i === 0 || row > numbers[i - 1])) return numbers;
  throw new H5Error("Selection", "selection: the numbers of rows are given in ascending order, each once");
}

/** Runs of rows as their numbers. */
function numbers(runs) {
  const numbers = [];
  for (let i = 0; i < runs.length; i += 2) {
    for (let row = runs[i]; row < runs[i + 1]; row++) numbers.push(row);
  }
  return Float64Array.from(numbers);
}

function column({ missing, values, boolean, texts, offsets, lists }) {
  if (texts) return new Values(strings(texts), missing);
  if (lists) return new Lists(offsets, column(lists), missing);
  return boolean ? new Booleans(values, missing) : new Values(values, missing);
}

/** Values of rows. `missing` is 1 where there is none, and the value means nothing. */
class Values {
  constructor(values, missing) {
    this.values = values;
    this.missing = missing;
  }

  get length() {
    return this.missing.length;
  }

  /** The value of a row, `null` where it is missing. */
  at(i) {
    return this.missing[i] ? null : this.value(i);
  }

  value(i) {
    return this.values[i];
  }

  toArray() {
    return Array.from({ length: this.length }, (_, i) => this.at(i));
  }
}

class Booleans extends Values {
  value(i) {
    return this.values[i] !== 0;
  }
}

/** Lists: that of row `i` has the items from `offsets[i]` up to `offsets[i + 1]`. */
class Lists extends Values {
  constructor(offsets, items, missing) {
    super(items, missing);
    this.offsets = offsets;
  }

  value(i) {
    const [start, end] = [this.offsets[i], this.offsets[i + 1]];
    return Array.from({ length: end - start }, (_, item) => this.values.at(start + item));
  }
}

// H5Col: tables of columns.
import { Ragged, strings } from "./values.js";

/** The table in a group. */
export async function table(group, { signal } = {}) {
  const session = await group.session.withTables();
  const number = await session.table(group.place, signal);
  return new Table(session, number, JSON.parse(await describe(session, number)));
}

/** The paths of the groups of a file that are tables. */
export async function tables(file, { signal } = {}) {
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
    Object.assign(this, { path, length: rows, version, columns, foreign });
  }

  #ask(method, args, { signal } = {}) {
    return this.#session.ask(this.#number, method, args, signal);
  }

  /** Some rows of a column, all by default. */
  async column(name, { start = 0, stop = this.length, ...options } = {}) {
    return column(await this.#ask("read", [name, start, stop], options));
  }

  /** The labels of a categorical column; `null` where it has none. */
  async labels(name, options) {
    const labels = await this.#ask("labels", [name], options);
    return labels === null ? null : column(labels).values;
  }

  /** The numbers of the rows that a condition is true of, such as `height >= 500 and name is not null`. */
  async rows(condition, { limit = NaN, ...options } = {}) {
    return numbers(await this.#ask("rows", [condition ?? undefined, limit], options));
  }

  /** These rows, with their values of some columns, or of all. */
  async query(condition, { columns, limit = NaN, ...options } = {}) {
    const raw = await this.#ask("query", [condition ?? undefined, columns ?? undefined, limit], options);
    return {
      rows: numbers(raw.rows),
      columns: Object.fromEntries(raw.columns.map(({ name, values }) => [name, column(values)])),
    };
  }

  /** How the rows will be found, in words. */
  plan(condition, options) {
    return this.#ask("plan", [condition ?? undefined], options);
  }
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
  if (texts) return new Values(strings(texts), missing, false);
  if (lists) return new Values(new Ragged(column(lists).values, offsets), missing, false);
  return new Values(values, missing, boolean === true);
}

/** Values of rows, and which of them are missing. */
class Values {
  #boolean;

  constructor(values, missing, boolean) {
    this.values = values;
    this.missing = missing;
    this.#boolean = boolean;
  }

  get length() {
    return this.missing.length;
  }

  /** A value, `null` where it is missing. */
  at(i) {
    if (this.missing[i]) return null;
    if (this.values instanceof Ragged) return this.values.at(i);
    return this.#boolean ? this.values[i] !== 0 : this.values[i];
  }
}

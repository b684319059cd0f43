// Windows of a table: what is seen is read, a block at a time, and a few blocks are kept.

/** Blocks that are kept. */
const KEPT = 60;

/** Reads blocks of `rows` × `columns` cells with `read({rows: [start, stop], columns: [start, stop]}, signal)`. */
export class Windows {
  #read;
  #size;
  #extent;
  #blocks = new Map();
  #changed;

  constructor({ rows, columns, blockRows = 128, blockColumns = 32, read, changed }) {
    this.#extent = { rows, columns };
    this.#size = { rows: blockRows, columns: blockColumns };
    this.#read = read;
    this.#changed = changed;
  }

  /** The block that a cell is in, where it is there: `{value, rows, columns}` or `{error}`. */
  at(row, column) {
    return this.#blocks.get(this.#key(row, column));
  }

  #key(row, column) {
    return `${Math.floor(row / this.#size.rows)},${Math.floor(column / this.#size.columns)}`;
  }

  /** Reads what is missing of a window, and ends reads of what is not seen any more. */
  see([top, bottom], [left, right]) {
    const wanted = new Set();
    for (let row = this.#first(top, "rows"); row < bottom; row += this.#size.rows) {
      for (let column = this.#first(left, "columns"); column < right; column += this.#size.columns) {
        wanted.add(this.#key(row, column));
        this.#begin(row, column);
      }
    }
    for (const [key, block] of [...this.#blocks]) {
      if (wanted.has(key)) {
        this.#blocks.delete(key);
        this.#blocks.set(key, block);
      } else if (block.controller) {
        block.controller.abort();
        this.#blocks.delete(key);
      }
    }
    for (const key of [...this.#blocks.keys()].slice(0, Math.max(0, this.#blocks.size - KEPT))) {
      if (!wanted.has(key)) this.#blocks.delete(key);
    }
  }

  #first(place, axis) {
    return place - (place % this.#size[axis]);
  }

  async #begin(row, column) {
    const key = this.#key(row, column);
    if (this.#blocks.has(key)) return;
    const range = (start, axis) => [start, Math.min(start + this.#size[axis], this.#extent[axis])];
    const [rows, columns] = [range(row, "rows"), range(column, "columns")];
    const controller = new AbortController();
    this.#blocks.set(key, { controller });
    let block;
    try {
      block = { value: await this.#read({ rows, columns }, controller.signal), rows, columns };
    } catch (error) {
      block = { error };
    }
    if (this.#blocks.get(key)?.controller !== controller) return;
    this.#blocks.set(key, block);
    this.#changed(block.error);
  }

  /** Whether something is being read. */
  get busy() {
    return [...this.#blocks.values()].some(({ controller }) => controller);
  }

  /** Lets go of what failed, so that it is read again. */
  forgetErrors() {
    for (const [key, { error }] of this.#blocks) if (error) this.#blocks.delete(key);
  }

  /** Ends all reads. */
  close() {
    for (const { controller } of this.#blocks.values()) controller?.abort();
    this.#blocks.clear();
  }
}

// The point that is nearest to a place, found by a grid.

export class Nearest {
  #xy;
  #side;
  #starts;
  #points;

  /** `xy` are pairs between -1 and 1; what is not finite is in no cell. */
  constructor(xy) {
    const n = xy.length / 2;
    this.#xy = xy;
    this.#side = Math.max(1, Math.min(1024, Math.ceil(Math.sqrt(n / 2))));
    const cells = new Int32Array(n);
    this.#starts = new Uint32Array(this.#side ** 2 + 1);
    for (let i = 0; i < n; i++) {
      cells[i] = this.#cell(xy[2 * i], xy[2 * i + 1]);
      if (cells[i] >= 0) this.#starts[cells[i] + 1]++;
    }
    for (let i = 1; i < this.#starts.length; i++) this.#starts[i] += this.#starts[i - 1];
    const next = this.#starts.slice();
    this.#points = new Uint32Array(this.#starts.at(-1));
    for (let i = 0; i < n; i++) if (cells[i] >= 0) this.#points[next[cells[i]]++] = i;
  }

  #place(n) {
    return Math.max(0, Math.min(this.#side - 1, Math.floor(((n + 1) / 2) * this.#side)));
  }

  #cell(x, y) {
    return Number.isFinite(x) && Number.isFinite(y) ? this.#place(y) * this.#side + this.#place(x) : -1;
  }

  /** The number of the nearest point within `reach`, undefined where there is none. */
  find(x, y, reach) {
    let found;
    let least = reach ** 2;
    for (let row = this.#place(y - reach); row <= this.#place(y + reach); row++) {
      const first = row * this.#side;
      const end = this.#starts[first + this.#place(x + reach) + 1];
      for (let at = this.#starts[first + this.#place(x - reach)]; at < end; at++) {
        const point = this.#points[at];
        const distance = (this.#xy[2 * point] - x) ** 2 + (this.#xy[2 * point + 1] - y) ** 2;
        if (distance <= least) [found, least] = [point, distance];
      }
    }
    return found;
  }
}

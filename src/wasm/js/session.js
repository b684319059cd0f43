// A file that is open: calls into the core, and fetches what it lacks in between.
import { H5Error } from "./errors.js";
import { each, openSource } from "./sources.js";
import { load } from "./wasm.js";

/** Bytes that are fetched and decoded at once. */
const PART = 16 << 20;

const DEFAULTS = {
  pageSize: 4096,
  coalesceGap: 16 << 10,
  smallFile: 256 << 10,
  cacheBytes: 32 << 20,
  readBytes: 2 ** 30,
};

/**
 * The methods give what the core gives: JSON, and arrays that can be transferred. `place` names an object: `address`, which may
 * be `NaN`, and `path`, in bytes. What lives longer than a call (reads, digests …) has a number.
 */
export class Session {
  #core;
  #wasm;
  /** What the source gave when it was opened. */
  #opened;
  #owns;
  /** The same file with AnnData and H5Col, once somebody wants it. */
  #tables;
  #options;
  /** The source of each file by its number; the first is the file itself. */
  #sources;
  /** Ranges that are on their way. */
  #coming = new Set();
  /** What lives longer than a call, by its number. */
  #kept = new Map();
  #next = 1;
  #closed = false;
  stats = { requests: 0, bytes: 0, rounds: 0 };

  static async open(input, options = {}) {
    const [core, opened] = await Promise.all([load(), openSource(input, options)]);
    return new Session().#start(core, opened, { ...DEFAULTS, ...options }, 1);
  }

  /** The same file in the core that knows AnnData, H5Col and the digest. */
  async withTables() {
    this.#check();
    this.#tables ??= load("tables").then((core) => {
      const session = new Session();
      // What both fetch is counted in one place.
      session.stats = this.stats;
      return session.#start(core, this.#opened, this.#options, 0);
    });
    return this.#tables;
  }

  async #start(core, opened, options, fetched) {
    const { source, size, first } = opened;
    this.#core = core;
    this.#opened = opened;
    this.#owns = fetched > 0;
    this.#options = options;
    this.#sources = [source];
    const { pageSize, coalesceGap, smallFile, cacheBytes, readBytes, signal } = options;
    try {
      this.#count(fetched, fetched * first.length, fetched);
      const { Session } = core.module;
      this.#wasm = core.call(() => new Session(size, first, pageSize, coalesceGap, smallFile, cacheBytes, readBytes));
      this.root = JSON.parse(await this.run(() => this.#wasm.open(), signal));
      return this;
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  #count(requests, bytes, rounds) {
    this.stats.requests += requests;
    this.stats.bytes += bytes;
    this.stats.rounds += rounds;
    const { requests: mostRequests = Infinity, bytes: mostBytes = Infinity } = this.#options.limits ?? {};
    if (this.stats.requests > mostRequests) throw new H5Error("Limit", `more than ${mostRequests} requests`);
    if (this.stats.bytes > mostBytes) throw new H5Error("Limit", `more than ${mostBytes} bytes were fetched`);
  }

  /** Calls `work` until nothing is missing, fetching in between. */
  async run(work, signal) {
    this.#check();
    const turns = this.#core.call(() => this.#wasm.begin());
    try {
      for (;;) {
        signal?.throwIfAborted();
        this.#check();
        try {
          const value = this.#core.call(work);
          if (value !== undefined) return value;
        } catch (error) {
          if (error.filter !== undefined && (await this.#core.loadCodecs(error.filter))) continue;
          throw error;
        }
        await this.#fetch(signal);
      }
    } finally {
      // A core that panicked cannot be told.
      try {
        this.#core.call(() => turns.free());
      } catch {}
    }
  }

  #check() {
    if (this.#closed) throw new H5Error("Closed", "the file is closed");
  }

  /** Fetches what the call before lacked. */
  async #fetch(signal) {
    const wanted = this.#core.call(() => this.#wasm.wanted());
    const numbers = this.#core.call(() => this.#wasm.requests());
    const requests = [];
    for (let i = 0; 3 * i < numbers.length; i++) {
      const [file, start, end] = numbers.subarray(3 * i, 3 * i + 3);
      requests.push({ file, start, end, structure: this.#core.call(() => this.#wasm.isStructure(i)) });
    }
    if (wanted.length === 0 && requests.length === 0) throw new H5Error("Internal", "something is missing that nothing asks for");
    // What somebody else fetches is waited for; what that does not bring is missing again.
    const others = [];
    const own = new Map();
    for (const request of requests) {
      const coming = [...this.#coming].find(
        ({ file, start, end }) => file === request.file && start <= request.start && request.start < end,
      );
      if (coming) others.push(coming.done.catch(() => {}));
      else own.set(request.file, [...(own.get(request.file) ?? []), request]);
    }
    if (own.size > 0) this.#count(requests.length - others.length, 0, 1);
    await Promise.all([
      ...others,
      ...[...own].map(([file, requests]) => this.#fetchOf(file, requests, signal)),
      each(wanted, 6, (name) => this.#find(name, signal)),
    ]);
  }

  async #fetchOf(file, requests, signal) {
    const ranges = requests.map(({ start, end }) => ({ offset: start, length: end - start }));
    const fetched = (async () => this.#sources[file].readRanges(ranges, signal))();
    const coming = requests.map((request) => ({ ...request, done: fetched }));
    coming.forEach((range) => this.#coming.add(range));
    try {
      const all = await fetched;
      if (this.#closed) return;
      requests.forEach(({ start, end, structure }, i) => {
        const bytes = all[i];
        if (!(bytes instanceof Uint8Array) || bytes.length !== end - start) {
          throw new H5Error("Io", `the source gives ${bytes?.length} bytes at ${start} instead of ${end - start}`);
        }
        this.#count(0, bytes.length, 0);
        this.#core.call(() => this.#wasm.answer(file, start, structure, bytes));
      });
    } finally {
      coming.forEach((range) => this.#coming.delete(range));
    }
  }

  /** Looks for a file that this one names. */
  async #find(name, signal) {
    const found = await this.#options.neighbours?.(name);
    if (found === undefined || found === null) return this.#core.call(() => this.#wasm.absent(name));
    const { source, size, first } = await openSource(found, { ...this.#options, signal });
    this.#count(1, first.length, 1);
    const number = this.#core.call(() => this.#wasm.found(name, size, first));
    this.#sources[number] = source;
  }

  object({ address, path }, rest, signal) {
    return this.run(() => this.#wasm.object(address, path, rest), signal);
  }

  exists({ address, path }, rest, signal) {
    return this.run(() => this.#wasm.exists(address, path, rest), signal);
  }

  entries({ address, path }, depth, signal) {
    return this.run(() => this.#wasm.entries(address, path, depth), signal);
  }

  attributes({ address, path }, signal) {
    return this.run(() => this.#wasm.attributes(address, path), signal);
  }

  fillValue({ address, path }, signal) {
    return this.run(() => this.#wasm.fillValue(address, path), signal);
  }

  chunks({ address, path }, signal) {
    return this.run(() => this.#wasm.chunks(address, path), signal);
  }

  async pathAt(address, signal) {
    return this.run(() => this.#wasm.pathAt(address), signal);
  }

  /** Begins to read a dataset: gives the number of the read and what it is, as JSON. */
  async begin({ address, path }, { form, numbers }, maxBytes, signal) {
    const reading = await this.run(() => this.#wasm.read(address, path, form, numbers, maxBytes ?? PART), signal);
    return [this.#keep(reading), this.#core.call(() => reading.describe())];
  }

  /** A part of a read: its shape as JSON, and its elements. */
  async part(number, part, signal) {
    const reading = this.#kept.get(number);
    const elements = await this.run(() => reading.part(part), signal);
    return [this.#core.call(() => reading.shapeOf(part)), elements];
  }

  /** All of a read: one array of numbers, or the elements part by part. */
  async all(number, stored, signal, onProgress) {
    const reading = this.#kept.get(number);
    const { parts, bytes, array, length } = JSON.parse(this.#core.call(() => reading.describe()));
    let done = 0;
    const next = () => onProgress?.((bytes * ++done) / parts, bytes);
    if (stored || array === undefined) {
      const elements = [];
      for (let part = 0; part < parts; part++) {
        elements.push(await this.run(() => (stored ? reading.stored(part) : reading.part(part)), signal));
        next();
      }
      return elements;
    }
    const numbers = allocate(array, length);
    const target = new Uint8Array(numbers.buffer);
    let at = 0;
    for (let part = 0; part < parts; part++) {
      const room = target.subarray(at);
      at += await this.run(() => reading.fill(part, room), signal);
      next();
    }
    if (at !== target.length) throw new H5Error("Internal", `${at} bytes were read instead of ${target.length}`);
    return numbers;
  }

  async digest() {
    // Lines tell what cannot be read, and so nothing asks for the codecs.
    await this.#core.loadCodecs();
    return this.#keep(this.#core.call(() => this.#wasm.digest()));
  }

  async anndata({ address, path }, signal) {
    return this.#keep(await this.run(() => this.#wasm.anndata(address, path), signal));
  }

  async table({ address, path }, signal) {
    return this.#keep(await this.run(() => this.#wasm.table(address, path), signal));
  }

  tables(signal) {
    return this.run(() => this.#wasm.tables(), signal);
  }

  /** Asks what has a number. */
  async ask(number, method, args, signal) {
    const kept = this.#kept.get(number);
    return this.run(() => kept[method](...args), signal);
  }

  #keep(value) {
    const number = this.#next++;
    this.#kept.set(number, value);
    return number;
  }

  /** Lets go of what has a number. */
  async drop(number) {
    const value = this.#kept.get(number);
    this.#kept.delete(number);
    if (value && !this.#closed) this.#core.call(() => value.free());
  }

  async close() {
    if (this.#closed) return;
    this.#closed = true;
    try {
      await this.#tables?.then((tables) => tables.close(), () => {});
      for (const value of this.#kept.values()) this.#core.call(() => value.free());
      if (this.#wasm) this.#core.call(() => this.#wasm.free());
    } finally {
      this.#kept.clear();
      // The file itself is closed by whom it was opened for.
      await Promise.all(this.#sources.map((source, file) => (file > 0 || this.#owns) && source?.close?.()));
    }
  }
}

const ARRAYS = {
  Int8Array,
  Int16Array,
  Int32Array,
  BigInt64Array,
  Uint8Array,
  Uint16Array,
  Uint32Array,
  BigUint64Array,
  Float32Array,
  Float64Array,
};

function allocate(array, length) {
  try {
    return new ARRAYS[array](length);
  } catch (cause) {
    throw new H5Error("Limit", `an array of ${length} numbers cannot be made; read it in parts, with \`blocks()\``, { cause });
  }
}

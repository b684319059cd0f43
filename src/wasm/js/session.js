// A file that is open: calls into the core, and fetches what it lacks in between.
import { H5Error } from "./errors.js";
import { finder } from "./neighbours.js";
import { each, given, openSource } from "./sources.js";
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
  /** What was opened. */
  #input;
  /** How files are found that this one names. */
  #neighbours;
  /** Files that this one names and that were opened for themselves, by their names. */
  #others = new Map();
  /** Calls that are not done yet. */
  #running = 0;
  /** Done when the file is refreshed, while that goes on. */
  #refreshing;
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
    const neighbours = finder(input, options);
    const [core, opened] = await Promise.all([load(), openSource(input, options)]);
    const session = new Session();
    session.#input = input;
    session.#neighbours = neighbours;
    // The signal stops opening, and nothing after that.
    const { signal, ...kept } = options;
    return session.#start(core, opened, { ...DEFAULTS, ...kept }, 1, signal);
  }

  /** The same file in the core that knows AnnData, H5Col and the digest. */
  async withTables() {
    this.#check();
    this.#tables ??= load("tables").then((core) => {
      const session = new Session();
      // What both fetch is counted in one place.
      session.stats = this.stats;
      session.#neighbours = this.#neighbours;
      return session.#start(core, this.#opened, this.#options, 0);
    });
    return this.#tables;
  }

  async #start(core, opened, options, fetched, signal) {
    const { source, size, first } = opened;
    this.#core = core;
    this.#opened = opened;
    this.#owns = fetched > 0;
    this.#options = options;
    this.#sources = [source];
    try {
      this.#count(fetched, fetched * first.length, fetched);
      await this.#begin(size, first, signal);
      return this;
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  async #begin(size, first, signal) {
    const { pageSize, coalesceGap, smallFile, cacheBytes, readBytes } = this.#options;
    const { Session } = this.#core.module;
    this.#wasm = this.#core.call(() => new Session(size, first, pageSize, coalesceGap, smallFile, cacheBytes, readBytes));
    this.root = JSON.parse(await this.#run(() => this.#wasm.open(this.#neighbours !== undefined), signal));
  }

  /** Lets go of all that was read, of a file that may have grown. What was opened in it stays, as places. */
  async refresh(signal) {
    this.#check();
    if (this.#running > 0 || this.#refreshing) {
      throw new H5Error("Usage", "the file is being read; it is refreshed when nothing else is going on");
    }
    let done;
    this.#refreshing = new Promise((resolve) => (done = resolve));
    try {
      await this.#input.refresh?.();
      const { source, size, first } = await openSource(this.#input, { ...this.#options, signal });
      this.#count(1, first.length, 1);
      await this.#leave();
      this.#opened = { source, size, first };
      this.#sources = [source];
      await this.#begin(size, first, signal);
      return this.root;
    } finally {
      this.#refreshing = undefined;
      done();
    }
  }

  /** Ends what was made of the file. */
  async #leave() {
    const held = [...this.#kept.values(), ...(this.#wasm ? [this.#wasm] : [])];
    const others = [this.#tables, ...this.#others.values()];
    const named = this.#sources.slice(1);
    this.#tables = undefined;
    this.#others.clear();
    this.#kept.clear();
    await Promise.all(others.map((other) => other?.then((session) => session.close(), () => {})));
    await Promise.all(named.map((source) => source?.close?.()));
    // Of a core that panicked there is nothing left.
    if (!this.#core.dead) for (const value of held) this.#core.call(() => value.free());
  }

  #count(requests, bytes, rounds) {
    this.stats.requests += requests;
    this.stats.bytes += bytes;
    this.stats.rounds += rounds;
    const { requests: mostRequests = Infinity, bytes: mostBytes = Infinity } = this.#options.limits ?? {};
    if (this.stats.requests > mostRequests) throw new H5Error("Limit", `more than ${mostRequests} requests`);
    if (this.stats.bytes > mostBytes) throw new H5Error("Limit", `more than ${mostBytes} bytes were fetched`);
  }

  /** Calls `work` until nothing is missing, fetching in between. While the file is refreshed it waits. */
  async run(work, signal) {
    await this.#refreshing;
    return this.#run(work, signal);
  }

  async #run(work, signal) {
    this.#check();
    const turns = this.#core.call(() => this.#wasm.begin());
    this.#running++;
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
      this.#running--;
      if (!this.#core.dead) this.#core.call(() => turns.free());
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
      const all = given(await fetched, ranges.map(({ length }) => length));
      if (this.#closed) return;
      requests.forEach(({ start, structure }, i) => {
        const bytes = all[i];
        this.#count(0, bytes.length, 0);
        this.#core.call(() => this.#wasm.answer(file, start, structure, bytes));
      });
    } finally {
      coming.forEach((range) => this.#coming.delete(range));
    }
  }

  /** Looks for a file that this one names. */
  async #find(name, signal) {
    const found = await this.#neighbours.find(name);
    const opened = found && (await this.#openNamed(found, signal));
    if (!opened) return this.#core.call(() => this.#wasm.absent(name));
    const { source, size, first } = opened;
    this.#count(1, first.length, 1);
    const number = this.#core.call(() => this.#wasm.found(name, size, first));
    this.#sources[number] = source;
  }

  async #openNamed(found, signal) {
    try {
      return await openSource(found, { ...this.#options, signal });
    } catch (error) {
      if (this.#neighbours.optional && error.status === 404) return undefined;
      throw error;
    }
  }

  /** A file that this one names, for itself. It is closed with this one. */
  async other(name) {
    this.#check();
    if (!this.#others.has(name)) {
      const opening = this.#openOther(name);
      this.#others.set(name, opening);
      opening.catch(() => this.#others.delete(name));
    }
    return this.#others.get(name);
  }

  async #openOther(name) {
    if (!this.#neighbours) throw new H5Error("Usage", `\`${name}\` is another file: \`neighbours\` says where those are`);
    const found = await this.#neighbours.find(name);
    if (!found) throw new H5Error("NotFound", `no file \`${name}\``);
    const session = await Session.open(found, this.#options);
    // What all of them fetch is counted in one place.
    for (const key of Object.keys(this.stats)) this.stats[key] += session.stats[key];
    session.stats = this.stats;
    return session;
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
  async begin({ address, path }, { form, numbers }, maxBytes, signal, fields) {
    const reading = await this.run(() => this.#wasm.read(address, path, form, numbers, maxBytes ?? PART), signal);
    if (fields) this.#core.call(() => reading.choose(Uint32Array.from(fields)));
    return [this.#keep(reading), this.#core.call(() => reading.describe())];
  }

  /** A part of a read: its shape as JSON, and its elements. */
  async part(number, part, signal) {
    const elements = await this.run(() => this.#get(number).part(part), signal);
    return [this.#core.call(() => this.#get(number).shapeOf(part)), elements];
  }

  /** All of a read: one array of numbers, which may be given, or the elements part by part. */
  async all(number, stored, signal, onProgress, into) {
    const reading = () => this.#get(number);
    const { parts, bytes, array, length } = JSON.parse(this.#core.call(() => reading().describe()));
    let done = 0;
    const next = () => onProgress?.((bytes * ++done) / parts, bytes);
    if (stored || array === undefined) {
      const elements = [];
      for (let part = 0; part < parts; part++) {
        elements.push(await this.run(() => (stored ? reading().stored(part) : reading().part(part)), signal));
        next();
      }
      return elements;
    }
    const numbers = into ?? allocate(array, length);
    const target = new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
    let at = 0;
    for (let part = 0; part < parts; part++) {
      const room = target.subarray(at);
      at += await this.run(() => reading().fill(part, room), signal);
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
    // Faults tell what cannot be read, and so nothing asks for the codecs.
    if (method === "faults") await this.#core.loadCodecs();
    return this.run(() => this.#get(number)[method](...args), signal);
  }

  #get(number) {
    this.#check();
    const kept = this.#kept.get(number);
    if (!kept) throw new H5Error("Usage", "the file was refreshed since this was begun");
    return kept;
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
    if (value && !this.#closed && !this.#core.dead) this.#core.call(() => value.free());
  }

  async close() {
    if (this.#closed) return;
    this.#closed = true;
    try {
      await this.#leave();
    } finally {
      // The file itself is closed by whom it was opened for.
      if (this.#owns) await this.#sources[0].close?.();
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

// A session in a worker. Objects are the same; their calls go over as messages, and results are transferred.
import { H5Error } from "./errors.js";
import { address } from "./sources.js";

/** What a worker is asked for, and who waits for it. */
class Connection {
  #worker;
  #waiting = new Map();
  #progress = new Map();
  #next = 1;
  #own;
  #sessions = 0;
  /** Why the worker answers no more. */
  over;

  constructor(worker, own) {
    this.#worker = worker;
    this.#own = own;
    listen(worker, (message) => this.#take(message), (cause) => this.#fail(cause));
  }

  #take({ id, progress, result, error, stats, pending }) {
    if (progress) return this.#progress.get(id)?.(...progress);
    const waiting = this.#waiting.get(id);
    if (stats && waiting) Object.assign(waiting.session.stats, stats);
    if (pending) return;
    this.#waiting.delete(id);
    this.#progress.delete(id);
    if (this.#waiting.size === 0) this.#worker.unref?.();
    if (!waiting) return;
    if (error) waiting.reject(rebuilt(error, waiting.signal));
    else waiting.resolve(result);
  }

  #fail(cause) {
    this.#end(new H5Error("Internal", `the worker has stopped: ${cause?.message ?? cause}; open the file again`, { cause }));
  }

  /** Nothing comes any more: neither for those who wait, nor for those who ask from now on. */
  #end(error) {
    this.over ??= error;
    for (const { reject } of this.#waiting.values()) reject(this.over);
    this.#waiting.clear();
    this.#progress.clear();
  }

  /** Calls a method of a session. A signal and a function for progress stay here. */
  call(session, method, args) {
    if (this.over) return Promise.reject(this.over);
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      const signal = args.find((arg) => arg instanceof AbortSignal);
      const posted = args.map((arg) => (arg instanceof AbortSignal || typeof arg === "function" ? undefined : arg));
      const progress = args.find((arg) => typeof arg === "function");
      if (signal?.aborted) return reject(signal.reason);
      const abort = () => this.#worker.postMessage({ id, abort: true });
      const settle = (done) => (value) => {
        signal?.removeEventListener("abort", abort);
        done(value);
      };
      // Workers of Node keep a program alive while they are waited for, and not longer.
      this.#worker.ref?.();
      this.#waiting.set(id, { session, signal, resolve: settle(resolve), reject: settle(reject) });
      if (progress) this.#progress.set(id, progress);
      signal?.addEventListener("abort", abort, { once: true });
      const place = (arg) => (arg === undefined ? -1 : args.indexOf(arg));
      try {
        this.#worker.postMessage({ id, session: session.number, method, args: posted, signal: place(signal), progress: place(progress) });
      } catch (cause) {
        this.#waiting.delete(id);
        settle(reject)(new H5Error("Usage", `this cannot be given to a worker: ${cause.message}`, { cause }));
      }
    });
  }

  begun() {
    this.#sessions++;
  }

  /** Lets go of a session; the worker ends with the last, where it was started here. */
  ended() {
    if (--this.#sessions > 0 || !this.#own) return;
    this.#end(closed());
    this.#worker.terminate();
  }
}

function closed() {
  return new H5Error("Closed", "the file is closed");
}

function rebuilt(error, signal) {
  if (signal?.aborted) return signal.reason;
  return error.kind === undefined ? Object.assign(new Error(error.message), { name: error.name }) : H5Error.from(error);
}

/** Workers of browsers and of Node tell of messages in two ways. */
function listen(worker, message, failed) {
  if (worker.addEventListener) {
    worker.addEventListener("message", ({ data }) => message(data));
    worker.addEventListener("error", (event) => failed(event.error ?? event));
  } else {
    worker.on("message", message);
    worker.on("error", failed);
    worker.on("exit", (code) => failed(`it has ended (${code})`));
  }
}

function start() {
  if (typeof Worker !== "undefined") return new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
  const threads = globalThis.process?.getBuiltinModule?.("node:worker_threads");
  if (threads) return new threads.Worker(new URL("./worker.js", import.meta.url));
  throw new H5Error("Unsupported", "there are no workers here");
}

/** The methods of a session that an object calls. */
const METHODS = [
  "object", "exists", "entries", "attributes", "fillValue", "chunks", "pathAt", "begin", "part", "all", "digest", "anndata",
  "table", "tables", "ask", "drop",
];

class RemoteSession {
  #connection;
  /** That which began this one. */
  #parent;
  #closing;
  /** Those that this one began and that are open. */
  #begun = new Set();
  #others = new Map();
  stats = { requests: 0, bytes: 0, rounds: 0 };
  /** Arrays of here are not those of there. */
  elsewhere = true;

  constructor(connection, number, parent) {
    this.#connection = connection;
    this.number = number;
    this.#parent = parent;
    for (const method of METHODS) this[method] = (...args) => this.#call(method, args);
  }

  get closed() {
    return this.#closing !== undefined || (this.#parent?.closed ?? false);
  }

  async #call(method, args) {
    if (this.closed) throw closed();
    return this.#connection.call(this, method, args);
  }

  async begin_(method, args) {
    const { number, root, stats } = await this.#call(method, args);
    const session = new RemoteSession(this.#connection, number, this);
    session.root = root;
    session.stats = Object.assign(this.stats, stats);
    this.#connection.begun();
    this.#begun.add(session);
    return session;
  }

  async withTables() {
    if (!this.tables_) {
      this.tables_ = this.begin_("withTables", []);
      this.tables_.catch(() => (this.tables_ = undefined));
    }
    return this.tables_;
  }

  /** A file that this one names. It is closed with this one. */
  async other(name) {
    if (!this.#others.has(name)) {
      const opening = this.begin_("other", [name]);
      this.#others.set(name, opening);
      opening.catch(() => this.#others.delete(name));
    }
    return this.#others.get(name);
  }

  async refresh(signal) {
    const root = await this.#call("refresh", [signal]);
    this.#end();
    return root;
  }

  /** Lets go of what this one began: it is closed with it. */
  #end() {
    for (const session of this.#begun) {
      session.#end();
      this.#connection.ended();
    }
    this.#begun.clear();
    this.tables_ = undefined;
    this.#others.clear();
  }

  /** Closes it and what it began, once. Of a worker that has stopped there is nothing left to close. */
  close() {
    return (this.#closing ??= this.#close());
  }

  async #close() {
    try {
      if (!this.#connection.over) await this.#connection.call(this, "close", []);
    } finally {
      this.#end();
      if (this.#parent?.#begun.delete(this) ?? true) this.#connection.ended();
    }
  }
}

/** Opens a file in a worker. */
export async function openRemote(input, { worker, signal, ...options }) {
  if (typeof input?.readRanges === "function") {
    throw new H5Error("Usage", "a source of one's own stays in its thread: it is opened with `open`");
  }
  const connection = new Connection(worker ?? start(), worker === undefined);
  connection.begun();
  try {
    const place = typeof input === "string" || input instanceof URL ? String(address(input)) : input;
    return await new RemoteSession(connection, 0).begin_("open", [place, options, signal]);
  } finally {
    connection.ended();
  }
}

// Where bytes come from. A source has `size` and `readRanges(ranges, signal)`, which gives the bytes of each range.
import { count, shown } from "./arguments.js";
import { H5Error } from "./errors.js";

/** Bytes of the first request of a file that is elsewhere: more than metadata mostly needs. */
const FIRST = 64 << 10;
/** Requests that are made at once. */
const CONCURRENCY = 6;
/** Bytes of a whole file that are kept where a server gives no ranges. */
const SMALL = 32 << 20;
/** How often a request is repeated that the network or the server failed. */
const RETRIES = 2;

/** Opens what was given: gives a source, its size and its first bytes. */
export async function openSource(input, options = {}) {
  checked(options);
  if (input instanceof ArrayBuffer || ArrayBuffer.isView(input)) return started(new Bytes(input), options);
  if (typeof Blob !== "undefined" && input instanceof Blob) return started(new BlobSource(input), options);
  if (typeof input === "string" || input instanceof URL) return Http.open(address(input), options);
  if (typeof input?.readRanges === "function") return started(input, options);
  throw new H5Error("Usage", "what is to be opened is no address, File, Blob, ArrayBuffer, Uint8Array or source");
}

/** Numbers that would fetch nothing, or wait for ever. */
function checked({ prefetch = FIRST, concurrency = CONCURRENCY, retries = RETRIES }) {
  count(prefetch, "`prefetch`", 1);
  if (concurrency !== Infinity) count(concurrency, "`concurrency`", 1);
  count(retries, "`retries`");
}

/** An address that can be fetched. */
export function address(input) {
  try {
    const url = new URL(input, globalThis.location?.href);
    if (url.protocol !== "file:") return url;
  } catch {
    // Told below.
  }
  throw new H5Error("Usage", `${input} is no address that can be fetched; files of Node are opened with h5kit/node`);
}

/** A source of known size, with its first bytes. */
async function started(source, { signal, prefetch = FIRST } = {}) {
  const { size } = source;
  if (!Number.isSafeInteger(size) || size < 0) throw new H5Error("Usage", "a source without its size");
  const length = Math.min(size, prefetch);
  const [first] = length > 0 ? given(await source.readRanges([{ offset: 0, length }], signal), [length]) : [new Uint8Array()];
  return { source, size, first };
}

/** What a source gives: as many bytes for each range as are in it. */
export function given(all, lengths) {
  lengths.forEach((length, i) => {
    const bytes = all?.[i];
    if (bytes instanceof Uint8Array && bytes.length === length) return;
    const found = bytes instanceof Uint8Array ? `${bytes.length} bytes` : shown(bytes);
    throw new H5Error("Io", `the source gives ${found} for a range of ${length} bytes`);
  });
  return all;
}

class Bytes {
  #bytes;

  constructor(bytes) {
    this.#bytes = ArrayBuffer.isView(bytes)
      ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      : new Uint8Array(bytes);
    this.size = this.#bytes.length;
  }

  async readRanges(ranges) {
    return ranges.map(({ offset, length }) => this.#bytes.subarray(offset, offset + length));
  }
}

class BlobSource {
  #blob;

  constructor(blob) {
    this.#blob = blob;
    this.size = blob.size;
  }

  readRanges(ranges, signal) {
    return each(ranges, CONCURRENCY, async ({ offset, length }) => {
      signal?.throwIfAborted();
      try {
        return new Uint8Array(await this.#blob.slice(offset, offset + length).arrayBuffer());
      } catch (cause) {
        throw new H5Error("Io", `the file cannot be read any more: ${cause.message}`, { cause });
      }
    });
  }
}

/** Calls `work` with every item, some at once, and gives all results in order. */
export async function each(items, atOnce, work) {
  const results = new Array(items.length);
  let next = 0;
  const worker = async () => {
    while (next < items.length) {
      const at = next++;
      results[at] = await work(items[at]);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker));
  return results;
}

/** A file of an HTTP server that gives ranges. */
class Http {
  #url;
  #options;
  #mark;
  #places;

  constructor(url, options) {
    this.#url = url;
    this.#options = options;
    this.#places = new Places(options.concurrency ?? CONCURRENCY);
  }

  static async open(url, options) {
    const http = new Http(url, options);
    const { prefetch = FIRST } = options;
    const response = await http.#fetch(0, prefetch, options.signal);
    if (response.status === 416 && total(response) === 0) return started(new Bytes(new Uint8Array()));
    if (response.status === 200) return started(new Bytes(await http.#whole(response)));
    http.#check(response);
    http.#mark = mark(response);
    const first = new Uint8Array(await response.arrayBuffer());
    http.size = total(response) ?? (await http.#sizeByHead(options.signal));
    if (first.length !== Math.min(prefetch, http.size)) throw http.#fault("Http", "a range of another length");
    return { source: http, size: http.size, first };
  }

  readRanges(ranges, signal) {
    return Promise.all(
      ranges.map(({ offset, length }) => this.#places.with(() => this.#range(offset, length, signal))),
    );
  }

  async #range(offset, length, signal) {
    for (let attempt = 0; ; attempt++) {
      const response = await this.#fetch(offset, length, signal);
      const size = total(response);
      const now = mark(response);
      const changed =
        response.status === 412 ||
        response.status === 416 ||
        (size !== undefined && size !== this.size) ||
        Object.keys(now).some((key) => now[key] && this.#mark[key] && now[key] !== this.#mark[key]);
      if (changed) throw this.#fault("Changed", "the file has changed since it was opened");
      this.#check(response);
      try {
        const bytes = new Uint8Array(await response.arrayBuffer());
        if (bytes.length === length) return bytes;
        throw this.#fault("Http", `${bytes.length} bytes came instead of ${length}`);
      } catch (cause) {
        signal?.throwIfAborted();
        if (attempt >= this.#retries) {
          throw cause instanceof H5Error ? cause : this.#fault("Http", cause.message, { cause });
        }
      }
    }
  }

  /** Requests a range; what fails for a moment is tried again. */
  async #fetch(offset, length, signal) {
    const { requestInit = {}, fetch = globalThis.fetch } = this.#options;
    const headers = new Headers(requestInit.headers);
    headers.set("Range", `bytes=${offset}-${offset + length - 1}`);
    for (let attempt = 0; ; attempt++) {
      signal?.throwIfAborted();
      let cause;
      try {
        const response = await fetch(this.#url, { ...requestInit, headers, signal });
        const passing = response.status === 429 || response.status >= 500;
        if (!passing || attempt >= this.#retries) return response;
        await response.body?.cancel();
      } catch (error) {
        signal?.throwIfAborted();
        cause = error;
      }
      if (cause && attempt >= this.#retries) {
        const hint = "the address, the network, or the server does not allow other origins: CORS";
        throw this.#fault("Http", `${cause.cause?.message || cause.message} (${hint})`, { cause });
      }
      await pause(100 * 2 ** attempt, signal);
    }
  }

  get #retries() {
    return this.#options.retries ?? RETRIES;
  }

  /** Refuses answers that are no ranges. */
  #check(response) {
    const { status } = response;
    if (status === 200) throw this.#fault("NoRanges", "the server gives no ranges");
    if (status !== 206) throw this.#fault("Http", `the server answers ${status} ${response.statusText}`.trim(), { status });
    const encoding = response.headers.get("Content-Encoding");
    if (encoding && encoding !== "identity") throw this.#fault("NoRanges", `the server encodes ranges (${encoding})`);
  }

  /** The whole of a file whose server gives no ranges, where that is allowed. */
  async #whole(response) {
    const { fullDownload = "small" } = this.#options;
    const most = { never: 0, small: SMALL, always: Infinity }[fullDownload] ?? SMALL;
    const refuse = async () => {
      await response.body?.cancel();
      const hint = "`fullDownload: \"always\"` downloads all of it";
      throw this.#fault("NoRanges", `the server gives no ranges, and the file is not small; ${hint}`);
    };
    if (Number(response.headers.get("Content-Length") ?? 0) > most) await refuse();
    const parts = [];
    let length = 0;
    const reader = response.body.getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      parts.push(part.value);
      length += part.value.length;
      if (length > most) {
        reader.releaseLock();
        await refuse();
      }
    }
    return new Blob(parts).arrayBuffer();
  }

  /** The size, where a server of another origin does not show `Content-Range`. */
  async #sizeByHead(signal) {
    const { requestInit = {}, fetch = globalThis.fetch } = this.#options;
    const response = await fetch(this.#url, { ...requestInit, method: "HEAD", signal });
    const length = response.headers.get("Content-Length");
    if (!response.ok || length === null) throw this.#fault("NoRanges", "the server does not tell the size of the file");
    return Number(length);
  }

  #fault(kind, message, fields) {
    return new H5Error(kind, `${this.#url}: ${message}`, fields);
  }
}

/** The size of the whole file, where `Content-Range` tells it. */
function total(response) {
  const size = /\/(\d+)\s*$/.exec(response.headers.get("Content-Range") ?? "")?.[1];
  return size === undefined ? undefined : Number(size);
}

/** What tells one state of a file from another. */
function mark(response) {
  return { etag: response.headers.get("ETag"), modified: response.headers.get("Last-Modified") };
}

function pause(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, milliseconds);
    signal?.addEventListener("abort", stop, { once: true });
  });
}

/** So many places: who finds none waits for one. */
class Places {
  #free;
  #waiting = [];

  constructor(places) {
    this.#free = places;
  }

  async with(work) {
    if (this.#free > 0) this.#free--;
    else await new Promise((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    }
  }
}

// Files of Node, read at positions.
import { open as openFile } from "node:fs/promises";
import { dirname, isAbsolute, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { H5Error, open } from "./index.js";
import { each } from "./sources.js";

export * from "./index.js";

/** Reads that are made at once. */
const AT_ONCE = 16;

/** What the system says, as an error of the package. */
function refused(cause) {
  throw new H5Error("Io", cause.message, { cause });
}

class FileSource {
  #handle;

  constructor(handle, size) {
    this.#handle = handle;
    this.size = size;
  }

  static async open(path) {
    let handle;
    try {
      handle = await openFile(path);
      return new FileSource(handle, (await handle.stat()).size);
    } catch (cause) {
      await handle?.close();
      return refused(cause);
    }
  }

  /** Looks how long the file is by now. */
  async refresh() {
    this.size = (await this.#handle.stat().catch(refused)).size;
  }

  readRanges(ranges, signal) {
    return each(ranges, AT_ONCE, async ({ offset, length }) => {
      signal?.throwIfAborted();
      const bytes = new Uint8Array(length);
      for (let at = 0; at < length; ) {
        const { bytesRead } = await this.#handle.read(bytes, at, length - at, offset + at).catch(refused);
        if (bytesRead === 0) throw new H5Error("Io", `the file ends before ${offset + length}`);
        at += bytesRead;
      }
      return bytes;
    });
  }

  close() {
    return this.#handle.close();
  }
}

/** Opens a file of this machine; files that it names are looked for in its folder. */
export async function openPath(path, { neighbours = "beside", ...options } = {}) {
  const source = await FileSource.open(path);
  const folder = dirname(path instanceof URL ? fileURLToPath(path) : String(path));
  try {
    return await open(source, { ...options, neighbours: neighbours === "beside" ? (name) => beside(folder, name) : neighbours });
  } catch (error) {
    await source.close().catch(() => {});
    throw error;
  }
}

/** A file in a folder or below it; of a name that leads elsewhere its last part counts. */
async function beside(folder, name) {
  const inside = !isAbsolute(name) && !normalize(name).startsWith("..");
  const path = join(folder, inside ? name : name.slice(name.lastIndexOf("/") + 1));
  try {
    return await FileSource.open(path);
  } catch {
    return null;
  }
}

// Where files are that a file names: external links, external raw data, sources of virtual datasets.
import { H5Error } from "./errors.js";
import { address } from "./sources.js";

/**
 * How other files are found: a function of their names, which gives what can be opened, and `null` where there is none of a
 * name. Nothing where they are not to be found. `optional`: one that the server does not have is none.
 */
export function finder(input, { neighbours }) {
  if (typeof neighbours === "function") return { find: neighbours };
  if (neighbours === null) return undefined;
  if (typeof input === "string" || input instanceof URL) {
    const url = address(input);
    return { find: (name) => beside(url, name), optional: true };
  }
  if (neighbours === undefined) return undefined;
  throw new H5Error("Usage", "`neighbours`: only a file with an address has files beside it; give a function of names");
}

/** The address of a file in the folder of another, or below it; of a name that leads elsewhere its last part counts. */
export function beside(url, name) {
  const parts = name.split("/");
  const leaves = name.startsWith("/") || parts.includes("..");
  const inside = (leaves ? parts.slice(-1) : parts).filter((part) => !["", ".", ".."].includes(part));
  if (inside.length === 0) return null;
  const found = new URL(url);
  found.pathname = [...url.pathname.split("/").slice(0, -1), ...inside.map(encodeURIComponent)].join("/");
  return found;
}

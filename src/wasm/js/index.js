import { annData } from "./anndata.js";
import { table, tables } from "./h5col.js";
import { H5File } from "./objects.js";
import { Session } from "./session.js";
import { openRemote } from "./remote.js";

export { H5Error } from "./errors.js";
export { Dataset, Group, H5File, NamedDatatype } from "./objects.js";
export { NdArray, Ragged, Reference } from "./values.js";
export { loadedModules, registerFilter, setWasm } from "./wasm.js";

/** Opens a file lazily: an address, a `File` or `Blob`, bytes, or a source of ranges. */
export async function open(input, options = {}) {
  return new H5File(await Session.open(input, options));
}

/** The same, where all work is done in a worker. */
export async function openInWorker(input, options = {}) {
  return new H5File(await openRemote(input, options));
}

/** The AnnData of a file, or of a group of one. */
export async function openAnnData(input, options = {}) {
  return annData(input?.session ? input : await open(input, options), options);
}

/** The H5Col table in a group. */
export function openTable(group, options = {}) {
  return table(group, options);
}

/** The paths of the H5Col tables of a file. */
export function findTables(file, options = {}) {
  return tables(file, options);
}

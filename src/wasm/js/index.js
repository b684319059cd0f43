import { H5File } from "./objects.js";
import { Session } from "./session.js";

export { H5Error } from "./errors.js";
export { Dataset, Group, H5File, NamedDatatype } from "./objects.js";
export { NdArray, Ragged, Reference } from "./values.js";
export { registerFilter, setWasm } from "./wasm.js";

/** Opens a file lazily: an address, a `File` or `Blob`, bytes, or a source of ranges. */
export async function open(input, options = {}) {
  return new H5File(await Session.open(input, options));
}

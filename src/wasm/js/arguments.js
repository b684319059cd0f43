// What programs give: what does not fit is an error before it reaches the core.
import { H5Error } from "./errors.js";

export function usage(message) {
  return new H5Error("Usage", message);
}

/** A value as an error shows it. */
export function shown(value) {
  if (typeof value === "string") return `\`${value}\``;
  if (Array.isArray(value)) return "an array";
  if (typeof value === "object" && value !== null) return Object.keys(value).length === 0 ? "{}" : `{ ${Object.keys(value).join(", ")} }`;
  return typeof value === "function" ? "a function" : String(value);
}

export function text(value, what) {
  if (typeof value === "string") return value;
  throw usage(`${what} is text, not ${shown(value)}`);
}

/** A number that counts something, of some least size. */
export function count(value, what, least = 0) {
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw usage(`${what} is a whole number of at least ${least}, not ${shown(value)}`);
}

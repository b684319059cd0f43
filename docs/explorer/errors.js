// Errors, shown where they happened.
import { el } from "./dom.js";

export const isAbort = (error) => error?.name === "AbortError";

const TITLES = {
  NotHdf5: "This is not an HDF5 file",
  Corrupt: "The file is damaged here",
  Unsupported: "This is valid HDF5 that cannot be read here",
  Limit: "This is more than the limits allow",
  Http: "The server could not be read",
  NoRanges: "The server gives no ranges",
  Changed: "The file has changed",
  Rule: "This breaks a rule of its encoding",
  Query: "The condition cannot be understood",
  Internal: "Something went wrong in this page",
};

/** What to do about it, where that is known. */
const HINTS = {
  Http: "A server on another host has to allow this page to read from it (CORS).",
  NoRanges: "Download the file and drop it here.",
  Changed: "Open it again.",
};

/** An error with its kind, and a button to try again. */
export function errorPanel(error, again) {
  // A server that answers can be reached.
  const hint = error?.status === undefined ? HINTS[error?.kind] : undefined;
  return el(
    "div",
    { class: "error", role: "alert" },
    el("strong", {}, TITLES[error?.kind] ?? "This cannot be shown"),
    el("p", {}, errorText(error)),
    hint && el("p", { class: "hint" }, hint),
    again && el("button", { type: "button", onclick: again }, "Try again"),
  );
}

export const errorText = (error) => String(error?.message ?? error);

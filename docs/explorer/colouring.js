// What a column of values means for colours: categories with their counts, or numbers with their range.
import { H5Error } from "./h5kit/index.js";
import { drawable, extent } from "./format.js";

/** More different texts than this are no categories. */
const MOST = 5000;

/** `{kind: "categories", names, codes, counts, missing}` or `{kind: "numbers", values, range, missing}`. */
export function colouring(column) {
  if (column.codes) return categories(column.categories.map(String), column.codes);
  const { values, missing, type } = column;
  const there = (i) => !missing?.[i];
  if (type === "bool") return categories(["false", "true"], Int8Array.from(values, (value, i) => (there(i) ? value : -1)));
  if (Array.isArray(values)) return texts(values, there);
  if (missing === undefined) return numbers(drawable(values));
  return numbers(Float64Array.from(values, (value, i) => (there(i) ? Number(value) : NaN)));
}

function categories(names, codes) {
  const counts = new Float64Array(names.length);
  let missing = 0;
  for (const code of codes) {
    if (code < 0) missing++;
    else counts[code]++;
  }
  return { kind: "categories", names, codes, counts, missing };
}

function texts(values, there) {
  const numbers = new Map();
  const codes = Int32Array.from(values, (text, i) => {
    if (!there(i)) return -1;
    if (!numbers.has(text)) numbers.set(text, numbers.size);
    return numbers.get(text);
  });
  if (numbers.size > MOST) throw new H5Error("Limit", `${numbers.size} different texts are too many for colours`);
  return categories([...numbers.keys()], codes);
}

export function numbers(values) {
  const missing = values.reduce((sum, n) => sum + Number.isNaN(n), 0);
  return { kind: "numbers", values, range: extent(values), missing };
}

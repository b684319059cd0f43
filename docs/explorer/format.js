// Numbers, sizes, datatypes and elements as text.

export const count = (n) => Number(n).toLocaleString("en").replaceAll(",", "\u202f");

export const plural = (n, one, many = `${one}s`) => `${count(n)} ${n === 1 ? one : many}`;

export function bytes(n) {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let unit = 0;
  for (; n >= 1000 && unit < units.length - 1; unit++) n /= 1000;
  return `${unit === 0 || n >= 100 ? Math.round(n) : n.toFixed(1)} ${units[unit]}`;
}

export const shapeText = (shape) => (shape.length === 0 ? "scalar" : shape.map(count).join(" × "));

/** A datatype in a word or two. */
export function dtypeText(dtype) {
  const bits = 8 * dtype.size;
  switch (dtype.kind) {
    case "int":
    case "uint":
    case "float":
    case "bitfield":
      return `${dtype.kind}${bits}${dtype.littleEndian === false && dtype.size > 1 ? " (big-endian)" : ""}`;
    case "string":
      return dtype.length === null ? "string" : `string of ${dtype.length} bytes`;
    case "enum":
      return `enum of ${plural(Object.keys(dtype.members).length, "name")}`;
    case "compound":
      return `{${dtype.fields.map(({ name, dtype }) => `${name}: ${dtypeText(dtype)}`).join(", ")}}`;
    case "vlen":
      return `list of ${dtypeText(dtype.base)}`;
    case "array":
      return `${dtype.shape.join(" × ")} ${dtypeText(dtype.base)}`;
    case "complex":
      return `complex${bits}`;
    case "opaque":
      return `opaque, ${plural(dtype.size, "byte")}${dtype.tag ? ` (${dtype.tag})` : ""}`;
    case "reference":
      return `${dtype.what} reference`;
    default:
      return dtype.kind;
  }
}

/** A datatype as short as a tree has room for. */
export function shortDtype(dtype) {
  return dtype.kind === "compound" ? `{${dtype.fields.map(({ name }) => name).join(", ")}}` : dtypeText(dtype);
}

/** A number with as many digits as it needs; one of 32 bits has fewer than its value in 64 bits. */
export function number(n, single = false) {
  if (typeof n === "bigint" || Number.isInteger(n)) return Object.is(n, -0) ? "-0" : String(n);
  if (!single || !Number.isFinite(n)) return String(n);
  for (let digits = 6; digits < 10; digits++) {
    const short = Number(n.toPrecision(digits));
    if (Math.fround(short) === n) return String(short);
  }
  return String(n);
}

/** A number for an axis or a scale: four digits. */
export const rough = (n) => String(Number(Number(n).toPrecision(4)));

const quoted = (text) => JSON.stringify(text);

/** How many numbers stand for one element. */
function width(dtype) {
  if (dtype.kind === "complex") return 2;
  if (dtype.kind === "opaque") return dtype.size;
  return dtype.kind === "array" ? dtype.shape.reduce((product, n) => product * n, 1) * width(dtype.base) : 1;
}

/** The most elements of a list that are written out. */
const MOST = 100;

/** Element `i` of data of a datatype as text; `inner` is one within another. */
export function elementText(data, dtype, i, inner = false) {
  switch (dtype.kind) {
    case "bool":
      return data[i] ? "true" : "false";
    case "string":
      return inner ? quoted(data[i]) : data[i];
    case "enum":
      return enumName(dtype, data[i]);
    case "compound":
      return `{${dtype.fields.map(({ name, dtype }) => `${name}: ${elementText(data[name], dtype, i, true)}`).join(", ")}}`;
    case "vlen":
      return listText(data.values, dtype.base, data.offsets[i], data.offsets[i + 1]);
    case "array": {
      const step = width(dtype) / width(dtype.base);
      return listText(data, dtype.base, i * step, (i + 1) * step);
    }
    case "complex": {
      const [re, im] = [data[2 * i], data[2 * i + 1]];
      const single = data instanceof Float32Array;
      return `${number(re, single)}${im < 0 || Object.is(im, -0) ? "" : "+"}${number(im, single)}i`;
    }
    case "opaque":
      return Array.from(data.subarray(i * dtype.size, (i + 1) * dtype.size), (b) => b.toString(16).padStart(2, "0")).join("");
    case "reference":
      return referenceText(data[i]);
    default:
      return number(data[i], data instanceof Float32Array);
  }
}

function listText(data, dtype, start, end) {
  const texts = [];
  for (let i = start; i < Math.min(end, start + MOST); i++) texts.push(elementText(data, dtype, i, true));
  if (end - start > MOST) texts.push(`… ${count(end - start - MOST)} more`);
  return `[${texts.join(", ")}]`;
}

function referenceText(reference) {
  if (!reference) return "null reference";
  const kind = { object: "object", region: "region", attribute: "attribute" }[reference.kind] ?? "reference";
  return `→ ${kind} at ${reference.address}${reference.name === undefined ? "" : `, ${reference.name}`}`;
}

function enumName(dtype, value) {
  const found = Object.entries(dtype.members).find(([, member]) => member === value);
  return found ? found[0] : String(value);
}

/** Whether elements can be drawn as numbers. */
export const isNumeric = ({ kind }) => ["int", "uint", "float", "bool", "bitfield"].includes(kind);

/** Data as numbers that can be drawn: those of 64 bits are rounded, for drawing alone. */
export const drawable = (data) =>
  data instanceof BigInt64Array || data instanceof BigUint64Array ? Float64Array.from(data, Number) : data;

/** The least and the most of the finite numbers; `undefined` where there is none. */
export function extent(data) {
  let [least, most] = [Infinity, -Infinity];
  for (const n of data) {
    if (n < least && n !== -Infinity) least = n;
    if (n > most && n !== Infinity) most = n;
  }
  return least <= most ? [least, most] : undefined;
}

// Selections, as the core takes them.
import { shown } from "./arguments.js";
import { H5Error } from "./errors.js";

const ALL = { form: "all", numbers: new Float64Array() };

/** What a range has. */
const RANGE = ["start", "stop", "step"];

/** What is selected of a shape: `{form, numbers}`, and where places are listed their order in `list`. */
export function resolve(selection, shape) {
  if (selection === undefined || selection === null) return ALL;
  if (isRegion(selection)) return { form: selection.form, numbers: Float64Array.from(selection.numbers) };
  if (!Array.isArray(selection)) {
    throw wrong(`${shown(selection)} is none; it is an array with an entry for each dimension, such as [{ start: 0, stop: 10 }, null]`);
  }
  const axes = Array.from(selection);
  if (axes.length > shape.length) throw wrong(`${axes.length} dimensions are selected, there are ${shape.length}`);
  const lists = axes.flatMap((axis, i) => (isList(axis) ? [i] : []));
  if (lists.length > 1) throw wrong("places are listed in more than one dimension");
  if (lists.length === 1) return listed(axes, lists[0], shape);
  return { form: "slices", numbers: Float64Array.from(axes.flatMap(slice)) };
}

/** What is selected of one dimension by a range or a list: `{start, stop}` of a whole range, or `list`, places in their order. */
export function along(selected, extent, dimension) {
  if (isRange(selected)) {
    const [start, end, step] = slice(selected, dimension);
    const stop = ending(start, end, extent, dimension);
    if (step === 1) return { start, stop };
    return { list: Float64Array.from({ length: Math.ceil((stop - start) / step) }, (_, i) => start + i * step) };
  }
  if (typeof selected !== "object" || selected === null || !(Symbol.iterator in selected)) {
    throw new H5Error("Usage", `${shown(selected)}: neither a range, such as { start: 0, stop: 10 }, nor a list of places`);
  }
  const list = Float64Array.from(selected, place);
  const beyond = list.find((place) => place >= extent);
  if (beyond !== undefined) throw none(dimension, extent, beyond);
  return { list };
}

/** Whether a selection is what a reference holds. */
function isRegion({ form, numbers }) {
  return typeof form === "string" && (Array.isArray(numbers) || ArrayBuffer.isView(numbers));
}

function isList(axis) {
  return Array.isArray(axis) || ArrayBuffer.isView(axis);
}

/** Whether something is an object with what a range has, and nothing else. */
function isRange(axis) {
  if (typeof axis !== "object" || axis === null || isList(axis) || Symbol.iterator in axis) return false;
  return Object.keys(axis).every((key) => RANGE.includes(key));
}

/** Start, end and step; a step of 0 is a single place, an end of `NaN` the end of the dimension. */
function slice(axis, dimension) {
  if (axis === null || axis === undefined) return [0, NaN, 1];
  if (typeof axis === "number" || typeof axis === "bigint") return [place(axis), NaN, 0];
  if (!isRange(axis)) {
    throw wrong(`dimension ${dimension}: ${shown(axis)} is neither null, a place, { start, stop, step } nor a list of places`);
  }
  const { start, stop, step } = axis;
  const every = place(step ?? 1);
  if (every === 0) throw wrong("a step of 0");
  return [place(start ?? 0), stop === undefined || stop === null ? NaN : place(stop), every];
}

/** A place in a dimension. */
export function place(number) {
  const place = typeof number === "bigint" ? Number(number) : number;
  if (!Number.isSafeInteger(place) || place < 0) throw wrong(`${shown(number)} is no place in a dimension`);
  return place;
}

/** Places of one dimension in any order: read in theirs, as boxes, and then put into the order that was asked for. */
function listed(axes, axis, shape) {
  const wanted = Array.from(axes[axis], place);
  const sorted = [...new Set(wanted)].sort((a, b) => a - b);
  const last = sorted.at(-1);
  if (last >= shape[axis]) throw none(axis, shape[axis], last);
  const ranges = shape.map((extent, i) => (i === axis ? null : range(axes[i], extent, i)));
  const rows = new Map(sorted.map((place, row) => [place, row]));
  const list = { axis, read: sorted.length, places: wanted.map((place) => rows.get(place)) };
  list.shape = ranges.map((range, i) => (i === axis ? sorted.length : range.stop - range.start));
  list.dropped = ranges.map((range) => range?.index ?? false);
  if (list.shape.includes(0)) return { form: "none", numbers: new Float64Array(), list };
  const numbers = [];
  for (let i = 0; i < sorted.length; ) {
    const first = i++;
    while (i < sorted.length && sorted[i] === sorted[i - 1] + 1) i++;
    numbers.push(...ranges.map((range) => range?.start ?? sorted[first]));
    numbers.push(...ranges.map((range) => (range ? range.stop - 1 : sorted[i - 1])));
  }
  return { form: "blocks", numbers: Float64Array.from(numbers), list };
}

/** A whole range of a dimension beside listed places. */
function range(selected, extent, dimension) {
  const [start, end, step] = slice(selected, dimension);
  if (step > 1) throw wrong("steps beside listed places");
  return { start, stop: ending(start, step === 0 ? start + 1 : end, extent, dimension), index: step === 0 };
}

/** Where a range ends, which may be the end of the dimension, and not beyond it. */
function ending(start, end, extent, dimension) {
  const stop = Math.max(start, Number.isNaN(end) ? extent : end);
  if (stop > extent) throw wrong(`dimension ${dimension} has ${extent} elements, the selection ends at ${stop}`);
  return stop;
}

function none(dimension, extent, place) {
  return wrong(`dimension ${dimension} has ${extent} elements, there is none at ${place}`);
}

function wrong(message) {
  return new H5Error("Selection", `selection: ${message}`);
}

// Selections, as the core takes them.
import { H5Error } from "./errors.js";

const ALL = { form: "all", numbers: new Float64Array() };

/** What is selected of a shape: `{form, numbers}`, and where places are listed their order in `list`. */
export function resolve(selection, shape) {
  if (selection === undefined || selection === null) return ALL;
  if (selection.form !== undefined) return { form: selection.form, numbers: Float64Array.from(selection.numbers) };
  const axes = Array.from(selection);
  if (axes.length > shape.length) throw wrong(`${axes.length} dimensions are selected, there are ${shape.length}`);
  const lists = axes.flatMap((axis, i) => (isList(axis) ? [i] : []));
  if (lists.length > 1) throw wrong("places are listed in more than one dimension");
  if (lists.length === 1) return listed(axes, lists[0], shape);
  return { form: "slices", numbers: Float64Array.from(axes.flatMap(slice)) };
}

function isList(axis) {
  return Array.isArray(axis) || ArrayBuffer.isView(axis);
}

/** Start, end and step; a step of 0 is a single place, an end of `NaN` the end of the dimension. */
function slice(axis) {
  if (axis === null || axis === undefined) return [0, NaN, 1];
  if (typeof axis === "number" || typeof axis === "bigint") return [place(axis), NaN, 0];
  const { start = 0, stop, step = 1 } = axis;
  if (place(step) === 0) throw wrong("a step of 0");
  return [place(start), stop === undefined || stop === null ? NaN : place(stop), place(step)];
}

function place(number) {
  const place = Number(number);
  if (!Number.isSafeInteger(place) || place < 0) throw wrong(`${number} is no place in a dimension`);
  return place;
}

/** Places of one dimension in any order: read in theirs, as boxes, and then put into the order that was asked for. */
function listed(axes, axis, shape) {
  const wanted = Array.from(axes[axis], place);
  const sorted = [...new Set(wanted)].sort((a, b) => a - b);
  const last = sorted.at(-1);
  if (last >= shape[axis]) throw wrong(`dimension ${axis} has ${shape[axis]} elements, there is none at ${last}`);
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
  const [start, end, step] = slice(selected);
  if (step > 1) throw wrong("steps beside listed places");
  const stop = step === 0 ? start + 1 : Number.isNaN(end) ? extent : Math.max(start, end);
  if (stop > extent) throw wrong(`dimension ${dimension} has ${extent} elements, the selection ends at ${stop}`);
  return { start, stop, index: step === 0 };
}

function wrong(message) {
  return new H5Error("Selection", `selection: ${message}`);
}

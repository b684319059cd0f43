// What a read will fetch.
import { H5Error } from "./errors.js";

/** Runs of bytes of one plan. */
const RUNS = 1 << 20;

/** The stretches of the file that a read of a selection takes its elements from, in their order there. */
export async function plan(dataset, selection, options) {
  const axes = dataset.shape.map((extent, i) => axis(selection?.[i], extent));
  switch (dataset.layout) {
    case "compact":
      return [];
    case "contiguous":
      return dataset.position === undefined ? [] : runs(dataset, axes);
    case "chunked": {
      const chunks = await dataset.chunks(options);
      const meets = ({ offset }) => axes.every((axis, i) => within(axis, offset[i], offset[i] + dataset.chunkShape[i]));
      const part = ({ offset, position, size, filterMask }) => ({ offset: position, length: size, index: offset, filterMask });
      return chunks.filter(meets).map(part).sort((a, b) => a.offset - b.offset);
    }
    default:
      throw new H5Error("Unsupported", `${dataset.path}: its elements are in other files`, { path: dataset.path });
  }
}

/** What is selected of a dimension: places, or a range. */
function axis(selected, extent) {
  if (selected === null || selected === undefined) return { start: 0, stop: extent, step: 1 };
  if (Array.isArray(selected) || ArrayBuffer.isView(selected)) return { places: [...new Set(Array.from(selected, Number))].sort((a, b) => a - b) };
  if (typeof selected !== "object") return { places: [Number(selected)] };
  const { start, stop, step } = selected;
  return { start: Number(start ?? 0), stop: Number(stop ?? extent), step: Number(step ?? 1) };
}

function within({ places, start, stop, step }, first, end) {
  if (places) return places.some((place) => first <= place && place < end);
  return start + Math.ceil(Math.max(0, first - start) / step) * step < Math.min(stop, end);
}

function* placesOf({ places, start, stop, step }) {
  if (places) yield* places;
  else for (let place = start; place < stop; place += step) yield place;
}

/** The runs of elements that are in one piece of the file. */
function runs({ path, position, shape, itemSize }, axes) {
  const runs = [];
  const add = (index, offset, length) => {
    const last = runs.at(-1);
    if (last && last.offset + last.length === offset) {
      last.length += length;
      return;
    }
    if (runs.length === RUNS) throw new H5Error("Limit", `${path}: more than ${RUNS} runs of bytes`, { path });
    runs.push({ offset, length, index, filterMask: 0 });
  };
  const visit = (dimension, index, element) => {
    if (dimension === shape.length) return add(index, position + element * itemSize, itemSize);
    const below = shape.slice(dimension + 1).reduce((product, extent) => product * extent, 1);
    const { start, stop, step } = axes[dimension];
    const whole = axes.slice(dimension + 1).every((axis, i) => axis.start === 0 && axis.step === 1 && axis.stop === shape[dimension + 1 + i]);
    if (whole && step === 1) {
      const first = [...index, start, ...shape.slice(dimension + 1).fill(0)];
      if (stop > start) add(first, position + (element + start * below) * itemSize, (stop - start) * below * itemSize);
      return undefined;
    }
    for (const place of placesOf(axes[dimension])) visit(dimension + 1, [...index, place], element + place * below);
    return undefined;
  };
  visit(0, [], 0);
  return runs;
}

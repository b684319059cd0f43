// A line plot of a stretch of a dataset.
import { el, colour, fitted, labelled, onceAFrame, watchLook } from "./dom.js";
import { count, drawable, extent, number, rough } from "./format.js";
import { Task } from "./task.js";

/** Elements that are drawn at first. */
const FIRST = 100_000;
const MARGIN = { left: 64, right: 12, top: 12, bottom: 28 };

/** `source`: `{length, lines, read(start, stop, line, signal)}`; a line is one of the columns of a matrix. */
export function plotView(source) {
  const task = new Task();
  const canvas = el("canvas", { class: "plot", role: "img" });
  const readout = el("output", { class: "readout" });
  const shown = { start: 0, stop: Math.min(source.length, FIRST), line: 0, values: undefined };
  const field = (text, name, max) => {
    const input = el("input", { type: "number", min: 0, max, value: shown[name] });
    input.addEventListener("change", () => {
      shown[name] = Math.max(0, Math.min(max, Math.trunc(Number(input.value) || 0)));
      input.value = shown[name];
      load();
    });
    return labelled(text, input);
  };
  const controls = el(
    "div",
    { class: "controls" },
    field("From", "start", source.length),
    field("Up to", "stop", source.length),
    source.lines > 1 && field(`Column (0 to ${count(source.lines - 1)})`, "line", source.lines - 1),
    source.length > FIRST && el("p", { class: "hint" }, `of ${count(source.length)} elements`),
  );
  const draw = onceAFrame(() => drawLine(canvas, shown));
  const load = async () => {
    const { start, stop, line } = shown;
    const work = (signal) => source.read(start, Math.max(start, stop), line, signal);
    const data = await task.run("Reading values…", work, { retry: load });
    if (data === undefined) return;
    shown.values = drawable(data);
    const range = extent(shown.values);
    const told = range ? `from ${number(range[0])} to ${number(range[1])}` : "none of them finite";
    canvas.setAttribute("aria-label", `Line plot of ${count(shown.values.length)} values, ${told}`);
    canvas.dataset.drawn = shown.values.length;
    draw();
  };
  canvas.addEventListener("pointermove", (event) => {
    const at = valueAt(canvas, shown, event.offsetX);
    readout.textContent = at === undefined ? "" : `[${count(at)}] ${number(shown.values[at - shown.start])}`;
  });
  watchLook(canvas, draw);
  load();
  return { node: el("div", { class: "drawing" }, controls, task.place, canvas, readout), close: () => task.end() };
}

function valueAt(canvas, { values, start }, x) {
  if (!values?.length) return undefined;
  const part = (x - MARGIN.left) / (canvas.clientWidth - MARGIN.left - MARGIN.right);
  const at = Math.round(part * (values.length - 1));
  return at >= 0 && at < values.length ? start + at : undefined;
}

function drawLine(canvas, { values, start }) {
  const { width, height, ratio } = fitted(canvas);
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  if (!values) return;
  const [least, most] = extent(values) ?? [0, 1];
  const spread = most > least ? most - least : Math.abs(most) || 1;
  const [low, high] = most > least ? [least, most] : [least - spread / 2, most + spread / 2];
  const [w, h] = [width - MARGIN.left - MARGIN.right, height - MARGIN.top - MARGIN.bottom];
  const y = (n) => MARGIN.top + h - ((n - low) / (high - low)) * h;
  const x = (i) => MARGIN.left + (values.length > 1 ? (i / (values.length - 1)) * w : w / 2);
  axes(context, { low, high, y, w, h, start, stop: start + Math.max(0, values.length - 1) });
  context.strokeStyle = context.fillStyle = colour("accent");
  context.lineWidth = 1.5;
  context.beginPath();
  if (values.length > 4 * w) columns(context, values, x, y, w);
  else line(context, values, x, y);
  context.stroke();
}

function axes(context, { low, high, y, w, h, start, stop }) {
  context.font = "12px system-ui, sans-serif";
  context.fillStyle = colour("muted");
  context.strokeStyle = colour("line");
  context.lineWidth = 1;
  context.textAlign = "right";
  context.textBaseline = "middle";
  for (const part of [0, 0.25, 0.5, 0.75, 1]) {
    const n = low + part * (high - low);
    context.beginPath();
    context.moveTo(MARGIN.left, Math.round(y(n)) + 0.5);
    context.lineTo(MARGIN.left + w, Math.round(y(n)) + 0.5);
    context.stroke();
    context.fillText(rough(n), MARGIN.left - 6, y(n));
  }
  context.textBaseline = "top";
  context.textAlign = "left";
  context.fillText(count(start), MARGIN.left, MARGIN.top + h + 8);
  context.textAlign = "right";
  context.fillText(count(stop), MARGIN.left + w, MARGIN.top + h + 8);
}

/** A point where its neighbours are missing would be no line. */
function line(context, values, x, y) {
  for (let i = 0; i < values.length; i++) {
    if (!Number.isFinite(Number(values[i]))) continue;
    const alone = !Number.isFinite(values[i - 1]) && !Number.isFinite(values[i + 1]);
    if (alone) context.fillRect(x(i) - 1.5, y(values[i]) - 1.5, 3, 3);
    else if (Number.isFinite(values[i - 1])) context.lineTo(x(i), y(values[i]));
    else context.moveTo(x(i), y(values[i]));
  }
}

/** Of many values the least and the most in each column of pixels. */
function columns(context, values, x, y, w) {
  const each = values.length / Math.floor(w);
  for (let column = 0; column < Math.floor(w); column++) {
    const range = extent(values.subarray(Math.floor(column * each), Math.ceil((column + 1) * each)));
    if (!range) continue;
    const at = x(Math.floor((column + 0.5) * each));
    context.moveTo(at, y(range[0]) + 0.5);
    context.lineTo(at, y(range[1]) - 0.5);
  }
}

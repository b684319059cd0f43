// A map of points: moved, made larger, and asked what is under the pointer; by mouse, touch or keys.
import { el, fitted, onceAFrame, watchLook } from "./dom.js";
import { Nearest } from "./nearest.js";
import { GlPoints } from "./points_gl.js";
import { PixelPoints } from "./points_2d.js";

/** Pixels around the pointer in which a point is found. */
const REACH = 12;
const FARTHEST = 5000;

export class PointMap {
  #points;
  #places = new Float32Array();
  #colours = new Uint8Array();
  #order;
  #near;
  #fingers = new Map();
  #view = { x: 0, y: 0, zoom: 1 };
  #draw = onceAFrame(() => this.#drawn());

  /** `onHover(point)` is given the number of a point, or undefined. */
  constructor(onHover) {
    this.onHover = onHover;
    const button = (text, label, work) => el("button", { type: "button", "aria-label": label, title: label, onclick: work }, text);
    const buttons = el(
      "div",
      { class: "map-buttons" },
      button("+", "Larger", () => this.#zoom(1.5)),
      button("−", "Smaller", () => this.#zoom(1 / 1.5)),
      button("⤢", "All points", () => this.reset()),
    );
    this.tip = el("div", { class: "tip", role: "status", hidden: true });
    this.node = el("div", { class: "map" }, buttons, this.tip);
    this.#start((canvas) => {
      try {
        return new GlPoints(canvas);
      } catch {
        return undefined;
      }
    });
    watchLook(this.node, this.#draw);
  }

  /** Makes a canvas, and what draws on it; without WebGL it is drawn by hand. */
  #start(make) {
    let canvas = this.#canvas();
    this.#points = make(canvas);
    if (!this.#points) {
      canvas = this.#canvas();
      this.#points = new PixelPoints(canvas);
    }
    canvas.addEventListener("webglcontextlost", () => this.node.isConnected && this.#start(() => undefined));
    this.canvas?.remove();
    this.canvas = canvas;
    this.node.prepend(canvas);
    this.#told();
    this.#fill();
  }

  #canvas() {
    return el("canvas", {
      class: "points",
      tabIndex: 0,
      role: "img",
      onpointerdown: (event) => this.#down(event),
      onpointermove: (event) => this.#move(event),
      onpointerup: (event) => this.#up(event),
      onpointercancel: (event) => this.#up(event),
      onpointerleave: () => this.#hover(undefined),
      onwheel: (event) => this.#wheel(event),
      onkeydown: (event) => this.#key(event),
    });
  }

  #told(text = this.label) {
    this.label = text;
    if (text) this.canvas.setAttribute("aria-label", `${text}. Arrow keys move, plus and minus zoom, 0 shows all.`);
  }

  /** Pairs of places in any unit. */
  setPlaces(x, y, label) {
    this.#places = unit(x, y);
    this.#near = new Nearest(this.#places);
    this.#told(label);
    this.#order = undefined;
    this.reset();
  }

  /** Four bytes for each point; `order` lists the points from below to above. */
  setColours(colours, order) {
    this.#colours = colours;
    this.#order = order;
    this.#fill();
  }

  #fill() {
    const n = this.#places.length / 2;
    if (n === 0 || this.#colours.length !== 4 * n) return;
    if (!this.#order) this.#points.set(this.#places, this.#colours);
    else {
      const [places, colours] = [new Float32Array(2 * n), new Uint32Array(n)];
      const from = new Uint32Array(this.#colours.buffer, this.#colours.byteOffset, n);
      for (let i = 0; i < n; i++) {
        const point = this.#order[i];
        places[2 * i] = this.#places[2 * point];
        places[2 * i + 1] = this.#places[2 * point + 1];
        colours[i] = from[point];
      }
      this.#points.set(places, new Uint8Array(colours.buffer));
    }
    this.#draw();
  }

  reset() {
    this.#view = { x: 0, y: 0, zoom: 1 };
    this.#draw();
  }

  /** Pixels of the page for a unit. */
  get #scale() {
    return (Math.min(this.canvas.clientWidth, this.canvas.clientHeight) / 2) * 0.94 * this.#view.zoom;
  }

  #drawn() {
    const { width, ratio } = fitted(this.canvas);
    if (width === 0) return;
    const n = this.#places.length / 2;
    const base = n > 100_000 ? 2 : n > 20_000 ? 3 : n > 2000 ? 4.5 : 7;
    const size = Math.min(24, base * this.#view.zoom ** 0.4) * ratio;
    const { x, y } = this.#view;
    this.#points.draw({ x, y, scale: this.#scale * ratio, size, width: this.canvas.width, height: this.canvas.height });
    this.canvas.dataset.drawn = n;
    this.canvas.dataset.frames = Number(this.canvas.dataset.frames ?? 0) + 1;
  }

  /** Where a place of the canvas is on the map. */
  #at({ offsetX, offsetY }) {
    const { clientWidth, clientHeight } = this.canvas;
    const scale = this.#scale;
    return { x: this.#view.x + (offsetX - clientWidth / 2) / scale, y: this.#view.y - (offsetY - clientHeight / 2) / scale };
  }

  #shift(dx, dy) {
    this.#view.x -= dx / this.#scale;
    this.#view.y += dy / this.#scale;
    this.#draw();
  }

  /** Larger by a factor; what is at `place` stays where it is. */
  #zoom(by, place = { x: this.#view.x, y: this.#view.y }) {
    const zoom = Math.max(0.2, Math.min(FARTHEST, this.#view.zoom * by));
    const part = 1 - this.#view.zoom / zoom;
    this.#view.x += (place.x - this.#view.x) * part;
    this.#view.y += (place.y - this.#view.y) * part;
    this.#view.zoom = zoom;
    this.#draw();
  }

  #down(event) {
    this.canvas.setPointerCapture(event.pointerId);
    this.#fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (event.pointerType !== "mouse") this.#hover(event);
  }

  #move(event) {
    const before = this.#fingers.get(event.pointerId);
    if (!before) return this.#hover(event);
    const now = { x: event.clientX, y: event.clientY };
    this.#fingers.set(event.pointerId, now);
    if (this.#fingers.size === 1) this.#shift(now.x - before.x, now.y - before.y);
    if (this.#fingers.size === 2) this.#pinch(event.pointerId, before, now);
    return undefined;
  }

  #pinch(moved, before, now) {
    const [, other] = [...this.#fingers].find(([id]) => id !== moved);
    const far = (p) => Math.hypot(p.x - other.x, p.y - other.y) || 1;
    const box = this.canvas.getBoundingClientRect();
    const middle = { offsetX: (now.x + other.x) / 2 - box.left, offsetY: (now.y + other.y) / 2 - box.top };
    this.#shift((now.x - before.x) / 2, (now.y - before.y) / 2);
    this.#zoom(far(now) / far(before), this.#at(middle));
  }

  #up(event) {
    this.#fingers.delete(event.pointerId);
  }

  #wheel(event) {
    event.preventDefault();
    const pixels = event.deltaMode === 1 ? 16 * event.deltaY : event.deltaY;
    this.#zoom(Math.exp(-Math.max(-240, Math.min(240, pixels)) / 400), this.#at(event));
  }

  #key(event) {
    const keys = {
      ArrowLeft: () => this.#shift(40, 0),
      ArrowRight: () => this.#shift(-40, 0),
      ArrowUp: () => this.#shift(0, 40),
      ArrowDown: () => this.#shift(0, -40),
      "+": () => this.#zoom(1.3),
      "=": () => this.#zoom(1.3),
      "-": () => this.#zoom(1 / 1.3),
      0: () => this.reset(),
    };
    if (!keys[event.key] || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    keys[event.key]();
  }

  #hover(event) {
    const place = event && this.#at(event);
    const point = place && this.#near?.find(place.x, place.y, REACH / this.#scale);
    this.tip.hidden = point === undefined;
    if (point === undefined) return;
    this.tip.textContent = this.onHover(point);
    const right = event.offsetX > this.canvas.clientWidth / 2;
    this.tip.style.left = right ? "" : `${event.offsetX + 14}px`;
    this.tip.style.right = right ? `${this.canvas.clientWidth - event.offsetX + 14}px` : "";
    this.tip.style.top = `${Math.max(4, event.offsetY - 12)}px`;
  }

  close() {
    this.#points.close();
  }
}

/** Places as pairs between -1 and 1, both axes with the same unit. */
function unit(x, y) {
  const [across, up] = [range(x), range(y)];
  const half = Math.max(across.half, up.half) || 1;
  const places = new Float32Array(2 * x.length);
  for (let i = 0; i < x.length; i++) {
    places[2 * i] = (Number(x[i]) - across.middle) / half;
    places[2 * i + 1] = (Number(y[i]) - up.middle) / half;
  }
  return places;
}

function range(values) {
  let [least, most] = [Infinity, -Infinity];
  for (const value of values) {
    const n = Number(value);
    if (!Number.isFinite(n)) continue;
    least = Math.min(least, n);
    most = Math.max(most, n);
  }
  return least <= most ? { middle: (least + most) / 2, half: (most - least) / 2 } : { middle: 0, half: 1 };
}

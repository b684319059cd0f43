// Colours of numbers and of categories.

/** Viridis, at even steps. */
const VIRIDIS = [
  [68, 1, 84], [72, 40, 120], [62, 74, 137], [49, 104, 142], [38, 130, 142], [31, 158, 137], [53, 183, 121], [110, 206, 88],
  [181, 222, 43], [253, 231, 37],
];
const STEPS = 256;

/** 256 colours, three bytes each. */
export const SCALE = (() => {
  const scale = new Uint8Array(3 * STEPS);
  for (let i = 0; i < STEPS; i++) {
    const at = (i / (STEPS - 1)) * (VIRIDIS.length - 1);
    const below = Math.min(VIRIDIS.length - 2, Math.floor(at));
    for (let c = 0; c < 3; c++) {
      scale[3 * i + c] = Math.round(VIRIDIS[below][c] + (at - below) * (VIRIDIS[below + 1][c] - VIRIDIS[below][c]));
    }
  }
  return scale;
})();

export const SCALE_CSS = `linear-gradient(to right, ${VIRIDIS.map((rgb) => `rgb(${rgb})`).join(", ")})`;

/** The step of the scale for a number, from 0 to 255. */
export function step(n, [least, most]) {
  if (!(most > least)) return n >= most ? STEPS - 1 : 0;
  return Math.max(0, Math.min(STEPS - 1, Math.round(((n - least) / (most - least)) * (STEPS - 1))));
}

/** Grey of what is missing. */
export const MISSING = [150, 150, 150];

const CATEGORIES = [
  "#1f77b4", "#ff7f0e", "#279e68", "#d62728", "#aa40fc", "#8c564b", "#e377c2", "#b5bd61", "#17becf", "#aec7e8", "#ffbb78",
  "#98df8a", "#ff9896", "#c5b0d5", "#c49c94", "#f7b6d2", "#dbdb8d", "#9edae5", "#ad494a", "#8c6d31",
];

/** Colours for so many categories: a known set, then hues that lie far from each other. */
export function categoryColours(n) {
  return Array.from({ length: n }, (_, i) => (i < CATEGORIES.length ? rgb(CATEGORIES[i]) : hue(i)));
}

/** `#rrggbb` as bytes; undefined of anything else. */
export function rgb(text) {
  const found = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})/i.exec(text ?? "");
  return found ? found.slice(1).map((digits) => parseInt(digits, 16)) : undefined;
}

export const css = (rgb) => `rgb(${rgb.join(" ")})`;

function hue(i) {
  const [h, s, l] = [(i * 137.508) % 360, 0.55 + 0.2 * (i % 3 === 0), 0.42 + 0.14 * (i % 2)];
  const part = (n) => {
    const k = (n + h / 30) % 12;
    return Math.round(255 * (l - s * Math.min(l, 1 - l) * Math.max(-1, Math.min(k - 3, 9 - k, 1))));
  };
  return [part(0), part(8), part(4)];
}

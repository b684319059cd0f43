// Elements of the page. Text of files goes in as text alone, never as markup.

/** Makes an element: properties, `on…` handlers, attributes (`aria-…`, `data-…`, `role` and so on), and its children. */
export function el(tag, properties = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) set(node, name, value);
  node.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

function set(node, name, value) {
  if (value === undefined || value === null) return;
  if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
  else if (name === "class") node.className = value;
  else if (name in node && !name.includes("-") && name !== "list") node[name] = value;
  else node.setAttribute(name, value);
}

let last = 0;

/** A name for an element, which no other has. */
export const unique = (what) => `${what}-${++last}`;

/** A control below its label. */
export function labelled(text, control) {
  control.id ||= unique("control");
  return el("div", { class: "labelled" }, el("label", { htmlFor: control.id }, text), control);
}

/** A choice of texts or of `[value, text]`. */
export function choice(label, options, value, onchange) {
  const pairs = options.map((option) => (Array.isArray(option) ? option : [option, option]));
  const select = el("select", { onchange: () => onchange(select.value) });
  for (const [value, text] of pairs) select.append(el("option", { value }, text));
  if (value !== undefined) select.value = value;
  return Object.assign(labelled(label, select), { select });
}

/** Calls `work` once for many calls before the next frame. */
export function onceAFrame(work) {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      work();
    });
  };
}

/** The colour that a custom property of the style sheet has now. */
export const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

/** Tells when an element gets another size, or the page other colours, for as long as it is in the page. */
export function watchLook(node, changed) {
  const sizes = new ResizeObserver(changed);
  sizes.observe(node);
  const themed = () => {
    if (node.isConnected) return changed();
    document.removeEventListener("themechange", themed);
    sizes.disconnect();
  };
  document.addEventListener("themechange", themed);
}

/** A canvas with as many pixels as the screen has for it; gives its size in the units of the page. */
export function fitted(canvas) {
  const { clientWidth: width, clientHeight: height } = canvas;
  const ratio = Math.min(window.devicePixelRatio || 1, 2);
  const [w, h] = [Math.max(1, Math.round(width * ratio)), Math.max(1, Math.round(height * ratio))];
  if (canvas.width !== w || canvas.height !== h) Object.assign(canvas, { width: w, height: h });
  return { width, height, ratio };
}

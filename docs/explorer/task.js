// Work that takes time: shown when it is slow, with what is done and a button that ends it; an error stays where it belongs.
import { el } from "./dom.js";
import { errorPanel, isAbort } from "./errors.js";

/** Milliseconds before slow work is shown. */
const PATIENCE = 250;

/** Work of one place: what is begun later ends what went before. */
export class Task {
  #controller;

  /** `place` is the element that shows state and errors. */
  constructor(place = el("div", { class: "task" })) {
    this.place = place;
    place.setAttribute("aria-live", "polite");
  }

  /** Runs `work(signal, progress)`. Gives its value, or undefined where it was ended or failed, which is shown. */
  async run(label, work, { retry } = {}) {
    this.end();
    const controller = (this.#controller = new AbortController());
    const { signal } = controller;
    const shown = new Busy(label, () => controller.abort());
    const timer = setTimeout(() => signal.aborted || this.place.replaceChildren(shown.node), PATIENCE);
    try {
      const value = await work(signal, shown.progress);
      signal.throwIfAborted();
      return value;
    } catch (error) {
      if (this.#controller === controller) {
        const again = retry && (() => retry());
        this.place.replaceChildren(isAbort(error) ? ended(label, again) : errorPanel(error, again));
        this.#controller = undefined;
      }
      return undefined;
    } finally {
      clearTimeout(timer);
      if (this.#controller === controller) this.#clear();
    }
  }

  #clear() {
    this.#controller = undefined;
    this.place.replaceChildren();
  }

  /** Ends what runs. */
  end() {
    const running = this.#controller;
    this.#clear();
    running?.abort();
  }
}

class Busy {
  #bar = el("progress", { max: 1 });
  #text = el("span");

  constructor(label, cancel) {
    this.#bar.setAttribute("aria-label", label);
    this.#text.textContent = label;
    this.node = el(
      "div",
      { class: "busy" },
      this.#text,
      this.#bar,
      el("button", { type: "button", onclick: cancel }, "Cancel"),
    );
    this.progress = (part, text) => {
      if (Number.isFinite(part)) this.#bar.value = part;
      if (text) this.#text.textContent = `${label} ${text}`;
    };
  }
}

function ended(label, again) {
  return el(
    "div",
    { class: "busy" },
    el("span", {}, `${label.replace(/…$/, "")}: cancelled.`),
    again && el("button", { type: "button", onclick: again }, "Try again"),
  );
}

// A text field that offers those of many names that match.
import { el, labelled, unique } from "./dom.js";

/** Names that are offered. */
const OFFERED = 40;

export class Combobox {
  #names = [];
  #lower = [];
  #at = -1;
  #choose;

  constructor(label, placeholder, choose) {
    this.#choose = choose;
    this.list = el("ul", { class: "options", role: "listbox", id: unique("options"), hidden: true, "aria-label": label });
    this.input = el("input", {
      type: "text",
      autocomplete: "off",
      spellcheck: false,
      placeholder,
      role: "combobox",
      "aria-autocomplete": "list",
      "aria-expanded": "false",
      "aria-controls": this.list.id,
      oninput: () => this.#offer(),
      onfocus: () => this.#offer(),
      onblur: () => this.#hide(),
      onkeydown: (event) => this.#key(event),
    });
    this.node = labelled(label, this.input);
    this.node.classList.add("combobox");
    this.node.append(this.list);
  }

  set names(names) {
    this.#names = names;
    this.#lower = names.map((name) => name.toLowerCase());
    if (document.activeElement === this.input && this.#at < 0) this.#offer();
  }

  #found() {
    const text = this.input.value.trim().toLowerCase();
    const [begin, hold] = [[], []];
    for (let i = 0; i < this.#lower.length && begin.length < OFFERED; i++) {
      const at = this.#lower[i].indexOf(text);
      if (at === 0) begin.push(i);
      else if (at > 0 && hold.length < OFFERED) hold.push(i);
    }
    return [...begin, ...hold].slice(0, OFFERED);
  }

  #offer() {
    const options = this.#found().map((i, n) => {
      const option = el("li", { role: "option", id: `${this.list.id}-${n}` }, this.#names[i]);
      option.setAttribute("aria-selected", "false");
      option.dataset.number = i;
      // Before the field loses its focus.
      option.addEventListener("pointerdown", (event) => (event.preventDefault(), this.#take(i)));
      return option;
    });
    this.list.replaceChildren(...options);
    this.list.hidden = options.length === 0;
    this.input.setAttribute("aria-expanded", String(options.length > 0));
    this.#mark(-1);
  }

  #hide() {
    this.list.hidden = true;
    this.input.setAttribute("aria-expanded", "false");
  }

  #mark(at) {
    this.#at = at;
    for (const [i, option] of [...this.list.children].entries()) option.setAttribute("aria-selected", String(i === at));
    if (at < 0) return this.input.removeAttribute("aria-activedescendant");
    this.input.setAttribute("aria-activedescendant", this.list.children[at].id);
    return this.list.children[at].scrollIntoView({ block: "nearest" });
  }

  #take(i) {
    this.input.value = this.#names[i];
    this.#hide();
    this.#choose(i, this.#names[i]);
  }

  #key(event) {
    const { length } = this.list.children;
    if (event.key === "Escape") return this.#hide();
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (this.list.hidden) return this.#offer();
      const by = event.key === "ArrowDown" ? 1 : -1;
      return length > 0 && this.#mark((this.#at + by + length) % length);
    }
    if (event.key !== "Enter") return undefined;
    event.preventDefault();
    const exact = this.#lower.indexOf(this.input.value.trim().toLowerCase());
    const option = this.list.children[this.#at] ?? this.list.children[0];
    if (this.#at < 0 && exact >= 0) return this.#take(exact);
    return option && !this.list.hidden ? this.#take(Number(option.dataset.number)) : undefined;
  }
}

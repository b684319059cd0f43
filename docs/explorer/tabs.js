// Views of one object, of which one is seen. A view is made when it is first looked at.
import { el, unique } from "./dom.js";

export class Tabs {
  #views;
  #made = new Map();
  #onChange;

  /** `views`: `{name, title, make()}`, where `make` gives `{node, close?}`. */
  constructor(label, views, chosen, onChange) {
    this.#views = views;
    this.#onChange = onChange;
    const id = unique("tabs");
    this.list = el("div", { class: "tabs", role: "tablist", "aria-label": label, onkeydown: (event) => this.#key(event) });
    this.panel = el("div", { class: "panel", role: "tabpanel", id: `${id}-panel` });
    for (const { name, title } of views) {
      const tab = el("button", { type: "button", role: "tab", id: `${id}-${name}`, onclick: () => this.choose(name) }, title);
      tab.setAttribute("aria-controls", this.panel.id);
      tab.dataset.view = name;
      this.list.append(tab);
    }
    this.node = el("div", { class: "tabbed" }, this.list, this.panel);
    this.#show((views.find(({ name }) => name === chosen) ?? views[0]).name);
  }

  choose(name) {
    if (!this.#views.some((view) => view.name === name)) return;
    this.#show(name);
    this.#onChange?.(name);
  }

  #show(name) {
    this.chosen = name;
    for (const tab of this.list.children) {
      const here = tab.dataset.view === name;
      tab.setAttribute("aria-selected", String(here));
      tab.tabIndex = here ? 0 : -1;
      if (here) this.panel.setAttribute("aria-labelledby", tab.id);
    }
    if (!this.#made.has(name)) this.#made.set(name, this.#views.find((view) => view.name === name).make());
    this.panel.replaceChildren(this.#made.get(name).node);
  }

  #key(event) {
    const tabs = [...this.list.children];
    const at = tabs.findIndex((tab) => tab.dataset.view === this.chosen);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const tab = tabs[(to + tabs.length) % tabs.length];
    this.choose(tab.dataset.view);
    tab.focus();
  }

  close() {
    for (const view of this.#made.values()) view.close?.();
  }
}

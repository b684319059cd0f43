// Light or dark: as the system has it, or as chosen.
const ORDER = ["auto", "light", "dark"];
const SIGNS = { auto: "◐", light: "☀", dark: "☾" };
const NAMES = { auto: "as the system has them", light: "light", dark: "dark" };
const system = matchMedia("(prefers-color-scheme: dark)");

/** Storage may be forbidden. */
function stored() {
  try {
    return localStorage.getItem("theme") ?? "auto";
  } catch {
    return "auto";
  }
}

function store(theme) {
  try {
    localStorage.setItem("theme", theme);
  } catch {
    // The choice lasts as long as the page.
  }
}

let chosen = ORDER.includes(stored()) ? stored() : "auto";

function show() {
  const dark = chosen === "dark" || (chosen === "auto" && system.matches);
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  const button = document.getElementById("theme");
  button.textContent = SIGNS[chosen];
  button.title = `Colours: ${NAMES[chosen]}`;
  button.setAttribute("aria-label", button.title);
  document.dispatchEvent(new Event("themechange"));
}

system.addEventListener("change", show);
document.getElementById("theme").addEventListener("click", () => {
  chosen = ORDER[(ORDER.indexOf(chosen) + 1) % ORDER.length];
  store(chosen);
  show();
});
show();

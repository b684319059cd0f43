// Where one is, in the address of the page: which file, which object, which of its views. It can be shared.

/** `{url, path, view}` of the address. */
export function place() {
  const hash = new URLSearchParams(location.hash.slice(1));
  const url = hash.get("url") ?? new URLSearchParams(location.search).get("url") ?? undefined;
  return { url, path: hash.get("path") ?? "/", view: hash.get("view") ?? undefined };
}

/** Goes to another place; `replace` leaves no way back to the one before. */
export function go({ url, path, view }, { replace = false } = {}) {
  const parts = [["url", url], ["path", path], ["view", view]].filter(([, value]) => value !== undefined);
  const hash = `#${parts.map(([name, value]) => `${name}=${readable(value)}`).join("&")}`;
  if (hash === location.hash) return;
  history[replace ? "replaceState" : "pushState"](null, "", `${location.pathname}${location.search}${hash}`);
}

/** Encodes no more than has to be, so that the address can be read. */
const readable = (text) => encodeURIComponent(text).replaceAll("%2F", "/").replaceAll("%3A", ":");

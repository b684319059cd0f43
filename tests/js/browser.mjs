// A browser without a screen, and a server of the explorer and of the test data, for tests of the page.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { built, testdata } from "./common.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));

const BROWSERS = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

const ARGUMENTS = [
  "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
];

/** playwright-core, from where it may be; undefined where it is not. */
function playwright() {
  for (const from of [process.env.H5KIT_PLAYWRIGHT, join(root, "target/playwright/"), root].filter(Boolean)) {
    try {
      return createRequire(join(from, "package.json"))("playwright-core");
    } catch {
      // Looked for in the next place.
    }
  }
  return undefined;
}

/** A browser, or `{missing}`: what there is not. */
export async function browser() {
  const executablePath = BROWSERS.find((path) => path && existsSync(path));
  if (!executablePath) return { missing: "there is no Chromium" };
  const found = playwright();
  if (!found) return { missing: "there is no playwright-core" };
  return found.chromium.launch({ executablePath, args: ARGUMENTS });
}

/** Puts the explorer together with the package that was built. */
export function site() {
  const folder = mkdtempSync(join(tmpdir(), "h5kit-explorer-"));
  const env = { ...process.env, H5KIT_NPM: fileURLToPath(built) };
  const { status, stderr } = spawnSync(join(root, "docs/explorer/build.sh"), [folder], { env, encoding: "utf8" });
  if (status !== 0) throw new Error(`the explorer cannot be built: ${stderr}`);
  return folder;
}

const TYPES = { html: "text/html", css: "text/css", js: "text/javascript", wasm: "application/wasm" };

/**
 * Serves a folder, and the test data below `/data/`. `behave.delay` are milliseconds before data is sent, `behave.padding` bytes
 * after its end: small files are fetched whole.
 */
export async function serveSite(folder) {
  const behave = { delay: 0, padding: 0, status: undefined };
  const server = createServer(async (request, response) => {
    const path = decodeURIComponent(new URL(request.url, "http://localhost").pathname);
    const data = path.startsWith("/data/");
    const file = data ? join(testdata, path.slice("/data/".length)) : join(folder, path === "/" ? "index.html" : path);
    if (data && behave.delay) await new Promise((resolve) => setTimeout(resolve, behave.delay));
    if (!existsSync(file) || !statSync(file).isFile()) return response.writeHead(404).end();
    if (data && behave.status) return response.writeHead(behave.status).end();
    return send(request, response, file, data ? behave.padding : 0);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${server.address().port}/`;
  const close = () => new Promise((resolve) => (server.closeAllConnections(), server.close(resolve)));
  return { url, behave, close };
}

function send(request, response, file, padding) {
  const body = Buffer.concat([readFileSync(file), Buffer.alloc(padding)]);
  const headers = { "Content-Type": TYPES[file.split(".").pop()] ?? "application/octet-stream", "Cache-Control": "no-store" };
  const [, first, last] = /bytes=(\d+)-(\d+)/.exec(request.headers.range ?? "") ?? [];
  if (first === undefined) return response.writeHead(200, { ...headers, "Content-Length": body.length }).end(body);
  if (Number(first) >= body.length) return response.writeHead(416, { "Content-Range": `bytes */${body.length}` }).end();
  const part = body.subarray(Number(first), Number(last) + 1);
  const range = `bytes ${first}-${Number(first) + part.length - 1}/${body.length}`;
  response.writeHead(206, { ...headers, "Content-Length": part.length, "Content-Range": range }).end(part);
}

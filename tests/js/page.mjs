// Pages of the explorer for tests, and what is found in them.
import assert from "node:assert/strict";
import { readFileSync, rmSync } from "node:fs";
import { after, before, test } from "node:test";
import { browser, serveSite, site } from "./browser.mjs";
import { testdata } from "./common.mjs";

const found = await browser();
const skip = found.missing ? `${found.missing}: the explorer is not tested` : false;
export const json = (name) => JSON.parse(readFileSync(testdata + name, "utf8"));

let folder;
/** What serves the page and the data. */
export let server;

before(async () => {
  if (skip) return;
  folder = site();
  server = await serveSite(folder);
});

after(async () => {
  if (skip) return;
  await found.close();
  await server.close();
  rmSync(folder, { recursive: true });
});

/** A test in a page of its own, in which nothing may go wrong unseen. */
export function inPage(name, work, options = {}) {
  test(name, { skip, timeout: 120_000 }, async () => {
    const { prepare, ...settings } = options;
    const context = await found.newContext({ viewport: { width: 1200, height: 800 }, colorScheme: "light", ...settings });
    const page = await context.newPage();
    const faults = [];
    page.on("pageerror", (error) => faults.push(error.message));
    if (prepare) await page.addInitScript(prepare);
    Object.assign(server.behave, { delay: 0, padding: 0, status: undefined });
    try {
      await work(page);
      assert.deepEqual(faults, []);
      assert.equal(await page.locator(".trouble").count(), 0);
    } finally {
      await context.close();
    }
  });
}

export const address = (name) => `${server.url}data/${name}`;

/** Opens a file of the test data by the address of the page. */
export async function visit(page, name, { path = "/", view } = {}) {
  const place = `url=${encodeURIComponent(address(name))}&path=${encodeURIComponent(path)}${view ? `&view=${view}` : ""}`;
  await page.goto("about:blank");
  await page.goto(`${server.url}#${place}`);
  await page.waitForSelector(".object");
}

export const names = (page) => page.locator(".tree-line .tree-name").allTextContents();

/** The texts of the cells of a table, row by row, once all that are seen are read. */
export async function cells(page, inside = "") {
  await page.waitForFunction((inside) => {
    const table = document.querySelector(`${inside} .table`);
    return table?.getAttribute("aria-busy") === "false" && !table.querySelector(".waiting");
  }, inside);
  return page.locator(`${inside} .table [role=gridcell]`).allTextContents();
}

/** How many colours a canvas has, and how much of it is drawn on. */
export const painted = (page, canvas) =>
  page.locator(canvas).evaluate((canvas) => {
    const copy = Object.assign(document.createElement("canvas"), { width: canvas.width, height: canvas.height });
    const context = copy.getContext("2d");
    context.drawImage(canvas, 0, 0);
    const pixels = new Uint32Array(context.getImageData(0, 0, copy.width, copy.height).data.buffer);
    return { colours: new Set(pixels).size, drawn: pixels.filter((pixel) => pixel >>> 24 > 0).length / pixels.length };
  });

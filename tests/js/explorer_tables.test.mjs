// AnnData and H5Col in the explorer. Values are those of anndata, and of the makers of the test data.
import assert from "node:assert/strict";
import { h5kit, testdata } from "./common.mjs";
import { address, cells, inPage, json, painted, visit } from "./page.mjs";

inPage("an AnnData: its shape, the counts of its categories, and its cells", async (page) => {
  await visit(page, "pbmc_small.h5ad");
  assert.equal(await page.textContent(".about"), "AnnData · 200 observations × 50 variables");
  // What `value_counts` of anndata's obs says.
  await page.waitForSelector(".legend li");
  const legend = await page.locator(".legend li").allTextContents();
  assert.deepEqual(legend, ["B36", "CD4 T43", "CD8 T38", "Monocyte38", "NK45", "Größer0"]);
  await page.waitForSelector("canvas.points[data-drawn='200']");
  const { colours, drawn } = await painted(page, "canvas.points");
  assert(colours >= 5 && drawn > 0.002 && drawn < 0.2, `${colours} colours on ${drawn}`);
  // The cell farthest to the left, at [-2.8272651, -0.84143158] of all between [-2.827, -2.322] and [2.852, 2.881].
  const { x, y, width, height } = await page.locator("canvas.points").boundingBox();
  const unit = (Math.min(width, height) / 2) * 0.94;
  await page.waitForTimeout(200);
  await page.mouse.move(x + width / 2 - unit, y + height / 2 + 0.39474 * unit);
  await page.waitForFunction(() => document.querySelector(".tip")?.textContent.startsWith("CELL"));
  assert.equal(await page.textContent(".tip"), "CELL0055-1\ncell_type: CD8 T");
  await page.getByRole("tab", { name: "obs (9)" }).click();
  assert.deepEqual((await cells(page)).slice(0, 2), ["CELL0000-1", "CD4 T"]);
  await page.waitForSelector(".counts li");
  await page.selectOption(".side select", "label");
  await page.waitForFunction(() => document.querySelectorAll(".counts li").length === 6);
  assert((await page.locator(".counts li").allTextContents()).includes("missing5"));
  await page.selectOption(".side select", "n_counts");
  await page.waitForSelector(".histogram");
  assert.match(await page.textContent(".side dl"), /least520.*most4955/);
});

inPage("columns of another AnnData have the values that anndata finds", async (page) => {
  const expected = json("files/anndata_now.h5ad.json");
  await visit(page, "files/anndata_now.h5ad", { view: "obs" });
  const found = await cells(page);
  const columns = ["_index", "type", "stage", "count", "checked", "note", "size"];
  const shown = (value) => (value === null ? "missing" : Object.is(value, -0) ? "-0" : String(value));
  const heads = (await page.locator("[role=columnheader]").allTextContents()).filter(Boolean);
  for (const [i, name] of heads.entries()) {
    if (!columns.includes(name)) continue;
    const column = expected[`obs/${name}`].values.map(shown);
    const rows = Array.from({ length: 4 }, (_, row) => found[row * heads.length + i]);
    assert.deepEqual(rows, column, name);
  }
  await page.selectOption(".side select", "type");
  await page.waitForFunction(() => document.querySelectorAll(".counts li").length === 3);
  assert.deepEqual(await page.locator(".counts li").allTextContents(), ["B2", "T1", "missing1"]);
});

inPage("cells are coloured by a gene, whatever form the matrix has", async (page) => {
  await visit(page, "pbmc_small.h5ad");
  await page.getByRole("combobox", { name: "Or by a gene" }).fill("GENE2");
  await page.waitForSelector("[role=option]");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".legend-scale");
  assert.equal(await page.getByLabel("Most", { exact: true }).inputValue(), "3");
  await page.waitForTimeout(200);
  assert((await painted(page, "canvas.points")).colours >= 4);
  const columns = json("matrices.json");
  const read = (path) =>
    page.evaluate(
      async ([url, path]) => {
        const { open, openAnnData } = await import("./h5kit/index.js");
        const { expression } = await import("./expression.js");
        const matrix = await (await openAnnData(await open(url))).get(path);
        const told = [];
        const values = await expression(matrix, 5, { progress: (part) => told.push(part) });
        return { values: [...values], told };
      },
      [address("matrices.h5ad"), path],
    );
  for (const path of ["X", "layers/csc", "layers/dense"]) {
    const { values, told } = await read(path);
    const wanted = path === "X" ? columns.X : columns.layers[path.slice(7)];
    assert.deepEqual(values, wanted.map((row) => row[5]), path);
    if (path !== "layers/csc") assert.equal(told.at(-1), 1);
  }
});

inPage(
  "points are drawn by WebGL as well",
  async (page) => {
    await visit(page, "pbmc_small.h5ad");
    await page.waitForSelector("canvas.points[data-drawn='200']");
    await page.waitForSelector(".legend");
    await page.waitForTimeout(300);
    assert.equal(await page.locator("canvas.points").evaluate((canvas) => canvas.getContext("2d")), null);
    const { colours, drawn } = await painted(page, "canvas.points");
    assert(colours >= 5 && drawn > 0.002 && drawn < 0.2, `${colours} colours on ${drawn}`);
  },
  {
    // Lets that of a processor pass for that of a card, and keeps what was drawn to be looked at.
    prepare: () => {
      const context = HTMLCanvasElement.prototype.getContext;
      HTMLCanvasElement.prototype.getContext = function (kind, options) {
        return context.call(this, kind, { ...options, failIfMajorPerformanceCaveat: false, preserveDrawingBuffer: true });
      };
      const parameter = WebGL2RenderingContext.prototype.getParameter;
      WebGL2RenderingContext.prototype.getParameter = function (name) {
        return name === 0x9246 ? "a card" : parameter.call(this, name);
      };
    },
  },
);

inPage("rows of an H5Col table are found, and a wrong condition is told where it is typed", async (page) => {
  const [{ columns }] = json("h5col/stations.expected.json").tables;
  const values = (name) => columns.find((column) => column.name === name).values.map((value) => (value === null ? "missing" : String(value)));
  await page.setViewportSize({ width: 1800, height: 800 });
  await visit(page, "h5col/stations.h5", { path: "/stations" });
  const width = columns.length;
  const column = async (i) => (await cells(page)).filter((_, at) => at % width === i);
  assert.deepEqual(await page.locator("[role=columnheader]").allTextContents(), ["row", ...columns.map(({ name }) => name)].slice(1).concat("row"));
  assert.deepEqual(await column(0), values("name"));
  const conditions = { "height >= 500": [1, 2, 4], "name != 'Genf'": [0, 1, 4, 5], "region = 'Alps'": [1, 2, 4], "tags is null": [1] };
  for (const [condition, rows] of Object.entries(conditions)) {
    await page.fill(".query", condition);
    await page.keyboard.press("Enter");
    await page.waitForFunction((text) => document.querySelector(".h5col .note").textContent.startsWith(text), `${rows.length} of 6 rows`);
    assert.deepEqual(await column(0), rows.map((row) => values("name")[row]), condition);
  }
  for (const wrong of ["height >=", "depth > 3"]) {
    await page.fill(".query", wrong);
    await page.keyboard.press("Enter");
    await page.waitForSelector(".field-error:not([hidden])");
    assert.equal(await page.locator(".query").getAttribute("aria-invalid"), "true");
    assert((await page.textContent(".field-error")).length > 10);
    assert.equal(await page.evaluate(() => document.activeElement.className), "query");
    await page.getByRole("button", { name: "All rows" }).click();
    assert.equal(await page.locator(".query").getAttribute("aria-invalid"), "false");
  }
});

inPage("all rows that are found can be gone through, however many", async (page) => {
  const file = await h5kit.openPath(`${testdata}h5col/large.h5`);
  const [times, values] = await Promise.all(["time", "value"].map(async (name) => (await (await file.dataset(`large/${name}`)).read()).data));
  await file.close();
  const rows = [...values.keys()].filter((row) => values[row] >= -900);
  assert(rows.length > 15_000);
  await visit(page, "h5col/large.h5", { path: "/large" });
  const headers = await page.locator("[role=columnheader]").allTextContents();
  const names = headers.filter((name) => name !== "row");
  await page.fill(".query", "value >= -900");
  await page.keyboard.press("Enter");
  const found = `${rows.length.toLocaleString("en-US").replaceAll(",", "\u202f")}`;
  await page.waitForFunction((digits) => document.querySelector(".h5col .note").textContent.replaceAll(/\D/g, "").startsWith(digits), found.replaceAll(/\D/g, ""));
  for (const part of [0, 0.5, 1]) {
    // What is shown follows in the next frame.
    await page.locator(".table").evaluate((table, part) => {
      table.scrollTop = part * table.scrollHeight;
      return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    }, part);
    const texts = await cells(page);
    const heads = (await page.locator("[role=rowheader]").allTextContents()).map((text) => Number(text.replaceAll(/\D/g, "")));
    assert(heads.length > 5);
    for (const [i, row] of heads.entries()) {
      assert(rows.includes(row), `${row}`);
      const shown = (name) => Number(texts[i * names.length + names.indexOf(name)].replaceAll(/[^\d.-]/g, ""));
      assert.deepEqual([shown("time"), shown("value")], [Number(times[row]), Number(values[row])], `row ${row}`);
    }
    if (part === 1) assert.equal(heads.at(-1), rows.at(-1));
  }
});

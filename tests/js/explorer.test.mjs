// The explorer, in a browser: files, the tree, values, what goes wrong, and how it looks.
import assert from "node:assert/strict";
import { testdata } from "./common.mjs";
import { address, cells, inPage, json, names, painted, server, visit } from "./page.mjs";

const MEMBERS = ["X", "layers", "obs", "obsm", "obsp", "raw", "uns", "var", "varm", "varp"];

inPage("a file is chosen", async (page) => {
  await page.goto(server.url);
  await page.setInputFiles("#file", `${testdata}pbmc_small.h5ad`);
  await page.waitForSelector(".object");
  assert.deepEqual(await names(page), ["pbmc_small.h5ad", ...MEMBERS]);
  assert.match(await page.title(), /^pbmc_small\.h5ad/);
});

inPage("a file is dropped, with another that it is put together from", async (page) => {
  await page.goto(server.url);
  const drop = (names) =>
    page.evaluate(async (names) => {
      const transfer = new DataTransfer();
      for (const name of names) {
        const bytes = await (await fetch(`data/files/${name}`)).arrayBuffer();
        transfer.items.add(new File([bytes], name));
      }
      document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }));
    }, names);
  await drop(["integers.h5"]);
  await page.waitForSelector(".object");
  assert((await names(page)).includes("i64be"));
  await drop(["virtual.h5", "virtual_source_0.h5"]);
  await page.waitForFunction(() => document.title.startsWith("virtual.h5"));
  await page.locator(".tree-line", { hasText: "irregular" }).click();
  await page.waitForFunction(() => document.querySelector(".crumbs [aria-current]")?.textContent === "irregular");
  assert.deepEqual(await cells(page), json("values.json")["virtual.h5"]["/irregular"].values.map(String));
});

inPage("an address is typed, and the address of the page can be shared", async (page) => {
  await page.goto(server.url);
  await page.fill("#url", address("pbmc_small.h5ad"));
  await page.keyboard.press("Enter");
  await page.waitForSelector(".object");
  await page.locator(".tree-line", { hasText: "obsm" }).click();
  await page.locator(".tree-line", { hasText: "X_pca" }).click();
  await page.getByRole("tab", { name: "Plot" }).click();
  await page.waitForSelector("canvas.plot[data-drawn]");
  const shared = page.url();
  assert.match(shared, /path=\/obsm\/X_pca&view=plot$/);
  await page.goBack();
  await page.waitForFunction(() => document.querySelector(".about")?.textContent.startsWith("group") || document.querySelector(".about")?.textContent === "dict");
  await page.goto("about:blank");
  await page.goto(shared);
  await page.waitForSelector("canvas.plot[data-drawn='200']");
  assert.equal(await page.locator(".tree-line[aria-selected=true] .tree-name").textContent(), "X_pca");
  await page.goto(`${server.url}?url=data/h5col/stations.h5`);
  await page.waitForSelector(".object");
  assert.deepEqual(await names(page), ["stations.h5", "stations"]);
  assert.match(await page.textContent("#traffic"), /\d+ requests? · [\d.]+ kB/);
});

inPage("the tree is used by keys", async (page) => {
  await visit(page, "pbmc_small.h5ad");
  const active = () =>
    page.locator(".tree").evaluate((tree) => {
      const line = document.getElementById(tree.getAttribute("aria-activedescendant"));
      return [line.querySelector(".tree-name").textContent, line.getAttribute("aria-level"), line.getAttribute("aria-expanded")];
    });
  await page.focus(".tree");
  assert.equal(await page.locator(".tree").getAttribute("role"), "tree");
  assert.deepEqual(await active(), ["pbmc_small.h5ad", "1", "true"]);
  for (const key of ["ArrowDown", "ArrowDown", "ArrowDown"]) await page.keyboard.press(key);
  await page.waitForTimeout(50);
  assert.deepEqual(await active(), ["obs", "2", "false"]);
  await page.keyboard.press("ArrowRight");
  await page.waitForFunction(() => document.querySelectorAll(".tree-line[aria-level='3']").length === 10);
  await page.keyboard.press("ArrowRight");
  await page.waitForTimeout(50);
  assert.deepEqual(await active(), ["barcode", "3", null]);
  await page.keyboard.press("Enter");
  assert.equal((await cells(page))[0], "CELL0000-1");
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowLeft");
  await page.waitForTimeout(50);
  assert.deepEqual(await active(), ["obs", "2", "false"]);
  await page.keyboard.press("End");
  await page.waitForTimeout(50);
  assert.equal((await active())[0], "varp");
  await page.keyboard.press("u");
  await page.waitForTimeout(50);
  assert.equal((await active())[0], "uns");
});

inPage("values are those of libhdf5", async (page) => {
  const expected = json("values.json");
  const wanted = {
    "integers.h5": ["/i8be", "/i16le", "/u32be"],
    "bitfields.h5": ["/b8be", "/partial"],
    "integers_odd.h5": ["/u17_at4_in3be"],
    "strings_fixed.h5": ["/one byte", "/spacepad utf8", "/nullterm ascii", "/nullpad ascii"],
    "strings_variable.h5": ["/scalar", "/chunked"],
    "layout_wide_chunk_dimensions.h5": ["/x"],
  };
  for (const [name, places] of Object.entries(wanted)) {
    for (const path of places) {
      await visit(page, `files/${name}`, { path, view: "values" });
      const texts = await cells(page);
      const values = expected[name][path].values.flat().map((value, i) => (value === null ? texts[i] : String(value)));
      assert.deepEqual(texts, values, `${name} ${path}`);
    }
  }
});

inPage("text that is not UTF-8 is shown as far as it is", async (page) => {
  await visit(page, "files/strings_fixed.h5", { path: "/spacepad utf8" });
  assert.equal((await cells(page)).at(-1), "bad \ufffd\ufffd");
});

inPage("of three dimensions two are seen, and an index of the third", async (page) => {
  // Elements are counted from 0 by the maker of the file.
  const at = (i, j, k) => String(i * 30 + j * 6 + k);
  await visit(page, "files/contiguous.h5", { path: "/three" });
  const first = await cells(page);
  assert.equal(first.length, 30);
  const base = Number(first[0]);
  const moved = (text) => String(Number(text) - base);
  assert.deepEqual(first.map(moved), Array.from({ length: 30 }, (_, n) => at(0, Math.floor(n / 6), n % 6)));
  await page.getByLabel("Index of dimension 0").first().fill("3");
  await page.keyboard.press("Enter");
  await page.waitForTimeout(100);
  assert.equal(moved((await cells(page)).at(-1)), at(3, 4, 5));
  await page.getByLabel("Rows").selectOption("0");
  await page.waitForTimeout(100);
  assert.equal(moved((await cells(page))[6]), at(1, 0, 0));
});

inPage("a large group: only the lines that are seen are in the page", async (page) => {
  await visit(page, "files/links_dense_deep.h5", { path: "/g" });
  await page.focus(".tree");
  await page.keyboard.press("ArrowRight");
  await page.waitForFunction(() => document.querySelectorAll(".tree-line").length > 20);
  await page.keyboard.press("End");
  const last = page.locator(".tree-line[aria-posinset='900']");
  await last.waitFor();
  assert.equal(await last.locator(".tree-name").textContent(), "0899");
  assert.equal(await last.getAttribute("aria-setsize"), "900");
  assert((await page.locator(".tree-line").count()) < 80);
});

inPage("64 bits are shown to the last digit", async (page) => {
  await visit(page, "files/bitfields.h5", { path: "/b64be" });
  assert.deepEqual(await cells(page), ["1", "81985529216486895", "18446744073709551615"]);
});

inPage("a table is scrolled by keys, and reads what is seen", async (page) => {
  await visit(page, "pbmc_small.h5ad", { path: "/layers/scaled" });
  await cells(page);
  await page.focus(".table");
  await page.keyboard.press("Control+End");
  await page.waitForFunction(() => document.querySelector(".cell.active")?.dataset.row === "199");
  const { row, column } = await page.locator(".cell.active").evaluate((cell) => ({ ...cell.dataset }));
  assert.deepEqual([row, column], ["199", "49"]);
  await cells(page);
  assert.equal(await page.locator(".cell.active").textContent(), await page.locator(".cell-value").textContent());
  assert((await page.locator(".table [role=gridcell]").count()) < 1000);
  await page.keyboard.press("Control+Home");
  await page.waitForFunction(() => document.querySelector(".cell.active")?.dataset.row === "0");
});

inPage("a plot and an image are drawn", async (page) => {
  await visit(page, "pbmc_small.h5ad", { path: "/obs/n_counts", view: "plot" });
  await page.waitForSelector("canvas.plot[data-drawn='200']");
  await page.waitForTimeout(100);
  assert.match(await page.locator("canvas.plot").getAttribute("aria-label"), /200 values, from 520 to 4955/);
  assert((await painted(page, "canvas.plot")).drawn > 0.01);
  await visit(page, "pbmc_small.h5ad", { path: "/layers/scaled", view: "image" });
  await page.waitForSelector("canvas.image[data-drawn='200×50']");
  await page.waitForTimeout(100);
  const image = await painted(page, "canvas.image");
  assert(image.colours > 10 && image.drawn > 0.3, JSON.stringify(image));
});

inPage("what is no HDF5 file is told, and another can be opened", async (page) => {
  await page.goto(server.url);
  await page.setInputFiles("#file", { name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("this is no HDF5 file") });
  await page.waitForSelector("#open-state .error");
  assert.match(await page.textContent("#open-state"), /not an HDF5 file/);
  await page.fill("#url", "http://[");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.querySelector("#open-state").textContent.includes("no address"));
  await page.fill("#url", address("nothing.h5"));
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.querySelector("#open-state").textContent.includes("404"));
  await page.setInputFiles("#file", `${testdata}h5col/stations.h5`);
  await page.waitForSelector(".object");
});

inPage("a damaged dataset shows its error, and the rest stays usable", async (page) => {
  await visit(page, "corrupt/deflate_noise.h5", { path: "/x" });
  await page.waitForSelector(".panel .error");
  assert.match(await page.textContent(".panel .error"), /damaged.*\/x: .*filter 1: the zlib stream is damaged/s);
  assert.deepEqual(await names(page), ["deflate_noise.h5", "x"]);
  await page.getByRole("tab", { name: "Plot" }).click();
  await page.waitForSelector(".drawing .error");
  await page.getByRole("tab", { name: "Storage" }).click();
  assert.match(await page.textContent(".facts"), /int32/);
  // Every damaged file gives a page with a tree, or tells at its beginning why it cannot be opened.
  for (const name of Object.keys(json("corrupt/expected.json"))) {
    await page.goto("about:blank");
    await page.goto(`${server.url}#url=${address(`corrupt/${name}`)}`);
    await page.waitForSelector(".object, #open-state .error, #content > .task .error", { timeout: 20_000 });
  }
});

inPage("a slow server: what is done is shown, and can be ended", async (page) => {
  await page.goto(server.url);
  Object.assign(server.behave, { delay: 20_000, padding: 512 << 10 });
  await page.fill("#url", address("pbmc_small.h5ad"));
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.waitForFunction(() => document.querySelector("#open-state").textContent.includes("cancelled"));
  server.behave.delay = 0;
  await page.getByRole("button", { name: "Try again" }).click();
  await page.waitForSelector(".legend");
  server.behave.delay = 20_000;
  await page.getByLabel("Colour by").selectOption("percent_mito");
  const side = page.getByLabel("Colours", { exact: true });
  await side.getByRole("button", { name: "Cancel" }).click();
  await side.getByText("cancelled").waitFor();
  server.behave.delay = 0;
  await side.getByRole("button", { name: "Try again" }).click();
  await page.waitForSelector(".legend-scale");
});

const PLACES = [
  ["pbmc_small.h5ad", {}],
  ["pbmc_small.h5ad", { view: "obs" }],
  ["pbmc_small.h5ad", { view: "contents" }],
  ["pbmc_small.h5ad", { path: "/obsm/X_pca" }],
  ["pbmc_small.h5ad", { path: "/obsm/X_pca", view: "image" }],
  ["pbmc_small.h5ad", { path: "/obs/n_counts", view: "plot" }],
  ["pbmc_small.h5ad", { path: "/obs", view: "attributes" }],
  ["h5col/stations.h5", { path: "/stations" }],
  ["corrupt/deflate_noise.h5", { path: "/x" }],
];

inPage(
  "a phone shows all without scrolling sideways",
  async (page) => {
    const wide = () =>
      page.evaluate(() =>
        ["html", "#start", "#content", ".object"].filter((name) => {
          const node = document.querySelector(name);
          return node && node.clientWidth > 0 && node.scrollWidth > node.clientWidth;
        }),
      );
    await page.goto(server.url);
    assert.deepEqual(await wide(), []);
    for (const [name, place] of PLACES) {
      await visit(page, name, place);
      await page.waitForTimeout(300);
      assert.deepEqual(await wide(), [], `${name} ${JSON.stringify(place)}`);
    }
    assert.equal(await page.locator("#tree-pane").isVisible(), false);
    await page.getByRole("button", { name: "Tree" }).click();
    assert.equal(await page.locator("#tree-pane").isVisible(), true);
    await page.locator(".tree-line", { hasText: "x" }).last().click();
    assert.equal(await page.locator("#content").isVisible(), true);
  },
  { viewport: { width: 360, height: 740 } },
);

/** The contrast of two colours of the style sheet, as WCAG has it. */
const contrasts = (page, pairs) =>
  page.evaluate((pairs) => {
    const style = getComputedStyle(document.documentElement);
    const light = (name) => {
      const digits = style.getPropertyValue(`--${name}`).trim().slice(1);
      const [r, g, b] = [0, 2, 4].map((at) => {
        const part = parseInt(digits.slice(at, at + 2), 16) / 255;
        return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    return pairs.map(([a, b]) => {
      const [more, less] = [light(a), light(b)].sort((x, y) => y - x);
      return [`${a} on ${b}`, (more + 0.05) / (less + 0.05)];
    });
  }, pairs);

const TEXTS = [
  ...["back", "soft", "raised", "chosen", "bar", "error-back", "line"].map((back) => ["text", back]),
  ...["back", "soft", "raised"].flatMap((back) => [["muted", back], ["accent", back], ["error", back]]),
  ["on-accent", "accent"], ["error", "error-back"], ["muted", "chosen"], ["muted", "error-back"], ["muted", "line"],
];

inPage(
  "dark as the system has it, or as chosen; all can be read",
  async (page) => {
    await visit(page, "pbmc_small.h5ad");
    const dark = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const legible = async () => {
      for (const [pair, contrast] of await contrasts(page, TEXTS)) assert(contrast >= 4.5, `${pair}: ${contrast.toFixed(2)}`);
    };
    assert.equal(await dark(), "rgb(18, 23, 30)");
    await legible();
    await page.click("#theme");
    assert.equal(await dark(), "rgb(255, 255, 255)");
    await legible();
    await page.reload();
    await page.waitForSelector(".object");
    assert.equal(await dark(), "rgb(255, 255, 255)");
  },
  { colorScheme: "dark" },
);

inPage("a virtual dataset whose sources are beside the file has their values", async (page) => {
  const { "virtual.h5": expected } = json("values.json");
  await visit(page, "files/virtual.h5", { path: "/irregular" });
  assert.deepEqual((await cells(page)).map((text) => Number(text.replace("−", "-"))), expected["/irregular"].values);
});

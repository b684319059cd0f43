// What a program gets wrong: an error of a kind, and everything that is open stays usable.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { failure, h5kit, testdata } from "./common.mjs";
import { serve } from "./server.mjs";

const cellsFile = `${testdata}pbmc_small.h5ad`;
const stationsFile = `${testdata}h5col/stations.h5`;

/** What is open, here and in a worker. */
async function opened() {
  const all = [];
  for (const open of [h5kit.open, h5kit.openInWorker]) {
    const file = await open(new Blob([readFileSync(cellsFile)]));
    const stations = await open(new Blob([readFileSync(stationsFile)]));
    const table = await h5kit.openTable(await stations.group("stations"));
    const cells = await h5kit.openAnnData(file);
    all.push({ file, stations, table, cells, umap: await file.dataset("obsm/X_umap"), x: await cells.X() });
  }
  return all;
}

/** Each call ends in an error of a kind, as a rejected promise, and what is open goes on. */
async function wrong(kind, calls) {
  for (const all of await opened()) {
    for (const call of calls(all)) {
      const error = await failure(call);
      assert(error instanceof h5kit.H5Error, `${call}: ${error.stack}`);
      assert.equal(error.kind, kind, `${call}: ${error.message}`);
      assert(!/\n/.test(error.message) && error.message.length < 300, error.message);
    }
    const { file, stations, table, cells } = all;
    assert.deepEqual((await (await file.dataset("obsm/X_umap")).read()).shape, [200, 2]);
    assert.deepEqual([...(await table.rows("height >= 500", { limit: 2 }))], [1, 2]);
    assert.equal((await cells.obsNames()).length, 200);
    await file.close();
    await stations.close();
  }
}

test("wrong paths, names and conditions are of kind Usage", () =>
  wrong("Usage", ({ file, umap, table, cells }) => [
    () => file.dataset(undefined),
    () => file.dataset(5),
    () => file.dataset({}),
    () => file.dataset(["obsm", "X_umap"]),
    () => file.group(null),
    () => file.get(new Float64Array(2)),
    () => file.has(5),
    () => file.at(96n),
    () => file.at("96"),
    () => file.at(NaN),
    () => file.at(-1),
    () => file.pathOf({}),
    () => file.neighbour(5),
    () => file.entries({ depth: NaN }),
    () => file.entries({ depth: "2" }),
    () => umap.read(null, { fields: "x" }),
    () => table.rows({}),
    () => table.rows(5),
    () => table.plan(5),
    () => table.column(0),
    () => table.column(undefined),
    () => table.labels(1),
    () => table.query(null, { columns: [5] }),
    () => table.query(null, { columns: "name" }),
    () => cells.get(5),
    () => cells.obsm.get(undefined),
    () => cells.obs.column(0),
    () => cells.obs.categories(undefined),
    () => h5kit.openTable({}),
    () => h5kit.findTables(undefined),
    () => h5kit.openAnnData(undefined),
  ]));

test("all levels of groups are as many as there are", async () => {
  const file = await h5kit.open(readFileSync(cellsFile));
  const depth = (entries) => 1 + Math.max(0, ...entries.map(({ entries }) => (entries ? depth(entries) : 0)));
  const all = await file.entries({ depth: Infinity });
  assert(depth(all) > 2);
  assert.deepEqual(all, await file.entries({ depth: depth(all) }));
  await file.close();
});

test("what cannot be given to the core is no panic", async () => {
  const file = await h5kit.open(readFileSync(cellsFile));
  const error = await failure(file.session.object(file.place, undefined));
  assert.equal(error.kind, "Usage");
  assert((await file.keys()).includes("obsm"));
  await file.close();
});

test("numbers of options that would fetch nothing or wait for ever", async () => {
  const server = await serve(readFileSync(cellsFile));
  for (const option of [{ concurrency: 0 }, { concurrency: NaN }, { concurrency: -1 }, { prefetch: 0 }, { prefetch: -1 }, { prefetch: 1.5 }, { retries: NaN }]) {
    for (const open of [h5kit.open, h5kit.openInWorker]) {
      const error = await failure(open(server.url, option));
      assert.equal(error.kind, "Usage", error.message);
      assert.match(error.message, new RegExp(Object.keys(option)[0]));
    }
  }
  assert.equal(server.seen.requests, 0);
  await server.close();
});

test("what the system and sources refuse is of kind Io", async () => {
  assert.equal((await failure(h5kit.openPath(testdata))).kind, "Io");
  assert.equal((await failure(h5kit.openPath(`${testdata}nothing.h5`))).kind, "Io");
  const bytes = readFileSync(cellsFile);
  let answers = async () => [];
  const source = { size: bytes.length, readRanges: (ranges) => answers(ranges) };
  assert.equal((await failure(h5kit.open(source))).kind, "Io");
  for (const nothing of [[], undefined, [null], [new Uint8Array(3)]]) {
    answers = async (ranges) => ranges.map(({ offset, length }) => new Uint8Array(bytes.subarray(offset, offset + length)));
    const file = await h5kit.open(source, { smallFile: 0, prefetch: 4096 });
    const dataset = await file.dataset("raw/X/data");
    answers = async () => nothing;
    assert.equal((await failure(dataset.read())).kind, "Io");
    await file.close();
  }
});

test("selections that are none are of kind Selection", () =>
  wrong("Selection", ({ umap, x, table }) => [
    () => umap.read(0),
    () => umap.read("0:3"),
    () => umap.read({ start: 0, stop: 3 }),
    () => umap.read({}),
    () => umap.read(new Float64Array(2)),
    () => umap.read([{ from: 0, to: 3 }]),
    () => umap.read(["5", "1"]),
    () => umap.read([["5", "1"]]),
    () => umap.read([[null]]),
    () => umap.read([true]),
    () => umap.read([{ start: "1" }]),
    () => umap.read([-1]),
    () => umap.read([1.5]),
    () => umap.read([{ stop: 201 }]),
    () => umap.plan({ start: 0, stop: 3 }),
    () => umap.readBytes(0),
    () => umap.blocks(0).next(),
    () => x.rows([1000]),
    () => x.rows([1.5]),
    () => x.rows([NaN]),
    () => x.rows({ start: 0, stop: 1000 }),
    () => x.columns([99]),
    () => x.columns([-1]),
    () => x.columns({ start: 0, stop: 51 }),
    () => x.columns({ start: -1 }),
    () => table.column("height", { rows: [-1] }),
    () => table.column("height", { rows: [NaN] }),
    () => table.column("height", { rows: [1.5] }),
    () => table.column("height", { start: -1 }),
    () => table.column("height", { stop: 1.5 }),
    () => table.column("height", { rows: [3, 2] }),
  ]));

test("rows, columns and limits that are none are of kind Usage", () =>
  wrong("Usage", ({ x, table }) => [
    () => x.rows(),
    () => x.rows(5),
    () => x.rows("12"),
    () => x.rows({ from: 1 }),
    () => x.columns(3),
    () => x.columns(null),
    () => table.column("height", { rows: 5 }),
    () => table.column("height", { rows: 0 }),
    () => table.rows(null, { limit: -1 }),
    () => table.rows(null, { limit: NaN }),
    () => table.query(null, { limit: 1.5 }),
    () => table.query(null, { limit: "5" }),
  ]));

test("what is wrong with a selection says what is right", async () => {
  const file = await h5kit.open(readFileSync(cellsFile));
  const umap = await file.dataset("obsm/X_umap");
  assert.match((await failure(umap.read("0:3"))).message, /`0:3` .* such as \[\{ start: 0, stop: 10 \}, null\]/);
  assert.match((await failure(umap.read([null, { from: 1 }]))).message, /dimension 1: \{ from \} .* \{ start, stop, step \}/);
  const dense = await (await h5kit.openAnnData(file)).obsm.get("X_umap");
  for (const call of [() => dense.column("GENE7"), () => dense.column(undefined), () => dense.read(0), () => dense.read({ form: "none", numbers: [] })]) {
    assert.equal((await failure(call)).kind, "Selection", String(call));
  }
  assert.equal((await failure(dense.rows())).kind, "Usage");
  await file.close();
});

test("a limit of none is no limit, and bigints are places", async () => {
  const file = await h5kit.open(readFileSync(stationsFile));
  const table = await h5kit.openTable(await file.group("stations"));
  const all = await table.rows();
  assert.equal(all.length, table.length);
  assert.deepEqual(await table.rows(null, { limit: Infinity }), all);
  assert.deepEqual(await table.rows(null, { limit: 0 }), new Float64Array());
  await file.close();
  const cells = await h5kit.openPath(cellsFile);
  const umap = await cells.dataset("obsm/X_umap");
  assert.deepEqual(await umap.read([5n, null]), await umap.read([5, null]));
  assert.deepEqual(await umap.read([[5n, 1n]]), await umap.read([[5, 1]]));
  assert.deepEqual(await umap.plan([[5n, 1n]]), await umap.plan([[5, 1]]));
  const dense = await (await h5kit.openAnnData(cells)).obsm.get("X_umap");
  assert.deepEqual((await dense.read([5n])).shape, [2]);
  await cells.close();
});

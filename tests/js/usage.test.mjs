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
    all.push({ file, stations, table, cells: await h5kit.openAnnData(file) });
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
  wrong("Usage", ({ file, table, cells }) => [
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

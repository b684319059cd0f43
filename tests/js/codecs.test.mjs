// Filters: those of the core, those of the module of codecs, those of programs, and those of nobody.
import assert from "node:assert/strict";
import { test } from "node:test";
import { failure, h5kit, testdata } from "./common.mjs";

const files = `${testdata}files/`;

test("the codecs are loaded when a file needs them, and not before", async () => {
  const plain = await h5kit.openPath(`${testdata}pbmc_small.h5ad`);
  await (await plain.dataset("obsm/X_umap")).read();
  assert.deepEqual(h5kit.loadedModules(), ["core"]);
  await plain.close();

  const file = await h5kit.openPath(`${files}plugin_zstd.h5`);
  const entries = await file.entries();
  assert.deepEqual(h5kit.loadedModules(), ["core"]);
  const dataset = await file.dataset(entries.find(({ kind }) => kind === "dataset").name);
  assert.equal(dataset.filters.at(-1).id, 32015);
  const [a, b] = await Promise.all([dataset.read(), dataset.read()]);
  assert.equal(a.data.length, dataset.size);
  assert.deepEqual(a.data, b.data);
  assert.deepEqual(h5kit.loadedModules(), ["core", "codecs"]);
  await file.close();
});

test("a filter that nobody has is an error that names it, and gives no values", async () => {
  const file = await h5kit.openPath(`${files}plugin_refused.h5`);
  for (const { name, kind } of await file.entries()) {
    if (kind !== "dataset") continue;
    const dataset = await file.dataset(name);
    const refused = dataset.filters.find(({ supported }) => !supported);
    if (!refused) continue;
    const error = await failure(dataset.read());
    assert.equal(error.kind, "Unsupported");
    assert.equal(error.filter, refused.id);
    assert.match(error.message, new RegExp(`filter ${refused.id}`));
    assert(!error.message.includes("\n"));
  }
  await file.close();
});

test("a program decodes a filter itself", async () => {
  const file = await h5kit.openPath(`${files}plugin_refused.h5`);
  const [{ name }] = (await file.entries()).filter(({ filters }) => filters?.some(({ supported }) => !supported));
  const dataset = await file.dataset(name);
  const { id } = dataset.filters.find(({ supported }) => !supported);
  const seen = [];
  await h5kit.registerFilter(id, (bytes, values, most) => {
    seen.push([bytes.length, values.length, most]);
    return new Uint8Array(most + 1);
  });
  // What comes out is held to the length of the chunk.
  assert.equal((await failure(dataset.read())).kind, "Corrupt");
  assert(seen.length > 0);
  await file.close();
});

// What comes after a panic: an error, and a new core for the next file.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { built, failure, h5kit, testdata } from "./common.mjs";

const bytes = readFileSync(`${testdata}pbmc_small.h5ad`);

/** Shape and values of a dataset, so that both memory and decoders are used. */
async function works() {
  const file = await h5kit.open(bytes);
  const { data, shape } = await (await file.dataset("obsm/X_umap")).read();
  await file.close();
  assert.deepEqual(shape, [200, 2]);
  return data;
}

/** Ends the core of a file by `work` and sees what becomes of it. */
async function ended(script, work) {
  const before = await works();
  const file = await h5kit.open(bytes);
  const dataset = await file.dataset("obsm/X_umap");
  const other = await h5kit.open(bytes);
  const error = await failure(file.session.run(work));
  assert.equal(error.kind, "Internal");
  assert(error instanceof h5kit.H5Error);
  // All files of that core have ended with it, and say so; those that are opened from now on have another.
  for (const call of [() => file.keys(), () => dataset.read(), () => other.keys()]) {
    assert.equal((await failure(call)).kind, "Internal");
  }
  await file.close();
  assert.deepEqual(await works(), before);
  assert.equal((await failure(other.keys())).kind, "Internal");
  await other.close();
  assert.deepEqual(await works(), before);
  return error;
}

test("a core that has trapped is made anew", async () => {
  const script = await import(new URL("wasm/h5kit.js", built));
  await works();
  const exports = await script.default();
  // More memory than there is.
  await ended(script, () => exports.__wbindgen_malloc(0x7fff_ffff, 1) && exports.__wbindgen_malloc(0x7fff_ffff, 1) && exports.__wbindgen_malloc(0x7fff_ffff, 1));
  let times = 0;
  await h5kit.registerFilter(40_000, () => (times += 1));
  await works();
  assert.equal(times, 0);
});

/** `H5KIT_WASM_FEATURES=wasm-panic src/wasm/build.sh FOLDER` builds a package that can be told to panic. */
test("a panic is told", { skip: process.env.H5KIT_PANICKING ? false : "there is no package that panics: H5KIT_PANICKING" }, async () => {
  const folder = new URL(`file://${process.env.H5KIT_PANICKING}/`);
  const other = await import(new URL("node.js", folder));
  const script = await import(new URL("wasm/h5kit.js", folder));
  const file = await other.open(bytes);
  const error = await failure(file.session.run(() => script.panics(7)));
  assert.equal(error.kind, "Internal");
  assert.match(error.message, /^h5kit has stopped: .*index out of bounds.*; open the file again$/);
  await file.close();
  const again = await other.open(bytes);
  assert.deepEqual((await again.keys()).slice(0, 2), ["X", "layers"]);
  await again.close();
});

test("no package has the function that panics", async () => {
  const script = await import(new URL("wasm/h5kit.js", built));
  assert.equal(script.panics, undefined);
});

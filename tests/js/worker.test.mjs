// The same in a worker.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Worker } from "node:worker_threads";
import { built, failure, h5kit, lines, testdata } from "./common.mjs";
import { serve } from "./server.mjs";

const bytes = readFileSync(`${testdata}pbmc_small.h5ad`);

test("a file in a worker is the same file", async () => {
  const file = await h5kit.openInWorker(new Blob([bytes]));
  const found = [];
  for await (const line of file.digest()) found.push(line);
  assert.deepEqual(found, lines(`${testdata}pbmc_small.h5ad.digest`));
  assert(file.stats.requests > 1);
  const here = await h5kit.open(bytes);
  const read = async (file) => (await file.dataset("obsm/X_umap")).read([{ stop: 3 }, 1]);
  assert.deepEqual((await read(file)).data, (await read(here)).data);
  const blocks = [];
  for await (const { data, origin } of (await file.dataset("obsm/X_umap")).blocks(null, { maxBytes: 800 })) {
    blocks.push([origin, data]);
  }
  assert.deepEqual(blocks.flatMap(([, data]) => [...data]), [...(await (await here.dataset("obsm/X_umap")).read()).data]);
  const data = await h5kit.openAnnData(file);
  assert.equal((await data.obsNames()).length, 200);
  await here.close();
  await file.close();
});

test("what is fetched is counted, also for AnnData and while it is fetched", async () => {
  const server = await serve(bytes, { delay: 300 });
  const file = await h5kit.openInWorker(server.url);
  assert.deepEqual(file.stats, { requests: 1, bytes: 65536, rounds: 1 });
  const opening = h5kit.openAnnData(file);
  const before = [];
  const watch = setInterval(() => before.push(file.stats.requests), 20);
  const data = await opening;
  clearInterval(watch);
  assert(before.some((requests) => requests > 1), "nothing was told before the end");
  assert.equal(file.stats.requests, server.seen.requests);
  assert.equal(file.stats.bytes, server.seen.bytes);
  await data.obsNames();
  assert.equal(file.stats.requests, server.seen.requests);
  await file.close();
  await server.close();
});

test("errors, progress and stopping go through a worker", async () => {
  const server = await serve(bytes, { delay: 20 });
  const file = await h5kit.openInWorker(server.url, { smallFile: 0 });
  const error = await failure(file.dataset("nothing"));
  assert(error instanceof h5kit.H5Error);
  assert.equal(error.kind, "NotFound");
  const told = [];
  const dataset = await file.dataset("raw/X/data");
  await dataset.read(null, { onProgress: (done, total) => told.push([done, total]) });
  assert(told.length > 0);
  assert.deepEqual(told.at(-1), [told[0][1], told[0][1]]);
  const controller = new AbortController();
  const reading = file.dataset("uns", { signal: controller.signal });
  setTimeout(() => controller.abort(), 5);
  assert.equal((await failure(reading)).name, "AbortError");
  await file.close();
  assert.equal((await failure(h5kit.openInWorker({ size: 1, readRanges() {} }))).kind, "Usage");
  assert.equal((await failure(h5kit.openInWorker("http://["))).kind, "Usage");
  await server.close();
});

/** What a call ends in, or that it does not end. */
function ending(work) {
  const patience = AbortSignal.timeout(5000);
  const never = new Promise((_, reject) => patience.addEventListener("abort", () => reject(new Error("it never ends"))));
  return failure(Promise.race([work(), never]));
}

test("a closed file says so, and is closed once", async () => {
  for (const worker of [undefined, workerOfNode()]) {
    const file = await h5kit.openInWorker(new Blob([bytes]), { worker });
    const dataset = await file.dataset("obsm/X_umap");
    const data = await h5kit.openAnnData(file);
    await file.close();
    await file.close();
    for (const call of [() => file.keys(), () => dataset.read(), () => file.refresh(), () => file.neighbour("a"), () => data.obsNames(), () => h5kit.openAnnData(file)]) {
      assert.equal((await ending(call)).kind, "Closed", String(call));
    }
    await worker?.terminate();
  }
});

test("what a file is waited for when it is closed ends", async () => {
  const server = await serve(bytes, { delay: 200 });
  const file = await h5kit.openInWorker(server.url, { smallFile: 0, prefetch: 4096 });
  const reading = ending(async () => (await file.dataset("raw/X/data")).read());
  await file.close();
  assert.equal((await reading).kind, "Closed");
  await server.close();
});

test("a worker that is ended by somebody else is an error, at once and from then on", async () => {
  const worker = workerOfNode();
  const server = await serve(bytes, { delay: 200 });
  const file = await h5kit.openInWorker(server.url, { worker, smallFile: 0, prefetch: 4096 });
  const reading = ending(async () => (await file.dataset("raw/X/data")).read());
  await new Promise((resolve) => setTimeout(resolve, 50));
  await worker.terminate();
  assert.equal((await reading).kind, "Internal");
  const error = await ending(() => file.keys());
  assert.equal(error.kind, "Internal");
  assert.match(error.message, /the worker has stopped/);
  await file.close();
  await server.close();
});

function workerOfNode() {
  return new Worker(new URL("worker.js", built));
}

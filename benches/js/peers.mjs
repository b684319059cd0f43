// h5kit beside h5wasm and jsfive, in one run: `node benches/js/peers.mjs FOLDER`, where FOLDER/node_modules has both. FOLDER gets the
// files, which need a Python with h5py (H5KIT_PYTHON). src/wasm/build.sh has to have run.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";

const folder = resolve(process.argv[2] ?? ".");
const root = new URL("../../", import.meta.url);
const package_ = new URL("target/npm/h5kit/", root);
const h5kit = await import(new URL("node.js", package_));
const require_ = createRequire(join(folder, "package.json"));
const h5wasm = await import(pathToFileURL(join(folder, "node_modules/h5wasm/dist/node/hdf5_hl.js")));
await h5wasm.ready;
const jsfive = require_("jsfive");

const MAKE = `
import sys, h5py, numpy
many, large = sys.argv[1:]
with h5py.File(many, "w") as f:
    for i in range(1000):
        f.create_dataset(f"d{i:04}", data=numpy.zeros((12800 - i, 2), "f4"))
with h5py.File(large, "w") as f:
    values = numpy.random.default_rng(1).normal(size=(12500, 1000)).astype("f4").round(2)
    f.create_dataset("x", data=values, chunks=(250, 250), compression="gzip", shuffle=True)
`;
const [many, large] = ["many.h5", "large.h5"].map((name) => join(folder, name));
if (!existsSync(large)) {
  const { status } = spawnSync(process.env.H5KIT_PYTHON ?? "python3", ["-c", MAKE, many, large], { stdio: "inherit" });
  if (status !== 0) throw new Error("the files need a Python with h5py: H5KIT_PYTHON");
}

const listing = {
  async h5kit() {
    const file = await h5kit.openPath(many);
    const entries = await file.entries();
    await file.close();
    return entries.map(({ name, shape }) => `${name} ${shape}`);
  },
  async h5wasm() {
    const file = new h5wasm.File(many, "r");
    const found = file.keys().map((name) => `${name} ${file.get(name).shape}`);
    file.close();
    return found;
  },
  async jsfive() {
    const bytes = readFileSync(many);
    const file = new jsfive.File(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length), "many.h5");
    return file.keys.map((name) => `${name} ${file.get(name).shape}`);
  },
};

const reading = {
  async h5kit() {
    const file = await h5kit.openPath(large);
    const { data } = await (await file.dataset("x")).read();
    await file.close();
    return data;
  },
  async h5wasm() {
    const file = new h5wasm.File(large, "r");
    const data = file.get("x").value;
    file.close();
    return data;
  },
  async jsfive() {
    const bytes = readFileSync(large);
    const file = new jsfive.File(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length), "large.h5");
    return file.get("x").value;
  },
};

/** The least of some times in milliseconds, peers taking turns; all must find the same. */
async function compare(what, peers, rounds) {
  const [best, work] = [{}, {}];
  let expected;
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, run] of Object.entries(peers)) {
      const [start, before] = [performance.now(), process.cpuUsage()];
      const found = await run();
      const [took, { user, system }] = [performance.now() - start, process.cpuUsage(before)];
      best[name] = Math.min(best[name] ?? Infinity, took);
      // What other processes do changes this less.
      work[name] = Math.min(work[name] ?? Infinity, (user + system) / 1000);
      const sum = typeof found[0] === "string" ? [...found].sort().join() : found.reduce((a, b) => a + b, 0);
      expected ??= sum;
      if (sum !== expected) throw new Error(`${what}: ${name} finds something else`);
    }
  }
  const { h5kit: own, ...others } = best;
  for (const [name, took] of Object.entries(others)) {
    console.log(`${what}: ${name} ${took.toFixed(0)} ms, h5kit ${own.toFixed(0)} ms, ratio ${(took / own).toFixed(2)};`,
      `of processors ${work[name].toFixed(0)} ms and ${work.h5kit.toFixed(0)} ms, ratio ${(work[name] / work.h5kit).toFixed(2)}`);
  }
}

/** Bytes and requests of a window over HTTP. */
async function overHttp() {
  const bytes = readFileSync(large);
  const server = createServer((request, response) => {
    const [, first, last] = /bytes=(\d+)-(\d+)/.exec(request.headers.range ?? "") ?? [];
    const part = bytes.subarray(Number(first), Number(last) + 1);
    response.writeHead(206, { "Content-Range": `bytes ${first}-${Number(first) + part.length - 1}/${bytes.length}` }).end(part);
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const file = await h5kit.open(`http://127.0.0.1:${server.address().port}/large.h5`);
  await (await file.dataset("x")).read([{ start: 6000, stop: 6100 }, { start: 500, stop: 600 }]);
  console.log(`a window of 100 x 100 over HTTP: of ${bytes.length} bytes`, file.stats);
  await file.close();
  server.close();
}

const size = (path) => gzipSync(readFileSync(path), { level: 9 }).length;
console.log("gzipped: h5kit's core", size(new URL("wasm/h5kit_bg.wasm", package_)), "h5wasm", size(join(folder, "node_modules/h5wasm/dist/esm/hdf5_util.js")));
await compare("open and list 1,000 datasets of 98 MB", listing, 5);
await compare("read 50 MB, shuffle and deflate", reading, 6);
await overHttp();

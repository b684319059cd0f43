// Ways to read: into arrays, some fields, text as bytes; what a read will fetch; files that grow.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { failure, h5kit, testdata } from "./common.mjs";
import { inFolder, python, runPython, withoutPython } from "./python.mjs";

const files = `${testdata}files/`;
const expected = JSON.parse(readFileSync(`${testdata}values.json`, "utf8"));

test("text as bytes is what libhdf5 gives", async () => {
  for (const [name, path] of [["strings_variable.h5", "/chunked"], ["strings_variable.h5", "/null"], ["superblock_3.h5", "/g/strings"], ["strings_fixed.h5", "/one byte"]]) {
    const file = await h5kit.openPath(files + name);
    const dataset = await file.dataset(path);
    const { data } = await dataset.read(null, { strings: "bytes" });
    const texts = [...data].map((bytes) => Buffer.from(bytes).toString());
    const { values } = [expected[name][path]].flat()[0];
    assert.deepEqual(texts, values, `${name} ${path}`);
    assert.equal(data.values.length, Buffer.from(values.join("")).length);
    const backwards = values.map((_, i) => values.length - 1 - i);
    const listed = await dataset.read([backwards], { strings: "bytes" });
    assert.deepEqual([...listed.data].map((bytes) => Buffer.from(bytes).toString()), values.toReversed?.() ?? [...values].reverse());
    await file.close();
  }
});

const MADE = `
import sys, h5py, numpy
with h5py.File(sys.argv[1], "w") as file:
    rows = numpy.zeros(50, [("x", "<f8"), ("größe", "<i4"), ("name", h5py.string_dtype()), ("id", ">u8")])
    for i in range(50):
        rows[i] = (i / 2, -i, "größe %d 😀" % i, 2**60 + i)
    file.create_dataset("rows", data=rows, chunks=(7,), compression="gzip")
    file.create_dataset("plain", data=numpy.arange(6 * 8 * 5, dtype="<i2").reshape(6, 8, 5))
    file.create_dataset("chunked", data=numpy.arange(60 * 50, dtype=">i4").reshape(60, 50), chunks=(7, 11), compression="gzip")
    file.create_dataset("never", (1000,), "f4", chunks=(10,))
`;

/** A file that h5py makes, in a folder of its own. */
const made = (work) =>
  inFolder((folder) => {
    const path = join(folder, "made.h5");
    runPython(MADE, path);
    return work(path);
  });

test("some fields of compounds, and text in them as bytes", { skip: withoutPython }, () =>
  made(async (path) => {
    for (const file of [await h5kit.openPath(path), await h5kit.openInWorker(new Blob([readFileSync(path)]))]) {
      const dataset = await file.dataset("rows");
      const all = await dataset.read();
      const { data, dtype } = await dataset.read([{ start: 3, stop: 47 }], { fields: ["name", "größe"] });
      assert.deepEqual(Object.keys(data), ["name", "größe"]);
      assert.deepEqual(dtype.fields.map(({ name }) => name), ["name", "größe"]);
      assert.deepEqual([...data["größe"]], Array.from({ length: 44 }, (_, i) => -(i + 3)));
      assert.deepEqual(data.name, Array.from({ length: 44 }, (_, i) => `größe ${i + 3} 😀`));
      assert.deepEqual(data.name, all.data.name.slice(3, 47));
      const bytes = (await dataset.read([[4, 2]], { fields: ["name"], strings: "bytes" })).data.name;
      assert.deepEqual([...bytes].map((text) => Buffer.from(text).toString()), ["größe 4 😀", "größe 2 😀"]);
      const blocks = [];
      for await (const { data } of dataset.blocks(null, { fields: ["id"], maxBytes: 400 })) blocks.push(...data.id);
      assert.deepEqual(blocks, Array.from({ length: 50 }, (_, i) => 2n ** 60n + BigInt(i)));
      const unknown = await failure(dataset.read(null, { fields: ["y"] }));
      assert.equal(unknown.kind, "NotFound");
      assert.match(unknown.message, /no field `y`; there is x, größe, name, id/);
      assert.equal((await failure((await file.dataset("plain")).read(null, { fields: ["x"] }))).kind, "Usage");
      await file.close();
    }
  }),
);

test("numbers are read into an array that is given", { skip: withoutPython }, () =>
  made(async (path) => {
    for (const file of [await h5kit.openPath(path), await h5kit.openInWorker(new Blob([readFileSync(path)]))]) {
      const memory = new ArrayBuffer(6 * 8 * 5 * 2 + 20);
      const into = new Int16Array(memory, 10, 6 * 8 * 5);
      const plain = await file.dataset("plain");
      assert.equal((await plain.read(null, { into })).data, into);
      assert.deepEqual([...into], Array.from({ length: 240 }, (_, i) => i));
      assert.deepEqual(new Uint8Array(memory, 0, 10), new Uint8Array(10));
      const some = new Int32Array(100);
      const chunked = await file.dataset("chunked");
      await chunked.read([[5, 3], null], { into: some });
      assert.deepEqual([...some], Array.from({ length: 100 }, (_, i) => (i < 50 ? 250 + i : 100 + i)));
      for (const wrong of [new Int32Array(240), new Int16Array(239), new Int16Array(241)]) {
        assert.equal((await failure(plain.read(null, { into: wrong }))).kind, "Usage");
        assert(wrong.every((number) => number === 0));
      }
      const ids = new Float64Array(50);
      assert.equal((await failure((await file.dataset("rows")).read(null, { into: ids }))).kind, "Usage");
      await file.close();
    }
  }),
);

/** The coordinates that are selected, by a naive model. */
function coordinates(selection, shape) {
  const places = shape.map((extent, i) => {
    const axis = selection?.[i] ?? {};
    if (typeof axis === "number") return [axis];
    if (Array.isArray(axis)) return axis;
    const { start = 0, stop = extent, step = 1 } = axis;
    return Array.from({ length: extent }, (_, place) => place).filter((place) => place >= start && place < stop && (place - start) % step === 0);
  });
  return places.reduce((rows, axis) => rows.flatMap((row) => axis.map((place) => [...row, place])), [[]]);
}

test("a plan names the bytes that are read, and no others", { skip: withoutPython }, () =>
  made(async (path) => {
    const file = await h5kit.openPath(path);
    const bytes = readFileSync(path);
    const plain = await file.dataset("plain");
    for (const selection of [null, [2], [{ start: 1, stop: 3 }], [null, { start: 1, stop: 8, step: 3 }, 2], [1, { start: 2 }], [null, null, [4, 1, 1]], [{ start: 4, stop: 4 }]]) {
      const plan = await plain.plan(selection);
      const planned = plan.flatMap(({ offset, length }) => Array.from({ length: length / 2 }, (_, i) => bytes.readInt16LE(offset + 2 * i)));
      const [, d1, d2] = plain.shape;
      const elements = new Set(coordinates(selection, plain.shape).map(([i, j, k]) => (i * d1 + j) * d2 + k));
      assert.deepEqual(planned, [...elements].sort((a, b) => a - b), JSON.stringify(selection));
      for (const { offset, index: [i, j, k] } of plan) assert.equal(bytes.readInt16LE(offset), (i * d1 + j) * d2 + k);
    }
    const chunked = await file.dataset("chunked");
    const stored = await chunked.chunks();
    for (const selection of [null, [13], [{ start: 6, stop: 15 }, { start: 11, stop: 12 }], [{ step: 20 }, { step: 30 }], [[59, 0]], [null, { start: 50 }]]) {
      const wanted = new Set(coordinates(selection, chunked.shape).map(([i, j]) => [Math.floor(i / 7) * 7, Math.floor(j / 11) * 11].join()));
      const expected = stored.filter(({ offset }) => wanted.has(offset.join())).map(({ position, size }) => [position, size]);
      const plan = await chunked.plan(selection);
      assert.deepEqual(plan.map(({ offset, length }) => [offset, length]), expected.sort(([a], [b]) => a - b), JSON.stringify(selection));
    }
    assert.deepEqual(await (await file.dataset("never")).plan(), []);
    assert.equal((await failure(chunked.plan([99]))).kind, "Selection");
    await file.close();
    const external = await h5kit.openPath(`${files}external.h5`);
    assert.equal((await failure((await external.dataset("rows")).plan())).kind, "Unsupported");
    await external.close();
  }),
);

const GROWS = `
import sys, h5py, numpy
file = h5py.File(sys.argv[1], "w", libver="latest")
values = file.create_dataset("values", (10,), "i4", maxshape=(None,), chunks=(4,), data=numpy.arange(10))
file.swmr_mode = True
print("10", flush=True)
for line in sys.stdin:
    length = int(line)
    before = len(values)
    values.resize((length,))
    values[before:] = numpy.arange(before, length)
    values.flush()
    print(length, flush=True)
`;

test("a file that grows is refreshed", { skip: withoutPython }, async () => {
  const folder = mkdtempSync(join(tmpdir(), "h5kit-"));
  const path = join(folder, "grows.h5");
  const writer = spawn(python, ["-c", GROWS, path], { stdio: ["pipe", "pipe", "inherit"] });
  const written = createInterface(writer.stdout)[Symbol.asyncIterator]();
  try {
    await written.next();
    const file = await h5kit.openPath(path, { smallFile: 0 });
    const values = await file.dataset("values");
    assert.deepEqual([...(await values.read()).data], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    const blocks = values.blocks(null, { maxBytes: 16 });
    await blocks.next();
    for (const length of [250, 4000]) {
      writer.stdin.write(`${length}\n`);
      await written.next();
      await values.refresh();
      assert.deepEqual(values.shape, [length]);
      assert.deepEqual([...(await values.read()).data], Array.from({ length }, (_, i) => i));
    }
    assert.match((await failure(blocks.next())).message, /refreshed/);
    // What is on its way while a file is refreshed is not half of one state and half of another.
    // What is asked for meanwhile waits.
    const refreshing = file.refresh();
    assert.equal((await failure(file.refresh())).kind, "Usage");
    assert.deepEqual([...(await values.read([{ stop: 2 }])).data], [0, 1]);
    await refreshing;
    const [read, refreshed] = await Promise.allSettled([values.read(), file.refresh()]);
    for (const { reason } of [read, refreshed]) if (reason) assert.equal(reason.kind, "Usage");
    if (read.value) assert.deepEqual([...read.value.data], Array.from({ length: 4000 }, (_, i) => i));
    await file.close();
  } finally {
    writer.stdin.end();
    rmSync(folder, { recursive: true });
  }
});

test("a source of one's own says how long it is by now", async () => {
  const [short, long] = ["superblock_3.h5", "strings_variable.h5"].map((name) => readFileSync(files + name));
  let bytes = short;
  const source = {
    size: bytes.length,
    refresh() {
      bytes = long;
      this.size = bytes.length;
    },
    readRanges: async (ranges) => ranges.map(({ offset, length }) => bytes.subarray(offset, offset + length)),
  };
  const file = await h5kit.open(source);
  assert(await file.has("g/strings"));
  await file.refresh();
  assert(!(await file.has("g/strings")));
  assert.deepEqual((await (await file.dataset("scalar")).read()).data, ["Ü"]);
  await file.close();
});

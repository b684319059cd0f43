// AnnData, as anndata and scipy give it.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { failure, h5kit, testdata } from "./common.mjs";
import { inFolder, runPython, withoutPython } from "./python.mjs";

const json = (path) => JSON.parse(readFileSync(testdata + path, "utf8"));
const open = async (path) => h5kit.openAnnData(await h5kit.openPath(testdata + path));

/** What an element has, in the form of the expected values; `undefined` for kinds without values here. */
async function values(element) {
  switch (element.kind) {
    case "dense":
      return [...(await element.read()).data].map((value) => (element.type === "bool" ? value !== 0 : value));
    case "column": {
      const column = await element.read();
      return Array.from({ length: column.length }, (_, i) => column.at(i));
    }
    case "sparse":
      return [...(await element.rows({ start: 0 })).toDense()];
    default:
      return undefined;
  }
}

/** Integers of 64 bits as numbers. */
const numbers = (values) => values.map((value) => (typeof value === "bigint" ? Number(value) : value));

for (const name of ["anndata_06", "anndata_07", "anndata_now"]) {
  test(`every element of ${name}.h5ad`, async () => {
    const data = await open(`files/${name}.h5ad`);
    let compared = 0;
    for (const [path, expected] of Object.entries(json(`files/${name}.h5ad.json`))) {
      if (path === "") continue;
      const element = await data.get(path);
      if (element.encoding) assert.equal(element.encoding, expected.encoding, path);
      const found = await values(element);
      if (found === undefined || expected.values === null || expected.encoding === "bytes") continue;
      assert.deepEqual(numbers(found), [expected.values].flat(), path);
      compared += 1;
    }
    assert(compared > 7, `only ${compared}`);
    await data.file.close();
  });
}

test("rows and columns of matrices are those of scipy", async () => {
  const data = await open("matrices.h5ad");
  const expected = json("matrices.json");
  assert.deepEqual(data.shape, [60, 23]);
  for (const name of ["X", "shuffled", "csc"]) {
    const matrix = name === "X" ? await data.X() : await data.layers.get(name);
    const rows = name === "X" ? expected.X : expected.layers[name];
    const ranges = [[{ start: 2, stop: 5 }, [2, 3, 4]], [{ start: 1, stop: 12, step: 5 }, [1, 6, 11]], [{ start: 3, stop: 3 }, []]];
    const lists = [[], [3], [0, 1, 2], [9, 2, 2, 17, 3, 0, 22, 21]].map((list) => [list, list]);
    for (const [places, list] of [...lists, ...ranges, [new Set([4, 1]), [4, 1]]]) {
      const some = await matrix.rows(places);
      assert.deepEqual(some.shape, [list.length, 23]);
      assert.deepEqual([...some.toDense()], list.flatMap((row) => rows[row]), name);
      const columns = await matrix.columns(places);
      assert.deepEqual(columns.shape, [60, list.length]);
      assert.deepEqual([...columns.toDense()], rows.flatMap((row) => list.map((column) => row[column])), name);
    }
  }
  await data.file.close();
});

test("a real file: columns, categories, labels, an embedding", async () => {
  const data = await open("pbmc_small.h5ad");
  assert.deepEqual(data.shape, [200, 50]);
  assert.deepEqual(data.obs.columns.slice(0, 3), ["cell_type", "stage", "n_counts"]);
  assert.equal((await data.obsNames()).length, 200);
  const types = await data.obs.column("cell_type");
  assert.equal(types.at(0), types.categories[types.codes[0]]);
  assert.deepEqual(await data.obs.categories("cell_type"), types.categories);
  assert.equal((await data.obs.column("batch", { start: 0, stop: 2 })).at(0), null);
  const umap = await data.obsm.get("X_umap");
  const [whole, rows, axis] = await Promise.all([umap.read(), umap.rows([5, 1]), umap.column(1)]);
  assert.deepEqual([...rows.data], [5, 1].flatMap((row) => [...whole.data.subarray(2 * row, 2 * row + 2)]));
  assert.deepEqual([...axis.data], Array.from({ length: 200 }, (_, row) => whole.data[2 * row + 1]));
  const error = await failure(() => data.obs.column("nothing"));
  assert.equal(error.kind, "NotFound");
  await data.file.close();
});

/** What awkward's lists have in place of values that JSON lacks. */
const tuples = (value) => {
  if (Array.isArray(value)) return value.map(tuples);
  if (typeof value === "bigint") return Number(value);
  if (value === null || typeof value !== "object") return value;
  if (value.tuple) return tuples(value.tuple);
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, tuples(inner)]));
};

/** Columns as the entries that they stand for. */
function entries(columns, length) {
  if (columns instanceof h5kit.Ragged) {
    const inner = entries(columns.values, columns.offsets.at(-1));
    return Array.from({ length }, (_, i) => inner.slice(columns.offsets[i], columns.offsets[i + 1]));
  }
  if (Array.isArray(columns)) return columns;
  if (ArrayBuffer.isView(columns)) return Array.from(columns, tuples);
  const fields = Object.entries(columns).map(([name, column]) => [name, entries(column, length)]);
  return Array.from({ length }, (_, i) => Object.fromEntries(fields.map(([name, column]) => [name, column[i]])));
}

test("ragged lists are those of awkward", async () => {
  const data = await open("matrices.h5ad");
  const inColumns = [];
  for (const [name, expected] of Object.entries(json("matrices.json").obsm)) {
    const array = await data.obsm.get(name);
    assert.equal(array.kind, "awkward", name);
    assert.equal(array.length, 60);
    assert.deepEqual(tuples(await array.read()), tuples(expected), name);
    assert.deepEqual(tuples(await array.read({ start: 7, stop: 12 })), tuples(expected.slice(7, 12)), name);
    const buffers = await array.buffers();
    assert(Object.keys(buffers).every((key) => /^node\d+-(data|offsets|starts|stops|mask|index|tags)$/.test(key)), name);
    try {
      const found = entries(await array.columns(), 60);
      // Booleans are numbers here, and the fields of tuples have their numbers for names.
      const record = ({ tuple, ...fields }) => (tuple ? { ...tuple } : { ...fields, ok: Number(fields.ok) });
      const plain = ["records", "tuples"].includes(name) ? expected.map((list) => list.map(record)) : expected;
      assert.deepEqual(found, plain, name);
      inColumns.push(name);
    } catch (error) {
      assert.equal(error.kind, "Unsupported", `${name}: ${error.stack}`);
    }
  }
  assert.deepEqual(inColumns.sort(), ["matrices", "nested", "numbers", "records", "regular", "strings", "tuples"]);
  await data.file.close();
});

test("records are read field by field", async () => {
  const data = await open("files/anndata_now.h5ad");
  const records = await data.get("uns/records");
  assert.deepEqual([records.kind, records.shape, records.fields.map(({ name }) => name)], ["records", [2], ["name", "score"]]);
  const { name, score } = await records.read();
  // What the maker of the file wrote.
  assert.deepEqual([name.data, [...score.data]], [["a", "b"], [1.5, 2.5]]);
  assert.deepEqual([...(await records.field("score", [1])).data], [2.5]);
  assert.deepEqual(Object.keys(await records.read([{ stop: 1 }], { fields: ["score"] })), ["score"]);
  assert.equal((await failure(records.field("nothing"))).kind, "NotFound");
  await data.file.close();
});

test("all that is wrong is told, with rules and paths", async () => {
  for (const file of [await h5kit.openPath(`${testdata}files/anndata_broken.h5ad`), await h5kit.openInWorker(new Blob([readFileSync(`${testdata}files/anndata_broken.h5ad`)]))]) {
    const data = await h5kit.openAnnData(file);
    const faults = await data.faults();
    const found = new Set(faults.map(({ path, rule }) => `${path} ${rule}`));
    for (const [path, rule] of Object.entries(json("files/anndata_broken.h5ad.json"))) assert(found.has(`${path} ${rule}`), `${path} ${rule}`);
    assert(faults.every(({ kind, message }) => kind === "Rule" && message.length > 5));
    await file.close();
  }
  for (const sound of ["pbmc_small.h5ad", "matrices.h5ad"]) {
    const data = await open(sound);
    assert.deepEqual(await data.faults(), [], sound);
    await data.file.close();
  }
});

const SLASHES = `
import shutil, sys, h5py, numpy as np
shutil.copy(sys.argv[1], sys.argv[2])
with h5py.File(sys.argv[2], "r+") as f:
    obs = f["obs"]
    obs.create_dataset("cell/mass", data=np.arange(200.0)).attrs.update({"encoding-type": "array", "encoding-version": "0.2.0"})
    obs.attrs["column-order"] = [*obs.attrs["column-order"], "cell/mass"]
`;

test("a column whose name has slashes", { skip: withoutPython }, () =>
  inFolder(async (folder) => {
    const path = join(folder, "slashes.h5ad");
    runPython(SLASHES, `${testdata}pbmc_small.h5ad`, path);
    const data = await h5kit.openAnnData(await h5kit.openPath(path));
    assert(data.obs.columns.includes("cell/mass"));
    const column = await data.obs.column("cell/mass");
    assert.deepEqual([...column.values], Array.from({ length: 200 }, (_, i) => i));
    await data.file.close();
  }));

/** A group within itself: only who goes through all of it finds out. */
const ALONE = ["uns/loop"];

test("a broken element is an error with its rule", async () => {
  const data = await open("files/anndata_broken.h5ad");
  for (const [path, rule] of Object.entries(json("files/anndata_broken.h5ad.json"))) {
    if (ALONE.includes(path)) continue;
    const error = await failure(async () => values(await data.get(path)));
    assert.equal(error.kind, "Rule", path);
    assert.equal(error.rule, rule, path);
  }
  await data.file.close();
});

test("complex numbers of a column are pairs, and kinds tell columns apart", async () => {
  const data = await open("files/anndata_frame.h5ad");
  const { obs } = json("files/anndata_frame.json");
  const number = (value) => (typeof value === "string" ? Number(value) : value);
  let compared = 0;
  for (const name of data.obs.columns) {
    const column = await data.obs.column(name);
    const { values } = obs[name];
    assert.equal(column.length, values.length, name);
    assert.equal(column.kind, column.type === "category" ? "category" : "values", name);
    if (values.some((value) => value?.re === undefined)) continue;
    const expected = values.map(({ re, im }) => [number(re), number(im)]);
    assert.deepEqual(values.map((_, i) => column.at(i)), expected, name);
    const some = await data.obs.column(name, { start: 2, stop: 4 });
    assert.deepEqual([some.length, some.at(1)], [2, expected[3]], name);
    compared += 1;
  }
  assert(compared >= 2, `only ${compared}`);
  await data.file.close();
});

const withoutCorpus = process.env.H5KIT_CORPUS ? false : "there is no corpus: H5KIT_CORPUS";

test("complex numbers, and categories that are Booleans, are those of anndata", { skip: withoutCorpus }, async () => {
  const path = `${process.env.H5KIT_CORPUS}/anndata/m-obs_kinds-v`;
  const data = await h5kit.openAnnData(await h5kit.openPath(`${path}.h5ad`));
  const elements = readFileSync(`${path}.expected.jsonl`, "utf8").split("\n").filter(Boolean).map((line) => JSON.parse(line));
  for (const name of ["c128", "cat_bool", "cat", "bool"]) {
    const { values } = elements.find(({ path }) => path === `obs/${name}`);
    const column = await data.obs.column(name);
    assert.deepEqual(Array.from({ length: column.length }, (_, i) => column.at(i)), values, name);
  }
  await data.file.close();
});

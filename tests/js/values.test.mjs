// Values are those that libhdf5 gives (testdata/values.json), and what JavaScript makes of them.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { failure, h5kit, testdata } from "./common.mjs";

const files = `${testdata}files/`;

/** Numbers of the file: all are compared as text, since not all are numbers of JavaScript. */
const expected = JSON.parse(readFileSync(`${testdata}values.json`, "utf8").replaceAll(/(?<=[[ ,])-?\d{16,}(?=[,\]])/g, '"$&"'));

function selection({ select }) {
  if (!select) return null;
  if (select.points) return { form: "points", numbers: select.points.flat() };
  const { start, stride, count, block } = select;
  return { form: "hyperslab", numbers: [start, stride, count, block].flat() };
}

async function source(file, place) {
  const at = place.lastIndexOf("@");
  if (at < 0) {
    const dataset = await file.dataset(place);
    return { read: (selection) => dataset.read(selection), bytes: (selection) => dataset.readBytes(selection), dataset };
  }
  const attributes = await (await file.get(place.slice(0, at))).attrs();
  return { read: async () => attributes.array(place.slice(at + 1)) };
}

/** What the package has for an entry, in the entry's own form; `undefined` where it has another. */
async function found(file, place, entry) {
  const from = await source(file, place);
  const read = async () => {
    const { data, dtype } = await from.read(selection(entry));
    return { data: data instanceof h5kit.Ragged ? data.values : data, dtype };
  };
  switch (entry.as) {
    case "i64":
    case "u64": {
      const { data, dtype } = await read();
      return dtype.kind === "compound" ? undefined : Array.from(data, String);
    }
    case "f64": {
      const { data, dtype } = await read();
      if (dtype.kind !== "float" || dtype.size > 8) return undefined;
      return Array.from(data, bits);
    }
    case "f64 pairs": {
      const { data, dtype } = await read();
      if (dtype.kind === "compound") return Array.from(data.r, (r, i) => [r, data.i[i]]).flat().map(bits);
      return Array.from(data, bits);
    }
    case "string":
      return (await read()).data;
    case "bytes": {
      if (from.dataset?.dtype.kind === "string") return undefined;
      const bytes = await from.bytes(selection(entry));
      const size = bytes.length / entry.values.length;
      return entry.values.map((_, i) => Buffer.from(bytes.subarray(i * size, (i + 1) * size)).toString("hex"));
    }
    case "enum": {
      const { data, dtype } = await read();
      if (dtype.kind === "bool") return Array.from(data, (value) => (value ? "TRUE" : "FALSE"));
      const names = new Map(Object.entries(dtype.members).map(([name, value]) => [value, name]));
      return Array.from(data, (value) => names.get(value) ?? null);
    }
    case "reference": {
      const { data } = await read();
      const path = async (reference) => reference && (await file.pathOf(reference));
      return Promise.all(data.map(path));
    }
    default:
      return undefined;
  }
}

/** Bits as the file has them; one NaN stands for all. */
function bits(n) {
  if (Number.isNaN(n)) return "nan";
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, n);
  return view.getBigUint64(0).toString(16).padStart(16, "0");
}

function shown(entry) {
  if (entry.as === "i64" || entry.as === "u64") return entry.values.flat(Infinity).map(String);
  if (!entry.as.startsWith("f64")) return entry.values;
  const value = (digits) => {
    const view = new DataView(new ArrayBuffer(8));
    view.setBigUint64(0, BigInt(`0x${digits}`));
    return bits(view.getFloat64(0));
  };
  return entry.values.map(value);
}

test("values are those of libhdf5", async () => {
  let compared = 0;
  const passed = {};
  for (const [name, places] of Object.entries(expected)) {
    if (!existsSync(files + name)) continue;
    const file = await h5kit.openPath(files + name);
    for (const [place, entries] of Object.entries(places)) {
      if (place.includes("#") && !place.startsWith("/#refs#")) continue;
      for (const entry of [entries].flat()) {
        let values;
        try {
          values = await found(file, place, entry);
        } catch (error) {
          // Text that is no UTF-8, and numbers that no number of JavaScript is.
          const foreign = error.kind === "Type" && (entry.as === "string" || entry.as === "f64");
          if (!foreign) throw new Error(`${name} ${place}: ${error.message}`, { cause: error });
        }
        if (values === undefined) {
          passed[entry.as] = (passed[entry.as] ?? 0) + 1;
          continue;
        }
        assert.deepEqual(values, shown(entry), `${name} ${place}`);
        compared += 1;
      }
    }
    await file.close();
  }
  console.log(`${compared} compared; passed over: ${JSON.stringify(passed)}`);
  assert(compared > 330, `only ${compared}`);
});

test("a region is read through its reference", async () => {
  let regions = 0;
  for (const [name, places] of Object.entries(expected)) {
    if (!existsSync(files + name)) continue;
    const file = await h5kit.openPath(files + name);
    for (const [place, entry] of Object.entries(places)) {
      if (entry.as !== "region") continue;
      const { data } = await (await file.dataset(place)).read();
      for (const [i, region] of entry.values.entries()) {
        if (region === null) {
          assert.equal(data[i], null);
          continue;
        }
        const whole = await (await file.dataset(region.path)).read();
        const number = (point) => point.reduce((sum, index, axis) => sum + Number(index) * whole.stride[axis], 0);
        const selected = await data[i].read();
        assert.deepEqual([...selected.data], region.points.map((point) => whole.data[number(point)]), `${name} ${place}`);
        regions += 1;
      }
    }
    await file.close();
  }
  assert(regions > 30, `only ${regions}`);
});

test("selections are those of JavaScript's own arithmetic, and blocks are the whole", async () => {
  const file = await h5kit.openPath(`${files}chunks_all_v4.h5`);
  const dataset = await file.dataset("btree");
  const [rows, columns] = dataset.shape;
  const whole = await dataset.read();
  assert.deepEqual([whole.shape, whole.stride], [[rows, columns], [columns, 1]]);
  const at = (row, column) => whole.data[row * columns + column];
  const every = (start, stop, step = 1) => Array.from({ length: Math.ceil((stop - start) / step) }, (_, i) => start + i * step);
  const cases = [
    [[3], [3], every(0, columns), [columns]],
    [[null, 2], every(0, rows), [2], [rows]],
    [[{ start: 1, stop: 9, step: 3 }, { start: 4 }], every(1, 9, 3), every(4, columns), [3, columns - 4]],
    [[[7, 2, 2, 3]], [7, 2, 2, 3], every(0, columns), [4, columns]],
    [[{ start: 2, stop: 4 }, [5, 0]], [2, 3], [5, 0], [2, 2]],
    [[4, [5, 0, 1]], [4], [5, 0, 1], [3]],
    [[[]], [], every(0, columns), [0, columns]],
    [[{ start: 3, stop: 3 }], [], every(0, columns), [0, columns]],
  ];
  for (const [selection, listedRows, listedColumns, shape] of cases) {
    const { data, shape: found } = await dataset.read(selection);
    assert.deepEqual(found, shape, JSON.stringify(selection));
    assert.deepEqual([...data], listedRows.flatMap((row) => listedColumns.map((column) => at(row, column))));
  }
  for (const wrong of [[rows], [-1], [1.5], [{ stop: rows + 1 }], [null, null, null], [[0], [0]], [{ step: 0 }], [[rows]]]) {
    assert.equal((await failure(dataset.read(wrong))).kind, "Selection", JSON.stringify(wrong));
  }
  const all = new whole.data.constructor(whole.data.length);
  let blocks = 0;
  for await (const { data, shape, origin } of dataset.blocks(null, { maxBytes: 64 })) {
    assert.equal(shape.length, 2);
    const width = shape[1];
    data.forEach((value, i) => {
      all[(origin[0] + Math.floor(i / width)) * columns + origin[1] + (i % width)] = value;
    });
    blocks += 1;
  }
  assert(blocks > 1);
  assert.deepEqual(all, whole.data);
  await file.close();
});

test("integers of 64 bits are exact", async () => {
  const file = await h5kit.openPath(`${files}bitfields.h5`);
  const dataset = await file.dataset("b64le");
  const { data } = await dataset.read();
  assert(data instanceof BigUint64Array);
  assert.deepEqual([...data], [1n, 81985529216486895n, 18446744073709551615n]);
  const error = await failure(dataset.read(null, { int64: "number" }));
  assert.equal(error.kind, "Integer");
  assert.deepEqual((await dataset.read([{ stop: 1 }], { int64: "number" })).data, Float64Array.of(1));
  await file.close();
});

test("attributes of every kind are values of JavaScript", async () => {
  const file = await h5kit.openPath(`${files}attributes_all_v200.h5`);
  const attributes = await file.attrs();
  assert(attributes.size > 15);
  assert.equal(attributes.get("null"), null);
  assert.equal(typeof attributes.get("scalar"), "number");
  assert.deepEqual(attributes.describe("bool").dtype, { kind: "bool" });
  assert.deepEqual(Object.keys(attributes.get("holes").data), ["x", "y", "z"]);
  assert.deepEqual(attributes.get("matrix").shape, [2, 3]);
  assert(attributes.get("sequence").data instanceof h5kit.Ragged);
  assert.equal(attributes.get("nothing"), undefined);
  assert.equal(attributes.keys().length, Object.keys(attributes.toObject()).length);
  await file.close();
});

test("damaged and hostile files are errors of one line", async () => {
  const { readdirSync } = await import("node:fs");
  const corrupt = `${testdata}corrupt/`;
  let errors = 0;
  for (const name of readdirSync(corrupt).filter((name) => name.endsWith(".h5"))) {
    const told = (error) => {
      assert(error instanceof h5kit.H5Error, `${name}: ${error.stack}`);
      assert.notEqual(error.kind, "Internal", `${name}: ${error.message}`);
      assert(!error.message.includes("\n"), error.message);
      errors += 1;
    };
    let file;
    try {
      file = await h5kit.openPath(corrupt + name);
      for (const { kind, name } of await file.entries()) {
        try {
          if (kind === "dataset") await (await file.dataset(name)).read();
        } catch (error) {
          told(error);
        }
      }
      (await file.attrs()).keys();
    } catch (error) {
      told(error);
    }
    await file?.close();
  }
  assert(errors > 40, `only ${errors}`);
});

test("what is not in memory as a whole is read in blocks", async () => {
  const file = await h5kit.open(readFileSync(`${files}chunks_all_v4.h5`), { readBytes: 100 });
  const error = await failure((await file.dataset("btree")).read());
  assert.equal(error.kind, "Limit");
  assert.match(error.message, /blocks\(\)/);
  await file.close();
});

test("damaged links are entries without a name, and no names", async () => {
  for (const [name, links] of [["link_to_nowhere", ["beyond", "superblock", ""]], ["group_btree_cycle", [""]]]) {
    const file = await h5kit.openPath(`${testdata}corrupt/${name}.h5`);
    const entries = await file.entries();
    assert.deepEqual(entries.map(({ name }) => name), links);
    const { link, error } = entries.at(-1);
    assert.equal(link, "damaged");
    assert.match(error, /address/);
    const names = links.filter(Boolean);
    if (names.length > 0) assert.deepEqual(await file.keys(), names);
    else assert.equal((await failure(file.keys())).kind, "Corrupt");
    await file.close();
  }
});

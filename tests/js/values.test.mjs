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

// Files as stores of Zarr: what zarrita finds there, where that is, and what the keys hold.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { test } from "node:test";
import { built, failure, h5kit } from "./common.mjs";
import { inFolder, runPython, withoutPython } from "./python.mjs";

const { zarrStore } = await import(new URL("zarr.js", built));

const MADE = `
import sys, h5py, numpy
with h5py.File(sys.argv[1], "w") as file:
    group = file.create_group("g")
    group.attrs.update({"encoding-type": "dict", "shape": numpy.array([3, 4], "i8"), "ratio": 0.5, "names": ["a", "größe"]})
    group.create_dataset("chunked", data=numpy.arange(13 * 7 * 5, dtype=">i4").reshape(13, 7, 5), chunks=(4, 3, 2), compression="gzip", shuffle=True, fletcher32=True)
    group.create_dataset("plain", data=numpy.arange(600, dtype="<f8").reshape(20, 30))
    group.create_dataset("flags", data=numpy.arange(10) % 3 == 0)
    group.create_dataset("text", data=["Größe", "", "b"] * 3, dtype=h5py.string_dtype(), chunks=(4,))
    group.create_dataset("fixed", data=numpy.array([b"ab", b"c"], "S5"))
    group["scalar"] = numpy.uint16(7)
    group.create_dataset("records", data=numpy.zeros(2, [("a", "i4")]))
`;

const made = (work) =>
  inFolder(async (folder) => {
    const path = join(folder, "made.h5");
    runPython(MADE, path);
    const file = await h5kit.openPath(path);
    await work(zarrStore(file));
    await file.close();
  });

test("keys hold what Zarr has there", { skip: withoutPython }, () =>
  made(async (store) => {
    const json = async (key) => JSON.parse(Buffer.from(await store.get(key)).toString());
    assert.deepEqual(await json("/.zgroup"), { zarr_format: 2 });
    assert.deepEqual(await json("/g/.zattrs"), { "encoding-type": "dict", shape: [3, 4], ratio: 0.5, names: ["a", "größe"] });
    const { shape, chunks, dtype, compressor } = await json("/g/chunked/.zarray");
    assert.deepEqual([shape, chunks, dtype, compressor], [[13, 7, 5], [4, 3, 2], ">i4", null]);
    // The last chunk: what is within the array, and zeros beyond it.
    const last = new DataView((await store.get("/g/chunked/3.2.2")).slice().buffer);
    for (let i = 0; i < 24; i++) {
      const [a, b, c] = [12 + Math.floor(i / 6), 6 + (Math.floor(i / 2) % 3), 4 + (i % 2)];
      assert.equal(last.getInt32(4 * i), a < 13 && b < 7 && c < 5 ? (a * 7 + b) * 5 + c : 0);
    }
    const text = Buffer.from(await store.get("/g/text/2"));
    assert.equal(text.toString("hex"), "0400000001000000" + "62" + "000000000000000000000000");
    assert.deepEqual([...(await store.getRange("/g/scalar/0", { suffixLength: 1 }))], [0]);
    for (const key of ["/g/.zarray", "/g/plain/.zgroup", "/nothing/.zgroup", "/g/plain/9.9", "/zarr.json", "/g/chunked/4.0.0"]) {
      assert.equal(await store.get(key), undefined, key);
    }
    assert.equal((await failure(store.get("/g/records/.zarray"))).kind, "Unsupported");
  }),
);

/** zarrita, from a folder with `node_modules`; undefined where it is not. */
async function zarrita() {
  try {
    const folder = join(process.env.H5KIT_ZARRITA ?? ".", "node_modules/zarrita");
    const { exports } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const main = exports["."] ?? exports;
    return await import(pathToFileURL(join(folder, main.default ?? main.import ?? main)));
  } catch {
    return undefined;
  }
}

const zarr = await zarrita();

test("zarrita reads a file", { skip: withoutPython || (zarr ? false : "there is no zarrita: H5KIT_ZARRITA") }, () =>
  made(async (store) => {
    const root = zarr.root(store);
    const read = async (path, selection) => zarr.get(await zarr.open.v2(root.resolve(path), { kind: "array" }), selection);
    const chunked = await read("g/chunked");
    assert.deepEqual([...chunked.data], Array.from({ length: 13 * 7 * 5 }, (_, i) => i));
    assert.deepEqual([...(await read("g/plain", [3, null])).data], Array.from({ length: 30 }, (_, i) => 90 + i));
    assert.deepEqual([...(await read("g/flags")).data].map(Boolean), Array.from({ length: 10 }, (_, i) => i % 3 === 0));
    assert.deepEqual([...(await read("g/text")).data], ["Größe", "", "b", "Größe", "", "b", "Größe", "", "b"]);
    const group = await zarr.open.v2(root.resolve("g"), { kind: "group" });
    assert.equal(group.attrs["encoding-type"], "dict");
  }),
);

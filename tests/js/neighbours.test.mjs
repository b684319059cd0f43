// Files that name others: external links, external data, sources of virtual datasets, references.
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { serveSite } from "./browser.mjs";
import { failure, h5kit, testdata } from "./common.mjs";
import { runPython, withoutPython } from "./python.mjs";

const files = `${testdata}files/`;
let server;
before(async () => (server = await serveSite(testdata)));
after(() => server.close());
const address = (name) => `${server.url}data/files/${encodeURIComponent(name)}`;

async function digest(file) {
  const lines = [];
  for await (const line of file.digest()) lines.push(line);
  await file.close();
  return lines;
}

for (const name of ["virtual.h5", "virtual_newest.h5", "virtual_unlimited.h5", "virtual_converted.h5", "external.h5", "links_all.h5"]) {
  test(`${name} is the same by its address as by its path`, async () => {
    const expected = await digest(await h5kit.openPath(files + name));
    assert.deepEqual(await digest(await h5kit.openPath(pathToFileURL(files + name))), expected);
    assert.deepEqual(await digest(await h5kit.open(address(name))), expected);
    assert.deepEqual(await digest(await h5kit.openInWorker(address(name))), expected);
  });
}

test("external links are followed on the same server", async () => {
  const file = await h5kit.open(address("links_all.h5"));
  const target = await h5kit.openPath(`${files}links_target.h5`);
  assert.deepEqual(await (await file.dataset("external")).read(), await (await target.dataset("inner/data")).read());
  assert.equal((await failure(file.get("external missing"))).kind, "NotFound");
  await file.close();
  await target.close();
});

test("a worker goes on as long as a file of it is open", async () => {
  const file = await h5kit.openInWorker(address("links_all.h5"));
  const target = await file.neighbour("links_target.h5");
  assert((await target.keys()).includes("inner"));
  await target.close();
  assert.equal((await failure(target.keys())).kind, "Closed");
  await file.refresh();
  assert((await file.keys()).includes("external"));
  await file.close();
  assert.equal((await failure(file.keys())).kind, "Closed");
});

test("where nobody may look for other files there are errors and no fill values", async () => {
  const bytes = (name) => readFileSync(files + name);
  for (const [input, options] of [[bytes("virtual.h5"), {}], [address("virtual.h5"), { neighbours: null }]]) {
    const file = await h5kit.open(input, options);
    const error = await failure((await file.dataset("rows")).read());
    assert.equal(error.kind, "Usage");
    assert.match(error.message, /virtual_source_0\.h5/);
    assert.deepEqual([...(await (await file.dataset("own")).read()).data].length, 6);
    await file.close();
  }
  const external = await h5kit.open(bytes("external.h5"));
  assert.equal((await failure((await external.dataset("rows")).read())).kind, "Usage");
  assert.equal((await failure(h5kit.open(bytes("external.h5"), { neighbours: "beside" }))).kind, "Usage");
  // Given by hand, they are there.
  const file = await h5kit.open(bytes("virtual.h5"), { neighbours: (name) => (existsSync(files + name) ? bytes(name) : null) });
  const here = await h5kit.openPath(`${files}virtual.h5`);
  const read = async (file) => (await (await file.dataset("rows")).read()).data;
  assert.deepEqual(await read(file), await read(here));
  await file.close();
  await here.close();
});

test("names stay in the folder of the file, and on its server", async () => {
  const { beside } = await import(new URL("neighbours.js", (await import("./common.mjs")).built));
  const of = (name) => beside(new URL("https://example.org/a/b.h5?key=1"), name)?.href ?? null;
  assert.equal(of("c.h5"), "https://example.org/a/c.h5?key=1");
  assert.equal(of("./sub//c.h5"), "https://example.org/a/sub/c.h5?key=1");
  assert.equal(of("/etc/c.h5"), "https://example.org/a/c.h5?key=1");
  assert.equal(of("../../c.h5"), "https://example.org/a/c.h5?key=1");
  assert.equal(of("https://other.org/c.h5"), "https://example.org/a/https%3A/other.org/c.h5?key=1");
  assert.equal(of("100%?#\\.h5"), "https://example.org/a/100%25%3F%23%5C.h5?key=1");
  assert.deepEqual([of(".."), of(""), of("/"), of("a/..")], [null, null, null, null]);
});

test("references lead into other files", async () => {
  const target = await h5kit.openPath(`${files}references_external.h5`);
  const whole = await (await target.dataset("g/d")).read();
  for (const file of [await h5kit.openPath(`${files}references_revised.h5`), await h5kit.openInWorker(address("references_revised.h5"))]) {
    const outside = [];
    for (const { name, kind, dtype } of await file.entries()) {
      if (kind !== "dataset" || dtype.kind !== "reference") continue;
      const { data } = await (await file.dataset(name)).read();
      outside.push(...data.filter((reference) => reference?.otherFile !== undefined));
    }
    assert(outside.length >= 3, `${outside.length}`);
    for (const reference of outside) {
      const object = await reference.open();
      assert.deepEqual([object.kind, object.shape], ["dataset", [6, 8]]);
      assert.deepEqual((await object.read()).data, whole.data);
      if (reference.kind === "attribute") assert((await object.attrs()).has(reference.name));
      if (reference.kind !== "region") continue;
      const there = await target.dataset("g/d");
      assert.deepEqual((await reference.read()).data, (await there.read(reference.region)).data);
    }
    await file.close();
  }
  await target.close();
  const alone = await h5kit.open(readFileSync(`${files}references_revised.h5`));
  assert.equal((await failure(alone.neighbour("references_external.h5"))).kind, "Usage");
});

const NESTED = `
import sys, os, h5py, numpy
folder = sys.argv[1]
os.mkdir(os.path.join(folder, "sub"))
for place, number in (("deep.h5", 1), ("sub/deep.h5", 2), ("sub/more.h5", 3)):
    with h5py.File(os.path.join(folder, place), "w") as file:
        file["x"] = numpy.full(4, number)
def virtual(place, names):
    with h5py.File(os.path.join(folder, place), "w", libver="latest") as file:
        for key, (name, path) in names.items():
            layout = h5py.VirtualLayout((4,), "i8")
            layout[:] = h5py.VirtualSource(name, path, (4,))
            file.create_virtual_dataset(key, layout, fillvalue=-1)
virtual("sub/middle.h5", {"relative": ("deep.h5", "x"), "absolute": ("/elsewhere/more.h5", "x"), "above": ("../deep.h5", "x"), "absent": ("none.h5", "x")})
virtual("top.h5", {key: ("sub/middle.h5", key) for key in ("relative", "absolute", "above", "absent")})
`;

test("names in files of folders below are those of their folder", { skip: withoutPython }, async () => {
  const folder = mkdtempSync(join(tmpdir(), "h5kit-"));
  const there = await serveSite(folder);
  try {
    runPython(NESTED, folder);
    for (const file of [await h5kit.openPath(join(folder, "top.h5")), await h5kit.open(`${there.url}top.h5`)]) {
      for (const [name, number] of Object.entries({ relative: 2, absolute: 3, above: 2, absent: -1 })) {
        const { data } = await (await file.dataset(name)).read(null, { int64: "number" });
        assert.deepEqual([...data], new Array(4).fill(number), name);
      }
      await file.close();
    }
  } finally {
    await there.close();
    rmSync(folder, { recursive: true });
  }
});

// Every file gives the lines that libhdf5 gives, through the package.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { basename } from "node:path";
import { test } from "node:test";
import { digests, h5kit, lines, testdata } from "./common.mjs";

/** A line without the texts of errors; without values where the expected line has an error in their place. */
function shown(line, expected) {
  const { ...shown } = line;
  if (expected?.error !== undefined) {
    delete shown.xxh3;
    delete shown.error;
  }
  if (shown.error !== undefined) shown.error = null;
  if (shown.attrs) {
    // Where libhdf5 cannot even tell the name of a damaged attribute, its number stands there.
    const numbered = Object.keys(expected.attrs ?? {}).some((name) => name.startsWith("#"));
    const attributes = numbered ? [] : Object.entries(shown.attrs);
    shown.attrs = Object.fromEntries(attributes.map(([name, attribute]) => [name, shownOf(attribute, expected, name)]));
  }
  return shown;
}

function shownOf(attribute, expected, name) {
  return shown(attribute, expected.attrs?.[name]);
}

async function differences(path, digest) {
  const file = await h5kit.openPath(path);
  const found = [];
  for await (const line of file.digest()) found.push(JSON.parse(line));
  const expected = lines(digest).map((line) => JSON.parse(line));
  const wrong = [];
  if (found.length !== expected.length) wrong.push(`${found.length} lines instead of ${expected.length}`);
  for (const [i, line] of found.entries()) {
    const [is, should] = [shown(line, expected[i]), shown(expected[i] ?? {}, expected[i])].map((l) => JSON.stringify(l));
    if (is === should) continue;
    if (line.error !== undefined && !(await file.dataset(line.path)).filters.every(({ supported }) => supported)) {
      refused.push(`${basename(path)}:${line.path}`);
    } else {
      wrong.push(`${path}: ${is}\n  is not ${should}`);
    }
  }
  await file.close();
  return wrong;
}

const refused = [];

test("every file of testdata gives what libhdf5 reads", async () => {
  // Those that are spread over several are opened by names that stand for them all, which is not done here.
  const parts = /%|family|split|multi/;
  const files = digests().filter(({ file }) => existsSync(file) && !parts.test(basename(file)));
  assert(files.length > 140, `only ${files.length} files`);
  const wrong = [];
  for (const { file, digest } of files) {
    try {
      wrong.push(...(await differences(file, digest)));
    } catch (error) {
      wrong.push(`${file}: ${error.stack}`);
    }
  }
  assert.deepEqual(wrong, []);
  // The filters that are refused by name; see docs/status/filters.md.
  assert.equal(refused.length, 5);
  assert(refused.every((dataset) => dataset.startsWith("plugin_refused.h5")), refused.join());
});

test("the same from bytes and from a Blob", async () => {
  const { readFileSync } = await import("node:fs");
  for (const name of ["attributes_all_v200.h5", "producer_netcdf4.h5"]) {
    const path = `${testdata}files/${name}`;
    const bytes = readFileSync(path);
    for (const input of [bytes, bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length), new Blob([bytes])]) {
      const file = await h5kit.open(input);
      const found = [];
      for await (const line of file.digest()) found.push(line);
      assert.deepEqual(found, lines(`${path}.digest`));
      await file.close();
    }
  }
});

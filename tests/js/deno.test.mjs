// The package in Deno, where that is: on the path, or by H5KIT_DENO.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { built, lines, testdata } from "./common.mjs";
import { serve } from "./server.mjs";

const deno = process.env.H5KIT_DENO ?? "deno";
const skip = spawnSync(deno, ["--version"]).status === 0 ? false : "there is no Deno: H5KIT_DENO";
const script = fileURLToPath(new URL("deno.mjs", import.meta.url));

/** What a program in Deno prints, as JSON. */
function run(...args) {
  const child = spawn(deno, ["run", "--quiet", "--no-prompt", "--allow-read", "--allow-net", script, ...args]);
  const said = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"]) child[name].on("data", (text) => (said[name] += text));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (status) => (status === 0 ? resolve(JSON.parse(said.stdout)) : reject(new Error(said.stderr || said.stdout))));
  });
}

test("files are opened in Deno as in Node", { skip, timeout: 120_000 }, async () => {
  const path = `${testdata}pbmc_small.h5ad`;
  const server = await serve(readFileSync(path));
  try {
    const told = await run(fileURLToPath(built), path, server.url);
    const expected = lines(`${path}.digest`);
    for (const way of ["path", "address", "file", "bytes", "worker"]) assert.deepEqual(told.digests[way], expected, way);
    assert.equal(told.observations, 200);
    assert.equal(told.missing, "NotFound");
  } finally {
    await server.close();
  }
});

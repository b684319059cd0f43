// Files that h5py makes for a test, in a folder of its own.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const python = process.env.H5KIT_PYTHON ?? "python3";

/** Why tests that need h5py are left out; false where it is there. */
export const withoutPython = spawnSync(python, ["-c", "import h5py"]).status === 0 ? false : "there is no Python with h5py: H5KIT_PYTHON";

/** Runs a program of Python. */
export function runPython(program, ...values) {
  const { status, stderr } = spawnSync(python, ["-c", program, ...values], { encoding: "utf8" });
  assert.equal(status, 0, stderr);
}

/** Gives a folder that is there until the work is done. */
export async function inFolder(work) {
  const folder = mkdtempSync(join(tmpdir(), "h5kit-"));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

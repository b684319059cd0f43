// What the tests share: the package that was built, and where the data is.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = new URL("../../", import.meta.url);

/** The folder of the package. */
export const built = new URL(process.env.H5KIT_NPM ? `file://${process.env.H5KIT_NPM}/` : "target/npm/h5kit/", root);

if (!existsSync(built)) throw new Error("there is no package: run src/wasm/build.sh first");

export const h5kit = await import(new URL("node.js", built));

export const testdata = fileURLToPath(new URL("testdata/", root));

/** The files that have expected digests, with these. */
export function digests() {
  const folders = [testdata, `${testdata}files/`];
  return folders.flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith(".digest"))
      .map((name) => ({ file: folder + name.slice(0, -".digest".length), digest: folder + name })),
  );
}

export function lines(path) {
  return readFileSync(path, "utf8").split("\n").filter(Boolean);
}

/** The error that a call ends in. */
export async function failure(work) {
  try {
    await (typeof work === "function" ? work() : work);
  } catch (error) {
    return error;
  }
  throw new Error("it did not fail");
}

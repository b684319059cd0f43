// Run by Deno: the folder of the package, a path and an address of one file. Prints what is found in each way to open it.
const [built, path, url] = globalThis.Deno.args;
const { open, openAnnData, openInWorker, openPath } = await import(new URL("node.js", `file://${built}`));

async function digest(file) {
  const lines = [];
  for await (const line of file.digest()) lines.push(line);
  await file.close();
  return lines;
}

const bytes = await globalThis.Deno.readFile(path);
const digests = {
  path: await digest(await openPath(path)),
  address: await digest(await open(url)),
  file: await digest(await open(new File([bytes], "cells.h5ad"))),
  bytes: await digest(await open(bytes)),
  worker: await digest(await openInWorker(new Blob([bytes]))),
};
const data = await openAnnData(bytes);
const names = await data.obsNames();
let missing;
try {
  await (await open(bytes)).get("nothing");
} catch (error) {
  missing = error.kind;
}
console.log(JSON.stringify({ digests, observations: names.length, missing }));

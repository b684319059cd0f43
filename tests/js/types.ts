// Programs that the types of the package must allow, and some that they must not. Nothing here is run.
import { type Dataset, H5Error, type NdArray, open, openAnnData, openInWorker, openTable, Ragged, registerFilter } from "h5kit";
import { openPath } from "h5kit/node";
import { zarrStore } from "h5kit/zarr";

export async function objects(blob: Blob): Promise<number> {
  const file = await open("https://example.org/cells.h5ad", { concurrency: 4, signal: AbortSignal.timeout(1000) });
  for (const { name, kind, shape, dtype } of await file.entries({ depth: 2 })) {
    if (kind === "dataset" && dtype?.kind === "compound") console.log(name, shape, dtype.fields[0]?.dtype.kind);
  }
  const object = await file.get("X");
  if (object.kind === "dataset") await object.read([null, 3, { start: 1, step: 2 }, [4, 2]]);
  const dataset: Dataset = await file.dataset("values");
  const { data }: NdArray = await dataset.read(null, { int64: "number", onProgress: (done, all) => console.log(done / all) });
  if (data instanceof Float64Array) return data[0]!;
  for await (const { origin, shape } of dataset.blocks()) console.log(origin, shape);
  const other = await openInWorker(blob);
  await other.close();
  // @ts-expect-error there is no such option
  await open(blob, { conccurrency: 4 });
  // @ts-expect-error a source stays in its thread
  await openInWorker({ size: 1, readRanges: async () => [] });
  const text = await dataset.read(null, { strings: "bytes", fields: ["name"], into: new Float32Array(3) });
  if (text.data instanceof Ragged) console.log(text.data.offsets.length);
  for (const { offset, length, index } of await dataset.plan([null, { stop: 3 }])) console.log(offset, length, index);
  await dataset.refresh();
  await (await file.neighbour("other.h5")).close();
  await open(blob, { neighbours: async (name) => (name === "a.h5" ? blob : null) });
  await openInWorker("a.h5", { neighbours: "beside" });
  // @ts-expect-error a function stays in its thread
  await openInWorker("a.h5", { neighbours: () => null });
  // @ts-expect-error there is no such form
  await dataset.read(null, { strings: "utf8" });
  return file.stats.rounds;
}

export async function conventions(): Promise<void> {
  const file = await openPath("cells.h5ad");
  const data = await openAnnData(file);
  const column = await data.obs.column("cell_type", { start: 0, stop: 10 });
  if (column.kind === "category") console.log(column.categories[column.codes[0]!], column.ordered);
  else console.log(column.values, column.missing?.length);
  await (await openPath(new URL("file:///cells.h5ad"))).close();
  // @ts-expect-error a path is text or bytes
  await file.dataset(5);
  const x = await data.X();
  if (x?.kind === "sparse") console.log((await x.rows([1, 2])).toDense().length);
  if (x?.kind === "dense") console.log((await x.rows({ start: 0, stop: 2 })).data.length);
  const metadata = await zarrStore(file).get("/X/.zattrs");
  console.log(metadata?.byteLength);
  const lists = await data.obsm.get("lists");
  if (lists.kind === "awkward") console.log(lists.form.class, (await lists.read({ stop: 3 })).length, await lists.columns());
  if (lists.kind === "records") console.log((await lists.read(null, { fields: ["a"] })).a?.data);
  for (const { rule, path, warning } of await data.faults()) if (!warning) console.log(rule, path);
  const table = await openTable(await file.group("table"));
  console.log(await table.rows("height >= 500"), (await table.query(null, { columns: ["a"] })).columns.a?.at(0));
  await registerFilter(300, (bytes, values, most) => bytes.subarray(0, most - values.length));
}

export function kind(error: unknown): string {
  if (error instanceof H5Error) {
    // @ts-expect-error there is no such kind
    if (error.kind === "Nothing") return "";
    return error.kind;
  }
  return "";
}

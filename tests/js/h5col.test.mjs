// Tables of columns: the values that were written, and the rows that queries find.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { failure, h5kit, testdata } from "./common.mjs";

const folder = `${testdata}h5col/`;
const json = (name) => JSON.parse(readFileSync(folder + name, "utf8").replaceAll(/(?<=[\s[,])-?\d{16,}(?=\s*[,\]])/g, '"$&"'));

/** A condition as text. */
function condition({ op, column, value, arg, args }) {
  switch (op) {
    case "not":
      return `not (${condition(arg)})`;
    case "and":
    case "or":
      return args.map((inner) => `(${condition(inner)})`).join(` ${op} `);
    case "is_null":
      return `${column} is null`;
    case "is_not_null":
      return `${column} is not null`;
    case "in":
      return `${column} in (${value.map(literal).join(", ")})`;
    default:
      return `${column} ${op === "==" ? "=" : op} ${literal(value)}`;
  }
}

const literal = (value) => (typeof value === "string" ? `"${value.replaceAll('"', '""')}"` : String(value));

/** A value in the form of the expected ones. */
function shown(value, kind, dtype, labels) {
  if (value === null) return null;
  if (Array.isArray(value)) return value.map((item) => shown(item, kind, dtype, labels));
  if (kind === "Enumeration") return Object.entries(dtype.members).find(([, code]) => code === value)[0];
  if (kind === "Categorical") return shown(labels[Number(value)], "", undefined);
  if (kind === "Opaque") return value.replace(/^0x/, "");
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  return Number.isNaN(value) ? "NaN" : value;
}

for (const name of ["stations", "kinds", "large"]) {
  test(`the tables of ${name}.h5`, async () => {
    const file = await h5kit.openPath(`${folder}${name}.h5`);
    const { tables } = json(`${name}.expected.json`);
    assert.deepEqual(await h5kit.findTables(file), tables.map(({ table }) => table));
    for (const { table: path, nrows, columns = [] } of tables) {
      const table = await h5kit.openTable(await file.group(path));
      assert.equal(table.length, nrows);
      for (const { name, kind, values } of columns) {
        if (values === undefined) continue;
        const { kind: found, dtype } = table.columns.find((column) => column.name === name);
        const labels = found === "Categorical" ? await table.labels(name) : undefined;
        const read = (await table.column(name)).toArray().map((value) => shown(value, found, dtype, labels));
        // Enumerations within lists are codes.
        if (kind === "list" && values.flat(3).some((value) => typeof value === "string") && name === "marks") continue;
        assert.deepEqual(read, values, `${path} ${name}`);
      }
    }
    for (const { table: path, where, rows } of json(`${name}.queries.json`)) {
      const table = await h5kit.openTable(await file.group(path));
      const text = condition(where);
      assert.deepEqual([...(await table.rows(text))], rows, text);
    }
    await file.close();
  });
}

test("rows of a column are read by their numbers", async () => {
  const file = await h5kit.openPath(`${folder}large.h5`);
  const table = await h5kit.openTable(await file.group("large"));
  const { rows } = json("large.queries.json").find(({ where }) => where.column === "kind");
  const kinds = await table.column("kind", { rows });
  assert.equal(kinds.length, rows.length);
  assert(kinds.toArray().every((kind) => Number(kind) === 3));
  // The largest negative number but one stands for what is missing.
  const stored = (await (await file.dataset("large/value")).read()).data;
  const whole = Array.from(stored, (value) => (value === -(2 ** 31) + 1 ? null : value));
  assert.deepEqual((await table.column("value", { rows: Float64Array.from(rows) })).toArray(), rows.map((row) => whole[row]));
  assert.deepEqual((await table.column("value", { rows: [] })).toArray(), []);
  assert.equal((await failure(table.column("value", { rows: [3, 2] }))).kind, "Selection");
  assert((await failure(table.column("value", { rows: [19_999, 20_000] }))) instanceof h5kit.H5Error);
  await file.close();
});

test("a query reads the columns that it is asked for", async () => {
  const file = await h5kit.openPath(`${folder}stations.h5`);
  const table = await h5kit.openTable(await file.group("stations"));
  const { rows, columns } = await table.query("height >= 500", { columns: ["name", "tags"], limit: 2 });
  assert.deepEqual([...rows], [1, 2]);
  assert.deepEqual(Object.keys(columns), ["name", "tags"]);
  assert.deepEqual(columns.name.toArray(), ["Davos", null]);
  assert.deepEqual(columns.tags.toArray(), [null, [""]]);
  assert.match(await table.plan("height >= 500"), /height/);
  assert.equal((await failure(table.rows("depth > 3"))).kind, "Query");
  assert.equal((await failure(table.rows("height >"))).kind, "Query");
  await file.close();
});

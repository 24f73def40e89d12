import { Client } from "pg";
import { describe, it } from "vitest";

import { migrations } from "../../src/memory/postgres/schema.ts";
import { SqlConnection } from "../../src/memory/postgres/sql-connection.ts";
import { Tables } from "../../src/memory/postgres/tables.ts";
import { installation, noPostgres, sharedPostgres } from "../support/postgres.ts";
import { eventually } from "../support/processes.ts";

/** A later program: what its migration does shows how often it was done. */
const later = [
  ...migrations,
  (schema: string) => `UPDATE ${schema}.lease SET transitions = transitions + 1;`,
  (schema: string) => `ALTER TABLE ${schema}.state ADD COLUMN more text;`,
];

/** Lets so many processes act at once, each with a connection of its own. */
async function atOnce<T>(
  url: string,
  processes: number,
  act: (tables: Tables) => Promise<T>,
  known: typeof migrations = later,
): Promise<readonly T[]> {
  await using connections = new AsyncDisposableStack();
  const all = Array.from({ length: processes }, () => {
    const connection = connections.use(new SqlConnection(() => Promise.resolve(url)));
    return act(new Tables(connection, "zonewarden", known));
  });
  return await Promise.all(all);
}

describe.skipIf(noPostgres)(`migrations of the tables ${noPostgres ?? ""}`, () => {
  it("that two processes begin at once are done once", async ({ expect }) => {
    const { url, name } = await installation();
    const server = await sharedPostgres();
    const holder = new Client({ connectionString: url });
    await holder.connect();
    // Both find the older version, and wait for each other's lock.
    await holder.query("BEGIN; SELECT 1 FROM zonewarden.installation FOR SHARE");
    const migrated = atOnce(url, 2, (tables) => tables.migrate());
    await eventually("both wait", async () => {
      const text = "SELECT count(*) AS waiting FROM pg_locks WHERE NOT granted AND database = ";
      const [row] = await server.query(
        `${text}(SELECT oid FROM pg_database WHERE datname = '${name}')`,
      );
      return Number(row?.["waiting"]) === 2 || undefined;
    });
    await holder.query("COMMIT");
    await holder.end();
    expect((await migrated).toSorted((one, other) => one.from - other.from)).toEqual([
      { from: 3, to: 5 },
      { from: 5, to: 5 },
    ]);
    expect(await server.query("SELECT transitions FROM zonewarden.lease", name)).toEqual([
      { transitions: "1" },
    ]);
  });

  it("that cannot create the tables say why", async ({ expect }) => {
    const server = await sharedPostgres();
    const { url, name } = await server.createDatabase();
    await server.query(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
    await expect(atOnce(url, 1, (tables) => tables.createMissing())).rejects.toThrow("read-only");
  });

  it("of an older program are left to `store migrate`", async ({ expect }) => {
    const server = await sharedPostgres();
    const { url, name } = await server.createDatabase();
    await atOnce(url, 1, (tables) => tables.migrate(), migrations.slice(0, 1));
    // It kept its id in the state.
    await server.query("INSERT INTO zonewarden.state VALUES ('store-id', 'b7'), ('a', '1')", name);
    expect(await atOnce(url, 1, (tables) => tables.createMissing())).toEqual([false]);
    expect(await atOnce(url, 1, (tables) => tables.migrate())).toEqual([{ from: 1, to: 5 }]);
    expect(await atOnce(url, 1, (tables) => tables.storeId())).toEqual(["b7"]);
    expect(await atOnce(url, 1, (tables) => tables.entries())).toEqual([new Map([["a", "1"]])]);
  });

  it("that three processes begin at once create the tables once", async ({ expect }) => {
    const server = await sharedPostgres();
    const { url, name } = await server.createDatabase();
    const created = await atOnce(url, 3, (tables) => tables.createMissing());
    expect(created.filter(Boolean)).toHaveLength(1);
    expect(await server.query("SELECT transitions FROM zonewarden.lease", name)).toEqual([
      { transitions: "1" },
    ]);
  });

  it("are for one installation: its owner, and its service", async ({ expect }) => {
    const { name, open } = await installation();
    const server = await sharedPostgres();
    await using database = open();
    const { tables } = database;
    const [us, service] = ["us", "https://service.example"];
    await tables.check({ owner: us, service });
    await tables.begin({ owner: us, service }, 0);
    await tables.check({ owner: us, service });
    await expect(tables.check({ owner: "them", service })).rejects.toThrow('belongs to owner "us"');
    await expect(tables.check({ owner: us, service: "other" })).rejects.toThrow(
      'belongs to owner "us" at "https://service.example"',
    );
    await server.query("DELETE FROM zonewarden.installation", name);
    const gone = "installation has no row: restore the database from a backup";
    await expect(tables.check({ owner: us, service })).rejects.toThrow(gone);
    await expect(tables.migrate()).rejects.toThrow(gone);
    const opened = await tables.begin({ owner: us, service }, 0);
    expect(opened).toMatchObject({ term: 0, termBefore: 0, head: { n: 0, hash: "" } });
  });

  it("have an id of their own, which is no entry of the state", async ({ expect }) => {
    const [{ url, open }, another] = [await installation(), await installation()];
    await using database = open();
    await using other = another.open();
    const { tables } = database;
    const [id, sameId] = await atOnce(url, 2, (each) => each.storeId());
    expect([id, sameId]).toEqual([await tables.storeId(), id]);
    expect(await other.tables.storeId()).not.toBe(id);
    expect([...(await tables.entries())]).toEqual([]);
    const { entries } = await tables.begin({ owner: "us", service: "https://service.example" }, 0);
    expect([...entries]).toEqual([]);
  });

  it("end the term of a leader, which may be an older program", async ({ expect }) => {
    const { url, open } = await installation();
    const identity = { owner: "us", service: "https://service.example" };
    await using database = open();
    const { term, head } = await database.tables.begin(identity, 0);
    const unchanged = { term, changes: [], head, history: undefined };
    await database.tables.migrate();
    expect(await database.tables.store(unchanged)).toBe("stored");
    await atOnce(url, 1, (tables) => tables.migrate());
    const batch = { term, changes: [["a", "1"]], head, history: undefined } as const;
    expect(await database.tables.store(batch)).toBe("term_over");
    await expect(database.tables.check(identity)).rejects.toThrow("version 5");
    await expect(database.tables.migrate()).rejects.toThrow("this program knows up to 3");
  });
});

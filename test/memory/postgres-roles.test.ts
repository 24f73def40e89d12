import { describe, it } from "vitest";

import { NewLines } from "../../src/history/chain/history-chain.ts";
import { openDatabaseStore } from "../../src/memory/database-store.ts";
import type { Database } from "../../src/memory/database.ts";
import { openDatabase } from "../../src/memory/postgres/open-database.ts";
import { grantsSql, quotedName } from "../../src/memory/postgres/schema.ts";
import { SqlConnection } from "../../src/memory/postgres/sql-connection.ts";
import { zoneName } from "../../src/zone/zone.ts";
import { SimulatedClock } from "../support/clock.ts";
import { noPostgres, sharedPostgres } from "../support/postgres.ts";
import { claimOf } from "../support/simulated-cluster.ts";

const identity = { owner: "us", service: "https://service.example" };

/** A database with three roles of its own, whose administrator has run what `store grants` prints. */
async function threeRoles(schema: string) {
  const server = await sharedPostgres();
  const { name } = await server.createDatabase();
  const roles = { owner: `${name}_o`, writer: `${name}_w`, reader: `${name}_r` };
  for (const role of Object.values(roles)) await server.query(`CREATE ROLE ${role} LOGIN`);
  const grant = (): Promise<unknown> => server.query(grantsSql(schema, roles), name);
  await grant();
  const urlOf = (role: keyof typeof roles): string => server.url(name, roles[role]);
  const as = (role: keyof typeof roles): Database =>
    openDatabase(schema, () => Promise.resolve(urlOf(role)));
  const connectedAs = (role: keyof typeof roles): SqlConnection =>
    new SqlConnection(() => Promise.resolve(urlOf(role)));
  return { as, connectedAs, grant, roles };
}

function lines(from: { readonly n: number; readonly hash: string }, ...texts: readonly string[]) {
  const added = new NewLines({ chain: "c", ...from }, undefined);
  for (const text of texts) added.add({ at: "2026-11-20T08:00:00.000Z", text }, false);
  return added;
}

const pay = zoneName("pay.example") ?? fail();

function fail(): never {
  throw new Error("no zone");
}

const untold = (): void => undefined;

it("a name in SQL has its quotes doubled", ({ expect }) => {
  expect(quotedName('Zone-"warden" 2')).toBe('"Zone-""warden"" 2"');
});

describe.skipIf(noPostgres)(`the roles of a database ${noPostgres ?? ""}`, () => {
  it.for(["zonewarden", 'Zone-"warden" 2'])(
    "of the schema %s: the owner migrates, the writer adds, the reader reads",
    async (schema, { expect }) => {
      const { as, connectedAs, grant } = await threeRoles(schema);
      await using owner = as("owner");
      expect(await owner.tables.migrate()).toEqual({ from: 0, to: 3 });
      expect(await owner.tables.migrate()).toEqual({ from: 3, to: 3 });
      await grant();

      await using writer = as("writer");
      const clock = new SimulatedClock();
      const ports = { clock, onFailure: untold, onRecovery: untold, onLost: untold };
      const store = await openDatabaseStore("db", writer.tables, identity, undefined, ports);
      store.state.set("a", "1");
      store.state.set("b", "2");
      expect(await store.state.flush()).toBe(true);
      store.state.set("b", undefined);
      expect(await store.state.flush()).toBe(true);
      expect(store.history?.canDrop).toBe(false);
      const two = lines({ n: 0, hash: "" }, "x", "y");
      await store.history?.add({ lines: two });
      const { result } = await writer.leases.create(claimOf(), 1_000);
      expect(result).toBe("written");

      const records = new Map([[pay, "a record"]]);
      await store.measurements.write("2026-11-20", records);
      await store.measurements.write("2026-11-19", records);
      await store.measurements.dropBefore("2026-11-20");

      await using reader = as("reader");
      expect(await reader.tables.measuredDays()).toEqual(["2026-11-20"]);
      expect(await reader.tables.measurements("2026-11-20", "")).toEqual(records);
      const unread = { term: 1, day: "2026-11-20", records };
      await expect(reader.tables.storeMeasurements(unread)).rejects.toThrow("permission denied");
      await reader.tables.check(identity);
      expect(await reader.tables.entries()).toEqual(new Map([["a", "1"]]));
      const read: string[] = [];
      for await (const piece of reader.tables.historyLines()) read.push(String(piece));
      expect(read.join("")).toBe(two.text);

      await using drops = as("owner");
      const ofOwner = await openDatabaseStore("db", drops.tables, identity, undefined, ports);
      expect(ofOwner.history?.canDrop).toBe(true);
      const third = lines(two.head, "z");
      const drop = { lines: 1, bytes: 0 };
      await ofOwner.history?.add({ lines: third, drop });
      const connection = connectedAs("reader");
      const table = `${quotedName(schema)}.history`;
      const [rows = []] = await connection.run([`SELECT n FROM ${table} ORDER BY n`]);
      expect(rows.map(({ n }) => Number(n))).toEqual([2, 3]);
      await connection[Symbol.asyncDispose]();
    },
  );

  it("may do nothing else", async ({ expect }) => {
    const { as, connectedAs, grant } = await threeRoles("zonewarden");
    await using owner = as("owner");
    await owner.tables.migrate();
    await grant();
    const statements = {
      writer: [
        "UPDATE zonewarden.history SET line = ''",
        "DELETE FROM zonewarden.history",
        "TRUNCATE zonewarden.history",
        "DELETE FROM zonewarden.installation",
        "CREATE TABLE zonewarden.mine (a text)",
        "DROP TABLE zonewarden.state",
      ],
      reader: [
        "INSERT INTO zonewarden.state VALUES ('a', '1')",
        "INSERT INTO zonewarden.history VALUES (9, '', '')",
        "UPDATE zonewarden.installation SET term = 9",
        "UPDATE zonewarden.lease SET holder = 'me'",
        "SELECT 1 FROM zonewarden.installation FOR UPDATE",
      ],
    };
    for (const role of ["writer", "reader"] as const) {
      await using connection = connectedAs(role);
      for (const statement of statements[role]) {
        await expect(connection.run([statement]), statement).rejects.toThrow(
          /(permission denied|must be owner).*zonewarden store grants/,
        );
      }
    }
  });

  it("loses what it had beyond that, and keeps what is of another program", async ({ expect }) => {
    const { as, connectedAs, grant, roles } = await threeRoles("zonewarden");
    await using owner = as("owner");
    await owner.tables.migrate();
    await using ofOwner = connectedAs("owner");
    await ofOwner.run([
      `GRANT ALL ON zonewarden.history TO ${roles.writer}, PUBLIC`,
      "CREATE TABLE zonewarden.customer (name text)",
      `GRANT INSERT ON zonewarden.customer TO ${roles.writer}`,
    ]);
    await grant();
    await using writer = connectedAs("writer");
    await expect(writer.run(["DELETE FROM zonewarden.history"])).rejects.toThrow("denied");
    await writer.run(["INSERT INTO zonewarden.customer VALUES ('shop')"]);
    await using reader = connectedAs("reader");
    await expect(reader.run(["SELECT * FROM zonewarden.customer"])).rejects.toThrow("denied");
  });
});

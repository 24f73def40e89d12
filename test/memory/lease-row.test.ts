import { Client } from "pg";
import { describe, it } from "vitest";

import { installation, noPostgres, sharedPostgres } from "../support/postgres.ts";
import { eventually } from "../support/processes.ts";
import { claimOf } from "../support/simulated-cluster.ts";

const timeoutMs = 10_000;

const claim = claimOf({ page: "http://10.0.0.7:9464/" });

describe.skipIf(noPostgres !== undefined)(`the Lease in a row ${noPostgres ?? ""}`, () => {
  it("is created once, and says what its holder claims", async ({ expect }) => {
    const { name, open } = await installation();
    await using database = open();
    const leases = database.leases;
    await (await sharedPostgres()).query("DELETE FROM zonewarden.lease", name);
    expect(await leases.read(timeoutMs)).toBeUndefined();
    const created = await leases.create(claim, timeoutMs);
    const { acquiredAt: _, now, ...says } = claim;
    expect(created).toMatchObject({ result: "written", lease: { ...says, version: "1" } });
    expect(await leases.read(timeoutMs)).toMatchObject({ ...says, version: "1" });
    const kept = await (await sharedPostgres()).query("SELECT renewed FROM zonewarden.lease", name);
    expect(kept).toEqual([{ renewed: now.toISOString() }]);
    const other = { ...claim, holder: "b" };
    expect(await leases.create(other, timeoutMs)).toEqual({ result: "conflict" });
    expect(await leases.read(timeoutMs)).toMatchObject({ holder: "a", version: "1" });
  });

  it("is written by who has read its last version, and by nobody else", async ({ expect }) => {
    const { open } = await installation();
    await using database = open();
    const leases = database.leases;
    const lease = await leases.read(timeoutMs);
    if (lease === undefined) throw new Error("there is no Lease");
    expect(await leases.update(lease, claim, timeoutMs)).toMatchObject({ result: "written" });
    const other = { ...claim, holder: "b" };
    expect(await leases.update(lease, other, timeoutMs)).toEqual({ result: "conflict" });
    const read = await leases.read(timeoutMs);
    expect(read).toMatchObject({ holder: "a", durationMs: 15_000 });
    // Who gives it back says no time.
    const back = { ...claim, holder: "", releasedBy: "a", durationMs: 0 };
    if (read !== undefined) await leases.update(read, back, timeoutMs);
    const given = { holder: "", releasedBy: "a", durationMs: undefined };
    expect(await leases.read(timeoutMs)).toMatchObject(given);
  });

  it("and the tables leave no connection behind", async ({ expect }) => {
    const { name, open } = await installation();
    const server = await sharedPostgres();
    const sessions = async (): Promise<number> => {
      const all = `FROM pg_stat_activity WHERE application_name = 'zonewarden'`;
      return (await server.query(`SELECT 1 ${all} AND datname = '${name}'`)).length;
    };
    const database = open();
    await database.leases.read(timeoutMs);
    await database.tables.entries();
    expect(await sessions()).toBe(2);
    await database[Symbol.asyncDispose]();
    await eventually("they are closed", async () => (await sessions()) === 0 || undefined);
  });

  it("waits for an answer as long as the election lets it", async ({ expect }) => {
    const { url, open } = await installation();
    await using database = open();
    const lease = await database.leases.read(timeoutMs);
    if (lease === undefined) throw new Error("there is no Lease");
    // The server itself lets a statement wait for this lock for 3 s.
    const holder = new Client({ connectionString: url });
    await holder.connect();
    await holder.query("BEGIN; LOCK TABLE zonewarden.lease");
    for (const ask of [
      () => database.leases.update(lease, claim, 100),
      () => database.leases.create(claim, 100),
      () => database.leases.read(100),
    ]) {
      await expect(ask()).rejects.toThrow("Query read timeout");
    }
    await holder.end();
  });
});

import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { setImmediate } from "node:timers/promises";

import { Client } from "pg";
import { describe, it } from "vitest";

import { Election } from "../../src/cluster/election.ts";
import { workWhileLeading } from "../../src/daemon/leadership.ts";
import { NewLines } from "../../src/history/chain/history-chain.ts";
import { systemClock } from "../../src/host/clock.ts";
import { openDatabaseStore, type TermStore } from "../../src/memory/database-store.ts";
import type { Database } from "../../src/memory/database.ts";
import { openDatabase } from "../../src/memory/postgres/open-database.ts";
import { grantsSql } from "../../src/memory/postgres/schema.ts";
import { SqlConnection } from "../../src/memory/postgres/sql-connection.ts";
import { SimulatedClock } from "../support/clock.ts";
import { book } from "../support/log-book.ts";
import {
  installation,
  noPostgres,
  type PostgresServer,
  sharedPostgres,
} from "../support/postgres.ts";
import { eventually } from "../support/processes.ts";
import { termWork } from "../support/term-work.ts";

const never = new AbortController().signal;
const identity = { owner: "us", service: "https://service.example" };

interface Found {
  readonly server: PostgresServer;
  /** Of a database of this test, which has the tables. */
  readonly name: string;
  readonly url: string;
}

/** A database of this test. */
async function found(): Promise<Found> {
  const { url } = await installation();
  const name = new URL(url.replace("@/", "@localhost/")).pathname.slice(1);
  return { server: await sharedPostgres(), name, url };
}

/** What a daemon logs as errors until it has tried so often to use a database, and to store an entry of its state. */
async function errorsOf(url: string, tries: number): Promise<readonly unknown[]> {
  const ended = new AbortController();
  let waits = 0;
  await using database = openDatabase("zonewarden", () => Promise.resolve(url));
  const clock = {
    ...systemClock,
    sinceBootMs: () => systemClock.monotonicMs(),
    // What is tried again, is tried again soon.
    sleep: (ms: number, stop: AbortSignal) => {
      waits += 1;
      if (waits === tries) ended.abort();
      return systemClock.sleep(ms / 1_000, stop);
    },
    alarm: (ms: number, run: () => void) => systemClock.alarm(ms / 100, run),
  };
  const options = { lease: "row", leaseDurationMs: 15_000, identity: "a", page: "", ...identity };
  const leases = database.leases;
  const { logger, lines } = book();
  const work = async (store: TermStore): Promise<void> => {
    store.state.set("a", "1");
    while (!(await store.state.flush()) && !ended.signal.aborted) await clock.sleep(5_000, never);
    ended.abort();
  };
  await workWhileLeading(
    {
      election: new Election(options, { leases, clock, random: () => 0.5 }),
      database,
      identity,
      logger,
      clock,
      events: undefined,
      lost: () => undefined,
      begin: (store) => Promise.resolve(termWork(() => work(store))),
    },
    { stop: ended.signal, abort: never },
  );
  return lines().flatMap(({ level, error }) => (level === "error" ? [error] : []));
}

/** A role that needs a password. */
async function withPassword({ server, name }: Found, password: string): Promise<string> {
  const role = `${name}_p`;
  await server.query(`CREATE ROLE ${role} LOGIN PASSWORD 'right-password'`);
  const file = path.join(server.directory, "data", "pg_hba.conf");
  const rules = await readFile(file, "utf8");
  await writeFile(file, `local all ${role} scram-sha-256\n${rules}`);
  await server.query("SELECT pg_reload_conf()");
  return server.url(name, `${role}:${password}`);
}

interface Scene {
  readonly when: string;
  /** Gives the URL with which the daemon starts. */
  readonly prepare: (found: Found) => Promise<string>;
  readonly says: RegExp;
}

/** Another process leads, so that this one only waits. */
async function isLed({ server, name }: Found): Promise<void> {
  await server.query(
    `UPDATE zonewarden.lease SET holder = 'b', released_by = '', installation = 'us at ${identity.service}'`,
    name,
  );
}

const scenes: readonly Scene[] = [
  {
    when: "the password is wrong",
    prepare: (each) => withPassword(each, "wrong-password"),
    says: /password authentication failed.*: correct the user or the password in the URL$/,
  },
  {
    when: "the URL has no password, and the server asks for one",
    prepare: async (each) => (await withPassword(each, "")).replace(":@", "@"),
    says: /password must be a string: add the password to the URL$/,
  },
  {
    when: "the server has no TLS",
    prepare: async ({ url }) => Promise.resolve(`${url}&sslmode=require`),
    says: /does not support SSL connections: configure TLS at the server, or add sslmode=disable/,
  },
  {
    when: "the database does not exist",
    prepare: ({ server }) => Promise.resolve(server.url("nothing")),
    says: /database "nothing" does not exist: create the database/,
  },
  {
    when: "there are no tables, and the role may not create them",
    prepare: async ({ server, name }) => {
      await server.query(`DROP SCHEMA zonewarden CASCADE; CREATE ROLE ${name}_w LOGIN`, name);
      return server.url(name, `${name}_w`);
    },
    says: /relation "zonewarden.\w+" does not exist: run `zonewarden store migrate`$/,
  },
  {
    when: "the role may do nothing in the schema",
    prepare: async ({ server, name }) => {
      await server.query(`CREATE ROLE ${name}_n LOGIN`, name);
      return server.url(name, `${name}_n`);
    },
    says: /permission denied for schema zonewarden: run what `zonewarden store grants` prints/,
  },
  {
    when: "the role may not write the state, while another process leads",
    prepare: async (each) => {
      const { server, name } = each;
      await isLed(each);
      const roles = { owner: `${name}_o`, writer: `${name}_w`, reader: `${name}_r` };
      for (const role of Object.values(roles)) await server.query(`CREATE ROLE ${role} LOGIN`);
      await server.query(grantsSql("zonewarden", roles), name);
      await server.query(`REVOKE INSERT ON zonewarden.state FROM ${roles.writer}`, name);
      return server.url(name, roles.writer);
    },
    says: /permission denied for table state: run what `zonewarden store grants` prints/,
  },
  {
    when: "the server is a read-only replica, while another process leads",
    prepare: async (each) => {
      const { server, name, url } = each;
      await isLed(each);
      await server.query(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
      return url;
    },
    says: /read-only transaction: this server is a read-only replica, or default_transaction_read_only is on: name the primary in the URL, or set it to off$/,
  },
  {
    when: "the database cannot store each character",
    prepare: async ({ server, name }) => {
      const template = "ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0";
      await server.query(`CREATE DATABASE ${name}_l ${template}`);
      return server.url(`${name}_l`);
    },
    says: /the encoding of the database is LATIN1: create a database with ENCODING 'UTF8'$/,
  },
  {
    when: "the tables are of a newer program",
    prepare: async ({ server, name, url }) => {
      await server.query("UPDATE zonewarden.installation SET version = 99", name);
      return url;
    },
    says: /the tables have version 99, and this program knows up to 3: use the version/,
  },
  {
    when: "another installation uses the schema",
    prepare: async ({ server, name, url }) => {
      await server.query("UPDATE zonewarden.installation SET owner = 'b', service = 's'", name);
      return url;
    },
    says: /belongs to owner "b" at "s": give this installation a schema of its own/,
  },
];

describe.skipIf(noPostgres)(`a daemon with a database ${noPostgres ?? ""}`, () => {
  it.for(scenes)("says once what to do if $when", async ({ prepare, says }, { expect }) => {
    const each = await found();
    const url = await prepare(each);
    const errors = await errorsOf(url, 6);
    expect(errors).toEqual([expect.stringMatching(says)]);
    expect(String(errors)).not.toMatch(/(wrong|right)-password/);
  });

  it("creates the tables itself if it may, and does not change what is there", async ({
    expect,
  }) => {
    const { server, name, url } = await found();
    await server.query("DROP SCHEMA zonewarden CASCADE", name);
    expect(await errorsOf(url, 60)).toEqual([]);
    await using database = openDatabase("zonewarden", () => Promise.resolve(url));
    expect(await database.tables.entries()).toEqual(new Map([["a", "1"]]));
    await server.query("UPDATE zonewarden.installation SET version = 0", name);
    expect(await errorsOf(url, 6)).toEqual([expect.stringContaining("store migrate")]);
  });

  it("loses and doubles nothing if its connection is ended in the middle of a batch", async ({
    expect,
  }) => {
    const { server, name, url } = await found();
    await using database = openDatabase("zonewarden", () => Promise.resolve(url));
    const failures: string[] = [];
    const store = await termOf(database, failures);
    const lines = new NewLines({ chain: "c", n: 0, hash: "" }, undefined);
    for (const text of ["x", "y"]) lines.add({ at: "2026-11-20T08:00:00.000Z", text }, false);
    // Whoever writes waits for this lock, until its connection is ended.
    const holder = new Client({ connectionString: url });
    await holder.connect();
    await holder.query("BEGIN; LOCK TABLE zonewarden.history");
    store.state.set("a", "1");
    const added = expect(store.history?.add({ lines })).rejects.toThrow(
      /the database cannot be used/,
    );
    await eventually("it waits for the lock, and its connection is ended", async () => {
      const ended = await server.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'zonewarden' AND datname = current_database() AND wait_event_type = 'Lock'",
        name,
      );
      return ended.length > 0 || undefined;
    });
    await added;
    await holder.query("COMMIT");
    await holder.end();
    await store.history?.add({ lines });
    await store.history?.add({ lines });
    expect(await store.state.flush()).toBe(true);
    const kept = await server.query("SELECT n FROM zonewarden.history ORDER BY n", name);
    expect(kept.map(({ n }) => Number(n))).toEqual([1, 2]);
    expect(await database.tables.entries()).toEqual(new Map([["a", "1"]]));
    expect(failures.filter((each) => each !== "recovered").length).toBeLessThanOrEqual(1);
  });

  it("connects anew with the URL as it is then", async ({ expect }) => {
    const { server, name, url } = await found();
    const urls = ["secret", url];
    await using database = openDatabase("zonewarden", () => Promise.resolve(urls.shift() ?? url));
    await expect(database.tables.entries()).rejects.toThrow(/^the URL of the database must be/);
    expect(await database.tables.entries()).toEqual(new Map());
    const ofIdle = "application_name = 'zonewarden' AND datname = current_database()";
    await server.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${ofIdle}`,
      name,
    );
    await eventually("the connection is ended while it is idle", async () => {
      const left = await server.query(`SELECT 1 FROM pg_stat_activity WHERE ${ofIdle}`, name);
      return left.length === 0 || undefined;
    });
    await setImmediate();
    expect(await database.tables.entries()).toEqual(new Map());
  });

  it("tells all that wait of one failed attempt to connect", async ({ expect }) => {
    let asked = 0;
    const nothing = async (): Promise<string> => {
      asked += 1;
      throw new Error(`attempt ${asked}`);
    };
    await using connection = new SqlConnection(nothing);
    const together = await Promise.allSettled([1, 2, 3].map(() => connection.run(["SELECT 1"])));
    const reasons = together.map((each) => each.status === "rejected" && String(each.reason));
    expect(new Set(reasons)).toEqual(
      new Set(["DatabaseError: the database cannot be used: attempt 1"]),
    );
    await expect(connection.run(["SELECT 1"])).rejects.toThrow("attempt 2");
  });

  it("takes a corrected URL where the first one led nowhere", async ({ expect }) => {
    const { url } = await installation();
    const urls = ["postgres://zone@/nothing?host=/nowhere", url];
    await using database = openDatabase("zonewarden", () => Promise.resolve(urls.shift() ?? url));
    await expect(database.tables.storeId()).rejects.toThrow("ENOENT");
    expect(await database.tables.storeId()).not.toBe("");
  });

  it("stays with the database that it began with", async ({ expect }) => {
    const { server, name, url } = await found();
    const other = await installation();
    await server.query(`CREATE ROLE ${name}_s LOGIN SUPERUSER`);
    const urls = [url, server.url(name, `${name}_s`), other.url, url];
    await using database = openDatabase("zonewarden", () => Promise.resolve(urls.shift() ?? ""));
    const { tables } = database;
    const id = await tables.storeId();
    // What the server refuses ends the connection.
    await expect(tables.measurement("no day", "a.example")).rejects.toThrow("no day");
    expect(await tables.storeId()).toBe(id);
    await expect(tables.measurement("no day", "a.example")).rejects.toThrow("no day");
    await expect(tables.storeId()).rejects.toThrow(
      "another database than this process began with: stop all processes",
    );
    expect(await tables.storeId()).toBe(id);
    expect(urls).toEqual([]);
  });

  it("tells of each statement what became of it, whatever became of the one before", async ({
    expect,
  }) => {
    const { url } = await installation();
    await using connection = new SqlConnection(() => Promise.resolve(url));
    const refused = expect(connection.run(["SELECT 1 / 0"])).rejects.toMatchObject({
      name: "DatabaseError",
      code: "22012",
    });
    const [beside, next] = [connection.run(["SELECT 2 AS b"]), connection.run(["SELECT 3 AS c"])];
    await refused;
    expect([await beside, await next]).toEqual([[[{ b: 2 }]], [[{ c: 3 }]]]);
  });

  it("has the isolation that its statements need, whatever the database has by default", async ({
    expect,
  }) => {
    const { server, name, url } = await found();
    await server.query(`ALTER DATABASE ${name} SET default_transaction_isolation = serializable`);
    await using connection = new SqlConnection(() => Promise.resolve(url));
    expect(await connection.run(["SHOW transaction_isolation"])).toEqual([
      [{ transaction_isolation: "read committed" }],
    ]);
  });

  it.for([
    { of: "emptied", kept: "false", opened: { result: "lost", reason: "damaged" } },
    { of: "restored", kept: "true", opened: { result: "loaded", entries: 1 } },
  ])("counts its state as lost if only its table was $of", async ({ kept, opened }, { expect }) => {
    const { server, name, url } = await found();
    await using database = openDatabase("zonewarden", () => Promise.resolve(url));
    const { tables } = database;
    const first = await termOf(database, []);
    expect([first.isRestored, first.state.opened]).toEqual([false, { result: "empty" }]);
    first.state.set("a", "1");
    expect(await first.state.flush()).toBe(true);
    await server.query("CREATE TABLE backup AS SELECT * FROM zonewarden.state", name);
    expect((await termOf(database, [])).isRestored).toBe(false);
    await server.query(
      `TRUNCATE zonewarden.state; INSERT INTO zonewarden.state SELECT * FROM backup WHERE ${kept}`,
      name,
    );
    await expect(tables.entries()).rejects.toThrow("restart the daemon");
    // A command that writes, or a process that ends early, does not hide it from the next leader.
    const early = await termOf(database, []);
    early.state.set("b", "2");
    expect([early.isRestored, await early.state.flush()]).toEqual([true, true]);
    await server.query("DELETE FROM zonewarden.state WHERE key = 'b'", name);
    const next = await termOf(database, []);
    expect([next.isRestored, next.state.opened]).toMatchObject([true, opened]);
    await expect(tables.entries()).rejects.toThrow("restart the daemon");
    next.settleLoss();
    next.state.set("used", "7");
    expect(await next.state.flush()).toBe(true);
    expect((await tables.entries()).get("used")).toBe("7");
    expect((await termOf(database, [])).isRestored).toBe(false);
  });

  it("limits how long a statement takes and waits for a lock, without a trace in the session", async ({
    expect,
  }) => {
    const { url } = await installation();
    await using connection = new SqlConnection(() => Promise.resolve(url));
    const limits = ["statement_timeout", "lock_timeout"].map((name) => `SHOW ${name}`);
    const rows = [[{ statement_timeout: "10s" }], [{ lock_timeout: "3s" }]];
    expect(await connection.run(limits)).toEqual(rows);
    const unlimited = [[{ statement_timeout: "0" }], [{ lock_timeout: "0" }]];
    expect((await connection.run(["COMMIT", ...limits, "BEGIN"])).slice(1, -1)).toEqual(unlimited);
  });

  it("stores with a term what the one before could not, if nobody led in between", async ({
    expect,
  }) => {
    const { open } = await installation();
    await using database = open();
    const { tables } = database;
    const { term } = await tables.begin(identity, 0);
    await tables.begin(identity, term, Object.entries({ a: "1", b: "'ü'" }));
    await tables.begin(identity, term + 1, [["a", null]]);
    const { entries } = await tables.begin(identity, term, [["b", "2"]]);
    expect(Object.fromEntries(entries)).toEqual({ b: "'ü'" });
  });

  it("writes nothing more if the database lost its last line", async ({ expect }) => {
    const { server, name, url } = await found();
    await using database = openDatabase("zonewarden", () => Promise.resolve(url));
    const failures: string[] = [];
    const store = await termOf(database, failures);
    const first = new NewLines({ chain: "c", n: 0, hash: "" }, undefined);
    for (const text of ["x", "y"]) first.add({ at: "2026-11-20T08:00:00.000Z", text }, false);
    await store.history?.add({ lines: first });
    await server.query("DELETE FROM zonewarden.history WHERE n = 2", name);
    store.state.set("a", "1");
    expect(await store.state.flush()).toBe(false);
    const next = new NewLines(first.head, undefined);
    next.add({ at: "2026-11-20T08:00:00.000Z", text: "z" }, false);
    await expect(store.history?.add({ lines: next })).rejects.toThrow();
    expect(failures).toEqual([
      "lost: other_head",
      expect.stringContaining("does not end with the last line of this process"),
    ]);
    expect(await server.query("SELECT n FROM zonewarden.history", name)).toHaveLength(1);
    expect(await database.tables.entries()).toEqual(new Map());
  });

  it("asks the database for no time: its clock may be wrong", async ({ expect }) => {
    const files = [
      "memory/postgres/tables.ts",
      "memory/postgres/schema.ts",
      "memory/postgres/lease-row.ts",
    ];
    for (const file of files) {
      const text = await readFile(path.join(import.meta.dirname, "../../src", file), "utf8");
      expect(text, file).not.toMatch(
        /\bnow\(|\b(current|local)_?time|current_date|clock_timestamp|statement_timestamp|transaction_timestamp|timestamptz?\b|interval '/i,
      );
    }
  });
});

async function termOf(database: Database, failures: string[]): Promise<TermStore> {
  return openDatabaseStore("db", database.tables, identity, undefined, {
    clock: new SimulatedClock(),
    onFailure: ({ message }) => failures.push(message),
    onRecovery: () => failures.push("recovered"),
    onLost: (result) => failures.push(`lost: ${result}`),
  });
}

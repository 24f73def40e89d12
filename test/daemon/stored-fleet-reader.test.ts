import { describe, it } from "vitest";

import { storedFleetReader } from "../../src/daemon/stored-fleet-reader.ts";
import { NewLines } from "../../src/history/chain/history-chain.ts";
import { historyJson, progressJson } from "../../src/history/history-json.ts";
import type { HistoryEntry } from "../../src/history/history.ts";
import type { StoredFleet } from "../../src/history/stored-fleet.ts";
import type { Database } from "../../src/memory/database.ts";
import { openDatabase } from "../../src/memory/postgres/open-database.ts";
import type { JsonObject } from "../../src/syntax/json.ts";
import { SimulatedClock } from "../support/clock.ts";
import { entryAt } from "../support/history-files.ts";
import { installation, noPostgres, sharedPostgres } from "../support/postgres.ts";
import { at } from "../support/reports.ts";

const identity = { owner: "us", service: "https://service.example" };

/** A store of the installation, with the lines, the names of zones to which something was applied, and what the state says else. */
async function storeWith(
  lines: readonly JsonObject[],
  applied: readonly string[] = [],
  more: Readonly<Record<string, string>> = {},
): Promise<{ readonly open: () => Database; readonly add: (line: JsonObject) => Promise<void> }> {
  const { open } = await installation();
  await using database = open();
  const { term } = await database.tables.begin(identity, 0);
  let head = { chain: "c", n: 0, hash: "" };
  const store = async (
    added: readonly JsonObject[],
    changes: readonly (readonly [string, string])[],
  ): Promise<void> => {
    await using leader = open();
    const next = new NewLines(head, undefined);
    for (const line of added) next.add(line, false);
    const history = { lines: next };
    const batch = { term, changes, head, history };
    if ((await leader.tables.store(batch)) !== "stored") throw new Error("not stored");
    ({ head } = next);
  };
  await store(lines, [
    ...applied.map((name) => [`applied/${name}`, ""] as const),
    ...Object.entries(more),
  ]);
  return { open, add: (line) => store([line], []) };
}

function entry(minute: number, zone: string, more: Partial<HistoryEntry> = {}): JsonObject {
  return historyJson({ ...entryAt(minute), zone, ...more });
}

/** An installation whose lines of the history are inserted by hand, each with so many characters more. */
async function handWritten() {
  const { url, open } = await installation();
  const name = new URL(url.replace("@/", "@localhost/")).pathname.slice(1);
  const server = await sharedPostgres();
  const insert = async (n: number, zone: string, length: number): Promise<void> => {
    const line = JSON.stringify({ ...entry(1, zone, { status: "in_sync" }), more: "PAD" });
    await server.query(
      `INSERT INTO zonewarden.history SELECT ${n}, '', replace('${line}', 'PAD', repeat('x', ${length}))`,
      name,
    );
  };
  return { open, insert };
}

/** Each zone with its status, and when its last entry was made. */
function factsOf(fleet: StoredFleet | undefined): unknown {
  if (fleet === undefined || typeof fleet.zones === "string") return fleet?.zones;
  return fleet.zones.map(({ name, status, entry: last }) => [name, status, last?.at]);
}

describe.skipIf(noPostgres)(`what a database says of the fleet ${noPostgres ?? ""}`, () => {
  it("is the last entry of each zone, and the zones without one", async ({ expect }) => {
    const drift = { status: "drifted", driftedSince: at(1), causes: ["drift"] } as const;
    const { open } = await storeWith(
      [
        { at: at(0).toISOString(), record: "begin", chain: "c", version: "0.1.0" },
        entry(1, "shop.example.com", drift),
        entry(2, "docs.example.com", { status: "held" }),
        entry(3, "gone.example.com", { status: "in_sync" }),
        entry(4, "docs.example.com", { status: "in_sync" }),
        entry(5, "gone.example.com", { status: "unknown", result: "no_longer_declared" }),
        progressJson({ at: at(6), zone: "shop.example.com", run: "r", results: ["done"] }),
        { at: at(7).toISOString(), zone: "shop.example.com", run: "r", trigger: "what is that" },
        entry(8, "www.example.com", { status: "error", result: "error" }),
        entry(9, 'a","run":"","trigger":"<script>', { status: "error" }),
      ],
      ["docs.example.com", "gone.example.com", "blog.example.com", "shop.example.com", "no name"],
    );
    const read = storedFleetReader(open, identity, new SimulatedClock());
    const docs = ["docs.example.com", "in_sync", entryAt(4).at];
    expect(factsOf(await read())).toEqual([
      ["blog.example.com", "unknown", undefined],
      docs,
      // Its last entry cannot be read: the one before it is out of date.
      ["shop.example.com", "unknown", undefined],
      ["www.example.com", "error", entryAt(8).at],
    ]);
  });

  it("is the labels of each zone, where they can be read", async ({ expect }) => {
    const { open } = await storeWith(
      [entry(1, "shop.example.com"), entry(2, "docs.example.com"), entry(3, "www.example.com")],
      ["blog.example.com"],
      {
        "labels/shop.example.com": '{"team":"payments","tier":"gold"}',
        "labels/blog.example.com": '{"team":"content"}',
        "labels/docs.example.com": '{"team":1}',
        "labels/gone.example.com": '{"team":"payments"}',
      },
    );
    const fleet = await storedFleetReader(open, identity, new SimulatedClock())();
    if (typeof fleet?.zones !== "object") throw new Error(fleet?.zones);
    expect(Object.fromEntries(fleet.zones.map(({ name, labels }) => [name, labels]))).toEqual({
      "blog.example.com": { team: "content" },
      "docs.example.com": {},
      "shop.example.com": { team: "payments", tier: "gold" },
      "www.example.com": {},
    });
  });

  it("is read when somebody asks, and not again for five seconds", async ({ expect }) => {
    const { open, add } = await storeWith([entry(1, "shop.example.com", { status: "held" })]);
    const clock = new SimulatedClock();
    let opened = 0;
    const read = storedFleetReader(
      () => {
        opened += 1;
        return open();
      },
      identity,
      clock,
    );
    expect(opened).toBe(0);
    const [one, other] = await Promise.all([read(), read()]);
    expect([opened, other]).toEqual([1, one]);
    expect(factsOf(one)).toEqual([["shop.example.com", "held", entryAt(1).at]]);
    await add(entry(2, "shop.example.com", { status: "in_sync" }));
    await clock.advance(4_999);
    expect(await read()).toEqual(one);
    await clock.advance(1);
    expect(factsOf(await read())).toEqual([["shop.example.com", "in_sync", entryAt(2).at]]);
    expect(opened).toBe(2);
  });

  it.for([
    { what: "another installation", schema: "zonewarden", says: "belongs to owner" },
    { what: "nobody yet", schema: "elsewhere", says: "run `zonewarden store migrate`" },
  ])("is not shown if the schema is of $what", async ({ schema, says }, { expect }) => {
    const { url } = await installation();
    await using leader = openDatabase("zonewarden", () => Promise.resolve(url));
    await leader.tables.begin({ owner: "them", service: "" }, 0);
    const open = (): Database => openDatabase(schema, () => Promise.resolve(url));
    const read = storedFleetReader(open, identity, new SimulatedClock());
    expect(factsOf(await read())).toContain(says);
  });

  it.for([
    // The numbers of the first and the last line, and how long each line is.
    { bound: "50,000 lines", first: 1, last: 50_001, length: 1 },
    { bound: "16 MB of entries", first: 49_999, last: 50_001, length: 6_000_000 },
  ])("is no more than the newest $bound say", async ({ first, last, length }, { expect }) => {
    const { open, insert } = await handWritten();
    await insert(first, "old.example.com", length);
    await insert(last - 1, "shop.example.com", length);
    await insert(last, "docs.example.com", length);
    expect(factsOf(await storedFleetReader(open, identity, new SimulatedClock())())).toEqual([
      ["docs.example.com", "in_sync", entryAt(1).at],
      ["shop.example.com", "in_sync", entryAt(1).at],
    ]);
  });

  it("holds the connection no longer than the read", async ({ expect }) => {
    const { url } = await installation();
    const name = new URL(url.replace("@/", "@localhost/")).pathname.slice(1);
    const open = (): Database => openDatabase("zonewarden", () => Promise.resolve(url));
    expect(factsOf(await storedFleetReader(open, identity, new SimulatedClock())())).toEqual([]);
    const server = await sharedPostgres();
    const sessions = `SELECT count(*) AS n FROM pg_stat_activity WHERE datname = '${name}'`;
    await expect.poll(() => server.query(sessions)).toEqual([{ n: "0" }]);
  });

  it("needs no database", async ({ expect }) => {
    const read = storedFleetReader(() => undefined, identity, new SimulatedClock());
    expect(await read()).toBe(undefined);
  });
});

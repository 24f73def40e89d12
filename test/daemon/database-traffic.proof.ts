import { describe, it } from "vitest";

import { systemClock } from "../../src/host/clock.ts";
import { openDatabaseStore } from "../../src/memory/database-store.ts";
import type { Database } from "../../src/memory/database.ts";
import { openDatabase } from "../../src/memory/postgres/open-database.ts";
import type { Started } from "../support/command-line.ts";
import { type Example, exampleWithEmulator, writesSeenBy } from "../support/example.ts";
import { freeLease, leasePath, startKubeApi } from "../support/kube-api.ts";
import { type PostgresTap, type RoundTrip, tapOn } from "../support/postgres-tap.ts";
import { installation, noPostgres, sharedPostgres } from "../support/postgres.ts";
import { eventually } from "../support/processes.ts";
import { stop, textFrom } from "../support/running.ts";
import { storedApplied } from "../support/stored-applied.ts";

const identity = { owner: "us", service: "https://service.example" };
const ignore = (): undefined => undefined;
const zone = "shop.example.com";

interface Scene extends AsyncDisposable {
  readonly example: Example;
  readonly tap: PostgresTap;
  readonly daemon: Started;
  /** Another connection to the database, without the tap. */
  readonly open: () => Database;
}

/** A daemon with one zone, whose Lease is in a cluster: the database has its store alone. */
async function scene(): Promise<Scene> {
  await using resources = new AsyncDisposableStack();
  const kube = resources.use(await startKubeApi());
  const { name, open } = await installation();
  const tap = resources.use(await tapOn(await sharedPostgres(), name));
  const example = resources.use(
    await exampleWithEmulator({
      config: `schedule: { cron: "0 * * * *" }
cluster: { kubeconfig: kubeconfig }
desired: { path: fleet }
store: { postgres: { url_file: database-url } }`,
      seed: {
        tokens: [{ name: "main", value: "emulator-token", permissions: "all" }],
        zones: [{ name: zone }],
      },
    }),
  );
  kube.edit(leasePath, freeLease);
  await example.place.write("kubeconfig", kube.kubeconfig);
  await example.place.write("database-url", tap.url);
  await declare(example, []);
  const daemon = example.place.start("run");
  resources.defer(async () => {
    await stop(daemon);
  });
  const owned = resources.move();
  return { example, tap, daemon, open, [Symbol.asyncDispose]: () => owned[Symbol.asyncDispose]() };
}

async function declare({ place }: Example, keys: readonly string[]): Promise<void> {
  const items = keys.map((key) => ({
    key,
    description: key,
    action: "log",
    expression: "true",
    value: "img-src 'self'",
  }));
  const page_shield = { settings: { enabled: true }, policies: { items } };
  await place.write("fleet/zones.yaml", JSON.stringify({ zones: [{ name: zone, page_shield }] }));
}

/** Resolves when so many runs have ended without an error. */
function ran(daemon: Started, times: number): Promise<true> {
  return eventually(`${times} runs`, async () => {
    const text = await textFrom(daemon, "metrics");
    const counts = [
      ...text.matchAll(/^zonewarden_reconcile_total\{.*result="(?:in_sync|applied)".*\} (\d+)$/gm),
    ];
    return counts.reduce((sum, [, count]) => sum + Number(count), 0) >= times || undefined;
  });
}

/** Resolves when the database has what the run of a zone and the load of the files left. */
async function stored({ open }: Scene, keys: readonly string[]): Promise<void> {
  await using database = open();
  await eventually("the state is stored", async () => {
    const entries = await database.tables.entries();
    const applied = entries.get(`applied/${zone}`) ?? "";
    return (
      (keys.every((key) => applied.includes(`p/${key}=d`)) && entries.has("revision")) || undefined
    );
  });
}

/** The keys of the state that a round trip sets. */
function keysIn({ text }: RoundTrip): readonly string[] {
  const [, keys = ""] =
    /unnest\(ARRAY\[([^\]]*)\]::text\[\], ARRAY/.exec(text.split("lines AS")[0] ?? "") ?? [];
  return [...keys.matchAll(/'([^']+)'/g)].map(([, key]) => key ?? "");
}

describe.skipIf(noPostgres)(`the leader of a database ${noPostgres ?? ""}`, () => {
  it("sends state and history in one round trip before each write, and in one after the last", async ({
    expect,
  }) => {
    await using stage = await scene();
    const { tap, daemon, example } = stage;
    await ran(daemon, 1);
    await stored(stage, []);
    const before = writesSeenBy(example.emulator).length;
    const trips: {
      readonly writes: number;
      readonly keys: readonly string[];
      readonly hasLines: boolean;
    }[] = [];
    tap.sent = (trip) =>
      trips.push({
        writes: writesSeenBy(example.emulator).length - before,
        keys: keysIn(trip),
        hasLines: trip.text.includes("lines AS"),
      });
    await declare(example, ["a", "b", "c"]);
    daemon.signal("SIGHUP");
    await ran(daemon, 2);
    await stored(stage, ["a", "b", "c"]);
    // The files that are in force are packed meanwhile, and go when they are ready.
    const files = ["file/zones.yaml", "revision"];
    const isOfRun = (key: string): boolean => !files.includes(key);
    expect(trips.flatMap(({ keys }) => keys).filter((key) => !isOfRun(key))).toEqual(files);
    const ofRun = trips
      .map((trip) => ({ ...trip, keys: trip.keys.filter(isOfRun) }))
      .filter(({ keys, hasLines }) => hasLines || keys.length > 0);
    expect(ofRun).toEqual([
      { writes: 0, keys: [`former/${zone}`, `applied/${zone}`], hasLines: true },
      { writes: 1, keys: [], hasLines: true },
      { writes: 2, keys: [], hasLines: true },
      { writes: 3, keys: [`applied/${zone}`, `rays/${zone}`], hasLines: true },
    ]);
  });

  it("sends nothing for a sweep that finds nothing to do", async ({ expect }) => {
    await using stage = await scene();
    const { tap, daemon, example } = stage;
    await ran(daemon, 1);
    await stored(stage, []);
    // What the first run left is stored in the next one at the latest.
    daemon.signal("SIGHUP");
    await ran(daemon, 2);
    const trips: RoundTrip[] = [];
    tap.sent = (trip) => trips.push(trip);
    const requests = example.emulator.journal().length;
    for (const sweep of [3, 4, 5]) {
      daemon.signal("SIGHUP");
      await ran(daemon, sweep);
    }
    expect(example.emulator.journal().length).toBeGreaterThan(requests + 2);
    // What is gathered is sent at the end at the latest.
    await stop(daemon);
    expect(trips.map(keysIn)).toEqual([["former-term"]]);
  });

  it("loads the state of 10,000 zones in one query of at most 5 MB", async ({ expect }) => {
    const { name, open } = await installation();
    {
      await using database = open();
      const { term, head } = await database.tables.begin(identity, 0);
      const changes = Array.from(
        { length: 10_000 },
        (_, nth) => [`applied/shop-${nth}.example.com`, storedApplied(nth)] as const,
      );
      expect(await database.tables.store({ term, changes, head, history: undefined })).toBe(
        "stored",
      );
    }
    await using tap = await tapOn(await sharedPostgres(), name);
    await using database = openDatabase("zonewarden", () => Promise.resolve(tap.url));
    await using store = await openDatabaseStore("db", database.tables, identity, undefined, {
      clock: systemClock,
      onFailure: ignore,
      onRecovery: ignore,
      onLost: ignore,
    });
    expect(store.state.keys("applied/")).toHaveLength(10_000);
    expect(tap.roundTrips).toHaveLength(1);
    expect(tap.roundTrips[0]?.answered).toBeGreaterThan(1_000_000);
    expect(tap.roundTrips[0]?.answered).toBeLessThan(5_000_000);
  });
});

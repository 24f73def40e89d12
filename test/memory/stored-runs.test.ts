import { describe, it } from "vitest";

import { MemoryStore } from "../../src/memory/memory-store.ts";
import { fleetKeys, zoneKeys } from "../../src/memory/state-keys.ts";
import { StoredRuns } from "../../src/memory/stored-runs.ts";
import type { Fleet } from "../../src/state/fleet.ts";
import type { Outcome } from "../../src/state/run-report.ts";
import type { ZoneLabels } from "../../src/zone/desired-zone.ts";
import { damagedIn } from "../support/damaged-in.ts";
import { a, drifted, fleetOf, pending, shop, stepOf } from "../support/fleets.ts";
import {
  at,
  type Came,
  declared,
  done,
  failed,
  load,
  lost,
  named,
  report,
  skipped,
} from "../support/reports.ts";

const [name, blog] = [named(shop), named("blog.example.com")];

/** A state that counts what is written into it. */
class CountingStore extends MemoryStore {
  readonly written: string[] = [];

  override set(key: string, text: string | undefined): void {
    this.written.push(key);
    super.set(key, text);
  }
}

/** Runs of the shop, which end a minute after one another, as the memory hears of them. */
function run(store: MemoryStore, fleet: Fleet, ...runs: readonly Came[]): void {
  const { subscriber } = new StoredRuns(store);
  for (const [minute, came] of runs.entries()) {
    subscriber.zone(stepOf(fleet, report(shop, minute + 1, came)));
  }
}

function labelled(labels: ZoneLabels): Fleet {
  return fleetOf(declared(shop, { labels }));
}

/** Writes of the shop that had these outcomes. */
function wrote(...outcomes: readonly Outcome[]): Came {
  return { result: "applied", cause: "drift", changes: [a], outcomes };
}

/** A write whose answer had this id. */
function answered(ray: string): Outcome {
  return { status: "done", write: done("policy/a").write, ray, interleaved: false };
}

describe("what the state remembers of runs", () => {
  it("is damaged where no key of it can be read", ({ expect }) => {
    const store = new MemoryStore();
    const keys = Object.values({ ...zoneKeys, ...fleetKeys }).map(({ key }) => `${key}${shop}`);
    for (const key of keys) store.set(key, "{");
    expect(damagedIn(store)).toEqual(keys);
  });

  it("has former declarations of each zone, and steps until they are forgotten", ({ expect }) => {
    const store = new MemoryStore();
    const runs = new StoredRuns(store);
    const former = new Map([["0d7b1c2e", 1_795_000_000_000]]);
    runs.setFormerDeclarations(name, former);
    const paused = { objects: new Map(), pausedBy: "mia" };
    for (const zone of [name, blog]) runs.setSteps(zone, paused);
    const later = new StoredRuns(store);
    expect(later.formerDeclarations(name)).toEqual(former);
    expect(later.formerDeclarations(blog)).toEqual(new Map());
    expect(later.steps(blog)).toEqual(paused);
    later.forgetSteps();
    expect([later.steps(name), later.steps(blog)].map((each) => each.pausedBy)).toEqual([
      undefined,
      undefined,
    ]);
    expect(later.formerDeclarations(name)).toEqual(former);
  });

  it("has who made the drift of a zone, and nothing of another zone", ({ expect }) => {
    const store = new CountingStore();
    const found = new Map([["managed_rule/owasp", { drift: "d1", authors: [] }] as const]);
    new StoredRuns(store).setAuthors(name, found);
    new StoredRuns(store).setAuthors(name, found);
    expect(new StoredRuns(store).authors(name)).toEqual(found);
    expect(new StoredRuns(store).authors(blog)).toEqual(new Map());
    expect(store.written).toEqual([`authors/${shop}`]);
  });

  it("has when a zone was corrected, and nothing of another zone", ({ expect }) => {
    const store = new MemoryStore();
    const corrected = new Map([["managed_rule/owasp action", [1_795_000_000_000]]]);
    new StoredRuns(store).setCorrections(name, corrected);
    expect(new StoredRuns(store).corrections(name)).toEqual(corrected);
    expect(new StoredRuns(store).corrections(blog)).toEqual(new Map());
  });

  it("has what the term before passed on", ({ expect }) => {
    const store = new MemoryStore();
    expect(new StoredRuns(store).formerTerm).toBeUndefined();
    const term = { since: at(1), until: at(9), writes: [], elsewhere: ["e2"] };
    new StoredRuns(store).setFormerTerm(term);
    expect(new StoredRuns(store).formerTerm).toEqual(term);
  });

  it.for([
    { runs: [{ result: "in_sync" }], drift: undefined, waits: undefined },
    { runs: [drifted, drifted], drift: at(1), waits: undefined },
    { runs: [pending, { result: "error" }], drift: undefined, waits: at(1) },
    { runs: [drifted, { result: "in_sync" }, pending], drift: undefined, waits: at(3) },
  ] satisfies readonly {
    runs: readonly Came[];
    drift: Date | undefined;
    waits: Date | undefined;
  }[])(
    "is since when a zone differs: drift since $drift, pending since $waits",
    ({ runs, drift, waits }, { expect }) => {
      const store = new MemoryStore();
      run(store, fleetOf(), ...runs);
      const since = new StoredRuns(store).differedSince(shop);
      expect(since).toEqual({ drift, pending: waits });
    },
  );

  it("is written when it changes, and not with each run", ({ expect }) => {
    const store = new CountingStore();
    run(store, labelled({ team: "edge" }), drifted, drifted, drifted);
    expect(store.written).toEqual([`labels/${shop}`, `drift/${shop}`]);
    run(store, labelled({ team: "shops" }), { result: "in_sync" });
    expect(store.written.slice(2)).toEqual([`labels/${shop}`]);
    expect(store.get(`labels/${shop}`)).toBe('{"team":"shops"}');
  });

  it("is the ids of the latest requests that wrote, whatever came of them", ({ expect }) => {
    const store = new MemoryStore();
    const run1 = wrote(answered("8f2a-FRA"), failed("policy/a"), lost("policy/a"));
    run(store, fleetOf(), run1, wrote(answered("9c1e")), wrote(skipped("shutdown", "policy/a")));
    expect(store.get(`rays/${shop}`)).toBe('["8f2a","8f2a","8f2a","9c1e"]');
    const runs = new StoredRuns(store);
    expect(["8f2a", "9c1e", "", "1111"].map((ray) => runs.isEarlierRay(ray))).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  it("is no more than fifty of them", ({ expect }) => {
    const store = new MemoryStore();
    const rays = Array.from({ length: 53 }, (_, nth) => `ray${nth}`);
    run(store, fleetOf(), wrote(...rays.map(answered)));
    const runs = new StoredRuns(store);
    expect(rays.filter((ray) => !runs.isEarlierRay(ray))).toEqual(["ray0", "ray1", "ray2"]);
  });

  it("ends with the zone, and with no other one", ({ expect }) => {
    const store = new MemoryStore();
    const fleet = fleetOf(declared(shop, { labels: { team: "edge" } }), declared(blog));
    const runs = new StoredRuns(store);
    runs.setApplied(name, "policies");
    runs.setApplied(blog, "policies");
    runs.setFormerDeclarations(name, new Map([["d1", 1]]));
    run(store, fleet, drifted, wrote(answered("8f2a")));
    expect(runs.names).toEqual([blog, name]);
    runs.subscriber.gone(fleet.declare([declared(blog)], at(9)), load());
    expect(runs.names).toEqual([blog]);
    expect(store.keys("")).toEqual([`applied/${blog}`]);
  });

  it("names no zone whose key is damaged", ({ expect }) => {
    const store = new MemoryStore();
    store.set("applied/../x", "policies");
    store.set(`drift/${shop}`, at(1).toISOString());
    store.set(`applied/${shop}`, "policies");
    store.set("used-releases", "[]");
    expect(new StoredRuns(store).names).toEqual([name]);
  });

  it("is which zones wait for their wave, of the revision that is active", ({ expect }) => {
    const store = new CountingStore();
    const runs = new StoredRuns(store);
    const rollout = { revision: "r2", waiting: new Map([[name, "h"]]), gone: new Map() };
    runs.setRollout(rollout);
    runs.setRollout(rollout);
    expect(store.written).toEqual(["wave/shop.example.com", "rollout"]);
    expect([runs.rolloutOf("r2"), runs.rolloutOf("r1")]).toEqual([rollout, undefined]);
    runs.setRollout(undefined);
    expect(runs.rolloutOf("r2")).toBeUndefined();
  });

  it("is when zones were weakened, by the cause, without names that are none", ({ expect }) => {
    const store = new MemoryStore();
    const runs = new StoredRuns(store);
    runs.setWeakened("drift", new Map([[name, 7]]));
    store.set("weakened-by-named", `{"${shop}":8,"..":9}`);
    expect((["drift", "named", "revision"] as const).map((by) => [...runs.weakened(by)])).toEqual([
      [[name, 7]],
      [[name, 8]],
      [],
    ]);
  });

  it.for([
    { status: { status: "ok" }, isWritable: true },
    { status: { status: "none" }, isWritable: true },
    { status: { status: "failing", since: at(0), error: new Error("full") }, isWritable: false },
  ] as const)("can be relied on while it is $status.status: $isWritable", (row, { expect }) => {
    expect(new StoredRuns(Object.assign(new MemoryStore(), row)).isWritable).toBe(row.isWritable);
  });
});

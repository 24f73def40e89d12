import { describe, it } from "vitest";

import { planHash, type UsedRelease } from "../../src/plan/guard/release.ts";
import { UsedReleases } from "../../src/reconcile/run/zone-memory.ts";
import type { Outcome, ZoneReport } from "../../src/state/run-report.ts";
import type { ResourceKey } from "../../src/zone/resource.ts";
import { zoneId } from "../../src/zone/zone.ts";
import { change, done, failed, lost, planOf, report, skipped } from "../support/reports.ts";
import { MemoryRunStore } from "../support/run-store.ts";

const shop = "shop.example";
const [a, b, c] = ["policy/a", "policy/b", "policy/c"] as const;
const hash = planHash(
  planOf(
    shop,
    [a, b, c].map((key) => change(key)),
  ),
);

function changes(keys: readonly ResourceKey[]): ZoneReport {
  return report(shop, 0, {
    result: "held",
    cause: "pending",
    changes: keys.map((key) => change(key)),
  });
}

function applied(keys: readonly ResourceKey[], outcomes: readonly Outcome[]): ZoneReport {
  const made = { changes: keys.map((key) => change(key)), outcomes };
  return report(shop, 0, { result: "applied", cause: "pending", ...made });
}

/** The same report of a zone with another id. */
function ofAnotherZone(made: ZoneReport): ZoneReport {
  const id = zoneId("f".repeat(32));
  if (made.result === "error" || id === undefined) throw new Error("no plan");
  return { ...made, plan: { ...made.plan, zone: { ...made.plan.zone, id } } };
}

/** The policies that each used release still releases; `undefined` where it releases nothing. */
function rests(all: readonly UsedRelease[]): readonly unknown[] {
  return all.map(({ rest }) => rest?.writes.flatMap((write) => write.changes));
}

const half = applied([a, b, c], [done(a), failed(b), skipped("earlier_failure", c)]);
const inSync = report(shop, 1, { result: "in_sync" });
const elsewhere = ofAnotherZone(changes(["policy/other"]));

describe("a release by the hash of a plan", () => {
  it.for<{ when: string; runs: readonly ZoneReport[]; leaves: readonly unknown[] }>([
    { when: "the plan was held", runs: [changes([a, b, c])], leaves: [] },
    {
      when: "nothing of the plan was written",
      runs: [applied([a, b, c], [failed(a), skipped("earlier_failure", b)])],
      leaves: [],
    },
    {
      when: "the outcome of its first write is unknown",
      runs: [applied([a, b, c], [lost(a), skipped("earlier_failure", b)])],
      leaves: [],
    },
    {
      when: "all was written",
      runs: [applied([a, b, c], [done(a), done(b), done(c)])],
      leaves: [[]],
    },
    { when: "a part was written", runs: [half], leaves: [[b, c]] },
    { when: "the rest is held", runs: [half, changes([b, c])], leaves: [[b, c]] },
    { when: "a part of the rest is left to do", runs: [half, changes([c])], leaves: [[b, c]] },
    {
      when: "a part of the rest was written",
      runs: [half, applied([b, c], [done(b), failed(c)])],
      leaves: [[c]],
    },
    { when: "the zone is in sync", runs: [half, inSync], leaves: [undefined] },
    {
      when: "something else is to be done in the zone",
      runs: [half, changes([b, c, "policy/d"])],
      leaves: [undefined],
    },
    {
      when: "something else was to be done once, and the rest is to be done again",
      runs: [half, changes(["policy/d"]), changes([b, c])],
      leaves: [undefined],
    },
    {
      when: "the zone could not be read",
      runs: [half, report(shop, 1, { result: "error" })],
      leaves: [[b, c]],
    },
    { when: "another zone has changes", runs: [half, elsewhere], leaves: [[b, c]] },
    {
      when: "the whole plan comes again and no guard holds it",
      runs: [half, inSync, half],
      leaves: [undefined],
    },
    {
      when: "a plan of another hash was written",
      runs: [applied([a], [done(a)])],
      leaves: [],
    },
  ])("where $when", ({ runs, leaves }, { expect }) => {
    const store = new MemoryRunStore();
    const releases = new UsedReleases(store);
    for (const run of runs) releases.record(run, [hash]);
    expect(rests(releases.all)).toEqual(leaves);
    const used = leaves.length > 0 ? [hash] : [];
    expect(releases.all.map((each) => each.hash)).toEqual(used);
    expect(store.usedReleases()).toEqual(used);
  });

  it("is not used where it is not accepted", ({ expect }) => {
    const releases = new UsedReleases(new MemoryRunStore());
    releases.record(half, []);
    releases.record(half, ["f".repeat(64)]);
    expect(releases.all).toEqual([]);
  });

  it("stays used after a restart, without the rest of its plan", ({ expect }) => {
    const store = new MemoryRunStore();
    new UsedReleases(store).record(half, [hash]);
    const restarted = new UsedReleases(store);
    restarted.keepOnly([hash]);
    expect(restarted.all).toEqual([{ hash, rest: undefined }]);
    restarted.record(changes([b, c]), [hash]);
    restarted.record(half, [hash]);
    expect(rests(restarted.all)).toEqual([undefined]);
  });

  it("is used where a command stored so meanwhile", ({ expect }) => {
    const store = new MemoryRunStore();
    const releases = new UsedReleases(store);
    store.setUsedReleases([hash]);
    expect(releases.all).toEqual([{ hash, rest: undefined }]);
    releases.record(half, [hash]);
    expect(rests(releases.all)).toEqual([undefined]);
  });

  it("is forgotten, alone, where it is taken out of the list", ({ expect }) => {
    const store = new MemoryRunStore();
    const other = "e".repeat(64);
    store.setUsedReleases([hash, other]);
    const releases = new UsedReleases(store);
    releases.keepOnly(["f".repeat(64), other]);
    expect(releases.all).toEqual([{ hash: other, rest: undefined }]);
    expect(store.usedReleases()).toEqual([other]);
  });
});

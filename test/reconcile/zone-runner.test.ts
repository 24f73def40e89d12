import { describe, it, vi } from "vitest";

import { DriftAuthors } from "../../src/audit/drift-authors.ts";
import { type AppliedZone, appliedZoneIn, uncertain } from "../../src/plan/cause/applied-zone.ts";
import { runDeadlineMs } from "../../src/reconcile/run/deadline.ts";
import { SimulatedClock } from "../support/clock.ts";
import { hashToAccept } from "../support/held.ts";
import { named } from "../support/reports.ts";
import { MemoryRunStore, noAuthors } from "../support/run-store.ts";
import { many, oneCredential, protectedContent, ServiceFault, World } from "../support/world.ts";

const shop = "shop.example";
const minute = 60_000;

describe("a zone in which somebody replaced a resource after the read", () => {
  it("is retried with the usual back-off", async ({ expect }) => {
    await using world = new World([shop]);
    const isWrite = (): boolean => world.requests.at(-1)?.startsWith("write") === true;
    world.faults.set(shop, () =>
      isWrite() ? new ServiceFault("API_NOT_FOUND", false) : undefined,
    );
    world.start();
    await world.clock.advance(4_999);
    expect(world.reports).toMatchObject([{ outcomes: [{ failure: { transient: true } }, {}] }]);
    expect(world.takeResults()).toEqual([`${shop} applied`]);
    await world.clock.advance(1);
    expect(world.takeResults()).toEqual([`${shop} applied`]);
    world.faults.clear();
    await world.clock.advance(10_000);
    expect(world.takeResults()).toEqual([`${shop} applied`]);
    await world.clock.advance(3_600_000);
    expect(world.takeResults()).toEqual([]);
    expect(world.live.get(shop)?.policies).toHaveLength(1);
  });
});

describe("a zone that fails again after a success", () => {
  it("is retried as after a first failure", async ({ expect }) => {
    await using world = new World([shop]);
    const failure = new ServiceFault("API_SERVER", true);
    world.faults.set(shop, () => failure);
    world.start();
    await world.clock.advance(minute);
    world.faults.clear();
    await world.clock.advance(10 * minute);
    expect(world.takeResults().at(-1)).toBe(`${shop} applied`);
    world.faults.set(shop, () => failure);
    await world.sweep("schedule", 4_999);
    expect(world.takeResults()).toEqual([`${shop} error`]);
    await world.clock.advance(1);
    expect(world.takeResults()).toEqual([`${shop} error`]);
  });
});

describe("a zone whose run exceeded its time", () => {
  it("has all its time in the next run", async ({ expect }) => {
    await using world = new World([shop]);
    world.latencyMs = 10 * runDeadlineMs;
    world.start();
    // The zones are listed, and the first run begins.
    await world.clock.advance(world.latencyMs);
    await world.clock.advance(runDeadlineMs);
    expect(world.takeResults()).toEqual([`${shop} error`]);
    world.latencyMs = 0;
    await world.clock.advance(10 * minute);
    expect(world.takeResults()).toEqual([`${shop} applied`]);
  });
});

describe("the requests of a run", () => {
  it("come before those of a sweep where a hold has ended, and not after a failure", async ({
    expect,
  }) => {
    await using world = new World([shop]);
    const until = new Date(Number(world.clock.now()) + 60_000);
    world.files.set(shop, { ...protectedContent, suspension: { reason: "sale", until } });
    world.start();
    await world.clock.advance(59_999);
    expect(world.priorities.splice(0)).toEqual([`${shop} sweep`]);
    world.faults.set(shop, () => new ServiceFault("API_SERVER", true));
    await world.clock.advance(1);
    expect(world.priorities.splice(0)).toEqual([`${shop} changed`]);
    await world.clock.advance(5_000);
    expect(world.priorities.splice(0)).toEqual([`${shop} sweep`]);
  });
});

describe("a zone that was dropped from the files after failures and is added again", () => {
  it("is retried as after a first failure", async ({ expect }) => {
    await using world = new World([shop, "blog.example"]);
    world.faults.set(shop, () => new ServiceFault("API_SERVER", true));
    world.start();
    await world.clock.advance(60_000);
    world.files.delete(shop);
    for (const revision of ["r2", "r3"]) {
      world.revision = revision;
      await world.reload();
      world.files.set(shop, protectedContent);
    }
    world.takeResults();
    await world.clock.advance(4_999);
    expect(world.takeResults()).toEqual([]);
    await world.clock.advance(1);
    expect(world.takeResults()).toEqual([`${shop} error`]);
  });
});

describe("a fleet that is judged as a whole", () => {
  it("is written without another read of its first hundred zones", async ({ expect }) => {
    const zones = many(120);
    await using world = new World(zones);
    await world.begin();
    expect(world.requests).toHaveLength(120);
    world.requests.length = 0;
    world.accept(hashToAccept(world.loads.at(-1)?.hold?.message));
    await world.clock.advance(0);
    const read = world.requests.filter((each) => each.startsWith("read"));
    expect(read).toEqual(zones.slice(100).map((zone) => `read ${zone}`));
    expect(world.requests).toHaveLength(20 + 2 * 120);
  });
});

describe("a zone that somebody may have changed", () => {
  it("is read at once, and others are not", async ({ expect }) => {
    await using world = new World([shop, "blog.example"]);
    await world.begin();
    world.takeResults();
    world.priorities.length = 0;
    world.reconciler.wakeZone(named(shop));
    await world.clock.advance(0);
    expect(world.reports.map(({ zone, trigger }) => [zone, trigger])).toEqual([[shop, "audit"]]);
    expect(world.priorities).toEqual([`${shop} changed`]);
  });

  it("is ignored where it is not declared", async ({ expect }) => {
    await using world = new World([shop]);
    await world.begin();
    world.takeResults();
    world.reconciler.wakeZone(named("stranger.example"));
    await world.clock.advance(0);
    expect([world.takeResults(), world.listings, world.reconciler.waiting]).toEqual([[], 1, 0]);
  });
});

/** What is stored of the shop. */
function storedIn(store: MemoryRunStore): string {
  return store.applied(named(shop));
}

/** Whether a stored text has a field of which nobody knows what was last applied. */
function isUncertain(text: string): boolean {
  const applied: AppliedZone = appliedZoneIn(text) ?? new Map();
  return [...applied.values()].some((digests) => [...digests.values()].includes(uncertain));
}

describe("what is stored as last applied", () => {
  it("says during a write that nobody knows whether it is applied", async ({ expect }) => {
    const store = new MemoryRunStore();
    await using world = new World([shop], {}, oneCredential, store);
    world.waitMs = 100;
    world.start();
    await world.clock.advance(50);
    const during = storedIn(store);
    await world.clock.advance(minute);
    const after = storedIn(store);
    expect(world.takeResults()).toEqual([`${shop} applied`]);
    expect([during, after].map(isUncertain)).toEqual([true, false]);
  });

  it("is stored again for a zone that the files dropped and declare again", async ({ expect }) => {
    const store = new MemoryRunStore();
    await using world = new World([shop, "blog.example"], {}, oneCredential, store);
    world.start();
    await world.clock.advance(minute);
    const before = storedIn(store);
    const load = async (): Promise<void> => {
      world.revision += "+";
      world.reconciler.filesChanged();
      await world.clock.advance(minute);
    };
    world.files.delete(shop);
    await load();
    // The state forgets zones that nobody declares.
    store.texts.clear();
    world.files.set(shop, protectedContent);
    await load();
    expect(storedIn(store)).toBe(before);
  });
});

it("who changed a zone is forgotten when the files drop it", async ({ expect }) => {
  const log = { isOwn: () => false, isCompleteSince: () => true };
  const authors = new DriftAuthors(new SimulatedClock(), log, () => "full", noAuthors);
  const declared: boolean[] = [];
  vi.spyOn(authors, "keepOnly").mockImplementation((zones) => {
    declared.push(zones.has(named(shop)));
  });
  await using world = new World([shop, "blog.example"], {}, oneCredential, undefined, authors);
  world.start();
  await world.clock.advance(minute);
  world.files.delete(shop);
  await world.reload("r2", minute);
  expect([declared.includes(true), declared.at(-1)]).toEqual([true, false]);
});

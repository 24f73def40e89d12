import { describe, it } from "vitest";

import type { Author } from "../../src/plan/cause/author.ts";
import type { Change, Delete } from "../../src/plan/change.ts";
import type { Plan } from "../../src/plan/plan.ts";
import { ZoneMemory } from "../../src/reconcile/run/zone-memory.ts";
import type { SkipReason } from "../../src/state/run-report.ts";
import type { ResourceKey } from "../../src/zone/resource.ts";
import {
  at,
  author,
  change,
  done,
  named,
  planOf,
  report,
  skipped,
  withCause,
} from "../support/reports.ts";
import { MemoryRunStore } from "../support/run-store.ts";

const zone = named("shop.example");
const limits = { rounds: 3, windowMs: 3_600_000 };

/** A change that another writer stops: it may break the site. */
function breaking(key: ResourceKey): Change {
  return change(key, "strengthens", { mayBreak: true });
}

/** The delete of an unmanaged resource; recreated, it gets a new id. */
function deletion(id: string, title: string): Delete {
  const { kind, key, fields, effect } = change(`policy/${id}`, "neutral");
  const [made] = withCause("drift", [
    { verb: "delete", kind, key, title, fields, effect, causes: [], id, reason: "unmanaged" },
  ]);
  if (made?.verb !== "delete") throw new Error("no delete");
  return made;
}

/** A memory that was in sync, and then deleted the resources of each round, 5 min apart. */
function memoryOf(
  rounds: readonly (readonly Delete[])[],
  store = new MemoryRunStore(),
): ZoneMemory {
  const memory = new ZoneMemory(zone, () => limits, store);
  memory.record(report(zone, 0, { result: "in_sync" }), "");
  for (const [index, changes] of rounds.entries()) {
    const came = { result: "applied", cause: "drift", changes } as const;
    memory.record(report(zone, 5 * (index + 1), came), "");
  }
  return memory;
}

describe("a correction", () => {
  it("is forgotten after the contention window", ({ expect }) => {
    const rounds = Array.from({ length: 100 }, (_, nth) => [deletion(`${nth}`, `made ${nth}`)]);
    const store = new MemoryRunStore();
    memoryOf(rounds, store);
    expect(store.corrections(zone).size).toBe(12);
  });

  it("is recognized where the recreated resource has a new id", ({ expect }) => {
    const rounds = ["a", "b", "c"].map((id) => [deletion(id, "Made by a tool")]);
    const [objection, ...others] = memoryOf(rounds).contentionHolds(
      planOf(zone, [deletion("d", "Made by a tool")]),
      at(20),
    );
    expect(others).toEqual([]);
    expect(objection?.reason).toBe("contended");
    expect(objection?.message).toMatch(/^the policy "Made by a tool" \(delete\) was corrected 3/);
  });

  it("is no contention where several resources of one name are deleted together", ({ expect }) => {
    const copies = ["a", "b", "c"].map((id) => deletion(id, "Copy"));
    const memory = memoryOf([copies]);
    const plan = planOf(zone, [deletion("d", "Copy"), deletion("e", "Copy")]);
    expect(memory.contentionHolds(plan, at(10))).toEqual([]);
  });
});

const alice = author({ fields: ["enabled"] });
const bob = author({ fields: ["enabled"], name: "bob@example.com" });

/** A change of one policy by an author. */
function by(who: Author, key: ResourceKey): Change {
  return { ...breaking(key), authors: [who] };
}

/** A memory with corrections of policies, each so many minutes after the start. */
function memoryWith(
  corrections: Readonly<Record<string, readonly number[]>>,
  store = new MemoryRunStore(),
): ZoneMemory {
  const memory = new ZoneMemory(zone, () => limits, store);
  const moments = Object.entries(corrections)
    .flatMap(([name, minutes]) => minutes.map((minute) => ({ name, minute })))
    .toSorted((one, other) => one.minute - other.minute);
  for (const { name, minute } of moments) {
    const changes = [change(`policy/${name}`)];
    memory.record(report(zone, minute, { result: "applied", cause: "drift", changes }), "");
  }
  return memory;
}

function drifted(...changes: readonly Change[]): Plan {
  return planOf(zone, withCause("drift", changes));
}

describe("a contended field", () => {
  it("is named with the other writer, and not with those of other fields", ({ expect }) => {
    const memory = memoryWith({ a: [1, 2, 3], b: [1, 2] });
    const [hold] = memory.contentionHolds(
      drifted(by(alice, "policy/a"), by(bob, "policy/b")),
      at(4),
    );
    expect(hold?.message).toContain("policy/a enabled was corrected 3 times within 60 min");
    expect(hold?.message).not.toContain("policy/b");
    expect(hold?.message).toContain("the other writer is alice@example.com");
    expect(hold?.message).not.toContain("bob");
  });

  it("is named with the writer of its change, of which another field is not contended", ({
    expect,
  }) => {
    const fields = ["enabled", "value"].map((field) => ({ field, before: 1, after: 2 }));
    const both = { ...by(alice, "policy/a"), fields };
    const [hold] = memoryWith({ a: [1, 2, 3] }).contentionHolds(drifted(both), at(4));
    expect(hold?.message).toMatch(/^policy\/a enabled was .*the other writer is alice@/);
  });

  it("is none where the files change it", ({ expect }) => {
    const pendingChange = withCause("pending", [breaking("policy/a")]);
    const memory = memoryWith({ a: [1, 2, 3] });
    expect(memory.contentionHolds(planOf(zone, pendingChange), at(4))).toEqual([]);
  });

  it.for<{ what: string; changes: readonly Change[]; isHeld: boolean }>([
    {
      what: "that only strengthens is corrected again",
      changes: [change("policy/a")],
      isHeld: false,
    },
    {
      what: "that strengthens and may break is held",
      changes: [breaking("policy/a")],
      isHeld: true,
    },
    { what: "that weakens is held", changes: [change("policy/a", "weakens")], isHeld: true },
    { what: "of unclear effect is held", changes: [change("policy/a", "unclear")], isHeld: true },
    { what: "that is neutral is held", changes: [change("policy/a", "neutral")], isHeld: true },
    {
      what: "that is neutral stops no change that only strengthens",
      changes: [change("policy/a", "neutral"), change("setting/enabled")],
      isHeld: false,
    },
    {
      what: "that may break is held with a change that only strengthens",
      changes: [breaking("policy/a"), change("policy/b")],
      isHeld: true,
    },
  ])("$what", ({ changes, isHeld }, { expect }) => {
    const memory = memoryWith({ a: [1, 2, 3], b: [1, 2, 3] });
    expect(memory.contentionHolds(drifted(...changes), at(4))).toHaveLength(isHeld ? 1 : 0);
  });

  it("is contended after a restart, too", ({ expect }) => {
    const store = new MemoryRunStore();
    memoryWith({ a: [1, 2, 3] }, store);
    const restarted = new ZoneMemory(zone, () => limits, store);
    expect(restarted.contentionHolds(drifted(breaking("policy/a")), at(4))).toHaveLength(1);
  });

  it.for<{ when: string; corrected: Record<string, readonly number[]>; ends: number }>([
    { when: "an hour after the first of three corrections", corrected: { a: [1, 2, 3] }, ends: 61 },
    {
      when: "an hour after the third last of more corrections",
      corrected: { a: [1, 2, 3, 4] },
      ends: 62,
    },
    {
      when: "when the last of two fields ends",
      corrected: { a: [1, 2, 3], b: [2, 3, 5] },
      ends: 62,
    },
    { when: "now where no field was corrected too often", corrected: { a: [1, 2] }, ends: 10 },
  ])("ends $when", ({ corrected, ends }, { expect }) => {
    const memory = memoryWith(corrected);
    const plan = drifted(breaking("policy/a"), breaking("policy/b"));
    expect(memory.endOfContention(plan, at(10))).toEqual(at(ends));
    const until = at(ends);
    expect(memory.contentionHolds(plan, until)).toEqual([]);
    const before = new Date(Number(until) - 1);
    expect(memory.contentionHolds(plan, before)).toHaveLength(ends === 10 ? 0 : 1);
  });
});

const pending = { result: "applied", cause: "pending", changes: [change("policy/a")] } as const;

describe("how old a read may be when a write that relies on it is sent", () => {
  it.for<{ reason: SkipReason; times: number; ms: number }>([
    { reason: "read_expired", times: 0, ms: 60_000 },
    { reason: "read_expired", times: 1, ms: 120_000 },
    { reason: "read_expired", times: 3, ms: 480_000 },
    { reason: "read_expired", times: 99, ms: 900_000 },
    { reason: "cancelled", times: 5, ms: 60_000 },
    { reason: "shutdown", times: 5, ms: 60_000 },
  ])("after $times runs $because: $ms ms", ({ reason, times, ms }, { expect }) => {
    const memory = new ZoneMemory(zone, () => limits, new MemoryRunStore());
    for (let nth = 0; nth < times; nth += 1) {
      const outcomes = [skipped(reason, "policy/a")];
      memory.record(report(zone, nth, { ...pending, outcomes }), "");
    }
    expect(memory.maxReadAgeMs).toBe(ms);
  });

  it("is longer after a run of which only the last write waited too long", ({ expect }) => {
    const memory = new ZoneMemory(zone, () => limits, new MemoryRunStore());
    const outcomes = [done("policy/b"), skipped("read_expired", "policy/a")];
    memory.record(report(zone, 0, { ...pending, outcomes }), "");
    expect(memory.maxReadAgeMs).toBe(120_000);
  });

  it("is short again once the zone is in sync", ({ expect }) => {
    const memory = new ZoneMemory(zone, () => limits, new MemoryRunStore());
    const outcomes = [skipped("read_expired", "policy/a")];
    memory.record(report(zone, 0, { ...pending, outcomes }), "");
    memory.record(report(zone, 1, { result: "in_sync" }), "");
    expect(memory.maxReadAgeMs).toBe(60_000);
  });
});

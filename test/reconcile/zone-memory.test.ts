import { describe, it } from "vitest";

import type { Delete } from "../../src/plan/change.ts";
import { ZoneMemory } from "../../src/reconcile/run/zone-memory.ts";
import type { SkipReason } from "../../src/state/run-report.ts";
import { at, change, named, planOf, report, skipped, withCause } from "../support/reports.ts";
import { MemoryRunStore } from "../support/run-store.ts";

const zone = named("shop.example");
const limits = { rounds: 3, windowMs: 3_600_000 };

/** The delete of an unmanaged resource; recreated, it gets a new id. */
function deletion(id: string, title: string): Delete {
  const { kind, key, fields, effect } = change(`policy/${id}`);
  const [made] = withCause("drift", [
    { verb: "delete", kind, key, title, fields, effect, causes: [], id, reason: "unmanaged" },
  ]);
  if (made?.verb !== "delete") throw new Error("no delete");
  return made;
}

/** A memory that was in sync, and then deleted the resources of each round, 5 min apart. */
function memoryOf(rounds: readonly (readonly Delete[])[]): ZoneMemory {
  const memory = new ZoneMemory(zone, () => limits, new MemoryRunStore());
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
    expect(memoryOf(rounds).corrections).toBe(12);
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

  it("is short again once the zone is in sync", ({ expect }) => {
    const memory = new ZoneMemory(zone, () => limits, new MemoryRunStore());
    const outcomes = [skipped("read_expired", "policy/a")];
    memory.record(report(zone, 0, { ...pending, outcomes }), "");
    memory.record(report(zone, 1, { result: "in_sync" }), "");
    expect(memory.maxReadAgeMs).toBe(60_000);
  });
});

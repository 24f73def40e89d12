import { describe, it } from "vitest";

import { plan } from "../../src/plan/plan.ts";
import { digestOf } from "../../src/reconcile/fleet/desired-fleet.ts";
import { LastApplied } from "../../src/reconcile/run/last-applied.ts";
import { failureOf, type Outcome } from "../../src/state/run-report.ts";
import { carriedOut, declared, desiredZone, liveZone, owner, policy } from "../support/model.ts";
import { report } from "../support/reports.ts";
import { MemoryRunStore } from "../support/run-store.ts";
import { ServiceFault } from "../support/world.ts";

describe("what a run without success leaves known", () => {
  const disabled = policy("checkout", { enabled: false });
  const desired = desiredZone({ policies: declared([policy("checkout")]) });
  const live = liveZone({ policies: [carriedOut("p1", disabled)] });

  it.for([
    { after: "an error of the program", error: new TypeError("a bug of ours"), cause: "unknown" },
    {
      after: "a refusal of the service",
      error: new ServiceFault("API_REFUSED", false),
      cause: "pending",
    },
    { after: "a write that the live state does not show", error: undefined, cause: "unknown" },
  ])("after $after, a change is $cause", ({ error, cause }, { expect }) => {
    const store = new MemoryRunStore();
    const applied = new LastApplied(store);
    const base = report("shop.example", 0, { result: "planned", cause: "pending", changes: [] });
    if (base.result !== "planned") throw new Error("not planned");
    const before = desiredZone({ policies: declared([disabled]) });
    const inSync = { ...base, result: "in_sync" } as const;
    applied.record(inSync, { desired: before, digest: digestOf(before.content) }, undefined);
    const planned = plan(desired, live, owner);
    const outcomes = planned.writes.map((write): Outcome => {
      if (error === undefined) return { status: "done", write, ray: "", interleaved: false };
      return { status: "failed", write, failure: failureOf(error) };
    });
    applied.record(
      { ...base, result: "applied", plan: planned, outcomes, left: planned.changes },
      { desired, digest: digestOf(desired.content) },
      undefined,
    );
    const { zone } = base;
    const again = applied.explain(
      { ...planned, zone: { ...planned.zone, name: zone } },
      desired.content,
    );
    expect(again.changes.map(({ causes }) => causes)).toEqual([[{ cause, fields: ["enabled"] }]]);
  });
});

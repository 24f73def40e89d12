import { describe, it } from "vitest";

import type { Change } from "../../src/plan/change.ts";
import { plan, type Plan } from "../../src/plan/plan.ts";
import { digestOf, type FleetZone } from "../../src/reconcile/fleet/desired-fleet.ts";
import { LastApplied } from "../../src/reconcile/run/last-applied.ts";
import { failureOf, type Outcome, type ZoneReport } from "../../src/state/run-report.ts";
import type { LiveCustomRuleset, LiveZone } from "../../src/zone/live-zone.ts";
import type { CustomRuleset, Policy } from "../../src/zone/resource.ts";
import {
  block,
  carriedOut,
  declared,
  desiredZone,
  entrypoint,
  liveRule,
  liveZone,
  owner,
  policy,
  promotion,
} from "../support/model.ts";
import { report } from "../support/reports.ts";
import { MemoryRunStore } from "../support/run-store.ts";
import { ServiceFault } from "../support/world.ts";

const name = "shop.example.com";
const off = policy("checkout", { enabled: false });
const on = policy("checkout");
const strict = policy("checkout", { action: "allow" });

function fleetZone(checkout: Policy): FleetZone {
  const desired = desiredZone({ policies: declared([checkout]) });
  return { desired, digest: digestOf(desired.content) };
}

/** The plan of a zone that declares one policy and has another. */
function planOf(checkout: Policy, live: Policy): Plan {
  return plan(fleetZone(checkout).desired, liveZone({ policies: [carriedOut("p1", live)] }), owner);
}

/** The runs of a zone that declares one policy, in processes that follow each other. */
class Runs {
  readonly store = new MemoryRunStore();
  #applied = new LastApplied(this.store);

  restart(): void {
    this.#applied = new LastApplied(this.store);
  }

  inSync(checkout: Policy): void {
    const inSync = report(name, 0, { result: "in_sync" });
    this.#applied.record(inSync, fleetZone(checkout), undefined);
  }

  fails(checkout: Policy): void {
    this.#applied.record(report(name, 0, { result: "error" }), fleetZone(checkout), undefined);
  }

  /** A run is about to send its first write. */
  begins(checkout: Policy, live: Policy): void {
    this.#applied.writing(this.#planned("planned", checkout, live), fleetZone(checkout), undefined);
  }

  /** A guard holds the changes: the run ends without a write, unless the process is killed before. */
  isHeld(checkout: Policy, live: Policy, { isKilled = false } = {}): void {
    const held = this.#planned("held", checkout, live);
    this.#applied.writing(held, fleetZone(checkout), undefined);
    if (!isKilled) this.#applied.record(held, fleetZone(checkout), undefined);
  }

  /** A run sends its writes; what it leaves differs nevertheless. */
  writes(
    checkout: Policy,
    live: Policy,
    {
      error,
      left = [],
    }: { readonly error?: Error | undefined; readonly left?: readonly Change[] } = {},
  ): void {
    this.begins(checkout, live);
    const planned = planOf(checkout, live);
    const outcomes = planned.writes.map((write): Outcome => {
      if (error === undefined) return { status: "done", write, ray: "", interleaved: false };
      return { status: "failed", write, failure: failureOf(error) };
    });
    const base = report(name, 0, { result: "applied", cause: "pending", changes: [] });
    if (base.result !== "applied") throw new Error("not applied");
    const applied = { ...base, plan: planned, outcomes, left };
    this.#applied.record(applied, fleetZone(checkout), undefined);
  }

  /** The files drop the zone, and the state forgets it. */
  drops(): void {
    this.#applied.keepOnly(new Set());
    this.store.texts.clear();
  }

  /** Why the zone differs, as the next process knows it. */
  findsAfterRestart(checkout: Policy, live: Policy): string {
    this.restart();
    const { content } = fleetZone(checkout).desired;
    return this.#applied
      .explain(planOf(checkout, live), content)
      .changes.flatMap(({ causes }) => causes)
      .map(({ cause, fields }) => `${cause}(${fields.join(",")})`)
      .join(" ");
  }

  #planned(result: "planned" | "held", checkout: Policy, live: Policy): ZoneReport {
    const base = report(name, 0, { result, cause: "pending", changes: [] });
    if (base.result === "error") throw new Error("not planned");
    return { ...base, plan: planOf(checkout, live) };
  }
}

describe("what a run without success leaves known", () => {
  it.for([
    { after: "an error of the program", error: new TypeError("a bug of ours"), cause: "unknown" },
    {
      after: "a refusal of the service",
      error: new ServiceFault("API_REFUSED", false),
      cause: "pending",
    },
    { after: "a write that the live state does not show", error: undefined, cause: "unknown" },
  ])("after $after, a change is $cause", ({ error, cause }, { expect }) => {
    const runs = new Runs();
    runs.inSync(off);
    runs.writes(on, off, { error, left: planOf(on, off).changes });
    expect(runs.findsAfterRestart(on, off)).toBe(`${cause}(enabled)`);
  });
});

/** A policy on its way to `allow`. */
function atStep(at: number): Policy {
  return policy("checkout", {
    action: "allow",
    promotion: promotion({ steps: ["log", "allow"], at }),
  });
}

describe("why an object with steps differs, after a restart", () => {
  it.for([
    { when: "it is promoted", at: 1, live: on, finds: "pending(action)" },
    { when: "somebody took the next step by hand", at: 0, live: strict, finds: "drift(action)" },
    { when: "it is as its step is", at: 0, live: on, finds: "" },
  ])("$when: $finds", ({ at, live, finds }, { expect }) => {
    const runs = new Runs();
    runs.writes(atStep(0), strict);
    expect(runs.findsAfterRestart(atStep(at), live)).toBe(finds);
  });
});

describe("why a zone differs, after a restart", () => {
  it.for<{ when: string; told: (runs: Runs) => string; finds: string }>([
    {
      when: "the live state does not show one of two fields, and somebody changed the other",
      told: (runs) => {
        const after = { ...on, action: "allow" } as const;
        runs.writes(after, off, { left: planOf(after, { ...after, enabled: false }).changes });
        return runs.findsAfterRestart(after, off);
      },
      finds: "drift(action) unknown(enabled)",
    },
    {
      when: "the process was killed during the writes",
      told: (runs) => {
        runs.begins(on, off);
        return runs.findsAfterRestart(on, off);
      },
      finds: "unknown(enabled)",
    },
    {
      when: "a guard held the change",
      told: (runs) => {
        runs.isHeld(on, off);
        return runs.findsAfterRestart(on, off);
      },
      finds: "pending(enabled)",
    },
    {
      when: "a guard held the change, and the process was killed",
      told: (runs) => {
        runs.isHeld(on, off, { isKilled: true });
        return runs.findsAfterRestart(on, off);
      },
      finds: "pending(enabled)",
    },
    {
      when: "a run failed",
      told: (runs) => {
        runs.fails(off);
        return runs.findsAfterRestart(off, on);
      },
      finds: "drift(enabled)",
    },
    {
      when: "somebody undid a write that was done, and a guard held the correction",
      told: (runs) => {
        runs.writes(on, off);
        runs.isHeld(on, off);
        return runs.findsAfterRestart(on, off);
      },
      finds: "drift(enabled)",
    },
    {
      when: "an edit was written and taken back",
      told: (runs) => {
        runs.writes(strict, off);
        runs.writes(off, strict);
        return runs.findsAfterRestart(off, on);
      },
      finds: "drift(enabled)",
    },
    {
      when: "an edit was given up during its writes and taken back, and the zone is in sync",
      told: (runs) => {
        runs.begins(on, off);
        runs.inSync(off);
        return runs.findsAfterRestart(off, on);
      },
      finds: "drift(enabled)",
    },
    {
      when: "the live state did not show a write, and did in the next run",
      told: (runs) => {
        runs.writes(on, off, { left: planOf(on, off).changes });
        runs.inSync(on);
        return runs.findsAfterRestart(on, off);
      },
      finds: "drift(enabled)",
    },
    {
      when: "the files dropped the zone, and declare it again",
      told: (runs) => {
        runs.drops();
        runs.inSync(off);
        return runs.findsAfterRestart(off, on);
      },
      finds: "drift(enabled)",
    },
  ])("where $when", ({ told, finds }, { expect }) => {
    const runs = new Runs();
    runs.inSync(off);
    expect(told(runs)).toBe(finds);
  });

  it("is not known of a zone that the files dropped", ({ expect }) => {
    const runs = new Runs();
    runs.inSync(off);
    runs.drops();
    expect(runs.findsAfterRestart(off, on)).toBe("unknown(enabled)");
  });
});

function fleetOf(...items: readonly CustomRuleset[]): FleetZone {
  const desired = desiredZone({ customRulesets: declared(items) });
  return { desired, digest: digestOf(desired.content) };
}

function liveWith(...customRulesets: readonly LiveCustomRuleset[]): LiveZone {
  return liveZone({ entrypoints: { custom_rules: entrypoint() }, customRulesets });
}

describe("a custom ruleset that no rule executes yet", () => {
  const payments: CustomRuleset = {
    key: "payments",
    was: undefined,
    description: "Payments",
    expression: "true",
    enabled: true,
    position: undefined,
    rules: [block("bots"), block("amounts")],
  };

  it("leaves it open whether its rules were written", ({ expect }) => {
    const store = new MemoryRunStore();
    const applied = new LastApplied(store);
    applied.record(report(name, 0, { result: "in_sync" }), fleetOf(), undefined);
    const planned = plan(fleetOf(payments).desired, liveWith(), owner);
    const [first, ...others] = planned.writes;
    if (first?.call !== "create-ruleset") throw new Error("no ruleset is created first");
    const outcomes: readonly Outcome[] = [
      { status: "done", write: first, ray: "", interleaved: false },
      ...others.map((write) => ({ status: "skipped", write, reason: "cancelled" }) as const),
    ];
    const base = report(name, 0, { result: "applied", cause: "pending", changes: [] });
    if (base.result !== "applied") throw new Error("not applied");
    const cancelled = { ...base, plan: planned, outcomes, left: planned.changes };
    applied.record(cancelled, fleetOf(payments), undefined);
    const made = {
      id: "r1",
      version: "1",
      name: "payments",
      description: "Payments [zonewarden:payments]",
      rules: ["bots", "amounts"].map((key) =>
        liveRule(key, {
          ref: `zonewarden:${key}`,
          action: "block",
          description: block(key).description,
          expression: block(key).expression,
        }),
      ),
    };
    const less = fleetOf({ ...payments, rules: [block("amounts")] });
    const { changes } = applied.explain(
      plan(less.desired, liveWith(made), owner),
      less.desired.content,
    );
    const gone = changes.find(({ verb }) => verb === "delete");
    expect([gone?.key, gone?.causes[0]?.cause]).toEqual(["custom_rule/payments/bots", "unknown"]);
  });
});

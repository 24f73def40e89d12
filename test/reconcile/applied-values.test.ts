import { describe, it } from "vitest";

import { plan, type Plan } from "../../src/plan/plan.ts";
import { digestOf } from "../../src/reconcile/fleet/desired-fleet.ts";
import { LastApplied } from "../../src/reconcile/run/last-applied.ts";
import { failureOf, type Outcome, type ZoneReport } from "../../src/state/run-report.ts";
import type { DesiredZone } from "../../src/zone/desired-zone.ts";
import type { LiveZone } from "../../src/zone/live-zone.ts";
import { documentedScoreRuleId } from "../../src/zone/managed-ruleset.ts";
import {
  carriedOut,
  declared,
  deployment,
  desiredZone,
  entrypoint,
  liveDeployment,
  liveZone,
  noOverrides,
  owner,
  policy,
  ruleOverride,
} from "../support/model.ts";
import { done, lost, report, writeOf } from "../support/reports.ts";
import { MemoryRunStore } from "../support/run-store.ts";

const name = "shop.example.com";

/** What is remembered of one zone. */
class Memory {
  readonly #applied = new LastApplied(new MemoryRunStore());

  record(ran: ZoneReport, desired: DesiredZone, { scoreRule }: LiveZone): void {
    this.#applied.record(ran, { desired, digest: digestOf(desired.content) }, scoreRule);
  }

  explain(planned: Plan, { content }: DesiredZone): Plan {
    return this.#applied.explain(planned, content);
  }

  inSync(desired: DesiredZone, live: LiveZone): void {
    this.record(report(name, 0, { result: "in_sync" }), desired, live);
  }

  held(planned: Plan, desired: DesiredZone, live: LiveZone): void {
    const base = report(name, 0, { result: "held", cause: "pending", changes: [] });
    if (base.result !== "held") throw new Error("not held");
    this.record({ ...base, plan: planned }, desired, live);
  }

  applied(planned: Plan, outcomes: readonly Outcome[], desired: DesiredZone, live: LiveZone): void {
    const base = report(name, 0, { result: "applied", cause: "pending", changes: [] });
    if (base.result !== "applied") throw new Error("not applied");
    this.record({ ...base, plan: planned, outcomes }, desired, live);
  }

  /** Why a zone differs: `policy/a drift(enabled)`. */
  causes(desired: DesiredZone, live: LiveZone): readonly string[] {
    const { changes } = this.explain(plan(desired, live, owner), desired);
    return changes.flatMap(({ key, causes }) =>
      causes.map(({ cause, fields }) => `${key} ${cause}(${fields.join(",")})`),
    );
  }
}

describe("a threshold that is declared as an override of the score rule", () => {
  it.for([
    { when: "of an account", scoreRule: { id: "a".repeat(32), source: "account", version: "36" } },
    { when: "that was not read", scoreRule: undefined },
  ] as const)("is known as one by the id of the rule $when", ({ scoreRule }, { expect }) => {
    const id = scoreRule?.id ?? documentedScoreRuleId;
    const rules = [ruleOverride(id, { score_threshold: 25 })];
    const owasp = deployment("owasp", { overrides: { ...noOverrides, rules } });
    const desired = desiredZone({ rules: { managed_rules: declared([owasp]) } });
    const liveWith = (threshold: number): LiveZone => {
      const overrides = { rules: [{ id, score_threshold: threshold }] };
      const rule = liveDeployment("r1", { ref: "zonewarden:owasp" }, overrides);
      return liveZone({ scoreRule, entrypoints: { managed_rules: entrypoint(rule) } });
    };
    const memory = new Memory();
    memory.inSync(desired, liveWith(25));
    expect(memory.causes(desired, liveWith(40))).toEqual([
      "managed_rule/owasp drift(score_threshold)",
    ]);
  });
});

const failedByBug: Outcome = {
  status: "failed",
  write: writeOf("policy/b"),
  failure: failureOf(new TypeError("a bug of ours")),
};

describe("what was applied of two policies", () => {
  const [a, b] = [policy("a"), policy("b")];
  const [offA, offB] = [a, b].map((each) => ({ ...each, enabled: false }));
  if (offA === undefined || offB === undefined) throw new Error("no policies");
  const desired = desiredZone({ policies: declared([a, b]) });
  const off = liveZone({ policies: [carriedOut("p1", offA), carriedOut("p2", offB)] });
  const planned = plan(desired, off, owner);

  it("leaves the rest of a plan as it is", ({ expect }) => {
    const { changes, ...rest } = new Memory().explain(planned, desired);
    expect(changes).toHaveLength(2);
    expect({ ...rest, changes: planned.changes }).toEqual(planned);
  });

  it.for<{ when: string; outcomes: readonly Outcome[]; finds: readonly string[] }>([
    {
      when: "an error of the program ended the write of the other",
      outcomes: [done("policy/a"), failedByBug],
      finds: ["policy/a drift(enabled)", "policy/b unknown(enabled)"],
    },
    {
      when: "an error of the program ended the second of two writes of one",
      outcomes: [done("policy/a"), done("policy/b"), failedByBug],
      finds: ["policy/a drift(enabled)", "policy/b unknown(enabled)"],
    },
    {
      when: "the answer to the write of the other was lost",
      outcomes: [done("policy/a"), lost("policy/b")],
      finds: ["policy/a drift(enabled)", "policy/b unknown(enabled)"],
    },
    {
      when: "nothing was sent of the other",
      outcomes: [done("policy/a")],
      finds: ["policy/a drift(enabled)", "policy/b pending(enabled)"],
    },
  ])("is known of each where $when", ({ outcomes, finds }, { expect }) => {
    const memory = new Memory();
    memory.inSync(desiredZone({ policies: declared([offA, offB]) }), off);
    memory.applied(planned, outcomes, desired, off);
    expect(memory.causes(desired, off)).toEqual(finds);
  });
});

describe("a setting that an edit left out", () => {
  it("is still known where the edit was held and taken back", ({ expect }) => {
    const settings = [{ name: "enabled", value: true }] as const;
    const off = policy("a", { enabled: false });
    const whole = desiredZone({ settings, policies: declared([off]) });
    const edited = desiredZone({ policies: declared([policy("a")]) });
    const liveWith = (enabled: boolean): LiveZone =>
      liveZone({
        settings: {
          enabled,
          use_cloudflare_reporting_endpoint: true,
          use_connection_url_path: false,
        },
        policies: [carriedOut("p1", off)],
      });
    const memory = new Memory();
    memory.inSync(whole, liveWith(true));
    memory.held(plan(edited, liveWith(true), owner), edited, liveWith(true));
    memory.inSync(whole, liveWith(true));
    expect(memory.causes(whole, liveWith(false))).toEqual(["setting/enabled drift(value)"]);
  });
});

import * as fc from "fast-check";
import { describe, it } from "vitest";

import { guard } from "../../src/plan/guard/guard.ts";
import type { Plan } from "../../src/plan/plan.ts";
import { type LiveRule, rulesIn } from "../../src/zone/live-zone.ts";
import type { Rule } from "../../src/zone/resource.ts";
import type { RuleQuotas } from "../../src/zone/rule-phase.ts";
import {
  block,
  declared,
  entrypoint,
  exception,
  liveRule,
  liveZone,
  usualLimits,
} from "../support/model.ts";
import { foreigners, liveOurs, plannedRules, type RuleSituation } from "../support/planned.ts";
import { cases } from "../support/properties.ts";
import { statesOf } from "../support/service-model.ts";

const at = (path: string): string => `http.request.uri.path eq "/${path}"`;

function liveBlock(key: string, more: Readonly<Record<string, string | boolean>> = {}): LiveRule {
  const wire = { action: "block", expression: at(key), ref: `zonewarden:${key}`, ...more };
  return liveRule(`id-${key}`, wire);
}

/** The plan of a zone. The plan free allows five custom rules. */
function planOf(
  rules: readonly Rule[],
  live: readonly LiveRule[],
  tier = "free",
  quotas: RuleQuotas = {},
): Plan {
  return plannedRules(declared(rules), entrypoint(...live), {
    phase: "custom_rules",
    tier,
    quotas,
  });
}

function orderOf({ writes }: Plan): readonly string[] {
  return writes.map(({ call, changes }) => `${call} ${changes.join()}`);
}

function holdsOf(proposal: Plan, quota: RuleQuotas = {}): readonly string[] {
  const limits = { ...usualLimits, quota, maxDeleteShare: 1, maxUpdateShare: 1 };
  const input = { limits, mode: "enforce", suspension: undefined, freeze: undefined } as const;
  return guard(proposal, { ...input, used: [], now: new Date(0) }).map(({ message }) => message);
}

const foreign = foreigners(3, { expression: "ssl" });

describe("a phase that is full", () => {
  it.for<RuleSituation>([
    {
      when: "a delete that changes nothing goes first",
      rules: [block("new"), block("a")],
      live: [...foreign, liveBlock("a"), liveBlock("old", { enabled: false })],
      yields: ["delete-rule custom_rule/old", "create-rule custom_rule/new"],
    },
    {
      when: "the delete of an exception goes first",
      rules: [block("new"), block("a")],
      live: [...foreign, liveBlock("a"), liveOurs("s")],
      yields: ["delete-rule custom_rule/s", "create-rule custom_rule/new"],
    },
    {
      when: "a delete that weakens goes first where no rule that comes selects the same requests",
      rules: [block("new")],
      live: [...foreign, liveBlock("b"), liveBlock("old")],
      yields: [
        "delete-rule custom_rule/b",
        "create-rule custom_rule/new",
        "delete-rule custom_rule/old",
      ],
    },
    {
      when: "no more deletes go first than the quota needs, and those that weaken last of all",
      rules: [block("new"), block("newer")],
      live: [
        ...foreign.slice(1),
        liveBlock("b"),
        liveBlock("off", { enabled: false }),
        liveBlock("old"),
      ],
      yields: [
        "delete-rule custom_rule/off",
        "delete-rule custom_rule/b",
        "create-rule custom_rule/new",
        "create-rule custom_rule/newer",
        "delete-rule custom_rule/old",
      ],
    },
    {
      when: "a phase with room keeps the safe order",
      rules: [block("new"), block("a")],
      live: [...foreign.slice(1), liveBlock("a"), liveBlock("old", { enabled: false })],
      yields: ["create-rule custom_rule/new", "delete-rule custom_rule/old"],
    },
  ])("where $when", ({ rules, live, yields }, { expect }) => {
    const proposal = planOf(rules, live);
    expect(orderOf(proposal)).toEqual(yields);
    expect(holdsOf(proposal)).toEqual([]);
  });

  it("has the room that the quota of its contract gives it", ({ expect }) => {
    const rules = [block("new"), block("a")];
    const live = [...foreign, liveBlock("a"), liveBlock("old", { enabled: false })];
    const first = ["delete-rule custom_rule/old", "create-rule custom_rule/new"];
    expect(orderOf(planOf(rules, live, "free", { free: { custom_rules: 6 } }))).toEqual(
      first.toReversed(),
    );
    expect(orderOf(planOf(rules, live, "free", { free: { custom_rules: 5 } }))).toEqual(first);
    expect(orderOf(planOf(rules, live, "pro", { free: { custom_rules: 5 } }))).toEqual(
      first.toReversed(),
    );
    expect(orderOf(planOf(rules, live, "pro", { pro: { custom_rules: 5 } }))).toEqual(first);
  });

  it("is held where the rule to delete protects until the new one comes", ({ expect }) => {
    const rules = [block("new", { expression: `${at("old")} or ${at("new")}` }), block("a")];
    const proposal = planOf(rules, [...foreign, liveBlock("a"), liveBlock("old")]);
    expect(orderOf(proposal)).toEqual([
      "create-rule custom_rule/new",
      "delete-rule custom_rule/old",
    ]);
    expect(holdsOf(proposal)).toEqual([
      "custom_rules would have 6 rules until custom_rule/old is deleted, which protects the zone until then, and a zone of the plan free may have 5: declare the new rule with `was` and the old key, which changes it in place, or delete the old rule in a commit of its own",
    ]);
    expect(holdsOf(proposal, { free: { custom_rules: 6 } })).toEqual([]);
  });

  it("gets the protection of a rule that is switched on elsewhere before another one goes", ({
    expect,
  }) => {
    const off = { enabled: false };
    const proposal = planOf(
      [block("k", off), block("m", { expression: "true" })],
      [liveBlock("m", { ...off, expression: "true" }), liveBlock("k", off), liveBlock("p")],
    );
    expect(orderOf(proposal)).toEqual(["update-rule custom_rule/m", "delete-rule custom_rule/p"]);
  });

  it("loses its stricter rules last", ({ expect }) => {
    const all = { expression: "true" };
    const proposal = planOf(
      [block("k", all)],
      [
        liveBlock("n"),
        liveBlock("o", { ...all, action: "managed_challenge" }),
        liveBlock("k", { ...all, enabled: false }),
      ],
    );
    expect(orderOf(proposal)).toEqual([
      "update-rule custom_rule/k",
      "delete-rule custom_rule/o",
      "delete-rule custom_rule/n",
    ]);
  });

  it("widens a rule that moves down before another one gives up the requests", ({ expect }) => {
    const proposal = planOf(
      [
        block("m", { action: "log" }),
        block("l", { expression: `${at("n")} or ${at("o")}` }),
        block("q", { enabled: false }),
      ],
      [
        liveBlock("l"),
        liveBlock("m", { action: "log", enabled: false }),
        liveBlock("n"),
        liveBlock("o", { action: "managed_challenge" }),
        liveBlock("q"),
      ],
    );
    expect(orderOf(proposal)).toEqual([
      "update-rule custom_rule/m",
      "update-rule custom_rule/q",
      "update-rule custom_rule/l",
      "delete-rule custom_rule/o",
      "delete-rule custom_rule/n",
    ]);
  });

  it("counts what is live beyond the quota", ({ expect }) => {
    const live = [...foreign, liveBlock("a"), liveBlock("b"), liveBlock("off", { enabled: false })];
    const proposal = planOf([block("a"), block("b"), block("new")], live);
    expect(holdsOf(proposal)).toEqual([expect.stringContaining("would have 6 rules, and")]);
  });
});

const paths = ["a", "b", "c"];
const expression = fc.constantFrom("true", ...paths.map(at), `${at("a")} or ${at("b")}`);
/** Keys with the action of each; an exception stays one. */
const keyAndAction = fc.oneof(
  fc.tuple(
    fc.constantFrom("k", "l", "m", "n", "o", "p"),
    fc.constantFrom("block" as const, "managed_challenge" as const, "log" as const),
  ),
  fc.tuple(fc.constantFrom("s", "t"), fc.constant("skip" as const)),
);
const ruleParts = fc
  .record({ keyAndAction, expression, enabled: fc.boolean() })
  .map(({ keyAndAction: [key, action], ...rest }) => ({ key, action, ...rest }));

const declaredRules: fc.Arbitrary<readonly Rule[]> = fc
  .uniqueArray(ruleParts, {
    selector: (each) => each.key,
    maxLength: 5,
  })
  .map((rules) =>
    rules.map((rule) =>
      rule.action === "skip"
        ? exception(rule.key, { expression: rule.expression, enabled: rule.enabled })
        : block(rule.key, {
            ...rule,
            action: rule.action,
          }),
    ),
  );

const liveRules: fc.Arbitrary<readonly LiveRule[]> = fc
  .uniqueArray(ruleParts, {
    selector: (each) => each.key,
    minLength: 3,
    maxLength: 5,
  })
  .map((rules) =>
    rules.map(({ key: own, ...rule }) => {
      const { action, expression: selects, enabled } = rule;
      return action === "skip"
        ? liveOurs(own, { expression: selects, enabled })
        : liveRule(own, { ref: `zonewarden:${own}`, ...rule });
    }),
  );

/** What becomes of a request for a path: 2 it is blocked, 1 it is challenged, 0 it passes. */
function forceOn(path: string, rules: readonly LiveRule[]): number {
  for (const { action: does, enabled, expression: selects } of rules) {
    if (!enabled || (selects !== "true" && !selects.includes(at(path)))) continue;
    if (does.type === "skip") return 0;
    if (does.type === "mitigate" && does.name === "block") return 2;
    if (does.type === "mitigate" && does.name === "managed_challenge") return 1;
  }
  return 0;
}

/** For each path how little protects it at some moment, and at least what it has before and after. */
function momentsOf(live: readonly LiveRule[], { writes }: Plan) {
  const before = liveZone({ entrypoints: { custom_rules: entrypoint(...live) } });
  const states = statesOf(before, writes);
  const lists = states.map(({ entrypoints }) => rulesIn(entrypoints.custom_rules));
  const isWeak = paths.map((path) => {
    const forces = lists.map((list) => forceOn(path, list));
    return Math.min(...forces) < Math.min(forces.at(0) ?? 0, forces.at(-1) ?? 0);
  });
  return { most: Math.max(...lists.map(({ length }) => length)), isWeak };
}

describe("the writes of a phase that may be full", () => {
  it("fit at every moment, and protect as well as they do with room", ({ expect }) => {
    fc.assert(
      fc.property(declaredRules, liveRules, (rules, live) => {
        const proposal = planOf(rules, live);
        const { most, isWeak } = momentsOf(live, proposal);
        if (holdsOf(proposal).length === 0) expect(most).toBeLessThanOrEqual(5);
        const withRoom = momentsOf(live, planOf(rules, live, "enterprise"));
        paths.forEach((_, nth) => {
          if (withRoom.isWeak[nth] === false) expect(isWeak[nth]).toBe(false);
        });
      }),
      cases(800),
    );
  });
});

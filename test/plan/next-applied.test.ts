import { describe, it } from "vitest";

import { appliedText, type AppliedZone, digestOfValue } from "../../src/plan/cause/applied-zone.ts";
import { type ChangeOutcome, nextApplied } from "../../src/plan/cause/next-applied.ts";
import { plan } from "../../src/plan/plan.ts";
import { documentedScoreRuleId } from "../../src/zone/managed-ruleset.ts";
import type { Rule } from "../../src/zone/resource.ts";
import { after, inSync, names } from "../support/causes.ts";
import {
  carriedOut,
  declared,
  deployment,
  desiredZone,
  entrypoint,
  exception,
  liveDeployment,
  liveException,
  liveRule,
  livePolicy,
  liveZone,
  owner,
  policy,
} from "../support/model.ts";
import { liveOurs } from "../support/planned.ts";

/** Names of resources, each with the fields of which the value is not the one of `base`, or not known. */
function told(applied: AppliedZone, base: AppliedZone): readonly string[] {
  return [...applied].map(([name, fields]) => {
    const before = base.get(name) ?? new Map<string, string>();
    const all = new Set([...fields.keys(), ...before.keys()]);
    const parts = [...all].flatMap((field) => {
      const digest = fields.get(field);
      if (digest === "?") return [`${field}?`];
      if (digest === before.get(field)) return [];
      return [digest === undefined ? `${field}-` : `${field}!`];
    });
    return [name, ...parts].join(" ");
  });
}

const off = policy("checkout", { enabled: false });
const on = policy("checkout");
const content = { policies: declared([on]) };
const was = { policies: declared([off]) };
const live = { policies: [carriedOut("p1", off)] };
const [before, now] = [inSync(was), inSync(content)];

describe("what is known after a run", () => {
  it.for<{
    readonly when: string;
    readonly last: AppliedZone | undefined;
    readonly outcome: Omit<ChangeOutcome, "change">;
    readonly yields: string;
  }>([
    {
      when: "the change was written",
      last: before,
      outcome: { result: "done", left: [] },
      yields: "p/checkout",
    },
    {
      when: "it was written and is not there",
      last: before,
      outcome: { result: "done", left: ["enabled"] },
      yields: "p/checkout enabled?",
    },
    {
      when: "it was not written",
      last: before,
      outcome: { result: "not_done", left: [] },
      yields: "p/checkout enabled!",
    },
    {
      when: "its answer was lost",
      last: before,
      outcome: { result: "unknown", left: [] },
      yields: "p/checkout enabled?",
    },
    {
      when: "the answer to a correction of drift was lost",
      last: now,
      outcome: { result: "unknown", left: [] },
      yields: "p/checkout",
    },
    {
      when: "nothing was known and nothing was written",
      last: undefined,
      outcome: { result: "not_done", left: [] },
      yields: "p/checkout enabled?",
    },
    {
      when: "only that it was there was known",
      last: new Map([["p/checkout", new Map([["", "?"]])]]),
      outcome: { result: "not_done", left: [] },
      yields: "p/checkout enabled?",
    },
    {
      when: "it had no value before",
      last: new Map([["p/checkout", new Map()]]),
      outcome: { result: "not_done", left: [] },
      yields: "p/checkout enabled-",
    },
  ])("where $when", ({ last, outcome, yields }, { expect }) => {
    expect(told(after(last, content, live, outcome), now)).toEqual([yields]);
  });

  it.for([
    { result: "done", known: "nothing", yields: ["p/checkout"] },
    { result: "not_done", known: "nothing", yields: ["p/checkout ?"] },
    { result: "unknown", known: "nothing", yields: ["p/checkout ?"] },
    { result: "not_done", known: "that it was not there", yields: [] },
    { result: "unknown", known: "that it was not there", yields: ["p/checkout ?"] },
  ] as const)(
    "where it is new, $result, and $known was known",
    ({ result, known, yields }, { expect }) => {
      const last = known === "nothing" ? undefined : new Map();
      const next = after(last, content, { policies: [] }, { result, left: [] });
      expect(names(next)).toEqual(yields);
    },
  );

  it.for([
    { result: "done", left: [], last: before, yields: [] },
    { result: "done", left: ["key"], last: before, yields: ["p/checkout ?"] },
    { result: "not_done", left: [], last: before, yields: ["p/checkout"] },
    { result: "unknown", left: [], last: before, yields: ["p/checkout ?"] },
    { result: "not_done", left: [], last: undefined, yields: ["p/checkout ?"] },
    { result: "not_done", left: [], last: new Map(), yields: [] },
    { result: "unknown", left: [], last: new Map(), yields: [] },
  ] as const)(
    "where it was to be deleted, $result",
    ({ result, left, last, yields }, { expect }) => {
      const next = after(last, { policies: declared([]) }, live, { result, left });
      expect(names(next)).toEqual(yields);
    },
  );

  it("is nothing of what was to be renamed, was not written, and was not known", ({ expect }) => {
    const renamed = { policies: declared([{ ...on, key: "basket", was: "checkout" }]) };
    const named = { policies: [carriedOut("p1", on)] };
    const next = after(undefined, renamed, named, { result: "not_done", left: [] });
    expect(names(next)).toEqual(["p/basket ?"]);
  });

  it("is no key: a rename that is left is not stored", ({ expect }) => {
    const renamed = { policies: declared([{ ...on, key: "basket", was: "checkout" }]) };
    const named = { policies: [carriedOut("p1", on)] };
    const next = after(now, renamed, named, { result: "done", left: ["key"] });
    expect(names(next)).toEqual(["p/basket"]);
  });

  it.for(["not_done", "unknown"] as const)(
    "is no value of a field to which somebody gave one, and the correction is %s",
    (result, { expect }) => {
      const rules = { rules: { managed_rules: declared([deployment("owasp")]) } };
      const owasp = liveDeployment("r1", { ref: "zonewarden:owasp" }, { sensitivity_level: "low" });
      const overridden = { entrypoints: { managed_rules: entrypoint(owasp) } };
      const last = inSync(rules);
      const next = after(last, rules, overridden, { result, left: [] });
      expect(next).toEqual(last);
      expect(appliedText(next)).toBe(appliedText(last));
    },
  );

  it("is nothing of what is new and was not written, also beside a policy called undefined", ({
    expect,
  }) => {
    const named = policy("undefined");
    const last = inSync({ policies: declared([named]) });
    const both = { policies: declared([named, on]) };
    const alone = { policies: [carriedOut("p1", named)] };
    const next = after(last, both, alone, { result: "not_done", left: [] });
    expect(names(next)).toEqual(["p/undefined"]);
  });

  it("stays known of what has the name of a duplicate that may be deleted", ({ expect }) => {
    const both = { policies: declared([on, policy("p2")]) };
    const twins = ["p1", "p2"].map((id) => carriedOut(id, on));
    const zone = { policies: [...twins, carriedOut("p3", policy("p2"))] };
    const last = inSync(both);
    const next = after(last, both, zone, { result: "unknown", left: [] });
    expect(names(next)).toEqual(["p/checkout", "p/p2"]);
  });

  it("forgets what somebody made and we delete as unmanaged", ({ expect }) => {
    const deleting = { policies: declared([], "delete") };
    const outcome = { result: "unknown", left: [] } as const;
    const next = after(undefined, deleting, { policies: [livePolicy("p2")] }, outcome);
    expect(names(next)).toEqual(["p/* ?"]);
  });
});

function mode(applied: AppliedZone): string | undefined {
  return applied.get("p/*")?.get("unmanaged");
}

describe("whether unmanaged resources are deleted", () => {
  const deleting = { policies: declared<typeof on>([], "delete") };
  const byHand = { policies: [livePolicy("p2")] };
  const deleted = mode(inSync(deleting));

  it.for([
    { when: "there are none", last: undefined, live: undefined, result: "done", yields: "delete" },
    { when: "they were deleted", last: new Map(), live: byHand, result: "done", yields: "delete" },
    {
      when: "they are left, and it was not so",
      last: new Map(),
      live: byHand,
      result: "not_done",
      yields: undefined,
    },
    {
      when: "they are left, and nothing was known",
      last: undefined,
      live: byHand,
      result: "not_done",
      yields: "?",
    },
    {
      when: "they are left, and it was so",
      last: inSync(deleting),
      live: byHand,
      result: "unknown",
      yields: "delete",
    },
  ] as const)("where $when", ({ last, live: liveParts, result, yields }, { expect }) => {
    const next = after(last, deleting, liveParts, { result, left: [] });
    expect(mode(next)).toBe(yields === "delete" ? deleted : yields);
    expect(deleted).toMatch(/^[\w-]{3}$/);
  });

  it.for([
    {
      when: "one of ours is left that is no longer declared",
      policies: [carriedOut("p1", on), carriedOut("p2", policy("old"))],
    },
    { when: "a declared one is left as it was", policies: live.policies },
  ])("is known where $when", ({ policies }, { expect }) => {
    const declaring = { policies: declared([on], "delete") };
    const next = after(now, declaring, { policies }, { result: "not_done", left: [] });
    expect(mode(next)).toBe(deleted);
  });

  it("is told of policies apart from rules", ({ expect }) => {
    const both = {
      policies: declared<typeof on>([], "delete"),
      rules: { managed_rules: declared([], "delete") },
    };
    const rules = {
      entrypoints: { managed_rules: entrypoint(liveException("r1", "r1")) },
      policies: [],
    };
    const next = after(new Map(), both, rules, { result: "not_done", left: [] });
    expect(mode(next)).toBe(deleted);
    expect(next.get("r/*")?.get("unmanaged")).toBeUndefined();
  });

  it("is not known where they are only reported", ({ expect }) => {
    expect(inSync({ policies: declared([]) }).size).toBe(0);
  });
});

function positionsIn(applied: AppliedZone): readonly unknown[] {
  return ["r/a", "r/b"].map((name) => applied.get(name)?.get("position"));
}

function namesIn(applied: AppliedZone): string {
  return [...applied.keys()].join(" ");
}

describe("the order of rules", () => {
  const [a, b] = [exception("a"), exception("b")];
  const last = inSync({ rules: { managed_rules: declared([b, a]) } });
  const file = { rules: { managed_rules: declared([a, b]) }, policies: declared([on]) };
  const liveRules = {
    entrypoints: {
      managed_rules: entrypoint(liveOurs("b"), liveOurs("a")),
    },
    policies: [carriedOut("p1", on)],
  };

  it.for([
    { when: "was written", known: last, result: "done", yields: "p/checkout r/a r/b" },
    { when: "was not written", known: last, result: "not_done", yields: "p/checkout r/b r/a" },
    {
      when: "was never known",
      known: undefined,
      result: "not_done",
      yields: "p/checkout r/a r/b r/*",
    },
    { when: "may be written", known: last, result: "unknown", yields: "p/checkout r/b r/a r/*" },
    {
      when: "was uncertain and stays so",
      known: new Map([...last, ["r/*", new Map([["position", "?"]])]]),
      result: "not_done",
      yields: "p/checkout r/b r/a r/*",
    },
    {
      when: "was uncertain and is written",
      known: new Map([...last, ["r/*", new Map([["position", "?"]])]]),
      result: "done",
      yields: "p/checkout r/a r/b",
    },
  ] as const)("that $when", ({ known, result, yields }, { expect }) => {
    expect(namesIn(after(known, file, liveRules, { result, left: [] }))).toBe(yields);
  });

  it.for([
    { live: ["b", "a"], changes: ["update b", "create c"], results: ["not_done", "done"] },
    { live: ["c", "b", "a"], changes: ["update b", "update c"], results: ["not_done", "unknown"] },
  ] as const)(
    "is not known where one rule may have its place, and another has not: $changes",
    ({ live: keys, changes: expected, results }, { expect }) => {
      const desired = desiredZone({
        rules: { managed_rules: declared([a, b, exception("c")]) },
      });
      const found = entrypoint(...keys.map((key) => liveOurs(key)));
      const zone = liveZone({ entrypoints: { managed_rules: found } });
      const { changes } = plan(desired, zone, owner);
      expect(changes.map(({ verb, key }) => `${verb} ${key.slice(-1)}`)).toEqual(expected);
      const outcomes = changes.map((change, nth) => ({
        change,
        result: results[nth] ?? "done",
        left: [],
      }));
      const next = nextApplied(last, desired.content, documentedScoreRuleId, outcomes);
      expect(next.get("r/*")).toEqual(new Map([["position", "?"]]));
    },
  );

  it("is not known where a rule was written and is not in its place, which is not known either", ({
    expect,
  }) => {
    const next = after(last, file, liveRules, { result: "done", left: ["position"] });
    expect(names(next)).toEqual(["p/checkout", "r/b ?", "r/a", "r/* ?"]);
  });

  it("stays the one that was known, also of rules that differ otherwise", ({ expect }) => {
    const disabled = ["b", "a"].map((key) => liveOurs(key, { enabled: false }));
    const found = { ...liveRules, entrypoints: { managed_rules: entrypoint(...disabled) } };
    const next = after(last, file, found, { result: "not_done", left: [] });
    expect(namesIn(next)).toBe("p/checkout r/b r/a");
  });

  it("has the position of each rule, or the one before where the rule was not moved", ({
    expect,
  }) => {
    const oneFirst = {
      rules: { managed_rules: declared<Rule>([{ ...b, position: "first" }, a]) },
    };
    const oneLast = {
      rules: { managed_rules: declared<Rule>([a, { ...b, position: "last" }]) },
    };
    const lastKnown = inSync(oneFirst);
    expect(namesIn(lastKnown)).toBe("r/b r/a");
    expect(positionsIn(lastKnown)).toEqual([undefined, digestOfValue("first")]);
    const rules = {
      entrypoints: {
        managed_rules: entrypoint(liveOurs("b"), liveRule("f", { action: "log" }), liveOurs("a")),
      },
    };
    const results = (["done", "not_done", "unknown"] as const).map((result) =>
      positionsIn(after(lastKnown, oneLast, rules, { result, left: [] })),
    );
    expect(results).toEqual([
      [undefined, digestOfValue("last")],
      [undefined, digestOfValue("first")],
      [undefined, "?"],
    ]);
  });

  it("has rules of which nothing is known at its end", ({ expect }) => {
    const known = inSync({ rules: { managed_rules: declared([b]) } });
    const next = after(known, file, liveRules, { result: "not_done", left: [] });
    expect(namesIn(next)).toBe("p/checkout r/b r/a");
  });

  it("is that of the former names of rules", ({ expect }) => {
    const renamed = { rules: { managed_rules: declared([{ ...a, key: "z", was: "a" }, b]) } };
    const rules = { entrypoints: { managed_rules: liveRules.entrypoints.managed_rules } };
    const outcome = { result: "not_done", left: [] } as const;
    expect(namesIn(after(last, renamed, rules, outcome))).toBe("r/b r/z");
    const first = { rules: { managed_rules: declared([a, { ...b, key: "z", was: "b" }]) } };
    expect(namesIn(after(last, first, rules, outcome))).toBe("r/z r/a");
  });
});

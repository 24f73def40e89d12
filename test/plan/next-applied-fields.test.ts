import { describe, it } from "vitest";

import { appliedText } from "../../src/plan/cause/applied-zone.ts";
import { nextApplied } from "../../src/plan/cause/next-applied.ts";
import { plan } from "../../src/plan/plan.ts";
import type { LiveZone } from "../../src/zone/live-zone.ts";
import { documentedScoreRuleId } from "../../src/zone/managed-ruleset.ts";
import { after, inSync, names } from "../support/causes.ts";
import {
  carriedOut,
  declared,
  deployment,
  desiredZone,
  entrypoint,
  exception,
  liveDeployment,
  livePolicy,
  liveZone,
  owner,
  policy,
} from "../support/model.ts";
import { liveOurs } from "../support/planned.ts";

describe("a field without a value", () => {
  const rules = { rules: { managed_rules: declared([deployment("owasp")]) } };
  const overridden = {
    entrypoints: {
      managed_rules: entrypoint(
        liveDeployment("r1", { ref: "zonewarden:owasp" }, { sensitivity_level: "low" }),
      ),
    },
  };
  const last = inSync(rules);

  it.for(["not_done", "unknown"] as const)(
    "has none where somebody gave it one, and the correction is %s",
    (result, { expect }) => {
      const next = after(last, rules, overridden, { result, left: [] });
      expect(next).toEqual(last);
      expect(appliedText(next)).toBe(appliedText(last));
    },
  );
});

describe("what is no value of a resource", () => {
  it("is not stored of a rename that is left", ({ expect }) => {
    const checkout = policy("checkout");
    const renamed = { policies: declared([{ ...checkout, key: "basket", was: "checkout" }]) };
    const live = { policies: [carriedOut("p1", checkout)] };
    const last = inSync({ policies: declared([checkout]) });
    const next = after(last, renamed, live, { result: "done", left: ["key"] });
    expect(names(next)).toEqual(["p/basket"]);
  });
});

/** Two rules in their last order, enabled or not. */
function liveRules(enabled: boolean): Partial<LiveZone> {
  const found = ["b", "a"].map((key) => liveOurs(key, { enabled }));
  return { entrypoints: { managed_rules: entrypoint(...found) } };
}

describe("the order of rules that is left", () => {
  const rules = [exception("a"), exception("b")];
  const file = { rules: { managed_rules: declared(rules) } };
  const last = inSync({ rules: { managed_rules: declared(rules.toReversed()) } });
  const uncertainOrder = new Map([["position", "?"]]);

  it("is uncertain of all, as is the position of the one that is not in its place", ({
    expect,
  }) => {
    const next = after(last, file, liveRules(true), { result: "done", left: ["position"] });
    expect(names(next)).toEqual(["r/b ?", "r/a", "r/* ?"]);
    expect(next.get("r/*")).toEqual(uncertainOrder);
  });

  it("stays the one that was known, also of rules that differ otherwise", ({ expect }) => {
    const next = after(last, file, liveRules(false), { result: "not_done", left: [] });
    expect([...next.keys()]).toEqual(["r/b", "r/a"]);
  });

  it("is uncertain where the answer to one of several writes was lost", ({ expect }) => {
    const desired = desiredZone({
      rules: { managed_rules: declared([...rules, exception("c")]) },
    });
    const turned = ["c", "b", "a"].map((key) => liveOurs(key));
    const { changes } = plan(
      desired,
      liveZone({ entrypoints: { managed_rules: entrypoint(...turned) } }),
      owner,
    );
    expect(changes).toHaveLength(2);
    const outcomes = changes.map((change, nth) => ({
      change,
      result: nth === 0 ? ("not_done" as const) : ("unknown" as const),
      left: [],
    }));
    const next = nextApplied(last, desired.content, documentedScoreRuleId, outcomes);
    expect(next.get("r/*")).toEqual(uncertainOrder);
  });
});

describe("that unmanaged policies are deleted", () => {
  const deleting = { policies: declared([policy("checkout")], "delete") };
  const all = inSync(deleting).get("p/*");
  const checkout = carriedOut("p1", policy("checkout"));

  it.for([
    {
      when: "one of ours is left that is no longer declared",
      live: [checkout, carriedOut("p2", policy("old"))],
      yields: all,
    },
    {
      when: "a declared one is left as it was",
      live: [{ ...checkout, enabled: false }],
      yields: all,
    },
    { when: "an unmanaged one is left", live: [checkout, livePolicy("p2")], yields: undefined },
  ])("is known of a zone where $when: $yields", ({ live, yields }, { expect }) => {
    const last = inSync({ policies: declared([policy("checkout")]) });
    const next = after(last, deleting, { policies: live }, { result: "not_done", left: [] });
    expect(all?.size).toBe(1);
    expect(next.get("p/*")).toEqual(yields);
  });
});

import { describe, it } from "vitest";

import { summaryOf } from "../../src/plan/change.ts";
import { guard } from "../../src/plan/guard/guard.ts";
import { planHash } from "../../src/plan/guard/release.ts";
import { type AdoptedRule, byMarks, type Ownership } from "../../src/plan/ownership.ts";
import { plan, type Plan } from "../../src/plan/plan.ts";
import type { LivePolicy, LiveRule } from "../../src/zone/live-zone.ts";
import type { Policy, Rule } from "../../src/zone/resource.ts";
import {
  carriedOut,
  declared,
  deployment,
  desiredZone,
  entrypoint,
  exception,
  liveDeployment,
  liveException,
  livePolicy,
  liveZone,
  owner,
  policy,
  usualLimits,
} from "../support/model.ts";

const checkout = policy("checkout");

/** A live policy as it is declared, with another description where one is given. */
function unmarkedLive(id: string, of: Policy, description = of.description): LivePolicy {
  return carriedOut(id, of, { description });
}

function planPolicies(
  policies: readonly Policy[],
  live: readonly LivePolicy[],
  adopt: boolean,
): Plan {
  const desired = desiredZone({ policies: declared(policies) });
  return plan(desired, liveZone({ policies: live }), owner, { ...byMarks, adopt });
}

function words({ changes, unowned, unmanaged }: Plan): readonly string[] {
  return [
    ...changes.map(summaryOf),
    ...unowned.map(({ key }) => `declared: ${key}`),
    ...unmanaged.map(({ id }) => `unmanaged: ${id}`),
  ];
}

describe("the ownership of policies", () => {
  it.for<{
    readonly when: string;
    readonly live: readonly LivePolicy[];
    readonly policies?: readonly Policy[];
    readonly explicit: readonly string[];
    readonly adopting: readonly string[];
  }>([
    {
      when: "a declared one has no mark",
      live: [unmarkedLive("p1", checkout)],
      explicit: ["declared: policy/checkout"],
      adopting: ["~ policy/checkout (owner)"],
    },
    {
      when: "a declared one has our mark",
      live: [carriedOut("p1", checkout)],
      explicit: [],
      adopting: [],
    },
    {
      when: "one without a mark is to be changed anyway, which marks it",
      live: [{ ...unmarkedLive("p1", checkout), enabled: false }],
      explicit: ["~ policy/checkout (enabled)"],
      adopting: ["~ policy/checkout (enabled)"],
    },
    {
      when: "an undeclared one has no mark",
      live: [carriedOut("p1", checkout), livePolicy("x")],
      explicit: ["unmanaged: x"],
      adopting: ["unmanaged: x"],
    },
    {
      when: "one with the mark of another owner has the description of a declared one",
      live: [unmarkedLive("p1", checkout, `${checkout.description} [other:checkout]`)],
      explicit: ["+ policy/checkout", "unmanaged: p1"],
      adopting: ["+ policy/checkout", "unmanaged: p1"],
    },
    {
      when: "two of one description have no mark: one of them is declared",
      live: [unmarkedLive("p1", checkout), unmarkedLive("p2", checkout)],
      explicit: ["declared: policy/checkout", "unmanaged: p2"],
      adopting: ["~ policy/checkout (owner)", "unmanaged: p2"],
    },
  ])("where $when", ({ live, policies = [checkout], explicit, adopting }, { expect }) => {
    expect(words(planPolicies(policies, live, false))).toEqual(explicit);
    expect(words(planPolicies(policies, live, true))).toEqual(adopting);
  });

  it("is taken by one write with the whole policy and the mark", ({ expect }) => {
    const live = { ...unmarkedLive("p1", checkout), rest: { later: 1 } };
    const { changes, writes } = planPolicies([checkout], [live], true);
    const { action, expression, enabled, value } = checkout;
    const description = "Scripts of checkout [zonewarden:checkout]";
    expect(writes).toEqual([
      {
        call: "update-policy",
        id: "p1",
        changes: ["policy/checkout"],
        body: { later: 1, description, action, expression, enabled, value },
      },
    ]);
    expect(changes).toMatchObject([{ adopted: true, effect: { direction: "neutral" } }]);
    const after = { ...live, description };
    expect(words(planPolicies([checkout], [after], true))).toEqual([]);
  });

  it("is no update that the guard counts: nothing that a policy does changes", ({ expect }) => {
    const policies = Array.from({ length: 10 }, (_, nth) => policy(`p${nth}`));
    const planned = planPolicies(
      policies,
      policies.map((each) => unmarkedLive(each.key, each)),
      true,
    );
    expect(planned.changes).toHaveLength(10);
    expect(holdsOf(planned)).toEqual([]);
  });
});

const owasp = deployment("owasp");
const uploads = exception("uploads");
const adoptedUploads: AdoptedRule = {
  kind: "managed_rule",
  id: "r2",
  ref: "uploads-by-hand",
  key: "uploads",
};

/** The rules of somebody else, as declared. */
const theirOwasp = liveDeployment("r1", { ref: "by-terraform" });
const theirUploads = liveException("r2", "uploads", { ref: "uploads-by-hand" });

function planRules(
  rules: readonly Rule[],
  live: readonly LiveRule[],
  ownership: Partial<Ownership> = {},
): Plan {
  const desired = desiredZone({ rules: { managed_rules: declared(rules) } });
  const zone = liveZone({ entrypoints: { managed_rules: entrypoint(...live) } });
  return plan(desired, zone, owner, { ...byMarks, ...ownership });
}

function holdsOf(planned: Plan, accept: readonly string[] = []): readonly string[] {
  const limits = { ...usualLimits, maxDeleteShare: 1, accept };
  const now = new Date("2026-11-21T10:00:00.000Z");
  const input = { limits, mode: "enforce", suspension: undefined, freeze: undefined } as const;
  return guard(planned, { ...input, used: [], now }).map(({ reason }) => reason);
}

describe("the ownership of rules", () => {
  it.for<{
    readonly when: string;
    readonly rules: readonly Rule[];
    readonly live: readonly LiveRule[];
    readonly adopted: readonly AdoptedRule[];
    readonly yields: readonly string[];
    /** What is remembered afterwards. */
    readonly keeps: readonly AdoptedRule[];
    readonly holds?: readonly string[];
  }>([
    {
      when: "declared ones have the refs of somebody else",
      rules: [owasp, uploads],
      live: [theirOwasp, theirUploads],
      adopted: [],
      yields: ["declared: managed_rule/owasp", "declared: managed_rule/uploads"],
      keeps: [],
    },
    {
      when: "one was adopted",
      rules: [owasp, uploads],
      live: [theirOwasp, theirUploads],
      adopted: [adoptedUploads],
      yields: ["declared: managed_rule/owasp"],
      keeps: [adoptedUploads],
    },
    {
      when: "an adopted exception was edited in the file",
      rules: [exception("uploads", { expression: "true" })],
      live: [theirUploads],
      adopted: [adoptedUploads],
      yields: ["~ managed_rule/uploads (expression)"],
      keeps: [adoptedUploads],
    },
    {
      when: "an adopted exception has another key in the file",
      rules: [exception("files", { was: "uploads" })],
      live: [theirUploads],
      adopted: [adoptedUploads],
      yields: ["~ managed_rule/files (expression)"],
      keeps: [{ ...adoptedUploads, key: "files" }],
    },
    {
      when: "an adopted one is no longer declared: a person has to agree",
      rules: [owasp],
      live: [liveDeployment("r1", { ref: "zonewarden:owasp" }), theirUploads],
      adopted: [adoptedUploads],
      yields: ["- managed_rule/uploads"],
      keeps: [adoptedUploads],
      holds: ["adopted_delete"],
    },
    {
      when: "one that was never adopted is no longer declared",
      rules: [owasp],
      live: [liveDeployment("r1", { ref: "zonewarden:owasp" }), theirUploads],
      adopted: [],
      yields: ["unmanaged: r2"],
      keeps: [],
    },
    {
      when: "the memory has the id of a rule with another ref",
      rules: [],
      live: [theirUploads],
      adopted: [{ ...adoptedUploads, ref: "another" }],
      yields: ["unmanaged: r2"],
      keeps: [],
    },
    {
      when: "the memory has the ref of a rule with another id",
      rules: [],
      live: [theirUploads],
      adopted: [{ ...adoptedUploads, id: "r9" }],
      yields: ["unmanaged: r2"],
      keeps: [],
    },
    {
      when: "the memory claims a rule with the mark of another owner",
      rules: [],
      live: [liveException("r2", "uploads", { ref: "other:uploads" })],
      adopted: [{ ...adoptedUploads, ref: "other:uploads" }],
      yields: ["unmanaged: r2"],
      keeps: [],
    },
    {
      when: "an adopted rule is gone",
      rules: [],
      live: [],
      adopted: [adoptedUploads],
      yields: [],
      keeps: [],
    },
    {
      when: "an adopted rule and one with our ref have one key: the marked one stays",
      rules: [uploads],
      live: [theirUploads, liveException("r3", "uploads", { ref: "zonewarden:uploads" })],
      adopted: [adoptedUploads],
      yields: ["- managed_rule/r2"],
      keeps: [adoptedUploads],
      holds: ["adopted_delete"],
    },
  ])("where $when", ({ rules, live, adopted, yields, keeps, holds = [] }, { expect }) => {
    const planned = planRules(rules, live, { rules: adopted });
    expect(words(planned)).toEqual(yields);
    expect(planned.adoptedRules).toEqual(keeps);
    expect(holdsOf(planned)).toEqual(holds);
  });

  it("is taken without a write", ({ expect }) => {
    const planned = planRules([owasp, uploads], [theirOwasp, theirUploads], { adopt: true });
    expect(planned.writes).toEqual([]);
    expect(planned.unowned).toMatchObject([
      { id: "r1", ref: "by-terraform", key: "managed_rule/owasp" },
      { id: "r2", ref: "uploads-by-hand", key: "managed_rule/uploads" },
    ]);
  });

  it("lets a delete pass that a person released, and only by the whole hash", ({ expect }) => {
    const planned = planRules([], [theirUploads], { rules: [adoptedUploads] });
    expect(holdsOf(planned)).toEqual(["adopted_delete"]);
    expect(planned.holds[0]?.message).toContain(
      "managed_rule/uploads would be deleted, and the live rule r2",
    );
    expect(holdsOf(planned, [planHash(planned).slice(0, 12)])).toEqual(["adopted_delete"]);
    expect(holdsOf(planned, [planHash(planned)])).toEqual([]);
  });

  it.for([
    { when: "it was adopted", rules: [adoptedUploads] },
    { when: "it was not", rules: [] },
  ])(
    "is not asked for where the zone deletes what is unmanaged: $when",
    ({ rules }, { expect }) => {
      const desired = desiredZone({ rules: { managed_rules: declared<Rule>([], "delete") } });
      const zone = liveZone({ entrypoints: { managed_rules: entrypoint(theirUploads) } });
      const planned = plan(desired, zone, owner, { ...byMarks, rules });
      expect(planned.changes).toMatchObject([{ verb: "delete", id: "r2" }]);
      expect(holdsOf(planned)).toEqual([]);
    },
  );
});

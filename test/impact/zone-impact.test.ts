import { describe, it } from "vitest";

import {
  comparedPolicies,
  deployedRulesets,
  type ZoneImpact,
  zoneImpact,
} from "../../src/impact/zone-impact.ts";
import { plan } from "../../src/plan/plan.ts";
import type { ZoneContent } from "../../src/zone/desired-zone.ts";
import type { SeenResource } from "../../src/zone/inventory-item.ts";
import type { LivePolicy, LiveZone } from "../../src/zone/live-zone.ts";
import { owaspRulesetId } from "../../src/zone/managed-ruleset.ts";
import type { ExecuteRule, Policy, Rule } from "../../src/zone/resource.ts";
import type { Ruleset } from "../../src/zone/ruleset.ts";
import { script } from "../support/inventory.ts";
import { managedRule } from "../support/managed-rules.ts";
import {
  absent,
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
  promotion,
  untuned,
} from "../support/model.ts";

const checkout = policy("checkout", { action: "allow", description: "Scripts of the checkout" });
const looser = { value: "script-src *" };

/** Each policy before and after, by its value: `policy/a Title: script-src 'self' → none`. */
function compared(items: readonly Policy[], live: readonly LivePolicy[]): readonly string[] {
  const desired = desiredZone({ policies: declared(items, "delete") });
  const zone = liveZone({ policies: live });
  return comparedPolicies(plan(desired, zone, owner), items, live).map(
    ({ key, title, before, after }) =>
      `${key} ${title}: ${before?.value ?? "none"} → ${after?.value ?? "none"}`,
  );
}

describe("the policies of a zone before and after its plan", () => {
  const own = carriedOut("p1", checkout);

  it.for<{ when: string; items: readonly Policy[]; live: readonly LivePolicy[]; says: string[] }>([
    {
      when: "one is created",
      items: [checkout],
      live: [],
      says: ["policy/checkout Scripts of the checkout: none → script-src 'self'"],
    },
    {
      when: "one is as declared",
      items: [checkout],
      live: [own],
      says: ["policy/checkout Scripts of the checkout: script-src 'self' → script-src 'self'"],
    },
    {
      when: "one is updated",
      items: [{ ...checkout, ...looser }],
      live: [own],
      says: ["policy/checkout Scripts of the checkout: script-src 'self' → script-src *"],
    },
    {
      when: "one is deleted",
      items: [],
      live: [own],
      says: ["policy/checkout Scripts of the checkout: script-src 'self' → none"],
    },
    {
      when: "the second of two with one mark is deleted",
      items: [checkout],
      live: [own, carriedOut("p2", { ...checkout, ...looser })],
      says: [
        "policy/checkout Scripts of the checkout: script-src 'self' → script-src 'self'",
        "policy/p2 Scripts of the checkout: script-src * → none",
      ],
    },
    {
      when: "one is as declared without our mark, beside one of another tool with the same key",
      items: [checkout],
      live: [
        livePolicy("p1", { description: "Theirs [terraform:checkout]", ...looser }),
        livePolicy("p2", { action: "allow", description: "Scripts of the checkout" }),
      ],
      says: [
        "policy/checkout Scripts of the checkout: script-src 'self' → script-src 'self'",
        "policy/p1 Theirs: script-src * → script-src *",
      ],
    },
    {
      when: "one is deleted whose id is the key of a declared one",
      items: [policy("p2")],
      live: [livePolicy("p2", looser)],
      says: [
        "policy/p2 Scripts of p2: none → script-src 'self'",
        "policy/p2 Made by hand: script-src * → none",
      ],
    },
  ])("are compared when $when", ({ items, live, says }, { expect }) => {
    expect(compared(items, live)).toEqual(says);
  });

  it("have the id of the service as key where nobody declares them, sorted by key", ({
    expect,
  }) => {
    const strangers = [
      livePolicy("z9"),
      livePolicy("a1", { description: "By another tool [terraform:legacy]" }),
    ];
    const items = [policy("new", looser)];
    const desired = desiredZone({ policies: declared(items) });
    const planned = plan(desired, liveZone({ policies: strangers }), owner);
    expect(comparedPolicies(planned, items, strangers)).toEqual([
      {
        key: "policy/a1",
        title: "By another tool",
        before: strangers[1],
        after: strangers[1],
      },
      { key: "policy/new", title: "Scripts of new", before: undefined, after: items[0] },
      { key: "policy/z9", title: "Made by hand", before: strangers[0], after: strangers[0] },
    ]);
  });
});

const scoreRule = { id: "5".repeat(32), source: "account", version: "36" } as const;

const owasp: Ruleset = {
  id: owaspRulesetId,
  name: "OWASP",
  description: "",
  kind: "managed",
  phase: "http_request_firewall_managed",
  version: "36",
  lastUpdated: "",
  rules: [
    managedRule("first", "paranoia-level-1"),
    managedRule("second", "paranoia-level-2"),
    { ...managedRule(scoreRule.id), action: "block", scoreThreshold: 40 },
  ],
};

/** The impact of a declaration; every managed ruleset with the id of OWASP can be read. */
function impactOf(
  content: Partial<ZoneContent>,
  parts: Partial<LiveZone>,
  resources?: readonly SeenResource[],
): ZoneImpact {
  const desired = desiredZone(content);
  const live = liveZone({ scoreRule, ...parts });
  const facts = {
    content: desired.content,
    live,
    plan: plan(desired, live, owner),
    resources,
    managed: new Map([[owasp.id, owasp]]),
    notes: ["a note"],
  };
  return zoneImpact(facts, { maliciousBelow: 50 });
}

function ids(found: readonly { readonly id: string }[]): string {
  return found.map(({ id }) => id.slice(0, 6)).join(" ");
}

/** What the deployments switch: `managed_rule/owasp on: first off: retuned:`. */
function switches(rules: readonly Rule[], live: Partial<LiveZone>): readonly string[] {
  const { deployments } = impactOf({ rules: { managed_rules: declared(rules) } }, live);
  return deployments.map(({ key, switchedOn, switchedOff, retuned }) => {
    const tuned = ids(retuned.map(({ after }) => after.rule));
    return `${key} on: ${ids(switchedOn)} off: ${ids(switchedOff)} retuned: ${tuned}`;
  });
}

function atLevel(paranoiaLevel: 1 | 2, more: Partial<ExecuteRule> = {}): ExecuteRule {
  return deployment("owasp", { tuning: { ...untuned, paranoiaLevel }, ...more });
}

describe("the impact of deployments", () => {
  const ref = "zonewarden:owasp";
  const level2Off = { categories: [{ category: "paranoia-level-2", enabled: false }] };
  const live = liveDeployment("r1", { ref }, level2Off);

  it.for<{ when: string; rules: readonly Rule[]; live: Partial<LiveZone>; says: string[] }>([
    {
      when: "there is no entry point",
      rules: [atLevel(1)],
      live: { entrypoints: { managed_rules: absent } },
      says: ["managed_rule/owasp on: first 555555 off:  retuned: "],
    },
    {
      when: "the entry point has other rules",
      rules: [atLevel(1)],
      live: { entrypoints: { managed_rules: entrypoint(liveException("r0", "probe")) } },
      says: ["managed_rule/owasp on: first 555555 off:  retuned: "],
    },
    {
      when: "its rule changes",
      rules: [atLevel(2)],
      live: { entrypoints: { managed_rules: entrypoint(liveException("r0", "probe"), live) } },
      says: ["managed_rule/owasp on: second off:  retuned: "],
    },
    {
      when: "its rule goes off",
      rules: [atLevel(1, { enabled: false })],
      live: { entrypoints: { managed_rules: entrypoint(live) } },
      says: ["managed_rule/owasp on:  off: first 555555 retuned: "],
    },
    {
      when: "its live rule is off",
      rules: [atLevel(1)],
      live: {
        entrypoints: {
          managed_rules: entrypoint(liveDeployment("r1", { ref, enabled: false }, level2Off)),
        },
      },
      says: ["managed_rule/owasp on: first 555555 off:  retuned: "],
    },
    {
      when: "only another rule changes",
      rules: [deployment("owasp"), exception("probe")],
      live: { entrypoints: { managed_rules: entrypoint(liveDeployment("r1", { ref })) } },
      says: ["managed_rule/owasp on:  off:  retuned: "],
    },
    {
      when: "the score rule of the account is tuned",
      rules: [deployment("owasp", { tuning: { ...untuned, scoreThreshold: 25 } })],
      live: { entrypoints: { managed_rules: entrypoint(liveDeployment("r1", { ref })) } },
      says: ["managed_rule/owasp on:  off:  retuned: 555555"],
    },
    {
      when: "their ruleset could not be read",
      rules: [deployment("other", { ruleset: "f".repeat(32) })],
      live: { entrypoints: { managed_rules: absent } },
      says: [],
    },
    {
      when: "none is declared",
      rules: [exception("probe")],
      live: { entrypoints: { managed_rules: absent } },
      says: [],
    },
  ])("is that of their rules where $when", ({ rules, live: parts, says }, { expect }) => {
    expect(switches(rules, parts)).toEqual(says);
  });

  it("is told with the ruleset and the notes", ({ expect }) => {
    const impact = impactOf(
      { rules: { managed_rules: declared([atLevel(1)]) } },
      { entrypoints: { managed_rules: absent } },
    );
    expect(impact).toMatchObject({
      zone: "shop.example.com",
      policies: [],
      deployments: [{ ruleset: owasp, on: 2, total: 3 }],
      notes: ["a note"],
    });
  });
});

describe("the impact of policies", () => {
  const seen = [script("https://cdn.example.net/lib.js")];

  it("is that of the declared ones and of those that stay", ({ expect }) => {
    const policies = declared([checkout]);
    const live = { policies: [livePolicy("p1", { action: "allow" })] };
    const rules = { managed_rules: declared([exception("probe")]) };
    const impact = impactOf(
      { policies, rules },
      { ...live, entrypoints: { managed_rules: absent } },
      seen,
    );
    expect(impact.policies).toMatchObject([
      { policy: { key: "policy/checkout" }, blocked: [{ resource: seen[0], already: false }] },
      { policy: { key: "policy/p1" }, blocked: [{ resource: seen[0], already: true }] },
    ]);
    expect(impact.deployments).toEqual([]);
  });

  it("is empty where policies are not declared, or nothing detected was read", ({ expect }) => {
    expect(impactOf({}, {}, seen).policies).toEqual([]);
    expect(impactOf({ policies: declared([checkout]) }, { policies: [] }).policies).toEqual([]);
  });
});

it("needs each deployed ruleset once", ({ expect }) => {
  const rules = [
    deployment("a"),
    exception("b"),
    deployment("c", { ruleset: "f".repeat(32) }),
    deployment("d"),
  ];
  const { content } = desiredZone({ rules: { managed_rules: declared(rules) } });
  expect(deployedRulesets(content)).toEqual([owaspRulesetId, "f".repeat(32)]);
  expect(deployedRulesets(desiredZone().content)).toEqual([]);
});

describe("the impact of an object with steps", () => {
  it("is that of the declared end, also where the plan changes nothing", ({ expect }) => {
    const steps = promotion({ steps: ["log", "allow"] });
    const items = [policy("cart"), { ...checkout, promotion: steps }];
    const live = [carriedOut("p0", policy("cart")), carriedOut("p1", checkout, { action: "log" })];
    const impact = impactOf({ policies: declared(items) }, { policies: live }, [script("s1")]);
    expect(impact.policies.map(({ policy: { key }, force }) => `${key} ${force}`)).toEqual([
      "policy/cart reports",
      "policy/checkout blocks",
    ]);
  });

  it("switches what the last level does", ({ expect }) => {
    const levels = promotion({ field: "paranoia_level", steps: [1, 2] });
    const rule = deployment("owasp", {
      tuning: { ...untuned, paranoiaLevel: 2 },
      promotion: levels,
    });
    const categories = [2, 3, 4].map((each) => {
      return { category: `paranoia-level-${each}`, enabled: false };
    });
    const live = liveDeployment("r1", { ref: "zonewarden:owasp" }, { categories });
    const [said] = switches([rule], { entrypoints: { managed_rules: entrypoint(live) } });
    expect(said).toContain("on: second");
  });
});

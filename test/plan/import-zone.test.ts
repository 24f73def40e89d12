import { describe, it } from "vitest";

import { importLiveZone } from "../../src/plan/import/import-zone.ts";
import { plan } from "../../src/plan/plan.ts";
import type { LivePolicy, LiveRule, LiveZone } from "../../src/zone/live-zone.ts";
import { managedRulesets } from "../../src/zone/managed-ruleset.ts";
import {
  entrypoint,
  liveDeployment,
  liveException,
  livePolicy,
  liveRule,
  liveZone,
  owner,
} from "../support/model.ts";

const nothingAgainst = (): undefined => undefined;

function declared(live: LiveZone): ReturnType<typeof importLiveZone> {
  return importLiveZone(live, owner, nothingAgainst);
}

function withPolicies(...policies: readonly LivePolicy[]): LiveZone {
  return liveZone({ policies });
}

function withRules(...rules: readonly LiveRule[]): LiveZone {
  return liveZone({ entrypoints: { managed_rules: entrypoint(...rules) } });
}

/** Keys of what is declared, policies before rules. */
function keysOf({
  content: { policies, rules },
}: ReturnType<typeof importLiveZone>): readonly string[] {
  return [...(policies?.items ?? []), ...(rules.managed_rules?.items ?? [])].map(({ key }) => key);
}

function reasonsOf({ leftOut }: ReturnType<typeof importLiveZone>): readonly string[] {
  return leftOut.map(({ id, reason }) => `${id} ${reason}`);
}

describe("what is live, declared", () => {
  it("is nothing where nothing is live", ({ expect }) => {
    const { content, leftOut } = declared(
      liveZone({ policies: [], entrypoints: { managed_rules: entrypoint() } }),
    );
    expect(content).toMatchObject({ settings: [], policies: undefined, rules: {} });
    expect(leftOut).toEqual([]);
  });

  it("is enforced, reports what is not declared, and has all settings", ({ expect }) => {
    const settings = {
      enabled: true,
      use_cloudflare_reporting_endpoint: false,
      use_connection_url_path: true,
    };
    const { content } = declared(liveZone({ settings, policies: [livePolicy("p1")] }));
    expect(content).toStrictEqual({
      mode: "enforce",
      suspension: undefined,
      customRulesets: undefined,
      settings: [
        { name: "enabled", value: true },
        { name: "use_cloudflare_reporting_endpoint", value: false },
        { name: "use_connection_url_path", value: true },
      ],
      policies: { items: [expect.objectContaining({ key: "made-by-hand" })], unmanaged: "report" },
      rules: {},
      scripts: undefined,
    });
  });

  it("has the keys that marks give, and the words without the mark", ({ expect }) => {
    const live = withPolicies(livePolicy("p1", { description: "Checkout [zonewarden:shop]" }));
    expect(declared(live).content.policies?.items).toMatchObject([
      { key: "shop", description: "Checkout" },
    ]);
  });

  it.for([
    { description: "Scripts of the Café", key: "scripts-of-the-cafe" },
    { description: "测试", expression: 'http.host eq "pay.example.net"', key: "pay-example-net" },
    // The same policy of another zone has the same key.
    { description: "Checkout of shop.example.com", key: "checkout-of" },
    { description: "shop.example.com", key: "policy" },
    {
      description: `Very ${"long ".repeat(20)}words`,
      key: "very-long-long-long-long-long-long-long",
    },
    { description: "x".repeat(100), key: "x".repeat(40) },
    { description: `${"x".repeat(35)} word`, key: `${"x".repeat(35)}-word` },
    { description: `${"x".repeat(35)} word too`, key: `${"x".repeat(35)}-word` },
    { description: `${"x".repeat(35)} words too`, key: "x".repeat(35) },
    { description: `A ${"x".repeat(60)}`, key: "a" },
    { description: "[zonewarden:shop]", key: "shop" },
    { description: "--- 1.", key: "1" },
    { description: "测试", expression: "ssl", key: "policy" },
  ])("makes of $description the key $key", ({ key, ...policy }, { expect }) => {
    expect(keysOf(declared(withPolicies(livePolicy("p1", policy))))).toEqual([key]);
  });

  it("gives twins keys of their own, which no mark has", ({ expect }) => {
    const live = withPolicies(
      livePolicy("p1", { description: "Twin" }),
      livePolicy("p2", { description: "Twin", enabled: false }),
      livePolicy("p3", { description: "Other [zonewarden:twin]" }),
    );
    const declaration = declared(live);
    expect(keysOf(declaration)).toEqual(["twin", "twin-2", "twin-3"]);
    const { content } = declaration;
    expect(plan({ zone: live.zone, content }, live, owner).changes).toEqual([]);
  });

  it("gives no key away that the mark of a later policy has", ({ expect }) => {
    const live = withPolicies(
      livePolicy("p1", { description: "Shop" }),
      livePolicy("p2", { description: "Zoo [zonewarden:shop]" }),
    );
    const declaration = declared(live);
    expect(reasonsOf(declaration)).toEqual([]);
    expect(keysOf(declaration)).toEqual(["shop", "shop-2"]);
    const marked = liveException("r2", "b", { ref: "zonewarden:exception" });
    expect(keysOf(declared(withRules(liveException("r1", "a"), marked)))).toEqual([
      "exception-2",
      "exception",
    ]);
  });

  it("gives the key away that the mark of another owner has", ({ expect }) => {
    const live = withPolicies(
      livePolicy("p1", { description: "Shop" }),
      livePolicy("p2", { description: "Theirs [team-b:shop]" }),
    );
    expect(keysOf(declared(live))).toEqual(["shop"]);
  });

  it("names rules by what they deploy, and exceptions by their words", ({ expect }) => {
    const live = withRules(
      liveException("r1", "upload", { description: "Uploads" }),
      liveException("r2", "probe"),
      liveDeployment("r3"),
      liveRule("r4", {
        action: "execute",
        action_parameters: { id: managedRulesets.exposed_credentials },
      }),
      liveRule("r5", { action: "execute", action_parameters: { id: "a".repeat(32) } }),
    );
    expect(keysOf(declared(live))).toEqual([
      "uploads",
      "exception",
      "owasp",
      "exposed-credentials",
      "ruleset",
    ]);
  });
});

describe("what cannot be declared is reported", () => {
  it.for([
    {
      policy: { description: "" },
      reason: "p1 has no description to identify it by: add one",
    },
    {
      policy: { action: "block" },
      reason: 'p1 has the action "block", which files do not support',
    },
    { policy: { description: "Theirs [team-b:x]" }, reason: "p1 belongs to team-b" },
  ])("$policy", ({ policy, reason }, { expect }) => {
    const declaration = declared(withPolicies(livePolicy("p1", policy), livePolicy("p2")));
    expect(keysOf(declaration)).toEqual(["made-by-hand"]);
    expect(reasonsOf(declaration)).toEqual([reason]);
  });

  it("a rule of another owner, and one whose action has no words", ({ expect }) => {
    const declaration = declared(
      withRules(
        liveRule("r1", { action: "block" }),
        liveException("r2", "a", { ref: "team-b:a" }),
        liveDeployment("r3"),
      ),
    );
    expect(keysOf(declaration)).toEqual(["owasp"]);
    expect(reasonsOf(declaration)).toEqual([
      'r1 has the action "block", which files do not support',
      "r2 belongs to team-b",
    ]);
  });

  it("a second rule of one ref, and with it those that a plan would delete beside them", ({
    expect,
  }) => {
    const rules = ["uploads", "downloads"].map((path, index) =>
      liveException(`r${index}`, path, { ref: "zonewarden:uploads" }),
    );
    expect(reasonsOf(declared(withRules(...rules)))).toEqual([
      "r1 bears the same ref as another rule; declaring the others would delete it, so no managed rule of this zone is imported: delete it or remove its mark, and import again",
      "r0 is left out because of r1",
    ]);
  });

  it("fields that nobody knows, of what is declared nevertheless", ({ expect }) => {
    const live = liveZone({
      policies: [livePolicy("p1", { rest: { later: 2, future: 1 } })],
      entrypoints: {
        managed_rules: entrypoint(
          liveDeployment(
            "r1",
            { novelty: 1 },
            {
              future: 1,
              categories: [{ category: "language-php", enabled: true, more: 1 }],
              rules: [{ id: "b".repeat(32), enabled: false, less: 1 }],
            },
          ),
        ),
      },
    });
    const declaration = declared(live);
    expect(keysOf(declaration)).toEqual(["made-by-hand", "owasp"]);
    const words = "is declared without fields that files do not support:";
    expect(reasonsOf(declaration)).toEqual([
      `p1 ${words} future, later`,
      `r1 ${words} action_parameters.overrides.categories[].more, action_parameters.overrides.future, action_parameters.overrides.rules[].less, novelty`,
    ]);
  });

  it("a whole kind, where a plan would delete what cannot be declared", ({ expect }) => {
    const declaration = declared(
      withPolicies(
        livePolicy("p1", { description: "One [zonewarden:same]" }),
        livePolicy("p2", { description: "Two [zonewarden:same]" }),
        livePolicy("p3"),
      ),
    );
    expect(declaration.content.policies).toBeUndefined();
    expect(reasonsOf(declaration)).toEqual([
      "p2 bears the same mark as another policy of the zone; declaring the others would delete it, so no policy of this zone is imported: delete it or remove its mark, and import again",
      "p3 is left out because of p2",
      "p1 is left out because of p2",
    ]);
    expect(declaration.leftOut.map(({ isFollowUp = false }) => isFollowUp)).toEqual([
      false,
      true,
      true,
    ]);
  });

  it("a whole kind beside a policy that has the id of the preventing one for a key", ({
    expect,
  }) => {
    const declaration = declared(
      withPolicies(
        livePolicy("p1", { description: "One [zonewarden:same]" }),
        livePolicy("p2", { description: "Two [zonewarden:same]" }),
        livePolicy("p3", { description: "P2" }),
      ),
    );
    expect(reasonsOf(declaration).slice(1)).toEqual([
      "p3 is left out because of p2",
      "p1 is left out because of p2",
    ]);
  });

  it("what the files object to only as a whole", ({ expect }) => {
    const live = withPolicies(livePolicy("p1"), livePolicy("p2", { description: "Odd" }));
    const declaration = importLiveZone(live, owner, ({ policies }) =>
      (policies?.items.length ?? 0) > 1 ? "are too many" : undefined,
    );
    expect(declaration.content.policies).toBeUndefined();
    expect(reasonsOf(declaration)).toEqual(["p1 are too many", "p2 are too many"]);
  });

  it("what the files object to", ({ expect }) => {
    const live = withPolicies(livePolicy("p1"), livePolicy("p2", { description: "Odd" }));
    const declaration = importLiveZone(live, owner, ({ policies }) =>
      policies?.items.some(({ description }) => description === "Odd") ? "is odd" : undefined,
    );
    expect(keysOf(declaration)).toEqual(["made-by-hand"]);
    expect(reasonsOf(declaration)).toEqual(["p2 is odd"]);
  });
});

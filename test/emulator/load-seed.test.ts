import { describe, it } from "vitest";

import { loadSeed } from "../../src/emulator/seed/load-seed.ts";
import { seededState } from "../../src/emulator/seed/seeded-state.ts";
import {
  generateSeed,
  parseGeneration,
  syntheticSeed,
} from "../../src/emulator/seed/synthetic-seed.ts";
import {
  goodSeed,
  listIn,
  listOf,
  resultOf,
  testEmulator,
  testStart,
} from "../support/emulator.ts";

function problemsIn(text: string): readonly string[] {
  const loaded = loadSeed(text, "seed.yaml");
  if ("seed" in loaded) return [];
  return loaded.diagnostics.map(
    ({ file, line, column, message }) => `${file}:${line}:${column}: ${message}`,
  );
}

describe("a seed", () => {
  it.for([
    { when: "it is no YAML", text: "zones: [", says: ["seed.yaml:1:9: "] },
    { when: "it is empty", text: "", says: ["seed.yaml:1:1: must be object"] },
    { when: "it has no zones", text: "tokens: []", says: ['1:1: missing required field "zones"'] },
    {
      when: "fields are unknown",
      text: "zones:\n  - name: a.example\n    colour: red\n    plans: 3\n",
      says: ['seed.yaml:3:13: unknown field "colour"', 'seed.yaml:4:12: unknown field "plans"'],
    },
    {
      when: "a value is none of those possible",
      text: "zones:\n  - name: a.example\n    plan: huge\n",
      says: ["seed.yaml:3:11: must be one of free, pro, business, enterprise"],
    },
    {
      when: "custom rulesets are such that no zone has",
      text: [
        "zones:",
        "  - name: a.example",
        "    rulesets:",
        "      - { name: Team, kind: custom, phase: http_ratelimit }",
        "      - { name: Team, kind: custom, phase: http_request_firewall_custom }",
        "      - { name: Team, kind: custom, phase: http_request_firewall_custom }",
        "",
      ].join("\n"),
      says: [
        "seed.yaml:4:44: zones have no custom rulesets in the http_ratelimit phase",
        "seed.yaml:6:17: this name exists already",
      ],
    },
    {
      when: "rules exceed what the plan of the zone allows",
      text: [
        "zones:",
        "  - name: a.example",
        "    plan: free",
        "    rulesets:",
        "      - name: default",
        "        phase: http_ratelimit",
        "        rules:",
        "          - action: block",
        "            expression: ssl",
        "            ratelimit: { characteristics: [cf.colo.id], period: 10, requests_per_period: 1 }",
        "  - name: b.example",
        "    rulesets:",
        "      - name: default",
        "        phase: http_request_firewall_custom",
        "        rules: [{ deploy: Team }]",
        "",
      ].join("\n"),
      says: [
        "seed.yaml:9:25: not entitled: the use of field ssl is not allowed",
        "seed.yaml:15:17: could not find a ruleset Team",
      ],
    },
    {
      when: "an account is not there",
      text: "zones:\n  - name: a.example\n    account: Ours\n",
      says: ['seed.yaml:3:14: there is no account "Ours"'],
    },
    {
      when: "names, ids and values come twice",
      text: [
        "tokens:",
        "  - { name: a, value: x }",
        "  - { name: b, value: x }",
        "zones:",
        "  - name: a.example",
        "  - name: A.example",
        "",
      ].join("\n"),
      says: [
        "seed.yaml:3:23: this value exists already",
        "seed.yaml:6:11: this name exists already",
      ],
    },
    {
      when: "ids come twice in a zone",
      text: [
        "zones:",
        "  - name: a.example",
        "    scripts:",
        `      - { id: ${"a".repeat(32)}, url: x }`,
        `      - { id: ${"a".repeat(32)}, url: y }`,
        "",
      ].join("\n"),
      says: ["seed.yaml:5:15: this id exists already"],
    },
    {
      when: "a policy is one that the service refuses",
      text: [
        "zones:",
        "  - name: a.example",
        "    policies:",
        "      - action: log",
        "        expression: http.host equals",
        "        value: script-src 'self'",
        "      - action: log",
        "        expression: 'true'",
        "        value: scripts-src 'self'",
        "",
      ].join("\n"),
      says: [
        "seed.yaml:5:21: Filter parsing error",
        "seed.yaml:9:16: unknown directive: scripts-src",
      ],
    },
    {
      when: "rules are such that the service refuses",
      text: [
        "zones:",
        "  - name: a.example",
        "    entrypoint:",
        "      - deploy: owasp",
        "      - deploy: owasp",
        "  - name: b.example",
        "    entrypoint:",
        "      - deploy: nothing",
        "  - name: c.example",
        "    entrypoint:",
        "      - { action: redirect, expression: ssl }",
        "",
      ].join("\n"),
      says: [
        "seed.yaml:5:9: more than one rule is trying to execute the same managed ruleset",
        "seed.yaml:8:9: could not find a ruleset nothing",
        "seed.yaml:11:19: 'redirect' is not a valid value for action",
      ],
    },
    {
      when: "OWASP tuning is out of range",
      text: "zones:\n  - name: a.example\n    entrypoint:\n      - { deploy: owasp, paranoia_level: 5 }\n",
      says: ["seed.yaml:4:42: must be <= 4"],
    },
    {
      when: "an age is beyond all moments",
      text: "zones:\n  - name: a.example\n    scripts:\n      - { url: x, last_seen_at: 999999999d }\n",
      says: ['seed.yaml:4:33: "999999999d" is neither a time nor an age'],
    },
    {
      when: "a moment is none",
      text: "zones:\n  - name: a.example\n    scripts:\n      - { url: x, last_seen_at: soon }\n",
      says: ["seed.yaml:4:33: must match pattern"],
    },
    {
      when: "a credential is strange",
      text: [
        "tokens:",
        "  - { name: a, value: x, permissions: [Zone Read, Zone Right] }",
        "  - { name: b, value: y, expires_on: 2026-13-01T00:00:00Z }",
        "zones: []",
        "",
      ].join("\n"),
      says: ['seed.yaml:2:51: the service has no permission "Zone Right"', "seed.yaml:3:38: "],
    },
    {
      when: "rulesets are strange",
      text: [
        "zones:",
        "  - name: a.example",
        "    entrypoint: []",
        "    rulesets:",
        "      - { name: a, phase: http_request }",
        "      - { name: a, phase: http_request_firewall_managed }",
        "",
      ].join("\n"),
      says: [
        "seed.yaml:5:27: 'http_request' is not a valid value for phase",
        "seed.yaml:6:27: the http_request_firewall_managed phase has an entry point already",
      ],
    },
    {
      when: "aliases make it endless",
      text: "zones:\n  - name: a.example\n    settings: &a { enabled: true, x: *a }\n",
      says: ["seed.yaml:3:"],
    },
  ])("reports every place when $when", ({ text, says }, { expect }) => {
    const diagnostics = problemsIn(text);
    expect(diagnostics).toHaveLength(says.length);
    for (const [index, words] of says.entries()) expect(diagnostics[index]).toContain(words);
  });

  it("can contain a dump of a live zone with its ids", async (context) => {
    const { expect } = context;
    const id = "3a03d665bac047339bb530ecb439a90d";
    const seed = goodSeed(`
zones:
  - name: a.example
    id: 023e105f4ecef8ad9ca31a8372d0c353
    policies:
      - { id: ${id}, description: D, action: allow, expression: "true", enabled: "false", value: "img-src 'self'" }
    entrypoint:
      - id: ${id}
        version: "7"
        ref: mine
        action: execute
        action_parameters: { id: 4814384a9e5d4991b9815dcfc25d2f1f, version: latest }
        expression: "true"
        last_updated: "2026-01-01T00:00:00Z"
`);
    await using world = await testEmulator(context, { seed });
    const zone = await world.zoneId("a.example");
    expect(zone).toBe("023e105f4ecef8ad9ca31a8372d0c353");
    const policies = listOf(await world.call("GET", `/zones/${zone}/page_shield/policies`));
    expect(policies).toMatchObject([{ id, enabled: false }]);
    const path = `/zones/${zone}/rulesets/phases/http_request_firewall_managed/entrypoint`;
    expect(listIn(resultOf(await world.call("GET", path))["rules"])).toMatchObject([
      { id, ref: "mine" },
    ]);
  });

  it("that is the default one is valid and deploys OWASP in one zone", ({ expect }) => {
    const { state, issues } = seededState(syntheticSeed(), testStart);
    expect(issues).toEqual([]);
    const deploying = state.zones.filter(({ rulesets }) =>
      rulesets.some(({ current: { phase, rules } }) => {
        return phase === "http_request_firewall_managed" && rules.length > 0;
      }),
    );
    expect(deploying.map(({ name }) => name)).toEqual(["shop.example.com"]);
  });
});

describe("a generated seed", () => {
  it("has the requested size, is valid, and depends on its number only", ({ expect }) => {
    const rules = { custom_rules: 4, rate_limiting_rules: 2 };
    const generation = { zones: 20, policies: 3, scripts: 5, ...rules, seed: 4 };
    const { state, issues } = seededState(generateSeed(generation), testStart);
    expect(issues).toEqual([]);
    expect(state.zones).toHaveLength(20);
    for (const { policies, scripts } of state.zones) {
      expect([policies.length, scripts.length]).toEqual([3, 5]);
    }
    const deployed = state.zones.map(({ rulesets }) => {
      const sizes = rulesets.map(({ current: { kind, phase, rules: own } }) => {
        return `${kind} ${phase} ${own.length}`;
      });
      return sizes.join(", ");
    });
    const without =
      "zone http_request_firewall_managed 1, zone http_request_firewall_custom 4, zone http_ratelimit 2";
    const withTeam = `${without.replace("custom 4", "custom 5")}, custom http_request_firewall_custom 1`;
    expect(new Set(deployed)).toEqual(new Set([without, withTeam]));
    expect(generateSeed(generation)).toEqual(generateSeed(generation));
    expect(generateSeed({ ...generation, seed: 5 })).not.toEqual(generateSeed(generation));
  });

  it.for([
    { text: "zones=1000,policies=3,scripts=50,seed=9", yields: { zones: 1000, seed: 9 } },
    { text: "zones=5", yields: { zones: 5, policies: 1 } },
    { text: " zones = 5 , seed = 2 ", yields: { zones: 5, seed: 2 } },
  ])("is requested by $text", ({ text, yields }, { expect }) => {
    expect(parseGeneration(text)).toMatchObject(yields);
  });

  it.for(["", "zone=1", "zones", "zones=many", "zones=-1", "zones=1.5", "zones=10000000"])(
    "is not ordered by '%s'",
    (text, { expect }) => {
      expect(typeof parseGeneration(text)).toBe("string");
    },
  );
});

import { describe, it } from "vitest";

import { plan, type Plan } from "../../src/plan/plan.ts";
import type { LivePolicy, LiveRule } from "../../src/zone/live-zone.ts";
import type { Policy, Rule } from "../../src/zone/resource.ts";
import {
  block,
  carriedOut,
  declared,
  desiredZone,
  entrypoint,
  exception,
  liveException,
  liveRule,
  liveZone,
  owner,
  policy,
  skipNothing,
} from "../support/model.ts";
import {
  foreigners,
  hostA,
  hostAOrC,
  hostB,
  hostC,
  liveOurs,
  on,
  plannedPolicies,
  plannedRules,
} from "../support/planned.ts";

/** Each write of a plan, and those that it waits for. */
function waitsIn({ writes, waitsFor }: Plan): unknown {
  return writes.map((write) => [
    write.changes.join(", "),
    waitsFor.get(write)?.flatMap(({ changes }) => changes),
  ]);
}

describe("a write waits for those that add what it takes away", () => {
  it.for<{
    readonly when: string;
    readonly given: readonly Policy[];
    readonly live: readonly LivePolicy[];
    /** Each write, and those that it waits for. */
    readonly yields: Readonly<Record<string, readonly string[]>>;
  }>([
    {
      when: "a policy is replaced by one with another key",
      given: [policy("new", on(hostA)), policy("other", on(hostB))],
      live: [carriedOut("p1", policy("old", on(hostA)))],
      yields: { "policy/new": [], "policy/other": [], "policy/old": ["policy/new"] },
    },
    {
      when: "one of two that go is on the host of one of three new ones",
      given: [
        policy("x", on(hostC)),
        policy("y", on(hostB)),
        policy("z", on(hostB, { enabled: false })),
      ],
      live: [
        carriedOut("p1", policy("old-a", on(hostA))),
        carriedOut("p2", policy("old-c", on(hostC))),
      ],
      yields: {
        "policy/x": [],
        "policy/y": [],
        "policy/z": [],
        "policy/old-a": [],
        "policy/old-c": ["policy/x"],
      },
    },
    {
      when: "one moves to the host that another leaves",
      given: [policy("a", on(hostB)), policy("z", on(hostA))],
      live: [carriedOut("p1", policy("a", on(hostA))), carriedOut("p2", policy("z", on(hostC)))],
      yields: { "policy/z": [], "policy/a": ["policy/z"] },
    },
    {
      when: "one is switched off where another is switched on, and a third elsewhere",
      given: [
        policy("off", on(hostA, { enabled: false })),
        policy("on", on(hostAOrC)),
        policy("elsewhere", on(hostB)),
      ],
      live: [
        carriedOut("p1", policy("off", on(hostA))),
        carriedOut("p2", policy("on", on(hostAOrC, { enabled: false }))),
        carriedOut("p3", policy("elsewhere", on(hostB, { enabled: false }))),
      ],
      yields: { "policy/elsewhere": [], "policy/on": [], "policy/off": ["policy/on"] },
    },
    {
      when: "one allows a source that another new one forbids, and one that no other does",
      given: [
        policy("a", on(hostA, { value: "script-src x.example y.example" })),
        policy("b", on(hostB, { value: "script-src x.example y.example" })),
        policy("n", on(hostA, { value: "script-src x.example" })),
      ],
      live: [
        carriedOut("p1", policy("a", on(hostA, { value: "script-src x.example" }))),
        carriedOut("p2", policy("b", on(hostB, { value: "script-src x.example" }))),
      ],
      yields: { "policy/n": [], "policy/a": ["policy/n"], "policy/b": [] },
    },
    {
      when: "it is unclear where one applies that goes",
      given: [policy("n", on(hostA)), policy("m", on(hostB, { value: "img-src 'self'" }))],
      live: [carriedOut("p1", policy("old", on('http.host matches "^a"')))],
      yields: { "policy/m": [], "policy/n": [], "policy/old": ["policy/n"] },
    },
    {
      when: "duplicates go, and only the words of the one that stays change",
      given: [policy("twin", { description: "New words" }), policy("other", on(hostB))],
      live: [
        carriedOut("p1", policy("twin", { description: "Old words" })),
        carriedOut("p2", policy("twin", { description: "Old words" })),
        carriedOut("p3", policy("twin", { description: "Old words" })),
        carriedOut("p4", policy("other", on(hostB, { enabled: false }))),
      ],
      yields: {
        "policy/other": [],
        "policy/twin": [],
        "policy/p2": ["policy/twin"],
        "policy/p3": ["policy/twin"],
      },
    },
  ])("when $when", ({ given, live, yields }, { expect }) => {
    expect(waitsIn(plannedPolicies(declared(given), live))).toEqual(Object.entries(yields));
  });

  it("settings and rules wait for nothing", ({ expect }) => {
    const { writes, waitsFor } = plan(
      desiredZone({
        settings: [{ name: "enabled", value: false }],
        policies: declared([policy("a"), policy("b", on(hostB))]),
        rules: { managed_rules: declared([]) },
      }),
      liveZone({
        settings: {
          enabled: true,
          use_cloudflare_reporting_endpoint: true,
          use_connection_url_path: false,
        },
        policies: [],
        entrypoints: {
          managed_rules: entrypoint(liveException("r1", "x", { ref: "zonewarden:x" })),
        },
      }),
      owner,
    );
    expect(writes.map((write) => waitsFor.get(write))).toEqual([[], [], [], []]);
  });
});

/** A rule that blocks, as it is live. */
function blocked(key: string, expression: string, description = ""): LiveRule {
  return liveRule(key, { ref: `zonewarden:${key}`, action: "block", expression, description });
}

/** Each write of the custom rules of a zone, and those that it waits for. */
function waitsOf(rules: readonly Rule[], live: readonly LiveRule[]): unknown {
  return waitsIn(plannedRules(declared(rules), entrypoint(...live), { phase: "custom_rules" }));
}

describe("a write of a rule waits", () => {
  const spare = exception("s", { skip: { ...skipNothing, ruleset: true } });

  it("for those that take over the requests which its rule gives up", ({ expect }) => {
    const rules = [block("new", { expression: hostA }), block("other", { expression: hostB })];
    expect(waitsOf(rules, [blocked("old-a", hostA, "Old"), blocked("old-c", hostC)])).toEqual([
      ["custom_rule/new", []],
      ["custom_rule/other", []],
      ["custom_rule/old-a", ["custom_rule/new"]],
      ["custom_rule/old-c", []],
    ]);
  });

  it("as an exception also for what takes over, since it might spare both", ({ expect }) => {
    const rules = [block("new", { expression: hostA }), spare];
    expect(waitsOf(rules, [blocked("old", hostA, "Old")])).toEqual([
      ["custom_rule/new", []],
      ["custom_rule/s", ["custom_rule/new"]],
      ["custom_rule/old", ["custom_rule/new"]],
    ]);
  });

  it("as an exception for a rule that moves up from behind its place", ({ expect }) => {
    const moved = block("b", { expression: hostA, position: "first" });
    const rules = [moved, { ...spare, position: { before: "f1" } } as const];
    expect(waitsOf(rules, [...foreigners(2), blocked("b", hostA)])).toEqual([
      ["custom_rule/b", []],
      ["custom_rule/s", ["custom_rule/b"]],
    ]);
  });

  it("to move behind an exception until that moves away", ({ expect }) => {
    const rules: readonly Rule[] = [
      block("b", { expression: hostA, position: "last" }),
      { ...spare, position: "last" },
    ];
    const live = [blocked("b", hostA), liveOurs("s"), ...foreigners(2)];
    expect(waitsOf(rules, live)).toEqual([
      ["custom_rule/s", []],
      ["custom_rule/b", ["custom_rule/s"]],
    ]);
  });
});

import { describe, it } from "vitest";

import { summaryOf } from "../../src/plan/change.ts";
import { plan } from "../../src/plan/plan.ts";
import { safestFirst } from "../../src/plan/write-order.ts";
import type { LiveRule } from "../../src/zone/live-zone.ts";
import { managedRulesets } from "../../src/zone/managed-ruleset.ts";
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
  liveZone,
  owner,
  policy,
} from "../support/model.ts";
import { plannedPolicies, plannedRules } from "../support/planned.ts";
import { change } from "../support/reports.ts";

describe("the order of changes", () => {
  it("goes from what strengthens to what weakens, and deletes last", ({ expect }) => {
    const { changes, writes } = plan(
      desiredZone({
        settings: [{ name: "enabled", value: false }],
        policies: declared([
          policy("new", { action: "allow" }),
          policy("off", { enabled: false }),
          policy("on"),
          policy("words", { description: "Other words" }),
        ]),
        rules: { managed_rules: declared([exception("uploads")]) },
      }),
      liveZone({
        settings: {
          enabled: true,
          use_cloudflare_reporting_endpoint: true,
          use_connection_url_path: false,
        },
        policies: [
          carriedOut("p0", policy("gone", { action: "allow" })),
          carriedOut("p1", policy("off")),
          carriedOut("p2", policy("on"), { enabled: false }),
          carriedOut("p3", policy("words")),
        ],
        entrypoints: { managed_rules: entrypoint() },
      }),
      owner,
    );
    expect(changes.map((each) => `${summaryOf(each)} ${each.effect.direction}`)).toEqual([
      "+ policy/new strengthens",
      "~ policy/on (enabled) strengthens",
      "~ policy/words (description) neutral",
      "+ managed_rule/uploads weakens",
      "~ setting/enabled (value) weakens",
      "~ policy/off (enabled) weakens",
      "- policy/gone weakens",
    ]);
    expect(writes.flatMap((write) => write.changes)).toEqual(changes.map(({ key }) => key));
  });
});

describe("the safe order", () => {
  it("has what is unclear before what weakens, whatever each does", ({ expect }) => {
    const write = { call: "update-settings", body: {}, changes: [] } as const;
    const strong = change("setting/enabled", "strengthens");
    const { kind, key, title, fields, effect, causes } = change("policy/a", "weakens");
    const created = { verb: "create", kind, key, title, fields, effect, causes } as const;
    const steps = [created, change("policy/b", "unclear"), change("policy/c", "neutral"), strong];
    const ordered = steps
      .map((each) => ({ changes: [each], write }))
      .toSorted(safestFirst)
      .map(({ changes }) => changes[0]?.effect.direction);
    expect(ordered).toEqual(["strengthens", "neutral", "unclear", "weakens"]);
  });
});

describe("an exception that goes", () => {
  it("goes first, since that strengthens", ({ expect }) => {
    const { changes } = plan(
      desiredZone({
        policies: declared([policy("words", { description: "Other words" })]),
        rules: { managed_rules: declared([deployment("owasp")]) },
      }),
      liveZone({
        policies: [carriedOut("p1", policy("words"))],
        entrypoints: {
          managed_rules: entrypoint(
            liveException("r1", "x", { ref: "zonewarden:x" }),
            liveDeployment("r2", { ref: "zonewarden:owasp" }),
          ),
        },
      }),
      owner,
    );
    expect(changes.map((each) => `${summaryOf(each)} ${each.effect.direction}`)).toEqual([
      "- managed_rule/x strengthens",
      "~ policy/words (description) neutral",
    ]);
  });
});

describe("a duplicate", () => {
  const elsewhere = { expression: 'http.host eq "old.example.com"' };
  const looser = { value: "script-src 'self' cdn.example.net" };

  it.for([
    { when: "moves to the host of the duplicate", stays: elsewhere, going: looser },
    { when: "loses strength", stays: { action: "allow" }, going: { enabled: false } },
    { when: "changes its words alone", stays: { description: "Old" }, going: { enabled: false } },
  ] as const)(
    "is deleted after the policy that stays is up to date: it $when",
    (given, { expect }) => {
      const { stays, going } = given;
      const checkout = policy("checkout");
      const { changes, writes } = plannedPolicies(declared([checkout]), [
        carriedOut("p1", { ...checkout, ...stays }),
        carriedOut("p2", checkout, going),
      ]);
      expect(changes.map(({ effect }) => effect.direction).at(-1)).toBe("neutral");
      expect(writes).toMatchObject([
        { call: "update-policy", id: "p1" },
        { call: "delete-policy", id: "p2" },
      ]);
    },
  );
});

/** A second deployment as it is live, after the one of OWASP. */
function liveManaged(enabled: boolean): LiveRule {
  return liveDeployment("r2", {
    ref: "zonewarden:managed",
    enabled,
    action_parameters: { id: managedRulesets.cloudflare, version: "latest" },
  });
}

describe("the effect of a rule's place", () => {
  const skip = liveException("s1", "x", { ref: "zonewarden:x" });
  const owasp = liveDeployment("r1", { ref: "zonewarden:owasp", description: "OWASP" });
  const x = exception("x");
  const core = deployment("owasp", { description: "OWASP" });
  const managed = deployment("managed", { ruleset: managedRulesets.cloudflare });

  it.for([
    {
      when: "an exception moves in front of a deployment",
      rules: [x, core],
      live: entrypoint(owasp, skip),
      yields: [["weakens", "zonewarden:x spares requests from it"]],
    },
    {
      when: "an exception moves behind a deployment",
      rules: [core, x],
      live: entrypoint(skip, owasp),
      yields: [["strengthens", "no exception between it and OWASP any more"]],
    },
    {
      when: "two exceptions change places",
      rules: [exception("y"), x],
      live: entrypoint(skip, liveException("s2", "y", { ref: "zonewarden:y" })),
      yields: [["neutral", ""]],
    },
    {
      when: "two exceptions change places around a deployment, which stays and gets other words",
      rules: [exception("y"), core, x],
      live: entrypoint(
        skip,
        liveDeployment("r1", { ref: "zonewarden:owasp", description: "Old" }),
        liveException("s2", "y", { ref: "zonewarden:y" }),
      ),
      yields: [
        ["strengthens", "no exception between it and Old any more"],
        ["weakens", "zonewarden:y spares requests from it"],
      ],
    },
    {
      when: "an exception moves in front of one of two deployments",
      rules: [x, core, managed],
      live: entrypoint(owasp, skip, liveManaged(true)),
      yields: [["weakens", "zonewarden:x spares requests from it"]],
    },
    {
      when: "an exception moves in front of a disabled deployment and another exception",
      rules: [x, exception("y"), { ...managed, enabled: false }],
      live: entrypoint(liveManaged(false), liveException("s2", "y", { ref: "zonewarden:y" }), skip),
      yields: [
        ["neutral", ""],
        ["neutral", ""],
      ],
    },
    {
      when: "an exception moves in front of a deployment and is enabled",
      rules: [x, core],
      live: entrypoint(owasp, liveException("s1", "x", { ref: "zonewarden:x", enabled: false })),
      yields: [
        ["weakens", "an exception spares requests"],
        ["weakens", "zonewarden:x spares requests from it"],
      ],
    },
    {
      when: "an exception moves in front of a deployment and is disabled",
      rules: [exception("x", { enabled: false }), core],
      live: entrypoint(owasp, skip),
      yields: [
        ["strengthens", "an exception no longer spares requests"],
        ["neutral", ""],
      ],
    },
    {
      when: "an exception moves in front of a deployment that is disabled",
      rules: [x, { ...core, enabled: false }],
      live: entrypoint(owasp, skip),
      yields: [["weakens", "a managed ruleset is no longer deployed"]],
    },
    {
      when: "two exceptions change places in front of a deployment that goes",
      rules: [exception("y"), x],
      live: entrypoint(skip, liveException("s2", "y", { ref: "zonewarden:y" }), owasp),
      yields: [
        ["neutral", ""],
        ["weakens", "a managed ruleset is no longer deployed"],
      ],
    },
    {
      when: "a disabled exception moves",
      rules: [exception("x", { enabled: false }), core],
      live: entrypoint(owasp, liveException("s1", "x", { ref: "zonewarden:x", enabled: false })),
      yields: [["neutral", ""]],
    },
    {
      when: "an exception moves in front of somebody else's rule",
      rules: [exception("x", { position: "first" }), core],
      live: entrypoint(owasp, liveRule("f1", { action: "log", description: "Watch" }), skip),
      yields: [["weakens", "spares requests from OWASP"]],
    },
  ])("when $when", ({ rules, live, yields }, { expect }) => {
    const { changes } = plannedRules(declared(rules), live);
    expect(changes.map(({ effect }) => [effect.direction, effect.reasons.join("; ")])).toEqual(
      yields,
    );
    expect(changes.map(({ effect }) => effect.mayBreak)).toEqual(
      yields.map(([direction]) => direction === "strengthens"),
    );
  });
});

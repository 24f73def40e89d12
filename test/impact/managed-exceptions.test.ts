import { describe, it } from "vitest";

import { managedExceptions } from "../../src/impact/managed-exceptions.ts";
import { plan } from "../../src/plan/plan.ts";
import type { LiveRule, LiveZone } from "../../src/zone/live-zone.ts";
import { owaspRulesetId } from "../../src/zone/managed-ruleset.ts";
import type { Rule } from "../../src/zone/resource.ts";
import type { RulePhase } from "../../src/zone/rule-phase.ts";
import {
  absent,
  declared,
  desiredZone,
  entrypoint,
  exception,
  liveException,
  liveZone,
  owner,
  skipNothing,
} from "../support/model.ts";

const managed = "http_request_firewall_managed";
const monitoring = exception("monitoring", {
  description: "Probes",
  skip: { ...skipNothing, phases: [managed] },
});

function liveSkip(id: string, parameters: object, more: Parameters<typeof liveException>[2] = {}) {
  return liveException(id, id, { action_parameters: { ...parameters }, ...more });
}

/** The exceptions of a zone whose lists are declared as given: `starts custom_rule/a: all managed rules`. */
function told(
  lists: Partial<Record<RulePhase, readonly Rule[]>>,
  entrypoints: LiveZone["entrypoints"],
): { readonly exceptions: readonly string[]; readonly unread: readonly string[] } {
  const rules = Object.fromEntries(
    Object.entries(lists).map(([phase, items]) => [phase, declared(items, "report")]),
  );
  const desired = desiredZone({ rules });
  const live = liveZone({ entrypoints });
  const found = managedExceptions(desired.content, plan(desired, live, owner), live);
  return {
    unread: found.unread,
    exceptions: found.exceptions.map(
      ({ when, name, title, from, expression }) =>
        `${when} ${name} “${title}”: ${from} where ${expression}`,
    ),
  };
}

/** Custom rules that are live and nobody's. */
function custom(...rules: readonly LiveRule[]): LiveZone["entrypoints"] {
  return { custom_rules: entrypoint(...rules), managed_rules: absent };
}

const path = (name: string): string => `http.request.uri.path eq "/${name}"`;

describe("the exceptions from the managed rules", () => {
  it.for<{
    readonly when: string;
    readonly given: Partial<Record<RulePhase, readonly Rule[]>>;
    readonly live: LiveZone["entrypoints"];
    readonly says: readonly string[];
  }>([
    {
      when: "a custom rule that skips their phase is created",
      given: { custom_rules: [monitoring] },
      live: { custom_rules: absent, managed_rules: absent },
      says: [
        `starts custom_rule/monitoring “Probes”: all managed rules where ${path("monitoring")}`,
      ],
    },
    {
      when: "it is live as declared, beside one of another tool",
      given: { custom_rules: [monitoring] },
      live: custom(
        liveException("r1", "monitoring", {
          action_parameters: { phases: [managed] },
          ref: `${owner}:monitoring`,
          description: "Probes",
        }),
        liveSkip("r2", { phases: ["http_ratelimit", managed], products: ["bic"] }),
      ),
      says: [
        `stays custom_rule/monitoring “Probes”: all managed rules where ${path("monitoring")}`,
        `stays r2 “”: all managed rules where ${path("r2")}`,
      ],
    },
    {
      when: "it is live as declared without our mark, beside one of another tool with the same key",
      given: { custom_rules: [monitoring] },
      live: custom(
        liveSkip("r1", { phases: [managed] }, { ref: "terraform:monitoring" }),
        liveException("r2", "monitoring", {
          action_parameters: { phases: [managed] },
          description: "Probes",
        }),
      ),
      says: [
        `stays r1 “”: all managed rules where ${path("r1")}`,
        `stays custom_rule/monitoring “Probes”: all managed rules where ${path("monitoring")}`,
      ],
    },
    {
      when: "a declared one is switched off",
      given: { custom_rules: [{ ...monitoring, enabled: false }] },
      live: custom(liveSkip("r1", { phases: [managed] }, { ref: `${owner}:monitoring` })),
      says: [`ends custom_rule/monitoring “”: all managed rules where ${path("r1")}`],
    },
    {
      when: "one of ours is not declared any more",
      given: {
        custom_rules: [exception("other", { skip: { ...skipNothing, products: ["bic"] } })],
      },
      live: custom(liveSkip("r1", { phases: [managed] }, { ref: `${owner}:gone` })),
      says: [`ends custom_rule/gone “”: all managed rules where ${path("r1")}`],
    },
    {
      when: "custom rules skip other things, or the rest of their own list",
      given: { custom_rules: [] },
      live: custom(
        liveSkip("r1", { phases: ["http_ratelimit"] }),
        liveSkip("r2", { products: ["waf"] }),
        liveSkip("r3", { ruleset: "current" }),
        liveSkip("r4", { phases: [managed] }, { enabled: false }),
      ),
      says: [],
    },
    {
      when: "managed rules have their own exceptions",
      given: { managed_rules: [exception("health")] },
      live: {
        custom_rules: absent,
        managed_rules: entrypoint(
          liveSkip("r1", { rulesets: [owaspRulesetId] }),
          liveSkip("r2", { rules: { [owaspRulesetId]: ["a".repeat(32), "b".repeat(32)] } }),
        ),
      },
      says: [
        `stays r1 “”: owasp where ${path("r1")}`,
        `stays r2 “”: 2 of the rules of owasp where ${path("r2")}`,
        `starts managed_rule/health “”: the managed rules after it where ${path("health")}`,
      ],
    },
  ])("are told where $when", ({ given, live, says }, { expect }) => {
    expect(told(given, live)).toEqual({ exceptions: says, unread: [] });
  });

  it("may be in lists that were not read", ({ expect }) => {
    expect(told({ managed_rules: [] }, { managed_rules: absent }).unread).toEqual(["custom_rules"]);
  });
});

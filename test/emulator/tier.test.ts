import { describe, it } from "vitest";

import { rateLimitPlan, ruleLimit, servedPhase } from "../../src/emulator/rulesets/phases.ts";
import { seededState } from "../../src/emulator/seed/seeded-state.ts";
import type { EmulatedZone } from "../../src/emulator/state.ts";
import { aliasOf, expressionFields } from "../../src/syntax/expression/expression-fields.ts";
import { factsOfPhase } from "../../src/zone/rule-phase.ts";
import { includesField, rateLimitFacts } from "../../src/zone/tier.ts";

const fields = [...expressionFields.keys()];

function zoneOf(plan: string): EmulatedZone {
  const seed = { zones: [{ name: "a.example", plan }] };
  const [zone] = seededState(seed, new Date("2026-11-01T00:00:00Z")).state.zones;
  if (zone === undefined) throw new Error("the seed has no zone");
  return zone;
}

describe("what the program knows of plans, and the emulator by itself,", () => {
  it.for(["free", "pro", "business", "enterprise"])("is one quota: %s", (plan, { expect }) => {
    for (const phase of ["custom_rules", "rate_limiting_rules"] as const) {
      const { wire, quota } = factsOfPhase(phase);
      expect(ruleLimit(zoneOf(plan), wire), phase).toBe(quota[plan]);
    }
  });

  it.for(["free", "pro", "business"] as const)("is one set of fields: %s", (plan, { expect }) => {
    const zone = zoneOf(plan);
    const { fieldNeeds } = servedPhase(factsOfPhase("custom_rules").wire);
    const refused = fields.filter((field) => fieldNeeds?.(field, zone) !== undefined);
    expect(fields.filter((field) => !includesField(plan, field))).toEqual(refused);
    const { includesField: allows } = rateLimitPlan(zone);
    const inLimits = fields.filter((field) => rateLimitFacts[plan].includesField(field));
    expect(inLimits).toEqual(fields.filter((field) => allows(aliasOf(field))));
  });

  it.for(["free", "pro", "business"] as const)("is one rate: %s", (plan, { expect }) => {
    const served = rateLimitPlan(zoneOf(plan));
    expect(rateLimitFacts[plan]).toMatchObject({
      maxPeriod: served.periods.at(-1),
      maxTimeout: served.timeouts.at(-1),
      characteristics: served.characteristics,
      hasChallenges: served.allActions,
      hasCountingExpression: served.countingExpression,
    });
  });
});

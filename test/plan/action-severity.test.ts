import { describe, it } from "vitest";

import { effectOfRule } from "../../src/plan/rules/rule-effect.ts";
import { comparable } from "../../src/plan/rules/rule-fields.ts";
import { documentedScoreRuleId } from "../../src/zone/managed-ruleset.ts";
import { liveDeployment } from "../support/model.ts";

/** From the mildest to the most severe; those of one line are equal for a visitor. */
const actions = [["log"], ["challenge", "js_challenge"], ["managed_challenge"], ["block"]];
const all = actions.flatMap((equal, severity) => equal.map((action) => ({ action, severity })));

function direction(before: string, after: string): string {
  const [was, is] = [before, after].map((action) =>
    comparable(liveDeployment("r1", {}, { action }), documentedScoreRuleId),
  );
  return effectOfRule(was, is).direction;
}

describe("the action of a managed ruleset", () => {
  it.for(all.flatMap((before) => all.map((after) => ({ before, after }))))(
    "from $before.action to $after.action",
    ({ before, after }, { expect }) => {
      const steps = Math.sign(after.severity - before.severity);
      const expected = steps === 0 ? "neutral" : steps > 0 ? "strengthens" : "weakens";
      expect(direction(before.action, after.action)).toBe(expected);
    },
  );
});

import { describe, it } from "vitest";

import { effectiveRules } from "../../src/emulator/rulesets/managed-overrides.ts";
import { managedIds, managedRulesets, scoreRuleId } from "../../src/emulator/rulesets/managed.ts";
import type { Json } from "../../src/syntax/json.ts";
import { listIn, testEmulator } from "../support/emulator.ts";

const owasp = managedRulesets.get(managedIds.owasp);
/** A rule of paranoia level 4 that also speaks of PHP. */
const php = owasp?.rules.find(
  ({ categories = [] }) =>
    categories.includes("language-php") && categories.includes("paranoia-level-4"),
);

const level4Off = { category: "paranoia-level-4", enabled: false };
const phpOn = { category: "language-php", enabled: true };

describe("overrides of a managed ruleset", () => {
  it.for<{ when: string; overrides: Json; yields: object }>([
    { when: "there are none", overrides: {}, yields: { enabled: true, action: "score" } },
    { when: "the whole is off", overrides: { enabled: false }, yields: { enabled: false } },
    {
      when: "a category is off",
      overrides: { categories: [level4Off] },
      yields: { enabled: false },
    },
    {
      when: "a category stands against the whole",
      overrides: { enabled: false, categories: [phpOn] },
      yields: { enabled: true },
    },
    {
      when: "two categories contradict: the last listed wins",
      overrides: { categories: [level4Off, phpOn] },
      yields: { enabled: true },
    },
    {
      when: "two categories contradict the other way round",
      overrides: { categories: [phpOn, level4Off] },
      yields: { enabled: false },
    },
    {
      when: "the rule itself is overridden",
      overrides: { categories: [phpOn], rules: [{ id: php?.id ?? "", enabled: false }] },
      yields: { enabled: false },
    },
  ])("$when", ({ overrides, yields }, { expect }) => {
    const rules = owasp === undefined ? [] : effectiveRules(owasp, overrides);
    expect(rules.find(({ id }) => id === php?.id)).toMatchObject(yields);
  });

  it.for<{ when: string; overrides: Json; yields: object }>([
    { when: "nothing is said", overrides: {}, yields: { action: "block", score_threshold: 40 } },
    {
      when: "the action of the whole is overridden",
      overrides: { action: "log" },
      yields: { action: "block" },
    },
    {
      when: "it is overridden itself",
      overrides: { rules: [{ id: scoreRuleId, action: "log", score_threshold: 25 }] },
      yields: { action: "log", score_threshold: 25 },
    },
  ])("apply to the score rule as documented when $when", ({ overrides, yields }, { expect }) => {
    const rules = owasp === undefined ? [] : effectiveRules(owasp, overrides);
    expect(rules.at(-1)).toMatchObject({ id: scoreRuleId, ...yields });
  });

  it("are returned with their effect for a zone", async (context) => {
    await using world = await testEmulator(context);
    const answer = await world.control("GET", "/effective?zone=shop.example.com&ruleset=owasp");
    const rules = listIn(answer.body["rules"]);
    context.expect(rules.at(-1)).toMatchObject({ action: "managed_challenge" });
    context.expect(rules.filter(({ enabled }) => enabled === false)).toHaveLength(16);
  });
});

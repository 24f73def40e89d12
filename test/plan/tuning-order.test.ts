import { describe, it } from "vitest";

import { plan } from "../../src/plan/plan.ts";
import { resolveOverrides } from "../../src/plan/rules/owasp-tuning.ts";
import { documentedScoreRuleId } from "../../src/zone/managed-ruleset.ts";
import {
  absent,
  category,
  declared,
  deployment,
  desiredZone,
  entrypoint,
  exception,
  liveDeployment,
  liveZone,
  noOverrides,
  owner,
  ruleOverride,
  untuned,
} from "../support/model.ts";
import { plannedRules } from "../support/planned.ts";
import { levelOff, levelOn, type Wire } from "../support/wire-model.ts";

const score = documentedScoreRuleId;
const php = { category: "language-php", enabled: false };

/** The fields that differ between a declared level with one category more and live overrides. */
function differing(categories: readonly Wire[]): readonly string[] {
  const rule = deployment("owasp", {
    tuning: { ...untuned, paranoiaLevel: 2 },
    overrides: { ...noOverrides, categories: [category("language-php", { enabled: false })] },
  });
  const live = liveDeployment("r1", { ref: "zonewarden:owasp" }, { categories });
  const { changes } = plannedRules(declared([rule]), entrypoint(live));
  return changes.flatMap(({ fields }) => fields.map(({ field }) => field));
}

describe("the order of paranoia levels and other categories", () => {
  it.for([
    {
      when: "levels that are on go first",
      categories: [levelOn(1), php, levelOff(3), levelOff(4)],
      yields: [],
    },
    { when: "no level is on", categories: [php, levelOff(3), levelOff(4)], yields: [] },
    {
      when: "a level that is on follows, and enables rules of the category again",
      categories: [php, levelOn(1), levelOn(2), levelOff(3), levelOff(4)],
      yields: ["overrides"],
    },
    {
      when: "a level that is off goes first, and the category may enable its rules again",
      categories: [levelOff(3), levelOn(1), php, levelOff(4)],
      yields: ["overrides"],
    },
  ])("counts: $when", ({ categories, yields }, { expect }) => {
    expect(differing(categories)).toEqual(yields);
  });

  it.for([
    {
      when: "got an action",
      others: [],
      second: { ...levelOn(2), action: "log" },
      shown: ["paranoia-level-2 on log"],
    },
    {
      when: "got an action behind another category",
      others: [php],
      second: { ...levelOn(2), action: "log" },
      shown: ["language-php off", "paranoia-level-2 on log"],
    },
    {
      when: "got a sensitivity",
      others: [],
      second: { ...levelOn(2), sensitivity_level: "low" },
      shown: ["paranoia-level-2 on low"],
    },
    {
      when: "is listed without a value",
      others: [],
      second: { category: "paranoia-level-2" },
      shown: ["paranoia-level-2"],
    },
  ])(
    "keeps the level and shows its category beside it where that $when",
    ({ others, second, shown }, { expect }) => {
      const rule = deployment("owasp", { tuning: { ...untuned, paranoiaLevel: 2 } });
      const categories = [levelOn(1), ...others, second, levelOff(3), levelOff(4)];
      const live = liveDeployment("r1", { ref: "zonewarden:owasp" }, { categories });
      const { changes } = plannedRules(declared([rule]), entrypoint(live));
      expect(changes[0]?.fields).toMatchObject([
        {
          field: "overrides.categories",
          before: shown,
          after: undefined,
        },
      ]);
    },
  );

  it("leaves the level open where one is on and the others are not listed", ({ expect }) => {
    const rule = deployment("owasp", { tuning: { ...untuned, paranoiaLevel: 4 } });
    const live = liveDeployment("r1", { ref: "zonewarden:owasp" }, { categories: [levelOn(1)] });
    const { changes } = plannedRules(declared([rule]), entrypoint(live));
    expect(changes[0]?.fields).toMatchObject([
      { field: "paranoia_level", before: undefined, after: 4 },
      { field: "overrides.categories", before: ["paranoia-level-1 on"], after: undefined },
    ]);
  });
});

describe("the score rule", () => {
  it("keeps a threshold that a rule override declares beside a tuned action", ({ expect }) => {
    const rule = deployment("owasp", {
      tuning: { ...untuned, action: "log" },
      overrides: { ...noOverrides, rules: [ruleOverride(score, { score_threshold: 60 })] },
    });
    expect(resolveOverrides(rule, score).rules).toEqual([
      ruleOverride(score, { action: "log", score_threshold: 60 }),
    ]);
  });

  it("differs where somebody changed its sensitivity", ({ expect }) => {
    const rule = deployment("owasp", { tuning: { ...untuned, scoreThreshold: 25 } });
    const rules = [{ id: score, score_threshold: 25, sensitivity_level: "low" }];
    const live = liveDeployment("r1", { ref: "zonewarden:owasp" }, { rules });
    const { changes } = plannedRules(declared([rule]), entrypoint(live));
    expect(changes[0]?.fields).toEqual([
      { field: "overrides.rules", before: [`${score} low`], after: undefined },
    ]);
  });

  it("must be read where one of several rules is tuned", ({ expect }) => {
    const tuned = deployment("owasp", { tuning: { ...untuned, scoreThreshold: 25 } });
    const desired = desiredZone({
      rules: { managed_rules: declared([exception("uploads"), tuned]) },
    });
    const live = liveZone({ entrypoints: { managed_rules: absent }, scoreRule: undefined });
    expect(() => plan(desired, live, owner)).toThrow("the score rule of the zone");
  });
});

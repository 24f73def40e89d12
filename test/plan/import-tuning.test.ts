import { describe, it } from "vitest";

import { importLiveZone, type ImportedZone } from "../../src/plan/import/import-zone.ts";
import { plan } from "../../src/plan/plan.ts";
import type { LiveRule, LiveZone } from "../../src/zone/live-zone.ts";
import { documentedScoreRuleId, managedRulesets } from "../../src/zone/managed-ruleset.ts";
import type { ExecuteRule } from "../../src/zone/resource.ts";
import {
  category,
  entrypoint,
  liveDeployment,
  liveRule,
  liveZone,
  owner,
  ruleOverride,
  untuned,
} from "../support/model.ts";
import { levelOff, levelOn } from "../support/wire-model.ts";

function declared(live: LiveZone): ImportedZone {
  return importLiveZone(live, owner, () => undefined);
}

function withRules(...rules: readonly LiveRule[]): LiveZone {
  return liveZone({ entrypoints: { managed_rules: entrypoint(...rules) } });
}

function executing({ content }: ImportedZone): readonly ExecuteRule[] {
  return (content.rules.managed_rules?.items ?? []).filter((rule) => rule.action === "execute");
}

const php = { category: "language-php", enabled: true };

describe("the tuning of OWASP, found again", () => {
  it.for([
    { name: "the usual recipe", categories: [levelOff(3), levelOff(4)], level: 2, left: 0 },
    {
      name: "every level spelled out",
      categories: [levelOn(1), levelOff(2), levelOff(3), levelOff(4)],
      level: 1,
      left: 0,
    },
    { name: "another category in front", categories: [php, levelOff(4)], level: 3, left: 1 },
    {
      name: "a category that beats the level",
      categories: [levelOff(4), php],
      level: undefined,
      left: 2,
    },
    { name: "a hole between the levels", categories: [levelOff(2)], level: undefined, left: 1 },
  ])("$name", ({ categories, level, left }, { expect }) => {
    const live = withRules(liveDeployment("r1", {}, { categories }));
    const declaration = declared(live);
    const { content } = declaration;
    const [rule] = executing(declaration);
    expect(rule?.tuning).toStrictEqual({ ...untuned, paranoiaLevel: level });
    expect(rule?.overrides.categories).toHaveLength(left);
    expect(plan({ zone: live.zone, content }, live, owner).changes).toEqual([]);
  });

  it("threshold and action go out of the overrides, what is beyond them stays", ({ expect }) => {
    const rules = [
      { id: documentedScoreRuleId, score_threshold: 25, action: "log" },
      { id: "b".repeat(32), enabled: false },
    ];
    const { content } = declared(withRules(liveDeployment("r1", {}, { rules })));
    expect(content.rules.managed_rules?.items).toMatchObject([
      {
        tuning: { scoreThreshold: 25, action: "log" },
        overrides: { rules: [ruleOverride("b".repeat(32), { enabled: false })] },
      },
    ]);
  });

  it("is left as overrides where the score rule was not read", ({ expect }) => {
    const rules = entrypoint(liveDeployment("r1", {}, { categories: [levelOff(4)] }));
    const { content } = declared(
      liveZone({ entrypoints: { managed_rules: rules }, scoreRule: undefined }),
    );
    expect(content.rules.managed_rules?.items).toMatchObject([
      {
        tuning: untuned,
        overrides: { categories: [category("paranoia-level-4", { enabled: false })] },
      },
    ]);
  });

  it("is the level alone where no file can express the action of the score rule", ({ expect }) => {
    const overrides = {
      categories: [levelOff(4)],
      rules: [{ id: documentedScoreRuleId, action: "teleport", score_threshold: 25 }],
    };
    const live = withRules(liveDeployment("r1", {}, overrides));
    const [rule] = executing(declared(live));
    expect(rule?.tuning).toStrictEqual({ ...untuned, paranoiaLevel: 3 });
    expect(rule?.overrides.rules).toMatchObject(overrides.rules);
  });

  it("is that of the score rule alone where a category beats the level", ({ expect }) => {
    const overrides = {
      categories: [levelOff(4), php],
      rules: [{ id: documentedScoreRuleId, action: "log", score_threshold: 25 }],
    };
    const live = withRules(liveDeployment("r1", {}, overrides));
    const [rule] = executing(declared(live));
    expect(rule?.tuning).toStrictEqual({ ...untuned, scoreThreshold: 25, action: "log" });
    expect(rule?.overrides.categories).toMatchObject(overrides.categories);
    expect(rule?.overrides.rules).toEqual([]);
  });

  it("is looked for in the OWASP ruleset only", ({ expect }) => {
    const parameters = { id: managedRulesets.cloudflare, overrides: { categories: [levelOff(4)] } };
    const other = liveRule("r1", { action: "execute", action_parameters: parameters });
    expect(declared(withRules(other)).content.rules.managed_rules?.items).toMatchObject([
      {
        tuning: untuned,
        overrides: { categories: [category("paranoia-level-4", { enabled: false })] },
      },
    ]);
  });

  it("an objection to one way leads to the next", ({ expect }) => {
    const live = withRules(liveDeployment("r1", {}, { categories: [levelOff(4)] }));
    const { content } = importLiveZone(live, owner, ({ rules }) => {
      const [rule] = rules.managed_rules?.items ?? [];
      const isTuned = rule?.action === "execute" && rule.tuning.paranoiaLevel !== undefined;
      return isTuned ? "not like this" : undefined;
    });
    expect(content.rules.managed_rules?.items).toMatchObject([
      { overrides: { categories: [category("paranoia-level-4", { enabled: false })] } },
    ]);
  });
});

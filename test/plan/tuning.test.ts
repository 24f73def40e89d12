import { describe, it } from "vitest";

import { resolveOverrides } from "../../src/plan/rules/owasp-tuning.ts";
import { documentedScoreRuleId } from "../../src/zone/managed-ruleset.ts";
import type { Overrides, OwaspTuning } from "../../src/zone/resource.ts";
import {
  absent,
  category,
  declared,
  deployment,
  entrypoint,
  liveDeployment,
  noOverrides,
  ruleOverride,
  untuned,
} from "../support/model.ts";
import { plannedRules } from "../support/planned.ts";
import { levelOff, levelOn, type Wire } from "../support/wire-model.ts";

const score = documentedScoreRuleId;
const on = (name: string) => ({ category: name, enabled: true });
const levelsOff = ["paranoia-level-3 off", "paranoia-level-4 off"];
const allLevels = [levelOn(1), levelOn(2), levelOff(3), levelOff(4)];

function differences(
  tuning: Partial<OwaspTuning>,
  overrides: Partial<Overrides>,
  live: Wire | undefined,
): readonly unknown[] {
  const rule = deployment("owasp", {
    tuning: { ...untuned, ...tuning },
    overrides: { ...noOverrides, ...overrides },
  });
  const { changes } = plannedRules(
    declared([rule]),
    entrypoint(liveDeployment("r1", { ref: "zonewarden:owasp" }, live)),
  );
  return changes.flatMap(({ fields }) =>
    fields.map(({ field, before, after }) => [field, before, after]),
  );
}

describe("the one complete overrides object", () => {
  it.for([
    { when: "nothing is tuned", tuning: {}, overrides: {}, yields: noOverrides },
    {
      when: "a level is declared: every level is stated",
      tuning: { paranoiaLevel: 2 },
      overrides: {},
      yields: {
        ...noOverrides,
        categories: [1, 2, 3, 4].map((n) => category(`paranoia-level-${n}`, { enabled: n <= 2 })),
      },
    },
    {
      when: "categories stand beside a level: they beat what is on, and nothing beats what is off",
      tuning: { paranoiaLevel: 1 },
      overrides: { categories: [category("language-php", { action: "log" })] },
      yields: {
        ...noOverrides,
        categories: [
          category("paranoia-level-1", { enabled: true }),
          category("language-php", { action: "log" }),
          ...[2, 3, 4].map((n) => category(`paranoia-level-${n}`, { enabled: false })),
        ],
      },
    },
    {
      when: "threshold and action are declared: both stand on the score rule",
      tuning: { scoreThreshold: 25, action: "managed_challenge" },
      overrides: { rules: [ruleOverride("zz", { enabled: false })] },
      yields: {
        ...noOverrides,
        rules: [
          ruleOverride(score, { score_threshold: 25, action: "managed_challenge" }),
          ruleOverride("zz", { enabled: false }),
        ],
      },
    },
    {
      when: "only the action is declared",
      tuning: { action: "log" },
      overrides: {},
      yields: { ...noOverrides, rules: [ruleOverride(score, { action: "log" })] },
    },
    {
      when: "the score rule is overridden as a rule too: the tuning completes it",
      tuning: { scoreThreshold: 25 },
      overrides: { rules: [ruleOverride(score, { action: "log", score_threshold: 60 })] },
      yields: {
        ...noOverrides,
        rules: [ruleOverride(score, { score_threshold: 25, action: "log" })],
      },
    },
    {
      when: "the score rule is overridden in all that the tuning does not express: that stays",
      tuning: { action: "block" },
      overrides: {
        rules: [
          ruleOverride(score, {
            enabled: true,
            action: "log",
            score_threshold: 60,
            sensitivity_level: "low",
          }),
          ruleOverride("zz", { sensitivity_level: "medium" }),
        ],
      },
      yields: {
        ...noOverrides,
        rules: [
          ruleOverride(score, {
            enabled: true,
            action: "block",
            score_threshold: 60,
            sensitivity_level: "low",
          }),
          ruleOverride("zz", { sensitivity_level: "medium" }),
        ],
      },
    },
  ] satisfies readonly {
    when: string;
    tuning: Partial<OwaspTuning>;
    overrides: Partial<Overrides>;
    yields: Overrides;
  }[])("when $when", ({ tuning, overrides, yields }, { expect }) => {
    const rule = deployment("owasp", {
      tuning: { ...untuned, ...tuning },
      overrides: { ...noOverrides, ...overrides },
    });
    expect(resolveOverrides(rule, score)).toEqual(yields);
  });

  it("is left out where nothing is overridden, since an empty one is held", ({ expect }) => {
    const { writes } = plannedRules(declared([deployment("owasp")]), absent);
    expect(JSON.stringify(writes)).not.toContain("overrides");
  });

  it("tunes the score rule of the ruleset that was read", ({ expect }) => {
    const tuned = deployment("owasp", { tuning: { ...untuned, scoreThreshold: 25 } });
    const scoreRule = { id: "s1", source: "account", version: "87" } as const;
    const { writes, notes } = plannedRules(declared([tuned]), absent, { scoreRule });
    expect(JSON.stringify(writes)).toContain('"rules":[{"id":"s1","score_threshold":25}]');
    expect(notes).toEqual([]);
  });

  it("says nothing of the score rule where nothing is tuned", ({ expect }) => {
    const scoreRule = { id: "s1", source: "documented", version: "" } as const;
    const { notes } = plannedRules(declared([deployment("owasp")]), absent, { scoreRule });
    expect(notes).toEqual([]);
  });

  it("is not planned where the score rule was not read", ({ expect }) => {
    const rule = deployment("owasp", { tuning: { ...untuned, scoreThreshold: 25 } });
    expect(() => plannedRules(declared([rule]), absent, { scoreRule: undefined })).toThrow(
      "planned without having read the score rule of the zone",
    );
  });
});

describe("differences of a tuning", () => {
  it.for([
    {
      when: "all levels are stated",
      declares: { paranoiaLevel: 2 },
      live: { categories: allLevels },
      yields: [],
    },
    {
      when: "only the levels above are switched off, as the usual recipe does",
      declares: { paranoiaLevel: 2 },
      live: { categories: [levelOff(3), levelOff(4)] },
      yields: [],
    },
    {
      when: "the levels are switched off in another order",
      declares: { paranoiaLevel: 2 },
      live: { categories: [levelOff(4), levelOff(3), levelOn(1)] },
      yields: [],
    },
    {
      when: "another level is live",
      declares: { paranoiaLevel: 3 },
      live: { categories: allLevels },
      yields: [["paranoia_level", 2, 3]],
    },
    {
      when: "no level is mentioned: the pages of the service disagree on what that means",
      declares: { paranoiaLevel: 4 },
      live: undefined,
      yields: [["paranoia_level", undefined, 4]],
    },
    {
      when: "a lower level is off under a higher one",
      declares: { paranoiaLevel: 2 },
      live: { categories: [levelOff(1), levelOff(3), levelOff(4)] },
      yields: [
        ["paranoia_level", undefined, 2],
        [
          "overrides.categories",
          ["paranoia-level-1 off", "paranoia-level-3 off", "paranoia-level-4 off"],
          undefined,
        ],
      ],
    },
    {
      when: "a category stands behind the levels that are off, and brings its rules back",
      declares: { paranoiaLevel: 2 },
      over: { categories: [category("language-php", { enabled: true })] },
      live: {
        categories: [levelOff(3), levelOff(4), { category: "language-php", enabled: true }],
      },
      yields: [
        [
          "overrides",
          ["paranoia-level-3 off", "paranoia-level-4 off", "language-php on"],
          [
            "paranoia-level-1 on",
            "paranoia-level-2 on",
            "language-php on",
            "paranoia-level-3 off",
            "paranoia-level-4 off",
          ],
        ],
      ],
    },
    {
      when: "the levels that are off stand between two categories",
      declares: { paranoiaLevel: 2 },
      over: { categories: [category("a", { enabled: true }), category("b", { enabled: true })] },
      live: { categories: [on("a"), levelOff(3), levelOff(4), on("b")] },
      yields: [
        [
          "overrides",
          ["a on", ...levelsOff, "b on"],
          ["paranoia-level-1 on", "paranoia-level-2 on", "a on", "b on", ...levelsOff],
        ],
      ],
    },
    {
      when: "threshold and action differ",
      declares: { scoreThreshold: 25, action: "block" },
      live: { rules: [{ id: score, score_threshold: 60, action: "log" }] },
      yields: [
        ["score_threshold", 60, 25],
        ["action", "log", "block"],
      ],
    },
    {
      when: "the score rule itself was switched off",
      declares: { scoreThreshold: 25 },
      live: { rules: [{ id: score, score_threshold: 25, enabled: false }] },
      yields: [["overrides.rules", [`${score} off`], undefined]],
    },
    {
      when: "rules and the whole ruleset are overridden",
      declares: {},
      over: { action: "log", rules: [ruleOverride("a", { action: "block" })] },
      live: {
        enabled: false,
        sensitivity_level: "low",
        rules: [{ id: "a", enabled: false, score_threshold: 3, sensitivity_level: "low" }],
      },
      yields: [
        ["overrides.enabled", false, undefined],
        ["overrides.action", undefined, "log"],
        ["overrides.sensitivity_level", "low", undefined],
        ["overrides.rules", ["a off threshold 3 low"], ["a block"]],
      ],
    },
  ] satisfies readonly {
    when: string;
    declares: Partial<OwaspTuning>;
    over?: Partial<Overrides>;
    live: Wire | undefined;
    yields: readonly unknown[];
  }[])("when $when", ({ declares, over = {}, live, yields }, { expect }) => {
    expect(differences(declares, over, live)).toEqual(yields);
  });

  it("are shown as tuning even where the file has none", ({ expect }) => {
    const { changes } = plannedRules(
      declared([deployment("owasp")]),
      entrypoint(
        liveDeployment(
          "r1",
          { ref: "zonewarden:owasp" },
          { rules: [{ id: score, score_threshold: 60, action: "log" }] },
        ),
      ),
      { scoreRule: undefined },
    );
    expect(changes[0]?.fields.map(({ field }) => field)).toEqual(["score_threshold", "action"]);
    expect(changes[0]?.effect.direction).toBe("strengthens");
  });
});

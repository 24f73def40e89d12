import * as fc from "fast-check";
import { describe, it } from "vitest";

import {
  effectiveRules,
  levelOf,
  noOverrides,
  rulesetImpact,
} from "../../src/impact/ruleset-impact.ts";
import { resolveOverrides } from "../../src/plan/rules/owasp-tuning.ts";
import {
  type CategoryOverride,
  type ExecuteRule,
  type Overrides,
  type RuleOverride,
  paranoiaLevels,
} from "../../src/zone/resource.ts";
import type { RulesetRule } from "../../src/zone/ruleset.ts";
import { cases } from "../support/properties.ts";

const scoreRuleId = "score";

function rule(id: string, ...categories: readonly string[]): RulesetRule {
  const facts = { ref: id, action: "score", expression: "", enabled: true, wire: {} };
  return { ...facts, id, description: `rule ${id}`, categories, scoreThreshold: undefined };
}

function category(name: string, changes: Partial<CategoryOverride>): CategoryOverride {
  const nothing = { enabled: undefined, action: undefined, sensitivity_level: undefined };
  return { category: name, ...nothing, ...changes };
}

function named(id: string, changes: Partial<RuleOverride>): RuleOverride {
  const nothing = { enabled: undefined, action: undefined, sensitivity_level: undefined };
  return { id, ...nothing, score_threshold: undefined, ...changes };
}

/** A declared rule that deploys OWASP. */
function deploys(tuning: Partial<ExecuteRule["tuning"]>, overrides: Overrides): ExecuteRule {
  return {
    key: "owasp",
    was: undefined,
    description: "",
    expression: "true",
    enabled: true,
    action: "execute",
    ruleset: "0".repeat(32),
    tuning: { paranoiaLevel: undefined, scoreThreshold: undefined, action: undefined, ...tuning },
    overrides,
  };
}

const owasp = [
  rule("sql-1", "attack-sqli", "paranoia-level-1"),
  rule("php-1", "language-php", "paranoia-level-1"),
  rule("sql-2", "attack-sqli", "paranoia-level-2"),
  rule("php-3", "language-php", "paranoia-level-3"),
  { ...rule(scoreRuleId, "attack-generic"), action: "block", scoreThreshold: 40 },
];

function at(
  tuning: Partial<ExecuteRule["tuning"]>,
  overrides: Partial<Overrides> = {},
): { readonly enabled: boolean; readonly overrides: Overrides } {
  const declared = deploys(tuning, { ...noOverrides, ...overrides });
  return { enabled: true, overrides: resolveOverrides(declared, scoreRuleId) };
}

function ids(rules: readonly RulesetRule[]): readonly string[] {
  return rules.map(({ id }) => id);
}

describe("a change of a deployment", () => {
  it.for([
    {
      when: "the level rises",
      before: at({ paranoiaLevel: 1 }),
      after: at({ paranoiaLevel: 2 }),
      on: ["sql-2"],
      off: [],
    },
    {
      when: "the level falls",
      before: at({ paranoiaLevel: 3 }),
      after: at({ paranoiaLevel: 1 }),
      on: [],
      off: ["sql-2", "php-3"],
    },
    {
      when: "the ruleset comes",
      before: undefined,
      after: at({ paranoiaLevel: 1 }),
      on: ["sql-1", "php-1", scoreRuleId],
      off: [],
    },
    {
      when: "it goes",
      before: at({ paranoiaLevel: 1 }),
      after: undefined,
      on: [],
      off: ["sql-1", "php-1", scoreRuleId],
    },
    {
      when: "it is disabled",
      before: at({ paranoiaLevel: 1 }),
      after: { ...at({ paranoiaLevel: 1 }), enabled: false },
      on: [],
      off: ["sql-1", "php-1", scoreRuleId],
    },
    {
      when: "a category goes off",
      before: at({ paranoiaLevel: 3 }),
      after: at(
        { paranoiaLevel: 3 },
        { categories: [category("language-php", { enabled: false })] },
      ),
      on: [],
      off: ["php-1", "php-3"],
    },
    {
      when: "one rule of a category stays",
      before: at({ paranoiaLevel: 3 }),
      after: at(
        { paranoiaLevel: 3 },
        {
          categories: [category("language-php", { enabled: false })],
          rules: [named("php-1", { enabled: true })],
        },
      ),
      on: [],
      off: ["php-3"],
    },
  ])("switches rules by id when $when", ({ before, after, on, off }, { expect }) => {
    const impact = rulesetImpact(owasp, before, after);
    expect({ on: ids(impact.switchedOn), off: ids(impact.switchedOff) }).toEqual({ on, off });
  });

  it("reports thresholds and actions", ({ expect }) => {
    const { retuned, switchedOn } = rulesetImpact(
      owasp,
      at({ paranoiaLevel: 1 }),
      at({ paranoiaLevel: 1, scoreThreshold: 25, action: "log" }),
    );
    expect(switchedOn).toEqual([]);
    expect(retuned).toMatchObject([
      {
        before: { rule: { id: scoreRuleId }, action: "block", scoreThreshold: 40 },
        after: { action: "log", scoreThreshold: 25 },
      },
    ]);
  });

  it.for([
    { what: "the action of the whole ruleset", overrides: { action: "log" }, action: "block" },
    {
      what: "that of its category",
      overrides: { categories: [category("attack-generic", { action: "log" })] },
      action: "log",
    },
    {
      what: "its own action",
      overrides: { rules: [named(scoreRuleId, { action: "log" })] },
      action: "log",
    },
  ])("gives the score rule the action $action with $what (SERVICE.md B.7)", (given, { expect }) => {
    const { overrides } = at({}, given.overrides);
    const score = effectiveRules(owasp, overrides).find(({ rule: { id } }) => id === scoreRuleId);
    expect(score?.action).toBe(given.action);
  });

  it("counts enabled rules", ({ expect }) => {
    expect(rulesetImpact(owasp, undefined, at({ paranoiaLevel: 2 }))).toMatchObject({
      on: 4,
      total: 5,
    });
    expect(owasp.map(levelOf)).toEqual([1, 1, 2, 3, undefined]);
  });
});

describe("advice on overrides", () => {
  const php = category("language-php", { enabled: true });

  it.for([
    {
      when: "a rule is not there",
      overrides: { rules: [named("gone", { enabled: false })] },
      says: ["the ruleset has no rule gone"],
    },
    {
      when: "a category is not there",
      overrides: { categories: [category("language-cobol", { enabled: false })] },
      says: ["no rule has the category language-cobol"],
    },
    {
      when: "a rule is off already",
      overrides: { rules: [named("sql-2", { enabled: false })] },
      says: ["the override of rule sql-2 (sql-2) changes nothing"],
    },
    {
      when: "a category is on already",
      overrides: { categories: [php] },
      says: ["the override of the category language-php changes nothing"],
    },
    {
      when: "a category gets an action where it is off in part",
      overrides: { categories: [{ ...php, action: "log" }] },
      says: [
        "the category language-php is switched on, but 1 of its 2 rules stay off: other overrides win",
      ],
    },
    {
      when: "a rule of a higher level is on",
      overrides: { rules: [named("php-3", { enabled: true })] },
      says: [
        "rule php-3 (php-3) is switched on, although its category or paranoia level is switched off",
      ],
    },
    {
      when: "a rule is tuned that is off",
      overrides: { rules: [named("php-3", { action: "log" })] },
      says: ["rule php-3 (php-3) is tuned, but it is off"],
    },
    { when: "all is well", overrides: { rules: [named("sql-1", { enabled: false })] }, says: [] },
  ])("is given when $when", ({ overrides, says }, { expect }) => {
    const after = at({ paranoiaLevel: 1 }, overrides);
    expect(rulesetImpact(owasp, undefined, after).advice).toEqual(says);
  });
});

const tags = ["attack-sqli", "attack-xss", "language-php", "language-java"];

const generatedRules = fc
  .uniqueArray(
    fc.record({
      id: fc.string({ minLength: 1 }),
      level: fc.constantFrom(undefined, ...paranoiaLevels),
      tags: fc.subarray(tags),
      enabled: fc.boolean(),
    }),
    { selector: ({ id }) => id, maxLength: 40 },
  )
  .map((parts) =>
    parts.map((part) => ({
      ...part,
      rule: {
        ...rule(
          part.id,
          ...part.tags,
          ...(part.level === undefined ? [] : [`paranoia-level-${part.level}`]),
        ),
        enabled: part.enabled,
      },
    })),
  );

const switches = fc.uniqueArray(
  fc
    .record({ tag: fc.constantFrom(...tags), enabled: fc.constantFrom(undefined, true, false) })
    .map(({ tag, enabled }) => category(tag, { action: "log", enabled })),
  { selector: (each) => each.category },
);

it("leaves on exactly the rules of a level and those below, without those switched off by name", ({
  expect,
}) => {
  const arbitrary = generatedRules.chain((rules) =>
    fc.record({
      rules: fc.constant(rules),
      off: fc.subarray(rules.map(({ id }) => id)),
      level: fc.constantFrom(...paranoiaLevels),
      threshold: fc.option(fc.integer({ min: 1, max: 100 }), { nil: undefined }),
      categories: switches,
    }),
  );
  fc.assert(
    fc.property(arbitrary, ({ rules, off, level, threshold, categories }) => {
      const overrides = { categories, rules: off.map((id) => named(id, { enabled: false })) };
      const tuning = { paranoiaLevel: level, scoreThreshold: threshold };
      const declared = deploys(tuning, { ...noOverrides, ...overrides });
      const all = rules.map((each) => each.rule);
      const on = effectiveRules(all, resolveOverrides(declared, "the score rule"));
      const expected = rules.filter((each) => {
        if (off.includes(each.id) || (each.level ?? 0) > level) return false;
        const said = categories.findLast(
          (one) => one.enabled !== undefined && each.tags.includes(one.category),
        );
        // A level says it of its rules whatever the ruleset says of them (SERVICE.md B.7).
        return said?.enabled ?? (each.level !== undefined || each.enabled);
      });
      const left = on.flatMap(({ enabled, rule: { id } }) => (enabled ? id : []));
      expect(left).toEqual(expected.map(({ id }) => id));
    }),
    cases(500),
  );
});

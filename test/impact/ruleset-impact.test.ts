import * as fc from "fast-check";
import { describe, it } from "vitest";

import {
  effectiveRules,
  levelOf,
  noOverrides,
  rulesetImpact,
} from "../../src/impact/ruleset-impact.ts";
import { type Overrides, paranoiaLevels } from "../../src/zone/resource.ts";
import type { RulesetRule } from "../../src/zone/ruleset.ts";
import { deployedWith, managedRule, owaspRules, scoreRuleId } from "../support/managed-rules.ts";
import { category, ruleOverride } from "../support/model.ts";
import { cases } from "../support/properties.ts";

function ids(rules: readonly RulesetRule[]): readonly string[] {
  return rules.map(({ id }) => id);
}

describe("a change of a deployment", () => {
  it.for([
    {
      when: "the level rises",
      before: deployedWith({ paranoiaLevel: 1 }),
      after: deployedWith({ paranoiaLevel: 2 }),
      on: ["sql-2"],
      off: [],
    },
    {
      when: "the level falls",
      before: deployedWith({ paranoiaLevel: 3 }),
      after: deployedWith({ paranoiaLevel: 1 }),
      on: [],
      off: ["sql-2", "php-3"],
    },
    {
      when: "the ruleset comes",
      before: undefined,
      after: deployedWith({ paranoiaLevel: 1 }),
      on: ["sql-1", "php-1", scoreRuleId],
      off: [],
    },
    {
      when: "it goes",
      before: deployedWith({ paranoiaLevel: 1 }),
      after: undefined,
      on: [],
      off: ["sql-1", "php-1", scoreRuleId],
    },
    {
      when: "it is disabled",
      before: deployedWith({ paranoiaLevel: 1 }),
      after: { ...deployedWith({ paranoiaLevel: 1 }), enabled: false },
      on: [],
      off: ["sql-1", "php-1", scoreRuleId],
    },
    {
      when: "a category goes off",
      before: deployedWith({ paranoiaLevel: 3 }),
      after: deployedWith(
        { paranoiaLevel: 3 },
        { categories: [category("language-php", { enabled: false })] },
      ),
      on: [],
      off: ["php-1", "php-3"],
    },
    {
      when: "one rule of a category stays",
      before: deployedWith({ paranoiaLevel: 3 }),
      after: deployedWith(
        { paranoiaLevel: 3 },
        {
          categories: [category("language-php", { enabled: false })],
          rules: [ruleOverride("php-1", { enabled: true })],
        },
      ),
      on: [],
      off: ["php-3"],
    },
  ])("switches rules by id when $when", ({ before, after, on, off }, { expect }) => {
    const impact = rulesetImpact(owaspRules, before, after);
    expect({ on: ids(impact.switchedOn), off: ids(impact.switchedOff) }).toEqual({ on, off });
    expect(impact.retuned).toEqual([]);
  });

  it("reports thresholds and actions", ({ expect }) => {
    const { retuned, switchedOn } = rulesetImpact(
      owaspRules,
      deployedWith({ paranoiaLevel: 1 }),
      deployedWith({ paranoiaLevel: 1, scoreThreshold: 25, action: "log" }),
    );
    expect(switchedOn).toEqual([]);
    expect(retuned).toMatchObject([
      {
        before: { rule: { id: scoreRuleId }, action: "block", scoreThreshold: 40 },
        after: { action: "log", scoreThreshold: 25 },
      },
    ]);
  });

  it("reports a threshold alone", ({ expect }) => {
    const [before, after] = [deployedWith({}), deployedWith({ scoreThreshold: 25 })];
    expect(rulesetImpact(owaspRules, before, after).retuned).toMatchObject([
      { before: { scoreThreshold: 40 }, after: { rule: { id: scoreRuleId }, scoreThreshold: 25 } },
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
      overrides: { rules: [ruleOverride(scoreRuleId, { action: "log" })] },
      action: "log",
    },
  ])("gives the score rule the action $action with $what (SERVICE.md B.7)", (given, { expect }) => {
    const { overrides } = deployedWith({}, given.overrides);
    const score = effectiveRules(owaspRules, overrides).find(
      ({ rule: { id } }) => id === scoreRuleId,
    );
    expect(score?.action).toBe(given.action);
  });

  it.for<{ what: string; overrides: Partial<Overrides>; id: string; becomes: object }>([
    {
      what: "the whole ruleset is switched off",
      overrides: { enabled: false },
      id: "sql-1",
      becomes: { enabled: false, action: "score" },
    },
    {
      what: "the whole ruleset gets an action",
      overrides: { action: "log" },
      id: "sql-1",
      becomes: { enabled: true, action: "log" },
    },
    {
      what: "its category says otherwise than the whole ruleset",
      overrides: {
        enabled: false,
        action: "log",
        categories: [category("attack-sqli", { enabled: true, action: "block" })],
      },
      id: "sql-1",
      becomes: { enabled: true, action: "block" },
    },
    {
      what: "it says otherwise than its category and the whole ruleset",
      overrides: {
        enabled: false,
        categories: [category("attack-sqli", { enabled: false, action: "block" })],
        rules: [ruleOverride("sql-1", { enabled: true, action: "log" })],
      },
      id: "sql-1",
      becomes: { enabled: true, action: "log" },
    },
    {
      what: "its category says nothing of one field",
      overrides: { enabled: false, categories: [category("attack-sqli", { action: "block" })] },
      id: "sql-1",
      becomes: { enabled: false, action: "block" },
    },
    {
      what: "another rule is overridden",
      overrides: { rules: [ruleOverride("sql-2", { enabled: false, action: "log" })] },
      id: "sql-1",
      becomes: { enabled: true, action: "score" },
    },
  ])("decides over a rule where $what (SERVICE.md B.5)", (given, { expect }) => {
    const all = effectiveRules(owaspRules, { ...noOverrides, ...given.overrides });
    expect(all.find(({ rule: { id } }) => id === given.id)).toMatchObject(given.becomes);
  });

  it("counts enabled rules", ({ expect }) => {
    expect(rulesetImpact(owaspRules, undefined, deployedWith({ paranoiaLevel: 2 }))).toMatchObject({
      on: 4,
      total: 5,
    });
    expect(owaspRules.map(levelOf)).toEqual([1, 1, 2, 3, undefined]);
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
        ...managedRule(
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
      const overrides = {
        categories,
        rules: off.map((id) => ruleOverride(id, { enabled: false })),
      };
      const tuning = { paranoiaLevel: level, scoreThreshold: threshold };
      const { overrides: resolved } = deployedWith(tuning, overrides);
      const all = rules.map((each) => each.rule);
      const on = effectiveRules(all, resolved);
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

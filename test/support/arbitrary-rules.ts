import * as fc from "fast-check";

import type { LiveEntrypoint, LiveRule } from "../../src/zone/live-zone.ts";
import { managedRulesets } from "../../src/zone/managed-ruleset.ts";
import type { Promotion } from "../../src/zone/promotion.ts";
import {
  paranoiaLevels,
  mitigateActions,
  type ExecuteRule,
  type Rule,
} from "../../src/zone/resource.ts";
import { otherOwner, someKey, someWords } from "./arbitrary-names.ts";
import { stepsTo } from "./arbitrary-promotions.ts";
import {
  absent,
  category,
  deployment,
  entrypoint,
  exception,
  liveRule,
  noOverrides,
  owner,
  ruleOverride,
  skipNothing,
} from "./model.ts";
import { paths } from "./protection.ts";
import type { Wire } from "./wire-model.ts";

const overrides = fc
  .record({
    enabled: fc.option(fc.boolean(), { nil: undefined }),
    categories: fc.uniqueArray(
      fc
        .tuple(
          fc.constantFrom("language-php", "language-java", "paranoia-level-3", "paranoia-level-4"),
          fc.boolean(),
        )
        .map(([name, enabled]) => category(name, { enabled })),
      { selector: (each) => each.category, maxLength: 3 },
    ),
    rules: fc.uniqueArray(
      fc
        .tuple(
          fc.constantFrom("04116d14d7524986ba314d11c8a41e11", "55b58c71f653446fa0942cf7700f8c8e"),
          fc.constantFrom("log", "block"),
        )
        .map(([id, action]) => ruleOverride(id, { action })),
      { selector: (each) => each.id },
    ),
  })
  .map((some) => ({
    ...noOverrides,
    ...some,
    rules: some.rules.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
  }));

const tuning = fc.record({
  paranoiaLevel: fc.option(fc.constantFrom(...paranoiaLevels), { nil: undefined }),
  scoreThreshold: fc.option(fc.constantFrom(25, 40, 60), { nil: undefined }),
  action: fc.option(fc.constantFrom(...mitigateActions), { nil: undefined }),
});

const pathExpression = fc.constantFrom(
  "true",
  ...paths.map((path) => `http.request.uri.path eq "${path}"`),
);

const declaredRule: fc.Arbitrary<Rule> = fc
  .record({
    key: someKey,
    was: fc.option(someKey, { nil: undefined, freq: 4 }),
    description: someWords,
    expression: pathExpression,
    enabled: fc.boolean(),
  })
  .chain(({ key: name, ...base }) =>
    fc.oneof(
      fc
        .record({
          tuning,
          overrides,
          ruleset: fc.constantFrom(managedRulesets.owasp, managedRulesets.cloudflare),
        })
        .map((more) => deployment(name, { ...base, ...withoutRepetition(more) }))
        .chain((rule) => promotionOf(rule).map((promotion): Rule => ({ ...rule, promotion }))),
      fc
        .record({
          logging: fc.boolean(),
          skip: fc.constantFrom(
            { ...skipNothing, ruleset: true },
            { ...skipNothing, rulesets: [managedRulesets.owasp] },
            { ...skipNothing, phase: true, products: ["waf"] },
          ),
        })
        .map((more): Rule => exception(name, { ...base, ...more })),
    ),
  );

/** The steps of one key of the tuning of a rule that is enabled. */
function promotionOf({ enabled, tuning: tuned }: ExecuteRule): fc.Arbitrary<Promotion | undefined> {
  if (!enabled) return fc.constant(undefined);
  return fc.oneof(
    stepsTo("action", tuned.action),
    stepsTo("paranoia_level", tuned.paranoiaLevel),
    stepsTo("score_threshold", tuned.scoreThreshold),
  );
}

/** A file that declares a level may not override a level's category as well. */
function withoutRepetition<T extends Pick<ExecuteRule, "tuning" | "overrides">>(rule: T): T {
  if (rule.tuning.paranoiaLevel === undefined) return rule;
  const categories = rule.overrides.categories.filter((each) => each.category.startsWith("lang"));
  return { ...rule, overrides: { ...rule.overrides, categories } };
}

const liveRef = fc.oneof(
  fc.constant(""),
  someKey.map((name) => `${owner}:${name}`),
  someKey.map((name) => `${otherOwner}:${name}`),
);

const liveOverrides = fc.constantFrom<Wire>(
  {},
  { overrides: { categories: [{ category: "paranoia-level-4", enabled: false }] } },
  {
    overrides: {
      enabled: false,
      future: 1,
      rules: [{ id: "04116d14d7524986ba314d11c8a41e11", action: "log" }],
    },
  },
);

const freeLiveRule: fc.Arbitrary<Wire> = fc
  .record({
    ref: liveRef,
    expression: pathExpression,
    enabled: fc.boolean(),
    description: someWords,
    future: fc.constantFrom(1, "x"),
  })
  .chain((base) =>
    fc.oneof(
      fc
        .record({
          id: fc.constantFrom(managedRulesets.owasp, managedRulesets.cloudflare),
          more: liveOverrides,
        })
        .map(({ id, more }): Wire => ({
          ...base,
          action: "execute",
          action_parameters: { id, version: "latest", ...more },
        })),
      fc.constant<Wire>({
        ...base,
        action: "skip",
        action_parameters: { ruleset: "current" },
        logging: { enabled: true },
      }),
      fc
        .constantFrom("block", "log", "teleport")
        .map((action): Wire => ({ ...base, action, action_parameters: { to: ["mars"] } })),
    ),
  );

const liveRules: fc.Arbitrary<readonly LiveRule[]> = fc
  .array(freeLiveRule, { maxLength: 6 })
  .map((wires) => {
    const rules = wires.map((wire, index) =>
      liveRule(`f${index}`, {
        ...wire,
        ref: wire["ref"] === "" ? `f${index}` : (wire["ref"] ?? ""),
      }),
    );
    return uniqueBy(
      uniqueBy(rules, ({ ref }) => ref),
      deployedBy,
    );
  });

/** An entry point with rules of all sorts, an empty one, or none. */
export const liveEntrypoint: fc.Arbitrary<LiveEntrypoint> = fc.oneof(
  { weight: 1, arbitrary: fc.constant(absent) },
  { weight: 7, arbitrary: liveRules.map((rules) => entrypoint(...rules)) },
);

/** Declared rules; each managed ruleset is deployed once at the most. */
export const declaredRules: fc.Arbitrary<readonly Rule[]> = fc
  .uniqueArray(declaredRule, { selector: (each) => each.key })
  .map((rules) => uniqueBy(rules, (rule) => (rule.action === "execute" ? rule.ruleset : rule)));

function deployedBy(rule: LiveRule): unknown {
  return rule.action.type === "execute" ? rule.action.ruleset : rule;
}

function uniqueBy<T>(list: readonly T[], nameOf: (each: T) => unknown): readonly T[] {
  return [...new Map(list.toReversed().map((each) => [nameOf(each), each])).values()].toReversed();
}

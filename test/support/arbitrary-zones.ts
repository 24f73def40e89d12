import fc from "fast-check";

import { plan } from "../../src/plan/plan.ts";
import { canonicalCsp } from "../../src/syntax/csp.ts";
import { unmanagedModes, type Declared, type DesiredZone } from "../../src/zone/desired.ts";
import type { LiveEntrypoint, LivePolicy, LiveRule, LiveZone } from "../../src/zone/live.ts";
import { managedRulesets } from "../../src/zone/managed-ruleset.ts";
import { marked } from "../../src/zone/mark.ts";
import {
  paranoiaLevels,
  policyActions,
  scoreActions,
  settingNames,
  type Policy,
  type Rule,
} from "../../src/zone/resource.ts";
import {
  absent,
  category,
  deployment,
  desiredZone,
  entrypoint,
  exception,
  liveRule,
  liveZone,
  noOverrides,
  owner,
  ruleOverride,
  skipNothing,
} from "./model.ts";
import { hostExpressions, paths, sources } from "./protection.ts";
import { statesOf } from "./service-model.ts";
import type { Wire } from "./wire-model.ts";

/** What is declared and what is live for one zone. */
export interface Pair {
  readonly desired: DesiredZone;
  readonly live: LiveZone;
}

const keys = ["a", "b", "c", "d"] as const;
const key = fc.constantFrom(...keys);
const words = fc.constantFrom("", "Words", "Twin", "Checkout", "Theirs [team-b:a]", "[zonewarden]");
const otherOwner = "team-b";

const cspValue = fc
  .dictionary(
    fc.constantFrom("script-src", "img-src", "default-src"),
    fc.subarray(sources.slice(0, 3)),
    { minKeys: 1, noNullPrototype: true },
  )
  .map((lists) =>
    canonicalCsp(
      Object.entries(lists)
        .map(([name, list]) => [name, ...(list.length === 0 ? ["'none'"] : list)].join(" "))
        .join(";"),
    ),
  );

const terms = {
  expression: fc.constantFrom(...hostExpressions.keys()),
  enabled: fc.boolean(),
  value: cspValue,
};

const declaredPolicy: fc.Arbitrary<Policy> = fc.record({
  key,
  was: fc.option(key, { nil: undefined, freq: 4 }),
  description: words,
  action: fc.constantFrom(...policyActions),
  ...terms,
});

const liveWords: fc.Arbitrary<string> = fc.oneof(
  words,
  fc.tuple(words, key).map(([text, name]) => marked(text, owner, name)),
  fc.tuple(words, key).map(([text, name]) => marked(text, otherOwner, name)),
);

const freeLivePolicy: fc.Arbitrary<LivePolicy> = fc.record({
  id: fc.constant(""),
  description: liveWords,
  action: fc.constantFrom(...policyActions, "block", ""),
  ...terms,
  rest: fc.constantFrom<Wire>({}, { future: [1] }),
});

function livePolicies(policies: readonly Policy[]): fc.Arbitrary<readonly LivePolicy[]> {
  const carried = policies.map((policy) =>
    fc
      .tuple(freeLivePolicy, fc.subarray(["action", "expression", "enabled", "value"]))
      .map(([free, differs]): LivePolicy => ({
        ...free,
        description: marked(policy.description, owner, policy.key),
        action: differs.includes("action") ? free.action : policy.action,
        expression: differs.includes("expression") ? free.expression : policy.expression,
        enabled: differs.includes("enabled") ? free.enabled : policy.enabled,
        value: differs.includes("value") ? free.value : policy.value,
      })),
  );
  return fc
    .array(fc.oneof(freeLivePolicy, ...carried), { maxLength: 6 })
    .map((list) => list.map((each, index) => ({ ...each, id: `p${index}` })));
}

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
        .tuple(fc.constantFrom("r-one", "r-two"), fc.constantFrom("log", "block"))
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
  action: fc.option(fc.constantFrom(...scoreActions), { nil: undefined }),
});

const pathExpression = fc.constantFrom(
  "true",
  ...paths.map((path) => `http.request.uri.path eq "${path}"`),
);

const declaredRule: fc.Arbitrary<Rule> = fc
  .record({
    key,
    was: fc.option(key, { nil: undefined, freq: 4 }),
    description: words,
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
        .map((more): Rule => deployment(name, { ...base, ...more })),
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

const liveRef = fc.oneof(
  fc.constant(""),
  key.map((name) => `${owner}:${name}`),
  key.map((name) => `${otherOwner}:${name}`),
);

const liveOverrides = fc.constantFrom<Wire>(
  {},
  { overrides: { categories: [{ category: "paranoia-level-4", enabled: false }] } },
  { overrides: { enabled: false, future: 1, rules: [{ id: "r-one", action: "log" }] } },
);

const freeLiveRule: fc.Arbitrary<Wire> = fc
  .record({
    ref: liveRef,
    expression: pathExpression,
    enabled: fc.boolean(),
    description: words,
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

const liveEntrypoint: fc.Arbitrary<LiveEntrypoint> = fc.oneof(
  { weight: 1, arbitrary: fc.constant(absent) },
  { weight: 7, arbitrary: liveRules.map((rules) => entrypoint(...rules)) },
);

/** Pairs as unlike as the service and the files allow. */
const unlikePairs: fc.Arbitrary<Pair> = fc
  .record({
    settings: fc.uniqueArray(
      fc.record({ name: fc.constantFrom(...settingNames), value: fc.boolean() }),
      { selector: ({ name }) => name },
    ),
    policies: declaredList(fc.uniqueArray(declaredPolicy, { selector: (each) => each.key })),
    rules: declaredList(
      fc
        .uniqueArray(declaredRule, { selector: (each) => each.key })
        .map((rules) =>
          uniqueBy(rules, (rule) => (rule.action === "execute" ? rule.ruleset : rule)),
        ),
    ),
  })
  .chain((content) =>
    fc
      .record({
        settings: fc.record({
          enabled: fc.boolean(),
          use_cloudflare_reporting_endpoint: fc.boolean(),
          use_connection_url_path: fc.boolean(),
        }),
        policies: livePolicies(content.policies?.items ?? []),
        entrypoint: liveEntrypoint,
      })
      .map((live) => ({ desired: desiredZone(content), live: liveZone(live) })),
  );

/** Pairs in which what was declared is live, and then a little of the declaration changed. */
const nearPairs: fc.Arbitrary<Pair> = fc
  .tuple(unlikePairs, fc.infiniteStream(fc.nat(9)))
  .map(([{ desired, live }, dice]) => {
    const { writes, obstacles } = plan(desired, live, owner);
    const after = obstacles.length > 0 ? live : (statesOf(live, writes).at(-1) ?? live);
    return { desired: edited(desired, dice), live: after };
  });

/** Pairs of a declared and a live zone. */
export const pairs: fc.Arbitrary<Pair> = fc.oneof(unlikePairs, nearPairs);

/** A declaration of which each item was dropped, switched or moved with a chance of one in ten each. */
function edited({ zone, content }: DesiredZone, dice: Iterator<number>): DesiredZone {
  const { policies, rules } = content;
  const edit = <T extends Policy | Rule>(items: readonly T[]): readonly T[] =>
    items.reduce<readonly T[]>((list, item) => {
      const roll: unknown = dice.next().value;
      if (roll === 0) return list;
      if (roll === 1) return [{ ...item, enabled: !item.enabled }, ...list];
      if (roll === 2) return [item, ...list];
      return [...list, item];
    }, []);
  return {
    zone,
    content: {
      ...content,
      policies: policies && { ...policies, items: edit(policies.items) },
      rules: rules && { ...rules, items: edit(rules.items) },
    },
  };
}

function declaredList<T>(items: fc.Arbitrary<readonly T[]>): fc.Arbitrary<Declared<T> | undefined> {
  return fc.option(fc.record({ items, unmanaged: fc.constantFrom(...unmanagedModes) }), {
    nil: undefined,
    freq: 8,
  });
}

function deployedBy(rule: LiveRule): unknown {
  return rule.does.action === "execute" ? rule.does.ruleset : rule;
}

function uniqueBy<T>(list: readonly T[], nameOf: (each: T) => unknown): readonly T[] {
  return [...new Map(list.toReversed().map((each) => [nameOf(each), each])).values()].toReversed();
}

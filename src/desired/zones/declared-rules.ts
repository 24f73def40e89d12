import { byText } from "../../syntax/by-text.ts";
import {
  certainlyImplies,
  certaintyOf,
  selectsNothing,
} from "../../syntax/expression/certainty/certainty.ts";
import { canonicalExpression } from "../../syntax/expression/expression.ts";
import { didYouMean } from "../../syntax/nearest.ts";
import type { Declared } from "../../zone/desired-zone.ts";
import {
  documentedScoreRuleId,
  namedThresholds,
  owaspRulesetId,
  rulesetIdOf,
} from "../../zone/managed-ruleset.ts";
import type { ExecuteRule, OwaspTuning, Overrides, Rule } from "../../zone/resource.ts";
import { contradiction, type Converted, missing, type UnplacedDiagnostic } from "../diagnostics.ts";
import type { Merged } from "../json-schema.ts";
import type { Path } from "../location.ts";
import { declaredList, selectsNoRequest } from "./declared-list.ts";
import { covers, skipRuleOf, skipsEveryRequest, skipsWithoutEffect } from "./skip-rule.ts";
import type { YamlManagedRule, YamlManagedRules, YamlOverrides } from "./zone-file.ts";
import { ruleList } from "./zone-lists.ts";

type ManagedRule = Merged<YamlManagedRule>;
type OverridesInFile = Merged<YamlOverrides>;

/** The rules of a zone in order; no value if they are not declared. */
export function rulesOf({
  rules,
  unmanaged,
}: Merged<YamlManagedRules>): Converted<Declared<Rule> | undefined> {
  const ordered = rules && inOrder(rules);
  return declaredList(ruleList, ordered, unmanaged, ruleOf, (items) => [
    ...unknownNeighbours(rules ?? []),
    ...deployedTwice(items),
    ...skipsWithoutEffect(items),
    ...shadowedSkips(items),
  ]);
}

function ruleOf(rule: ManagedRule, path: Path): Converted<Rule | undefined> {
  const base = {
    key: rule.key,
    was: rule.was,
    description: rule.description?.trim() ?? "",
    expression: canonicalExpression(rule.expression ?? "true"),
    enabled: rule.enabled ?? true,
    position: undefined,
  };
  const inner = rule.skip ? skipRuleOf(rule, base, path) : executeRuleOf(rule, base, path);
  const diagnostics = [
    ...inner.diagnostics,
    ...(base.enabled ? certainExpression(rule, base.expression, path) : []),
    ...deployOrSkip(rule, path),
  ];
  return { value: inner.value, diagnostics };
}

/** An exception for every request, or a deployment for none. */
function certainExpression(
  rule: ManagedRule,
  expression: string,
  path: Path,
): readonly UnplacedDiagnostic[] {
  if (rule.skip) return certaintyOf(expression) === "always" ? skipsEveryRequest(rule, path) : [];
  return selectsNothing(expression) ? selectsNoRequest("rule", rule, path) : [];
}

/** Exceptions that an earlier one makes needless: it skips as much, for all of their requests. */
function shadowedSkips(items: readonly Rule[]): readonly UnplacedDiagnostic[] {
  const skips = items.filter((rule) => rule.action === "skip" && rule.enabled);
  return skips.slice(0, maxCompared).flatMap((later, index) => {
    const earlier = skips
      .slice(0, index)
      .find((each) => covers(each, later) && certainlyImplies(later.expression, each.expression));
    if (earlier === undefined) return [];
    return [
      {
        code: "SHADOWED_EXCEPTION" as const,
        path: [...ruleList, later.key],
        message: `"${earlier.key}" before it already skips what "${later.key}" skips`,
        remedy: `delete "${later.key}"`,
      },
    ];
  });
}

/** More exceptions of one zone are not compared: it would take too long. */
const maxCompared = 100;

/** A rule does one of the two. */
function deployOrSkip(rule: ManagedRule, path: Path): readonly UnplacedDiagnostic[] {
  if (rule.skip && rule.deploy) {
    const message = `the rule "${rule.key}" has both "deploy" and "skip"`;
    return [contradiction([...path, "skip"], message, "split it into two rules")];
  }
  if (rule.skip || rule.deploy) return [];
  const remedy = "add `deploy: owasp` (or another managed ruleset), or `skip:` for an exception";
  return [missing(path, `what the rule "${rule.key}" does`, remedy)];
}

/** The service rejects a second deployment (SERVICE.md B.5: code 20014). */
function deployedTwice(items: readonly Rule[]): readonly UnplacedDiagnostic[] {
  const first = new Map<string, string>();
  return items.flatMap((rule) => {
    if (rule.action !== "execute") return [];
    const other = first.get(rule.ruleset);
    first.set(rule.ruleset, other ?? rule.key);
    if (other === undefined) return [];
    return [
      {
        code: "RULESET_TWICE" as const,
        path: [...ruleList, rule.key, "deploy"],
        message: `"${rule.key}" deploys the managed ruleset that "${other}" deploys`,
        remedy: "keep one of the two; an exception is a `skip:` rule before it",
      },
    ];
  });
}

/**
 * Moves rules by their `before` and `after`; all others keep the order of the list. Rules before
 * (or after) the same rule keep their order among themselves.
 */
function inOrder(rules: readonly ManagedRule[]): readonly ManagedRule[] {
  const ordered = [...rules];
  for (const rule of rules.filter(({ before }) => before)) move(ordered, rule, rule.before, 0);
  // Each moves directly behind its neighbour, so the last one goes first.
  for (const rule of rules.toReversed().filter(({ after }) => after)) {
    move(ordered, rule, rule.after, 1);
  }
  return ordered;
}

function move(
  ordered: ManagedRule[],
  rule: ManagedRule,
  neighbour: string | undefined,
  behind: 0 | 1,
): void {
  if (neighbour === rule.key || !ordered.some(({ key }) => key === neighbour)) return;
  ordered.splice(ordered.indexOf(rule), 1);
  ordered.splice(ordered.findIndex(({ key }) => key === neighbour) + behind, 0, rule);
}

function unknownNeighbours(rules: readonly ManagedRule[]): readonly UnplacedDiagnostic[] {
  return rules.flatMap((rule) => {
    const others = rules.map(({ key }) => key).filter((key) => key !== rule.key);
    return (["before", "after"] as const).flatMap((side) => {
      const neighbour = rule[side];
      if (!neighbour || others.includes(neighbour)) return [];
      const known =
        others.length === 0 ? "there is no other rule" : `known here: ${others.join(", ")}`;
      return [
        {
          code: "UNKNOWN_ORDER" as const,
          path: [...ruleList, rule.key, side],
          message: `"${rule.key}" cannot be ${side} "${neighbour}": the zone has no other rule with that key`,
          remedy: didYouMean(neighbour, others) || known,
        },
      ];
    });
  });
}

/** A rule that deploys a managed ruleset; no value if it does not name one. */
function executeRuleOf(
  rule: ManagedRule,
  base: Omit<ExecuteRule, "action" | "ruleset" | "tuning" | "overrides">,
  path: Path,
): Converted<ExecuteRule | undefined> {
  if (!rule.deploy) return { value: undefined, diagnostics: [] };
  const ruleset = rulesetIdOf(rule.deploy) ?? rule.deploy;
  const diagnostics = [
    ...(ruleset === owaspRulesetId ? tunedTwice(rule, path) : notOwasp(rule, path)),
    ...emptyOverrides(rule.overrides ?? {}, [...path, "overrides"]),
    ...(rule.logging === undefined
      ? []
      : [contradiction([...path, "logging"], '"logging" is for exceptions', "delete it")]),
  ];
  const tuning = tuningOf(rule);
  const overrides = overridesOf(rule.overrides ?? {});
  return { value: { ...base, action: "execute", ruleset, tuning, overrides }, diagnostics };
}

function tuningOf({
  paranoia_level: paranoiaLevel,
  score_threshold: threshold,
  action,
}: ManagedRule): OwaspTuning {
  const scoreThreshold = typeof threshold === "string" ? namedThresholds[threshold] : threshold;
  return { paranoiaLevel, scoreThreshold, action };
}

function overridesOf({ categories = [], rules = [], ...whole }: OverridesInFile): Overrides {
  return {
    ...overrideOf(whole),
    categories: categories.map((each) => ({ category: each.category, ...overrideOf(each) })),
    rules: rules
      .map(({ id, score_threshold, ...each }) => ({ id, score_threshold, ...overrideOf(each) }))
      .toSorted(byText(({ id }) => id)),
  };
}

function overrideOf({
  enabled,
  action,
  sensitivity_level,
}: OverridesInFile): Omit<Overrides, "categories" | "rules"> {
  return { enabled, action, sensitivity_level };
}

const tuningFields = ["paranoia_level", "score_threshold", "action"] as const;

function notOwasp(rule: ManagedRule, path: Path): readonly UnplacedDiagnostic[] {
  const own = tuningFields
    .filter((name) => rule[name] !== undefined)
    .map((name) => [...path, name]);
  const inner = (rule.overrides?.rules ?? [])
    .filter(({ score_threshold: threshold }) => threshold !== undefined)
    .map(({ id }) => [...path, "overrides", "rules", id, "score_threshold"]);
  return [...own, ...inner].map((field) => ({
    code: "NOT_OWASP" as const,
    path: field,
    atKey: true,
    message: `"${field.at(-1)}" tunes the OWASP core ruleset, but "${rule.key}" deploys ${rule.deploy}`,
    remedy:
      "delete it, or move it to the rule with `deploy: owasp`; use `overrides` for other rulesets",
  }));
}

/** An override of what the tuning sets: one of the two would be lost. */
function tunedTwice(
  { paranoia_level: level, score_threshold: threshold, action, overrides = {} }: ManagedRule,
  path: Path,
): readonly UnplacedDiagnostic[] {
  const hasScore = threshold !== undefined || action !== undefined;
  const twice = (kind: string, key: string, message: string): UnplacedDiagnostic =>
    contradiction([...path, "overrides", kind, key], message, "keep one of the two");
  return [
    ...(overrides.categories ?? [])
      .filter(({ category }) => level !== undefined && category.startsWith("paranoia-level-"))
      .map(({ category: tag }) => twice("categories", tag, `"${tag}" is set by "paranoia_level"`)),
    ...(overrides.rules ?? [])
      .filter(({ id }) => hasScore && id === documentedScoreRuleId)
      .map(({ id }) => twice("rules", id, scoreRuleSet)),
  ];
}

const scoreRuleSet = 'this is the score rule, which is set by "score_threshold" and "action"';

/** The service rejects overrides without effect (SERVICE.md B.5). */
function emptyOverrides(
  { categories = [], rules = [] }: OverridesInFile,
  path: Path,
): readonly UnplacedDiagnostic[] {
  return [
    ...categories.filter(isEmpty).map(({ category }) => [...path, "categories", category]),
    ...rules.filter(isEmpty).map(({ id }) => [...path, "rules", id]),
  ].map((item) => missing(item, "what this overrides", "add `enabled` or `action`, or delete it"));
}

/** Every item has at least its category or id. */
function isEmpty(item: object): boolean {
  return Object.keys(item).length < 2;
}

import { byText } from "../../syntax/by-text.ts";
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
import {
  contradiction,
  type Converted,
  formerKeyConflicts,
  markInDescription,
  missing,
  type UnplacedDiagnostic,
} from "../diagnostics.ts";
import type { Path } from "../location.ts";
import { skipRuleOf, skipsWithoutEffect } from "./skip-rule.ts";
import type { ManagedRule, ManagedRules, Overrides as OverridesInFile } from "./zone-file.ts";

const list: Path = ["managed_rules", "rules"];

/** The rules of a zone in order, from merged values; no value if they are not declared. */
export function rulesOf(merged: NonNullable<ManagedRules>): Converted<Declared<Rule> | undefined> {
  if (merged.rules === undefined || merged.rules === null) {
    return { value: undefined, diagnostics: [] };
  }
  const converted = inOrder(merged.rules).map((rule) => ruleOf(rule, [...list, rule.key]));
  const items = converted.flatMap(({ value }) => value ?? []);
  return {
    value: { items, unmanaged: merged.unmanaged ?? "report" },
    diagnostics: [
      ...unknownNeighbours(merged.rules),
      ...converted.flatMap(({ diagnostics }) => diagnostics),
      ...formerKeyConflicts(items, list),
      ...deployedTwice(items),
      ...skipsWithoutEffect(items, list),
    ],
  };
}

function ruleOf(rule: ManagedRule, path: Path): Converted<Rule | undefined> {
  const base = {
    key: rule.key,
    was: rule.was ?? undefined,
    description: rule.description?.trim() ?? "",
    expression: canonicalExpression(rule.expression ?? "true"),
    enabled: rule.enabled ?? true,
  };
  const inner = rule.skip ? skipRuleOf(rule, base, path) : executeRuleOf(rule, base, path);
  const diagnostics = [...markInDescription(rule.description, path), ...inner.diagnostics];
  if (rule.skip && rule.deploy) {
    const message = `the rule "${rule.key}" has both "deploy" and "skip"`;
    diagnostics.push(contradiction([...path, "skip"], message, "split it into two rules"));
  } else if (!rule.skip && !rule.deploy) {
    const remedy = "add `deploy: owasp` (or another managed ruleset), or `skip:` for an exception";
    diagnostics.push(missing(path, `what the rule "${rule.key}" does`, remedy));
  }
  return { value: inner.value, diagnostics };
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
        path: [...list, rule.key, "deploy"],
        message: `"${rule.key}" deploys the managed ruleset that "${other}" deploys`,
        remedy: "keep one of the two; an exception is a `skip:` rule before it",
      },
    ];
  });
}

/**
 * Moves rules by their `before` and `after`; all others keep the order of the list. Rules before (or after) the same
 * rule keep their order among themselves.
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
  neighbour: string | null | undefined,
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
          path: [...list, rule.key, side],
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

function tuningOf(rule: ManagedRule): OwaspTuning {
  const threshold = rule.score_threshold ?? undefined;
  return {
    paranoiaLevel: rule.paranoia_level ?? undefined,
    scoreThreshold: typeof threshold === "string" ? namedThresholds[threshold] : threshold,
    action: rule.action ?? undefined,
  };
}

function overridesOf(overrides: NonNullable<OverridesInFile>): Overrides {
  return {
    ...overrideOf(overrides),
    categories: (overrides.categories ?? []).map(({ category, ...override }) => ({
      category,
      ...overrideOf(override),
    })),
    rules: (overrides.rules ?? [])
      .map(({ id, enabled, action, score_threshold, sensitivity_level }) => ({
        id,
        enabled: enabled ?? undefined,
        action: action ?? undefined,
        score_threshold: score_threshold ?? undefined,
        sensitivity_level: sensitivity_level ?? undefined,
      }))
      .toSorted(byText(({ id }) => id)),
  };
}

function overrideOf({
  enabled,
  action,
  sensitivity_level,
}: Pick<NonNullable<OverridesInFile>, "enabled" | "action" | "sensitivity_level">): Pick<
  Overrides,
  "enabled" | "action" | "sensitivity_level"
> {
  return {
    enabled: enabled ?? undefined,
    action: action ?? undefined,
    sensitivity_level: sensitivity_level ?? undefined,
  };
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
function tunedTwice(rule: ManagedRule, path: Path): readonly UnplacedDiagnostic[] {
  const hasScore = rule.score_threshold !== undefined || rule.action !== undefined;
  const categories = (rule.overrides?.categories ?? []).filter(
    ({ category }) => rule.paranoia_level !== undefined && category.startsWith("paranoia-level-"),
  );
  const rules = (rule.overrides?.rules ?? []).filter(
    ({ id }) => hasScore && id === documentedScoreRuleId,
  );
  return [
    ...categories.map(({ category }) =>
      contradiction(
        [...path, "overrides", "categories", category],
        `"${category}" is set by "paranoia_level"`,
        "keep one of the two",
      ),
    ),
    ...rules.map(({ id }) =>
      contradiction(
        [...path, "overrides", "rules", id],
        'this is the score rule, which is set by "score_threshold" and "action"',
        "keep one of the two",
      ),
    ),
  ];
}

/** The service rejects overrides without effect (SERVICE.md B.5). */
function emptyOverrides(
  overrides: NonNullable<OverridesInFile>,
  path: Path,
): readonly UnplacedDiagnostic[] {
  const categories = (overrides.categories ?? []).filter((item) => Object.keys(item).length < 2);
  const rules = (overrides.rules ?? []).filter((item) => Object.keys(item).length < 2);
  return [
    ...categories.map(({ category }) => [...path, "categories", category]),
    ...rules.map(({ id }) => [...path, "rules", id]),
  ].map((item) => missing(item, "what this overrides", "add `enabled` or `action`, or delete it"));
}

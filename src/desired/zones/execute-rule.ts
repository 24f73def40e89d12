import { byText } from "../../syntax/by-text.ts";
import {
  documentedScoreRuleId,
  namedThresholds,
  owaspRulesetId,
  rulesetIdOf,
} from "../../zone/managed-ruleset.ts";
import type {
  CategoryOverride,
  ExecuteRule,
  Overrides,
  OwaspTuning,
  RuleOverride,
} from "../../zone/resource.ts";
import {
  type Converted,
  type DeclarationDiagnostic,
  contradiction,
  missing,
} from "../complaint.ts";
import type { MergedPath } from "./layer.ts";
import type {
  CategoryOverride as CategoryInFile,
  ManagedRule,
  Overrides as OverridesInFile,
  RuleOverride as RuleInFile,
} from "./zone-file.ts";

/** A rule that deploys a managed ruleset; no value where it does not say which. */
export function executeOf(
  rule: ManagedRule,
  base: Omit<ExecuteRule, "action" | "ruleset" | "tuning" | "overrides">,
  path: MergedPath,
): Converted<ExecuteRule> {
  if (!rule.deploy) return { value: undefined, complaints: [] };
  const ruleset = rulesetId(rule.deploy);
  const complaints = [
    ...(ruleset === owaspRulesetId ? tunedTwice(rule, path) : notOwasp(rule, path)),
    ...emptyOverrides(rule.overrides ?? {}, [...path, "overrides"]),
    ...(rule.logging === undefined
      ? []
      : [contradiction([...path, "logging"], '"logging" is for exceptions', "delete it")]),
  ];
  const tuning = tuningOf(rule);
  const overrides = overridesOf(rule.overrides ?? {});
  return { value: { ...base, action: "execute", ruleset, tuning, overrides }, complaints };
}

/** Id of a managed ruleset that a file names, or gives the id of. */
export function rulesetId(name: string): string {
  return rulesetIdOf(name) ?? name;
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
    enabled: overrides.enabled ?? undefined,
    action: overrides.action ?? undefined,
    sensitivity_level: overrides.sensitivity_level ?? undefined,
    categories: (overrides.categories ?? []).map(categoryOf),
    rules: (overrides.rules ?? []).map(ruleOverrideOf).toSorted(byText(({ id }) => id)),
  };
}

function categoryOf(item: CategoryInFile): CategoryOverride {
  return {
    category: item.category,
    enabled: item.enabled ?? undefined,
    action: item.action ?? undefined,
    sensitivity_level: item.sensitivity_level ?? undefined,
  };
}

function ruleOverrideOf(item: RuleInFile): RuleOverride {
  return {
    id: item.id,
    enabled: item.enabled ?? undefined,
    action: item.action ?? undefined,
    score_threshold: item.score_threshold ?? undefined,
    sensitivity_level: item.sensitivity_level ?? undefined,
  };
}

const tuningFields = ["paranoia_level", "score_threshold", "action"] as const;

function notOwasp(rule: ManagedRule, path: MergedPath): readonly DeclarationDiagnostic[] {
  const own = tuningFields
    .filter((name) => rule[name] !== undefined)
    .map((name) => [...path, name]);
  const inner = (rule.overrides?.rules ?? [])
    .filter(({ score_threshold: threshold }) => threshold !== undefined)
    .map(({ id }) => [...path, "overrides", "rules", id, "score_threshold"]);
  return [...own, ...inner].map((place) => ({
    code: "NOT_OWASP" as const,
    path: place,
    message: `"${place.at(-1)}" tunes the OWASP core ruleset, but "${rule.key}" deploys ${rule.deploy}`,
    remedy:
      "delete it, or put it to the rule with `deploy: owasp`; other rulesets take `overrides`",
  }));
}

/** What tuning sets cannot be overridden as well: one of the two would be lost. */
function tunedTwice(rule: ManagedRule, path: MergedPath): readonly DeclarationDiagnostic[] {
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
        `"${category}" is what "paranoia_level" sets`,
        "keep one of the two",
      ),
    ),
    ...rules.map(({ id }) =>
      contradiction(
        [...path, "overrides", "rules", id],
        'this is the score rule, which "score_threshold" and "action" set',
        "keep one of the two",
      ),
    ),
  ];
}

/** The service wants each override to override something (SERVICE.md B.5). */
function emptyOverrides(
  overrides: NonNullable<OverridesInFile>,
  path: MergedPath,
): readonly DeclarationDiagnostic[] {
  const categories = (overrides.categories ?? []).filter((item) => Object.keys(item).length < 2);
  const rules = (overrides.rules ?? []).filter((item) => Object.keys(item).length < 2);
  return [
    ...categories.map(({ category }) => [...path, "categories", category]),
    ...rules.map(({ id }) => [...path, "rules", id]),
  ].map((place) =>
    missing(place, "what this overrides", "add `enabled` or `action`, or delete it"),
  );
}

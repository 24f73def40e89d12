import { byText } from "../../syntax/by-text.ts";
import { twins } from "../../syntax/twins.ts";
import {
  documentedScoreRuleId,
  namedThresholds,
  owaspRulesetId,
  rulesetIdOf,
} from "../../zone/managed-ruleset.ts";
import type { Promotion } from "../../zone/promotion.ts";
import {
  type ExecuteRule,
  mitigateActions,
  type OwaspTuning,
  type Overrides,
  paranoiaLevels,
  type Rule,
  type RuleBase,
} from "../../zone/resource.ts";
import { contradiction, type Converted, missing, type UnplacedDiagnostic } from "../diagnostics.ts";
import type { Path } from "../location.ts";
import { promotionOf, ruleSteps, stepValueOf } from "./declared-promotion.ts";
import type { Merged, RuleInFile } from "./merged-values.ts";
import { skipRuleOf } from "./skip-rule.ts";
import type { YamlManagedPromotion, YamlOverrides } from "./zone-file.ts";

type ManagedRule = RuleInFile["managed_rules"];
type OverridesInFile = Merged<YamlOverrides>;

/** A rule of the managed phase: a deployment or an exception; no value if it is neither. */
export function managedRuleOf(
  rule: ManagedRule,
  base: RuleBase,
  path: Path,
): Converted<Rule | undefined> {
  const { value, diagnostics } = rule.skip
    ? exceptionOf(rule, base, path)
    : executeRuleOf(rule, base, path);
  return { value, diagnostics: [...diagnostics, ...deployOrSkip(rule, path)] };
}

function exceptionOf(rule: ManagedRule, base: RuleBase, path: Path): Converted<Rule> {
  const { skip = {}, logging } = rule;
  const exception = skipRuleOf({ ...skip, logging }, rule.promote, base, path);
  const diagnostics = (["paranoia_level", "score_threshold", "action", "overrides"] as const)
    .filter((name) => rule[name] !== undefined)
    .map((name) =>
      contradiction([...path, name], `"${name}" is for rules that deploy`, "delete it here"),
    );
  return { ...exception, diagnostics: [...diagnostics, ...exception.diagnostics] };
}

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
export function deployedTwice(items: readonly Rule[], list: Path): readonly UnplacedDiagnostic[] {
  const deploying = items.filter((rule) => rule.action === "execute");
  return twins(deploying, ({ ruleset }) => ruleset).map(([{ key }, { key: other }]) => ({
    code: "RULESET_TWICE",
    path: [...list, key, "deploy"],
    message: `"${key}" deploys the managed ruleset that "${other}" deploys`,
    remedy: "keep one of the two; an exception is a `skip:` rule before it",
  }));
}

/** A rule that deploys a managed ruleset; no value if it does not name one. */
function executeRuleOf(
  rule: ManagedRule,
  base: RuleBase,
  path: Path,
): Converted<ExecuteRule | undefined> {
  if (!rule.deploy) return { value: undefined, diagnostics: [] };
  const ruleset = rulesetIdOf(rule.deploy) ?? rule.deploy;
  const promotion = tuningPromotionOf(rule, base, path);
  const diagnostics = [
    ...(ruleset === owaspRulesetId
      ? [...tunedTwice(rule, path), ...promotion.diagnostics]
      : notOwasp(rule, path)),
    ...emptyOverrides(rule.overrides ?? {}, [...path, "overrides"]),
    ...(rule.logging === undefined
      ? []
      : [contradiction([...path, "logging"], '"logging" is for exceptions', "delete it")]),
  ];
  const tuning = tuningOf(rule);
  const overrides = overridesOf(rule.overrides ?? {});
  return {
    value: { ...base, action: "execute", ruleset, tuning, overrides, promotion: promotion.value },
    diagnostics,
  };
}

function tuningOf({
  paranoia_level: paranoiaLevel,
  score_threshold: threshold,
  action,
  promote,
}: ManagedRule): OwaspTuning {
  const scoreThreshold = typeof threshold === "string" ? namedThresholds[threshold] : threshold;
  const tuning = { paranoiaLevel, scoreThreshold, action };
  return promote === undefined ? tuning : withEnd(tuning, promote);
}

/** The tuning with the end of its steps in place of a value that it does not have. */
function withEnd(
  tuning: OwaspTuning,
  { field = "action", to }: Merged<YamlManagedPromotion>,
): OwaspTuning {
  const { paranoiaLevel, scoreThreshold, action } = tuning;
  const end = stepValueOf(to);
  switch (field) {
    case "action":
      return { ...tuning, action: action ?? mitigateActions.find((each) => each === end) };
    case "paranoia_level": {
      const level = paranoiaLevels.find((each) => each === end);
      return { ...tuning, paranoiaLevel: paranoiaLevel ?? level };
    }
    case "score_threshold": {
      const threshold = typeof end === "number" ? end : undefined;
      return { ...tuning, scoreThreshold: scoreThreshold ?? threshold };
    }
  }
}

/** The steps of one key of the tuning. */
function tuningPromotionOf(
  rule: ManagedRule,
  { key, enabled }: RuleBase,
  path: Path,
): Converted<Promotion | undefined> {
  const { promote } = rule;
  const field = promote?.field ?? "action";
  const tuning = tuningOf(rule);
  const value = {
    action: tuning.action,
    paranoia_level: tuning.paranoiaLevel,
    score_threshold: tuning.scoreThreshold,
  }[field];
  const found = promotionOf(promote, field, ruleSteps[field], { key, enabled, value }, path);
  if (promote === undefined || value !== undefined) return found;
  const message = `"${field}" of the rule "${key}"`;
  const lacks = missing([...path, "promote"], message, `write \`${field}\`, where the steps end`);
  return { ...found, diagnostics: [...found.diagnostics, lacks] };
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

const tuningFields = ["paranoia_level", "score_threshold", "action", "promote"] as const;

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

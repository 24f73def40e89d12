import { isDeepStrictEqual } from "node:util";

import type { Json } from "../syntax/json.ts";
import type { LiveRuleAction, ScoreRule } from "../zone/live.ts";
import type {
  CategoryOverride,
  Overrides,
  RuleOverride,
  SkipParameters,
} from "../zone/resource.ts";
import type { FieldChange } from "./change.ts";
import type { Fields } from "./field-changes.ts";
import { differingFields } from "./field-changes.ts";
import { tuningOf } from "./overrides.ts";

/** What can be compared of a rule, live or declared. */
interface Comparable {
  readonly description: string;
  readonly expression: string;
  readonly enabled: boolean;
  readonly does: LiveRuleAction;
}

/** The fields of a rule that differ, in the words in which a file tunes it. */
export function differingRuleFields(
  before: Comparable | undefined,
  after: Comparable | undefined,
  scoreRule: ScoreRule | undefined,
): readonly FieldChange[] {
  const fields = differingFields(
    before === undefined ? {} : fieldsOf(before, scoreRule),
    after === undefined ? {} : fieldsOf(after, scoreRule),
  );
  const sameTuning = [before, after].every((side) => side?.does.action === "execute");
  if (fields.length > 0 || !sameTuning || isDeepStrictEqual(before?.does, after?.does)) {
    return fields;
  }
  // Two spellings of one level: what is stated differs, what is on does not.
  return [
    { field: "overrides", before: overridesOf(before?.does), after: overridesOf(after?.does) },
  ];
}

function fieldsOf(
  { description, expression, enabled, does }: Comparable,
  scoreRule: ScoreRule | undefined,
): Fields {
  return { ...actionFields(does, scoreRule), expression, enabled, description };
}

function actionFields(does: LiveRuleAction, scoreRule: ScoreRule | undefined): Fields {
  switch (does.action) {
    case "execute":
      return { deploy: does.ruleset, ...overrideFields(does.overrides, scoreRule) };
    case "skip":
      return { ...skipFields(does.skip), logging: does.logging };
    case "other":
      return { does: does.name };
  }
}

function overrideFields(overrides: Overrides, scoreRule: ScoreRule | undefined): Fields {
  const { paranoiaLevel, scoreThreshold, action, categories, rules } = tuningOf(
    overrides,
    scoreRule?.id,
  );
  return {
    paranoia_level: paranoiaLevel,
    score_threshold: scoreThreshold,
    action,
    "overrides.enabled": overrides.enabled,
    "overrides.action": overrides.action,
    "overrides.sensitivity_level": overrides.sensitivity_level,
    "overrides.categories": categories.length === 0 ? undefined : categories.map(categoryText),
    "overrides.rules": rules.length === 0 ? undefined : rules.map(ruleText),
  };
}

function overridesOf(does: LiveRuleAction | undefined): Json {
  if (does?.action !== "execute") return null;
  return [...does.overrides.categories.map(categoryText), ...does.overrides.rules.map(ruleText)];
}

function categoryText({ category, enabled, action, sensitivity_level }: CategoryOverride): string {
  return [category, onOff(enabled), action, sensitivity_level].filter(isSaid).join(" ");
}

function ruleText({
  id,
  enabled,
  action,
  score_threshold,
  sensitivity_level,
}: RuleOverride): string {
  const threshold = score_threshold === undefined ? undefined : `threshold ${score_threshold}`;
  return [id, onOff(enabled), action, threshold, sensitivity_level].filter(isSaid).join(" ");
}

function onOff(enabled: boolean | undefined): string | undefined {
  return enabled === undefined ? undefined : enabled ? "on" : "off";
}

function isSaid(text: string | undefined): text is string {
  return text !== undefined;
}

function skipFields(skip: SkipParameters): Fields {
  return {
    "skip.ruleset": skip.ruleset ? "current" : undefined,
    "skip.phase": skip.phase ? "current" : undefined,
    "skip.rulesets": ifAny(skip.rulesets),
    "skip.rules": Object.keys(skip.rules).length === 0 ? undefined : skip.rules,
    "skip.phases": ifAny(skip.phases),
    "skip.products": ifAny(skip.products),
  };
}

function ifAny(list: readonly string[]): readonly string[] | undefined {
  return list.length === 0 ? undefined : list;
}

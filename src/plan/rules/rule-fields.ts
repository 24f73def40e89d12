import { isDeepStrictEqual } from "node:util";

import type { LiveRuleAction } from "../../zone/live-zone.ts";
import { rulesetNameOf } from "../../zone/managed-ruleset.ts";
import type {
  CategoryOverride,
  Overrides,
  RuleOverride,
  SkipParameters,
} from "../../zone/resource.ts";
import { type FieldChange, type Fields, differingFields } from "../change.ts";
import { canonicalLevels, tuningOf } from "./owasp-tuning.ts";
import { skipFields, wireSkip } from "./rule-body.ts";

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
  scoreRuleId: string,
): readonly FieldChange[] {
  const fields = differingFields(
    before === undefined ? {} : fieldsOf(before, scoreRuleId),
    after === undefined ? {} : fieldsOf(after, scoreRuleId),
  );
  return [...fields, ...differingOrder(before?.does, after?.does, scoreRuleId)];
}

/** Overrides that say the same in words, in another order: the last one listed counts (SERVICE.md B.5). */
function differingOrder(
  before: LiveRuleAction | undefined,
  after: LiveRuleAction | undefined,
  scoreRuleId: string,
): readonly FieldChange[] {
  if (before?.action !== "execute" || after?.action !== "execute") return [];
  const [was, is] = [canonicalLevels(before.overrides), canonicalLevels(after.overrides)];
  const inWords = [was, is].map((side) => fieldsOfOverrides(side, scoreRuleId));
  if (isDeepStrictEqual(was, is) || !isDeepStrictEqual(inWords[0], inWords[1])) return [];
  return [{ field: "overrides", before: overridesText(was), after: overridesText(is) }];
}

function fieldsOf(
  { description, expression, enabled, does }: Comparable,
  scoreRuleId: string,
): Fields {
  return { ...fieldsOfAction(does, scoreRuleId), expression, enabled, description };
}

function fieldsOfAction(does: LiveRuleAction, scoreRuleId: string): Fields {
  switch (does.action) {
    case "execute":
      return {
        deploy: rulesetNameOf(does.ruleset) ?? does.ruleset,
        ...fieldsOfOverrides(does.overrides, scoreRuleId),
      };
    case "skip":
      return { ...fieldsOfSkip(does.skip), logging: does.logging };
    case "other":
      return { does: does.name };
  }
}

function fieldsOfOverrides(overrides: Overrides, scoreRuleId: string): Fields {
  const { paranoiaLevel, scoreThreshold, action, categories, rules } = tuningOf(
    overrides,
    scoreRuleId,
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

function overridesText({ categories, rules }: Overrides): readonly string[] {
  return [...categories.map(categoryText), ...rules.map(ruleText)];
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

function fieldsOfSkip(skip: SkipParameters): Fields {
  const wire = wireSkip(skip);
  return Object.fromEntries([...skipFields].map((name) => [`skip.${name}`, wire[name]]));
}

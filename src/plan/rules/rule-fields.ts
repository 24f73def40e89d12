import { isDeepStrictEqual } from "node:util";

import type { RuleAction, RuleState } from "../../zone/live-zone.ts";
import { rulesetNameOf } from "../../zone/managed-ruleset.ts";
import type {
  CategoryOverride,
  CustomRuleset,
  Overrides,
  RuleOverride,
} from "../../zone/resource.ts";
import { type FieldChange, type Fields, differingFields } from "../change.ts";
import { canonicalLevels, type Tuning, tuningOf } from "./owasp-tuning.ts";
import { rateLimitFields, responseFields, skipBody, skipFields } from "./rule-body.ts";

/** A live or target rule in the form in which the two are compared. */
export interface ComparableRule extends Omit<RuleState, "action"> {
  readonly action: Exclude<RuleAction, { readonly type: "execute" }> | ExecuteAction;
}

/** A deployment with canonical overrides, which `tuning` expresses as a file would. */
interface ExecuteAction {
  readonly type: "execute";
  readonly ruleset: string;
  readonly overrides: Overrides;
  readonly tuning: Tuning;
}

/** Brings a live or target rule into comparable form. */
export function comparable(rule: RuleState, scoreRuleId: string): ComparableRule {
  const { description, expression, enabled, action, ratelimit } = rule;
  const base = { description, expression, enabled, ratelimit };
  if (action.type !== "execute") return { ...base, action };
  const overrides = canonicalLevels(action.overrides);
  return {
    ...base,
    action: { ...action, overrides, tuning: tuningOf(overrides, scoreRuleId) },
  };
}

/** The fields of a rule that differ, named as in a file. */
export function differingRuleFields(
  before: ComparableRule | undefined,
  after: ComparableRule | undefined,
): readonly FieldChange[] {
  const fields = differingFields(
    before === undefined ? {} : fieldsOf(before),
    after === undefined ? {} : fieldsOf(after),
  );
  return [...fields, ...differingOrder(before?.action, after?.action)];
}

/** Overrides with equal fields in another order: the last one listed wins (SERVICE.md B.5). */
function differingOrder(
  before: ComparableRule["action"] | undefined,
  after: ComparableRule["action"] | undefined,
): readonly FieldChange[] {
  if (before?.type !== "execute" || after?.type !== "execute") return [];
  const haveEqualFields = isDeepStrictEqual(fieldsOfOverrides(before), fieldsOfOverrides(after));
  if (!haveEqualFields || isDeepStrictEqual(before.overrides, after.overrides)) return [];
  return [{ field: "overrides", before: overridesText(before), after: overridesText(after) }];
}

/** All values of a rule, and the order of its overrides if there are any. */
export function ruleFields(rule: ComparableRule): Fields {
  const order = rule.action.type === "execute" ? overridesText(rule.action) : [];
  return { ...fieldsOf(rule), overrides: order.length === 0 ? undefined : order };
}

/** All values of a custom ruleset, beside its rules. */
export function rulesetFields({ description, expression, enabled }: CustomRuleset): Fields {
  return { expression, enabled, description };
}

function fieldsOf(rule: ComparableRule): Fields {
  const { description, expression, enabled, action, ratelimit } = rule;
  const limits =
    ratelimit === undefined ? {} : membersOf("ratelimit", rateLimitFields, { ...ratelimit });
  return { ...fieldsOfAction(action), ...limits, expression, enabled, description };
}

/** Members by the names under which they are shown. */
function membersOf(name: string, members: ReadonlySet<string>, of: Fields): Fields {
  return Object.fromEntries([...members].map((member) => [`${name}.${member}`, of[member]]));
}

function fieldsOfAction(action: ComparableRule["action"]): Fields {
  switch (action.type) {
    case "execute":
      return {
        deploy: rulesetNameOf(action.ruleset) ?? action.ruleset,
        ...fieldsOfOverrides(action),
      };
    case "skip":
      return { ...membersOf("skip", skipFields, skipBody(action.skip)), logging: action.logging };
    case "mitigate": {
      const { name, response } = action;
      const members =
        response === undefined ? {} : membersOf("response", responseFields, { ...response });
      return { action: name, ...members };
    }
    case "other":
      return { action: action.name };
  }
}

function fieldsOfOverrides({ overrides, tuning }: ExecuteAction): Fields {
  const { paranoiaLevel, scoreThreshold, action, categories, rules } = tuning;
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

function overridesText({ overrides }: ExecuteAction): readonly string[] {
  return [...overrides.categories.map(categoryText), ...overrides.rules.map(ruleText)];
}

function categoryText({ category, enabled, action, sensitivity_level }: CategoryOverride): string {
  return [category, onOff(enabled), action, sensitivity_level].filter(isDefined).join(" ");
}

function ruleText(override: RuleOverride): string {
  const { id, enabled, action, score_threshold, sensitivity_level } = override;
  const threshold = score_threshold === undefined ? undefined : `threshold ${score_threshold}`;
  return [id, onOff(enabled), action, threshold, sensitivity_level].filter(isDefined).join(" ");
}

function onOff(enabled: boolean | undefined): string | undefined {
  return enabled === undefined ? undefined : enabled ? "on" : "off";
}

function isDefined(text: string | undefined): text is string {
  return text !== undefined;
}

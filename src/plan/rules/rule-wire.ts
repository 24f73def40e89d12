import type { Json, JsonObject } from "../../syntax/json.ts";
import type { LiveRuleAction } from "../../zone/live-zone.ts";
import type {
  CategoryOverride,
  Overrides,
  RuleOverride,
  SkipParameters,
} from "../../zone/resource.ts";

/** Fields that the service counts and dates by itself: they say nothing of what a rule does. */
export const countedFields: ReadonlySet<string> = new Set(["version", "last_updated"]);

/** Fields of a rule that only the service writes (the schema's `readOnly`). */
export const serverMadeFields: ReadonlySet<string> = new Set([...countedFields, "categories"]);

/** Fields of a rule that we read, whatever it does. */
export const ruleFields: ReadonlySet<string> = new Set([
  "id",
  "ref",
  "description",
  "expression",
  "enabled",
  "action",
  "action_parameters",
]);

/** Fields of overrides and of their elements that we read and write (SERVICE.md B.5). */
export const overrideFields: ReadonlySet<string> = namesOf<
  keyof Overrides | keyof CategoryOverride | keyof RuleOverride
>({
  id: true,
  category: true,
  enabled: true,
  action: true,
  score_threshold: true,
  sensitivity_level: true,
  categories: true,
  rules: true,
});

/** What an exception can skip (SERVICE.md B.4), in the order in which it is told. */
export const skipFields: ReadonlySet<string> = namesOf<keyof SkipParameters>({
  ruleset: true,
  phase: true,
  rulesets: true,
  rules: true,
  phases: true,
  products: true,
});

/** The fields of `action_parameters` that we read and write, for each thing that a rule does. */
export const parameterFields: Readonly<Record<LiveRuleAction["action"], ReadonlySet<string>>> = {
  execute: new Set(["id", "version", "overrides"]),
  skip: skipFields,
  other: new Set(),
};

/** What an exception skips, as the service reads it: what is empty is left out. */
export function wireSkip(skip: SkipParameters): JsonObject {
  return {
    ...(skip.ruleset ? { ruleset: "current" } : {}),
    ...(skip.phase ? { phase: "current" } : {}),
    ...ifAny("rulesets", skip.rulesets),
    ...(Object.keys(skip.rules).length > 0 ? { rules: skip.rules } : {}),
    ...ifAny("phases", skip.phases),
    ...ifAny("products", skip.products),
  };
}

/** A list under its name; nothing where it is empty. */
export function ifAny(name: string, list: readonly Json[]): JsonObject {
  return list.length > 0 ? { [name]: list } : {};
}

/** The names of a type, as a record: the compiler lets none be missing. */
function namesOf<Name extends string>(names: Readonly<Record<Name, true>>): ReadonlySet<string> {
  return new Set(Object.keys(names));
}

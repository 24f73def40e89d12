import {
  type Json,
  type JsonObject,
  coerceObject,
  isJsonObject,
  coerceObjects,
} from "../../syntax/json.ts";
import type { LiveRule, LiveRuleAction } from "../../zone/live-zone.ts";
import type {
  Overrides,
  SkipParameters,
  CategoryOverride,
  RuleOverride,
} from "../../zone/resource.ts";

/** What a rule shall be, in terms in which it can be compared with a live one. */
export interface RuleForm {
  readonly description: string;
  readonly expression: string;
  readonly enabled: boolean;
  readonly does: Exclude<LiveRuleAction, { readonly action: "other" }>;
}

/** A live rule as a PUT of the list sends it back: by its id and ref it stays the same rule (SERVICE.md B.4). */
export function keptRule({ wire }: LiveRule): JsonObject {
  return Object.fromEntries(Object.entries(wire).filter(([name]) => !serverMadeFields.has(name)));
}

/**
 * The complete body of a rule. A PATCH replaces (SERVICE.md B.4), so whatever else the live rule carries
 * is repeated, in the rule and in its action's parameters. An adopted rule keeps its ref: with ours it would be
 * another one, and lose its id.
 */
export function ruleBody(form: RuleForm, live: LiveRule | undefined, ref: string): JsonObject {
  const kept = live === undefined ? { ref } : keptRule(live);
  const wasSameAction = live?.does.action === form.does.action;
  const parameters = wasSameAction ? kept["action_parameters"] : undefined;
  const body: Record<string, Json> = {
    ...kept,
    description: form.description,
    expression: form.expression,
    enabled: form.enabled,
    action: form.does.action,
    action_parameters: parametersOf(form, coerceObject(parameters)),
  };
  if (form.does.action === "skip") body["logging"] = { enabled: form.does.logging };
  else delete body["logging"];
  return body;
}

function parametersOf({ does }: RuleForm, live: JsonObject): JsonObject {
  switch (does.action) {
    case "execute":
      return executeParameters(does.ruleset, does.overrides, live);
    case "skip":
      return skipParameters(does.skip, live);
  }
}

function executeParameters(ruleset: string, overrides: Overrides, live: JsonObject): JsonObject {
  const { overrides: before, ...kept } = live;
  const wire = wireOverrides(overrides, before);
  return {
    ...kept,
    id: ruleset,
    // No other value is accepted (SERVICE.md B.5).
    version: "latest",
    ...(wire === undefined ? {} : { overrides: wire }),
  };
}

function skipParameters(skip: SkipParameters, live: JsonObject): JsonObject {
  const kept = Object.entries(live).filter(([name]) => !skipFields.has(name));
  return { ...Object.fromEntries(kept), ...wireSkip(skip) };
}

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

/**
 * Overrides as the service reads them; `undefined` where nothing is overridden, since an empty object is refused
 * (SERVICE.md B.5). What the live ones carry that we do not know is kept, in them and in each element that stays.
 */
export function wireOverrides(
  overrides: Overrides,
  live: Json | undefined,
): JsonObject | undefined {
  const { categories, rules, ...whole } = overrides;
  const kept = coerceObject(live);
  const wire = {
    ...unknownIn(kept),
    ...defined(whole),
    ...ifAny("categories", withUnknown(categories, kept["categories"], "category")),
    ...ifAny("rules", withUnknown(rules, kept["rules"], "id")),
  };
  return Object.keys(wire).length > 0 ? wire : undefined;
}

/** Names of the fields in live overrides, and in their elements, that we do not know. */
export function unknownInOverrides(live: Json | undefined): readonly string[] {
  if (!isJsonObject(live)) return [];
  const inElements = (["categories", "rules"] as const).flatMap((list) =>
    coerceObjects(live[list]).flatMap((each) =>
      Object.keys(unknownIn(each)).map((name) => `${list}[].${name}`),
    ),
  );
  return [...new Set([...Object.keys(unknownIn(live)), ...inElements])];
}

type Part = Readonly<Record<string, string | number | boolean | undefined>>;

function withUnknown(
  parts: readonly object[],
  live: Json | undefined,
  name: "category" | "id",
): readonly JsonObject[] {
  const lives = coerceObjects(live);
  return parts.map((part) => {
    const wire = defined({ ...part });
    return { ...unknownIn(lives.find((each) => each[name] === wire[name]) ?? {}), ...wire };
  });
}

function unknownIn(live: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(live).filter(([name]) => !overrideFields.has(name)));
}

/** Leaves out what is `undefined`, as JSON does. */
function defined(part: Part): JsonObject {
  const wire: Record<string, string | number | boolean> = {};
  for (const [name, value] of Object.entries(part)) {
    if (value !== undefined) wire[name] = value;
  }
  return wire;
}

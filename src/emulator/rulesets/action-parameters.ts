import { wireCodes } from "../../api/wire.ts";
import type { JsonObject } from "../../syntax/json.ts";
import type { FieldReader } from "../http/fields.ts";
import { managedRulesets, scoreRuleId } from "./managed.ts";
import { isDdosPhase, phases, ruleActions, scoreActions } from "./phases.ts";

/** Where a rule is to stand: what it may do depends on it. */
export interface RulePlace {
  readonly level: "zone" | "account";
  readonly kind: string;
  readonly phase: string;
  /** Plan of the zone, "" for an account. */
  readonly plan: string;
  /** Custom rulesets of the account, which its root rulesets may execute. */
  readonly customRulesets: readonly string[];
}

const sensitivityLevels = ["default", "medium", "low", "eoff"];

/** What an `execute` rule is stored with: strict, complete, without empty lists (SERVICE.md B.5). */
export function executeParameters(fields: FieldReader, place: RulePlace): JsonObject {
  fields.only(["id", "version", "overrides", "matched_data"]);
  const id = fields.required("id", fields.text("id"));
  checkTarget(fields, id, place);
  const version = fields.text("version") ?? "latest";
  if (version !== "latest") {
    throw fields.mistake("version", `'${version}' is not a valid value for version: only 'latest'`);
  }
  const overrides = overridesIn(fields.object("overrides"), place);
  return {
    id,
    version,
    ...(overrides === undefined ? {} : { overrides }),
    ...matchedData(fields.object("matched_data")),
  };
}

function checkTarget(fields: FieldReader, id: string, place: RulePlace): void {
  const target = managedRulesets.get(id);
  const isCustom = place.level === "account" && place.customRulesets.includes(id);
  if (isCustom) return;
  if (target === undefined || target.phase !== place.phase) {
    throw fields.mistake(
      "id",
      `could not find a ruleset ${id} to execute in the ${place.phase} phase`,
    );
  }
  if (place.plan === "free" && !target.name.includes("Free")) {
    throw fields.mistake("id", `not entitled: the plan of this zone has no "${target.name}"`);
  }
}

function matchedData(fields: FieldReader | undefined): JsonObject {
  if (fields === undefined) return {};
  fields.only(["public_key"]);
  return { matched_data: { public_key: fields.required("public_key", fields.text("public_key")) } };
}

function overridesIn(fields: FieldReader | undefined, place: RulePlace): JsonObject | undefined {
  if (fields === undefined) return undefined;
  fields.only(["enabled", "action", "sensitivity_level", "categories", "rules"]);
  if (Object.keys(fields.body).length === 0) {
    throw fields.mistake("", "overrides must have at least one member");
  }
  const categories = fields.objects("categories")?.map((item) => categoryOverride(item, place));
  const rules = fields.objects("rules")?.map((item) => ruleOverride(item, place));
  refuseRepeated(fields, "categories", categories ?? [], "category");
  refuseRepeated(fields, "rules", rules ?? [], "id");
  const overrides = {
    ...commonOverrides(fields, place),
    ...(categories === undefined || categories.length === 0 ? {} : { categories }),
    ...(rules === undefined || rules.length === 0 ? {} : { rules }),
  };
  return Object.keys(overrides).length === 0 ? undefined : overrides;
}

function categoryOverride(fields: FieldReader, place: RulePlace): JsonObject {
  fields.only(["category", "enabled", "action", "sensitivity_level"]);
  const category = fields.required("category", fields.text("category"));
  return { category, ...atLeastOne(fields, commonOverrides(fields, place)) };
}

/** Ids are not looked up: the rules of our managed rulesets are made up, so a real id may be missing. */
function ruleOverride(fields: FieldReader, place: RulePlace): JsonObject {
  fields.only(["id", "enabled", "action", "score_threshold", "sensitivity_level"]);
  const id = fields.required("id", fields.text("id"));
  if (!/^[0-9a-f]{32}$/.test(id)) throw fields.mistake("id", `'${id}' is not a rule id`);
  if (id === scoreRuleId) fields.oneOf("action", scoreActions);
  const threshold = fields.integer("score_threshold");
  const members = {
    ...commonOverrides(fields, place),
    ...(threshold === undefined ? {} : { score_threshold: threshold }),
  };
  return { id, ...atLeastOne(fields, members) };
}

function commonOverrides(fields: FieldReader, place: RulePlace): JsonObject {
  const enabled = fields.flag("enabled");
  const action = fields.oneOf("action", ruleActions);
  const sensitivity = fields.oneOf("sensitivity_level", sensitivityLevels);
  if (sensitivity !== undefined && !isDdosPhase(place.phase)) {
    throw fields.mistake("sensitivity_level", `the ${place.phase} phase has no sensitivity levels`);
  }
  return {
    ...(enabled === undefined ? {} : { enabled }),
    ...(action === undefined ? {} : { action }),
    ...(sensitivity === undefined ? {} : { sensitivity_level: sensitivity }),
  };
}

function atLeastOne(fields: FieldReader, members: JsonObject): JsonObject {
  if (Object.keys(members).length > 0) return members;
  throw fields.mistake("", "an override must override something");
}

function refuseRepeated(
  fields: FieldReader,
  name: string,
  items: readonly JsonObject[],
  key: string,
): void {
  const seen = items.map((item) => item[key]);
  const repeated = seen.findIndex((value, index) => seen.indexOf(value) !== index);
  if (repeated >= 0) throw fields.mistake(`${name}/${repeated}`, `duplicate ${key} in overrides`);
}

const members = ["ruleset", "phase", "rulesets", "rules", "phases", "products"];
const products = ["bic", "hot", "rateLimit", "securityLevel", "uaBlock", "waf", "zoneLockdown"];
const identifier = /^[0-9a-f]{32}$/;

/** What a `skip` rule is stored with (SERVICE.md B.4). */
export function skipParameters(fields: FieldReader, place: RulePlace): JsonObject {
  if (place.kind === "root") {
    throw fields.mistake("", "skip is not allowed in a root ruleset", wireCodes.skipInRoot);
  }
  fields.only(members);
  if (Object.keys(fields.body).length === 0) {
    throw fields.mistake("", `a skip rule needs one of ${members.join(", ")}`);
  }
  fields.oneOf("ruleset", ["current"]);
  fields.oneOf("phase", ["current"]);
  checkIds(fields, "rulesets");
  checkNames(fields, "phases", phases);
  checkNames(fields, "products", products);
  checkRules(fields.object("rules"));
  return fields.body;
}

function checkRules(rules: FieldReader | undefined): void {
  if (rules === undefined) return;
  for (const ruleset of Object.keys(rules.body)) {
    if (!identifier.test(ruleset)) throw rules.mistake(ruleset, `'${ruleset}' is no ruleset id`);
    checkIds(rules, ruleset);
  }
}

function checkIds(fields: FieldReader, name: string): void {
  const strange = listed(fields, name).find((value) => !identifier.test(value));
  if (strange !== undefined) throw fields.mistake(name, `'${strange}' is no id`);
}

function checkNames(fields: FieldReader, name: string, allowed: readonly string[]): void {
  const strange = listed(fields, name).find((value) => !allowed.includes(value));
  if (strange === undefined) return;
  throw fields.mistake(name, `'${strange}' is not a valid value for ${name}`);
}

function listed(fields: FieldReader, name: string): readonly string[] {
  const values = fields.texts(name);
  if (values === undefined) return [];
  if (values.length === 0) throw fields.mistake(name, `${name} must not be empty`);
  if (new Set(values).size < values.length) throw fields.mistake(name, `${name} has duplicates`);
  return values;
}

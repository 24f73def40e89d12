import { wireCodes } from "../../api/wire.ts";
import { definedMembers, type JsonObject } from "../../syntax/json.ts";
import { isIdentifier } from "../http/access.ts";
import { type FieldReader, firstRepeated } from "../http/fields.ts";
import type { Owner, StoredRuleset, Undocumented } from "../state.ts";
import { managedRulesets, scoreRuleId } from "./managed.ts";
import { hasPlan, servedPhase, phases, ruleActions, scoreActions } from "./phases.ts";

/** A write to a ruleset: what a rule may do depends on its owner and on the ruleset. */
export interface RulesetWrite {
  readonly now: Date;
  readonly newId: () => string;
  /** See `checkFilterExpression`. */
  readonly isLenient: boolean;
  readonly undocumented: Undocumented;
  readonly owner: Owner;
  readonly before: StoredRuleset;
}

const sensitivityLevels = ["default", "medium", "low", "eoff"];
const skipMembers = ["ruleset", "phase", "phases", "products"];
const managedSkipMembers = [...skipMembers, "rulesets", "rules"];
/** Members that a member of a skip excludes (SERVICE.md B.10). */
const excludedBySkip: Readonly<Record<string, readonly string[]>> = {
  phase: ["ruleset", "rulesets", "rules", "phases"],
  ruleset: ["rulesets", "rules"],
  rulesets: ["phases"],
};
const products = ["bic", "hot", "rateLimit", "securityLevel", "uaBlock", "waf", "zoneLockdown"];

/** Parameters of a rule's action as they are stored; `undefined` for an action without any. */
export function parametersOf(
  fields: FieldReader,
  action: string,
  write: RulesetWrite,
): JsonObject | undefined {
  const given = fields.object("action_parameters");
  if (action === "execute") {
    return executeParameters(fields.required("action_parameters", given), write);
  }
  if (action === "skip") return skipParameters(fields.required("action_parameters", given), write);
  if (given === undefined || servedPhase(write.before.current.phase).response === undefined) {
    return given?.body;
  }
  if (action === "rewrite") return given.body;
  if (action === "block") return blockParameters(given, write);
  given.only([]);
  return undefined;
}

const contentTypes = ["text/html", "text/plain", "application/json", "text/xml"];

/** The response of a `block` rule (SERVICE.md B.10 and B.11). */
function blockParameters(fields: FieldReader, write: RulesetWrite): JsonObject | undefined {
  fields.only(["response"]);
  const response = fields.object("response");
  const { response: limits } = servedPhase(write.before.current.phase);
  if (response === undefined || limits === undefined) return undefined;
  if (!hasPlan(write.owner, limits.plan)) {
    throw fields.error("response", "not entitled to use a custom response");
  }
  response.only(["status_code", "content_type", "content"]);
  const status = response.integer("status_code", 400, 499);
  const type = response.oneOf("content_type", contentTypes);
  const content = response.required("content", response.text("content"));
  const size = Buffer.byteLength(content);
  if (size === 0 || size > limits.maxBytes) {
    const message = `the content has ${size} bytes; it must have from 1 to ${limits.maxBytes}`;
    throw response.error("content", message);
  }
  return {
    response: {
      status_code: response.required("status_code", status),
      content_type: response.required("content_type", type),
      content,
    },
  };
}

/**
 * Parameters of an `execute` rule as they are stored: strict, complete, without empty lists
 * (SERVICE.md B.5).
 */
function executeParameters(fields: FieldReader, write: RulesetWrite): JsonObject {
  fields.only(["id", "version", "overrides", "matched_data"]);
  const id = fields.required("id", fields.text("id"));
  checkExecuted(fields, id, write);
  const version = fields.text("version") ?? "latest";
  if (version !== "latest") {
    throw fields.error("version", `'${version}' is not a valid value for version: only 'latest'`);
  }
  const overrides = fields.object("overrides");
  const matchedData = fields.object("matched_data");
  return definedMembers({
    id,
    version,
    overrides: overrides && overridesIn(overrides, write),
    matched_data: matchedData && matchedDataIn(matchedData),
  });
}

function checkExecuted(fields: FieldReader, id: string, write: RulesetWrite): void {
  const { owner, before } = write;
  const { phase } = before.current;
  const isCustom = owner.rulesets.some(
    ({ current }) => current.kind === "custom" && current.id === id && current.phase === phase,
  );
  if (isCustom) {
    // Overrides are for managed rulesets.
    fields.only(["id", "version"]);
    return;
  }
  const ruleset = managedRulesets.get(id);
  if (ruleset === undefined || ruleset.phase !== phase) {
    throw fields.error("id", `could not find a ruleset ${id} to execute in the ${phase} phase`);
  }
  if (owner.level === "zone" && owner.plan === "free" && !ruleset.name.includes("Free")) {
    throw fields.error("id", `not entitled: the plan of this zone has no "${ruleset.name}"`);
  }
}

function matchedDataIn(fields: FieldReader): JsonObject {
  fields.only(["public_key"]);
  return { public_key: fields.required("public_key", fields.text("public_key")) };
}

function overridesIn(fields: FieldReader, write: RulesetWrite): JsonObject | undefined {
  fields.only(["enabled", "action", "sensitivity_level", "categories", "rules"]);
  if (Object.keys(fields.body).length === 0) {
    throw fields.error("", "overrides must have at least one member");
  }
  const categories = fields.objects("categories")?.map((item) => categoryOverride(item, write));
  const rules = fields.objects("rules")?.map((item) => ruleOverride(item, write));
  refuseDuplicates(fields, "categories", categories ?? [], "category");
  refuseDuplicates(fields, "rules", rules ?? [], "id");
  const overrides = definedMembers({
    ...commonOverrides(fields, write),
    categories: categories?.length === 0 ? undefined : categories,
    rules: rules?.length === 0 ? undefined : rules,
  });
  return Object.keys(overrides).length === 0 ? undefined : overrides;
}

function categoryOverride(fields: FieldReader, write: RulesetWrite): JsonObject {
  fields.only(["category", "enabled", "action", "sensitivity_level"]);
  const category = fields.required("category", fields.text("category"));
  return { category, ...atLeastOne(fields, commonOverrides(fields, write)) };
}

/**
 * Ids are not looked up: the rules of the emulator's managed rulesets are synthetic, so a real id
 * may be missing.
 */
function ruleOverride(fields: FieldReader, write: RulesetWrite): JsonObject {
  fields.only(["id", "enabled", "action", "score_threshold", "sensitivity_level"]);
  const id = fields.required("id", fields.text("id"));
  if (!isIdentifier(id)) throw fields.error("id", `'${id}' is not a rule id`);
  if (id === scoreRuleId) fields.oneOf("action", scoreActions);
  const threshold = definedMembers({ score_threshold: fields.integer("score_threshold") });
  return { id, ...atLeastOne(fields, { ...commonOverrides(fields, write), ...threshold }) };
}

function commonOverrides(fields: FieldReader, write: RulesetWrite): JsonObject {
  const overrides = definedMembers({
    enabled: fields.boolean("enabled"),
    action: fields.oneOf("action", ruleActions),
    sensitivity_level: fields.oneOf("sensitivity_level", sensitivityLevels),
  });
  const { phase } = write.before.current;
  if ("sensitivity_level" in overrides && servedPhase(phase).hasSensitivity !== true) {
    throw fields.error("sensitivity_level", `the ${phase} phase has no sensitivity levels`);
  }
  return overrides;
}

function atLeastOne(fields: FieldReader, members: JsonObject): JsonObject {
  if (Object.keys(members).length > 0) return members;
  throw fields.error("", "an override must override something");
}

function refuseDuplicates(
  fields: FieldReader,
  name: string,
  items: readonly JsonObject[],
  key: string,
): void {
  const repeated = firstRepeated(items.map((item) => item[key]));
  if (repeated >= 0) throw fields.error(`${name}/${repeated}`, `duplicate ${key} in overrides`);
}

/** Parameters of a `skip` rule as they are stored (SERVICE.md B.4). */
function skipParameters(fields: FieldReader, write: RulesetWrite): JsonObject {
  if (write.before.current.kind === "root") {
    throw fields.error("", "skip is not allowed in a root ruleset", wireCodes.skipInRoot);
  }
  const { skippedPhases, skipsManaged } = servedPhase(write.before.current.phase);
  const members = skipsManaged === true ? managedSkipMembers : skipMembers;
  fields.only(members);
  const given = Object.keys(fields.body);
  if (given.length === 0) {
    throw fields.error("", `a skip rule needs one of ${members.join(", ")}`);
  }
  fields.oneOf("ruleset", ["current"]);
  fields.oneOf("phase", ["current"]);
  checkTexts(fields, "rulesets", isIdentifier);
  const isSkippable = (phase: string): boolean => (skippedPhases ?? phases).includes(phase);
  checkTexts(fields, "phases", isSkippable, {
    code: wireCodes.wrongSkippedPhase,
    message: (phase) => `skip action parameter phase '${phase}' is not authorized`,
  });
  checkTexts(fields, "products", (product) => products.includes(product), {
    code: wireCodes.wrongProduct,
    message: (product) => `skip action parameter product '${product}' is invalid`,
  });
  const rules = fields.object("rules");
  if (rules !== undefined) checkSkippedRules(rules);
  for (const name of given) {
    const excluded = excludedBySkip[name]?.find((each) => given.includes(each));
    if (excluded !== undefined) throw fields.error(excluded, `${name} excludes ${excluded}`);
  }
  return fields.body;
}

function checkSkippedRules(rules: FieldReader): void {
  for (const ruleset of Object.keys(rules.body)) {
    if (!isIdentifier(ruleset)) throw rules.error(ruleset, `'${ruleset}' is no ruleset id`);
    checkTexts(rules, ruleset, isIdentifier);
  }
}

/** Throws unless a list, if there is one, has valid texts without duplicates; `words` are of an invalid one. */
function checkTexts(
  fields: FieldReader,
  name: string,
  isValid: (text: string) => boolean,
  words?: { readonly code: number; readonly message: (text: string) => string },
): void {
  const values = fields.texts(name);
  if (values === undefined) return;
  if (values.length === 0) throw fields.error(name, `${name} must not be empty`);
  if (new Set(values).size < values.length) throw fields.error(name, `${name} has duplicates`);
  const invalid = values.find((value) => !isValid(value));
  if (invalid === undefined) return;
  const message = words?.message(invalid) ?? `'${invalid}' is not a valid value for ${name}`;
  throw fields.error(name, message, words?.code);
}

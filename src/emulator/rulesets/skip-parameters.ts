import { wireCodes } from "../../api/wire.ts";
import type { JsonObject } from "../../syntax/json.ts";
import type { FieldReader } from "../http/fields.ts";
import { phases } from "./phases.ts";
import type { RulePlace } from "./rule-place.ts";

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

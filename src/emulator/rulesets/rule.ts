import { canonicalJson, definedMembers } from "../../syntax/json.ts";
import type { FieldReader } from "../http/fields.ts";
import { timestamp } from "../http/time.ts";
import type { EmulatedRule, RuleContent } from "../state.ts";
import { executeParameters, type RulesetWrite, skipParameters } from "./action-parameters.ts";
import { checkFilterExpression } from "./filter-expression.ts";
import { phaseRules, ruleActions } from "./phases.ts";

/**
 * Members of a rule in a request; read-only ones are ignored, so that a response can be sent back.
 */
const members = [
  "id",
  "version",
  "last_updated",
  "categories",
  "score_threshold",
  "ref",
  "action",
  "action_parameters",
  "expression",
  "description",
  "enabled",
  "logging",
  "ratelimit",
  "exposed_credential_check",
];

/**
 * Reads a rule strictly. With the same content as `live` it is `live`, and keeps its version.
 *
 * @param live the rule that it replaces.
 * @param extra members that only this operation has.
 */
export function ruleFrom(
  fields: FieldReader,
  live: EmulatedRule | undefined,
  write: RulesetWrite,
  extra: readonly string[] = [],
): EmulatedRule {
  fields.only([...members, ...extra]);
  const content = contentIn(fields, write);
  const id = live?.id ?? write.newId();
  const rule: EmulatedRule = {
    id,
    version: live === undefined ? "1" : `${Number(live.version) + 1}`,
    last_updated: timestamp(write.now),
    ...content,
    ref: fields.text("ref") ?? id,
  };
  return live !== undefined && contentText(live) === contentText(rule) ? live : rule;
}

function contentIn(fields: FieldReader, write: RulesetWrite): Omit<RuleContent, "ref"> {
  const action = actionIn(fields, write);
  const expression = fields.required("expression", fields.text("expression"));
  checkFilterExpression(fields, expression, planOf(write), write.isLenient);
  if (fields.text("ref") === "") throw fields.error("ref", "ref must not be empty");
  const logging = fields.object("logging");
  logging?.only(["enabled"]);
  // Only skip rules have it; the default is to log (SERVICE.md B.4).
  const logs = { enabled: logging?.boolean("enabled") ?? true };
  return {
    action,
    expression,
    description: fields.text("description") ?? "",
    enabled: fields.boolean("enabled") ?? true,
    ...definedMembers({
      action_parameters: parametersIn(fields, action, write),
      logging: action === "skip" ? logs : undefined,
      ratelimit: fields.object("ratelimit")?.body,
      exposed_credential_check: fields.object("exposed_credential_check")?.body,
    }),
  };
}

/** The plan of the zone, "" if none restricts the ruleset. */
function planOf({ owner }: RulesetWrite): string {
  return owner.level === "zone" ? owner.plan : "";
}

function contentText({
  id: _id,
  version: _version,
  last_updated: _at,
  ...content
}: EmulatedRule): string {
  return canonicalJson({ ...content, logging: { ...content.logging } });
}

function actionIn(fields: FieldReader, write: RulesetWrite): string {
  const action = fields.required("action", fields.oneOf("action", ruleActions));
  const { phase } = write.before.current;
  const { actions, enterpriseActions = [] } = phaseRules(phase);
  if (actions === undefined || actions.includes(action)) return action;
  if (planOf(write) === "enterprise" && enterpriseActions.includes(action)) return action;
  throw fields.error(
    "action",
    `'${action}' is not a valid value for action because it is not allowed in the ${phase} phase`,
  );
}

function parametersIn(
  fields: FieldReader,
  action: string,
  write: RulesetWrite,
): RuleContent["action_parameters"] {
  const given = fields.object("action_parameters");
  if (action !== "execute" && action !== "skip") return given?.body;
  const parameters = fields.required("action_parameters", given);
  return action === "execute"
    ? executeParameters(parameters, write)
    : skipParameters(parameters, write);
}

import { canonicalJson, definedMembers, type JsonObject } from "../../syntax/json.ts";
import type { FieldReader } from "../http/fields.ts";
import { timestamp } from "../http/time.ts";
import type { EmulatedRule } from "../state.ts";
import { parametersOf, type RulesetWrite } from "./action-parameters.ts";
import { checkFilterExpression } from "./filter-expression.ts";
import { allowsAction, expressionLimits, servedPhase, ruleActions } from "./phases.ts";
import { rateLimitIn } from "./rate-limit.ts";

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
  const action = actionIn(fields, write);
  const expression = fields.required("expression", fields.text("expression"));
  const { phase } = write.before.current;
  checkFilterExpression(fields, expression, expressionLimits(write.owner, phase, write.isLenient));
  const ref = fields.text("ref");
  if (ref === "") throw fields.error("ref", "ref must not be empty");
  const logging = fields.object("logging");
  logging?.only(["enabled"]);
  // Only skip rules have it; the default is to log (SERVICE.md B.4).
  const logs = { enabled: logging?.boolean("enabled") ?? true };
  const content = {
    action,
    expression,
    description: fields.text("description") ?? "",
    enabled: fields.boolean("enabled") ?? true,
    ...definedMembers({
      action_parameters: parametersOf(fields, action, write),
      logging: action === "skip" ? logs : undefined,
      ratelimit: limitIn(fields, { action, expression }, write),
      exposed_credential_check: fields.object("exposed_credential_check")?.body,
    }),
  };
  const id = live?.id ?? write.newId();
  const rule: EmulatedRule = {
    id,
    version: live === undefined ? "1" : `${Number(live.version) + 1}`,
    last_updated: timestamp(write.now),
    ...content,
    ref: ref ?? id,
  };
  return live !== undefined && contentText(live) === contentText(rule) ? live : rule;
}

/** The rate limit of a rule; `execute` deploys rules that have their own. */
function limitIn(
  fields: FieldReader,
  rule: { readonly action: string; readonly expression: string },
  write: RulesetWrite,
): JsonObject | undefined {
  const given = fields.object("ratelimit");
  const { phase } = write.before.current;
  if (servedPhase(phase).hasRateLimit === true && rule.action !== "execute") {
    return rateLimitIn(fields.required("ratelimit", given), rule, write);
  }
  if (given === undefined) return undefined;
  throw fields.error("ratelimit", `ratelimit is not allowed in the ${phase} phase`);
}

function contentText({
  id: _id,
  version: _version,
  last_updated: _at,
  ...content
}: EmulatedRule): string {
  return canonicalJson({ ...content, logging: { ...content.logging } });
}

function actionIn(fields: FieldReader, { owner, before }: RulesetWrite): string {
  const action = fields.required("action", fields.oneOf("action", ruleActions));
  const { phase, kind } = before.current;
  const isDeployed = kind === "custom" && action === "execute";
  if (!isDeployed && allowsAction(owner, phase, action)) return action;
  const place = isDeployed ? "a custom ruleset" : `the ${phase} phase`;
  throw fields.error(
    "action",
    `'${action}' is not a valid value for action because it is not allowed in ${place}`,
  );
}

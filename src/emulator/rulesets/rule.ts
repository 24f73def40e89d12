import { canonicalJson, type JsonObject } from "../../syntax/json.ts";
import type { FieldReader } from "../http/fields.ts";
import { timestamp } from "../http/time.ts";
import type { EmulatedRule, RuleContent } from "../state.ts";
import { executeParameters, type RuleContext, skipParameters } from "./action-parameters.ts";
import { checkFilterExpression } from "./filter-expression.ts";
import { isManagedPhase, ruleActions } from "./phases.ts";

/** Clock and id generator of a write. */
export interface WriteContext {
  readonly now: Date;
  readonly newId: () => string;
  /** See `ExpressionLimits`. */
  readonly isLenient: boolean;
}

export interface RuleDraft {
  readonly id: string | undefined;
  readonly ref: string | undefined;
  readonly content: Omit<RuleContent, "ref">;
}

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

/** Reads a rule strictly; `extra` are members that only this operation has. */
export function parseRule(
  fields: FieldReader,
  context: RuleContext,
  extra: readonly string[] = [],
): RuleDraft {
  fields.only([...members, ...extra]);
  const action = actionIn(fields, context);
  const expression = fields.required("expression", fields.text("expression"));
  checkFilterExpression(fields, expression, context);
  const ref = fields.text("ref");
  if (ref === "") throw fields.error("ref", "ref must not be empty");
  const parameters = parametersIn(fields, action, context);
  return {
    id: fields.text("id"),
    ref,
    content: {
      action,
      ...(parameters === undefined ? {} : { action_parameters: parameters }),
      expression,
      description: fields.text("description") ?? "",
      enabled: fields.boolean("enabled") ?? true,
      ...loggingIn(fields, action),
      ...copied(fields, "ratelimit"),
      ...copied(fields, "exposed_credential_check"),
    },
  };
}

/** The rule after a write; with the same content it is `before`, and keeps its version. */
export function ruleFrom(
  draft: RuleDraft,
  before: EmulatedRule | undefined,
  { now, newId }: WriteContext,
): EmulatedRule {
  const id = before?.id ?? newId();
  const version = before === undefined ? 1 : Number(before.version) + 1;
  const content = { ...draft.content, ref: draft.ref ?? id };
  const rule = { id, version: String(version), last_updated: timestamp(now), ...content };
  return before !== undefined && contentText(before) === contentText(rule) ? before : rule;
}

function contentText({
  id: _id,
  version: _version,
  last_updated: _at,
  ...content
}: EmulatedRule): string {
  return canonicalJson({ ...content, logging: { ...content.logging } });
}

function actionIn(fields: FieldReader, { phase, plan }: RuleContext): string {
  const action = fields.required("action", fields.oneOf("action", ruleActions));
  if (!isManagedPhase(phase) || action === "execute" || action === "skip") return action;
  if (action === "log" && plan === "enterprise") return action;
  throw fields.error(
    "action",
    `'${action}' is not a valid value for action because it is not allowed in the ${phase} phase`,
  );
}

function parametersIn(
  fields: FieldReader,
  action: string,
  context: RuleContext,
): JsonObject | undefined {
  const given = fields.object("action_parameters");
  if (action !== "execute" && action !== "skip") return given?.body;
  const parameters = fields.required("action_parameters", given);
  return action === "execute"
    ? executeParameters(parameters, context)
    : skipParameters(parameters, context);
}

/** Only skip rules have it; the default is to log (SERVICE.md B.4). */
function loggingIn(fields: FieldReader, action: string): Pick<RuleContent, "logging"> {
  const logging = fields.object("logging");
  logging?.only(["enabled"]);
  const enabled = logging?.boolean("enabled") ?? true;
  return action === "skip" ? { logging: { enabled } } : {};
}

function copied(
  fields: FieldReader,
  name: "ratelimit" | "exposed_credential_check",
): Partial<Record<typeof name, JsonObject>> {
  const given = fields.object(name);
  return given === undefined ? {} : { [name]: given.body };
}

import { type Json, type JsonObject, canonicalJson } from "../../syntax/json.ts";
import type { FieldReader } from "../http/fields.ts";
import type { Rule, RuleContent } from "../state.ts";
import { type RulePlace, executeParameters, skipParameters } from "./action-parameters.ts";
import { checkExpression } from "./filter-expression.ts";
import { isManagedPhase, ruleActions } from "./phases.ts";

/** A rule as a request states it: the identity it claims, and what it says. */
export interface RuleDraft {
  readonly id: string | undefined;
  readonly ref: string | undefined;
  readonly content: Omit<RuleContent, "ref">;
}

/** Members of a rule in a request; the read-only ones are taken and not listened to, so that an answer can be sent back. */
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

/** Reads a rule of a request, strictly; `extra` names members that only this operation knows. */
export function draftOf(
  fields: FieldReader,
  place: RulePlace,
  extra: readonly string[] = [],
): RuleDraft {
  fields.only([...members, ...extra]);
  const action = actionIn(fields, place);
  const expression = fields.required("expression", fields.text("expression"));
  checkExpression(fields, expression, place.plan);
  const ref = fields.text("ref");
  if (ref === "") throw fields.mistake("ref", "ref must not be empty");
  const parameters = parametersIn(fields, action, place);
  return {
    id: fields.text("id"),
    ref,
    content: {
      action,
      ...(parameters === undefined ? {} : { action_parameters: parameters }),
      expression,
      description: fields.text("description") ?? "",
      enabled: fields.flag("enabled") ?? true,
      ...loggingIn(fields, action),
      ...carried(fields, "ratelimit"),
      ...carried(fields, "exposed_credential_check"),
    },
  };
}

/** The rule that a draft makes of `before`; equal content gives back `before` itself, and its version stays. */
export function ruleFrom(
  draft: RuleDraft,
  before: Rule | undefined,
  newId: () => string,
  at: string,
): Rule {
  const id = before?.id ?? newId();
  const content: RuleContent = { ...draft.content, ref: draft.ref ?? id };
  if (
    before !== undefined &&
    canonicalJson(plain(content)) === canonicalJson(plain(contentOf(before)))
  ) {
    return before;
  }
  const version = before === undefined ? 1 : Number(before.version) + 1;
  return { id, version: String(version), last_updated: at, ...content };
}

function contentOf({
  id: _id,
  version: _version,
  last_updated: _at,
  ...content
}: Rule): RuleContent {
  return content;
}

function plain(content: RuleContent): Json {
  return { ...content, logging: { ...content.logging } };
}

function actionIn(fields: FieldReader, place: RulePlace): string {
  const action = fields.required("action", fields.oneOf("action", ruleActions));
  if (!isManagedPhase(place.phase) || ["execute", "skip"].includes(action)) return action;
  if (action === "log" && place.plan === "enterprise") return action;
  throw fields.mistake(
    "action",
    `'${action}' is not a valid value for action because it is not allowed in the ${place.phase} phase`,
  );
}

function parametersIn(
  fields: FieldReader,
  action: string,
  place: RulePlace,
): JsonObject | undefined {
  const given = fields.object("action_parameters");
  switch (action) {
    case "execute":
      return executeParameters(fields.required("action_parameters", given), place);
    case "skip":
      return skipParameters(fields.required("action_parameters", given), place);
    default:
      return given?.body;
  }
}

/** Only skip rules keep it, and log unless told otherwise (SERVICE.md B.4). */
function loggingIn(fields: FieldReader, action: string): Pick<RuleContent, "logging"> {
  const logging = fields.object("logging");
  logging?.only(["enabled"]);
  const enabled = logging?.flag("enabled") ?? true;
  return action === "skip" ? { logging: { enabled } } : {};
}

function carried(
  fields: FieldReader,
  name: "ratelimit" | "exposed_credential_check",
): Partial<Record<typeof name, JsonObject>> {
  const given = fields.object(name);
  return given === undefined ? {} : { [name]: given.body };
}

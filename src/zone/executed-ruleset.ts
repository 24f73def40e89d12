import { coerceObject, coerceText, type JsonObject } from "../syntax/json.ts";
import type { LiveZone } from "./live-zone.ts";
import { type Mark, markOfRef, unmarked } from "./mark.ts";

/** The mark by which the body of a rule names the custom ruleset that it executes; `undefined`: it names none so. */
export function executedMark(body: JsonObject): Mark | undefined {
  if (body["action"] !== "execute") return undefined;
  const mark = markOfRef(coerceText(coerceObject(body["action_parameters"])["id"]));
  return mark.owner === undefined ? undefined : mark;
}

/** The body of a rule with the id of the custom ruleset that it names by its mark; `undefined`: that one is not live. */
export function withRulesetId(
  body: JsonObject,
  { customRulesets = [] }: Pick<LiveZone, "customRulesets">,
): JsonObject | undefined {
  const named = executedMark(body);
  if (named === undefined) return body;
  const made = customRulesets.find(({ description }) => {
    const mark = unmarked(description);
    return mark.owner === named.owner && mark.key === named.key;
  });
  const parameters = coerceObject(body["action_parameters"]);
  return made && { ...body, action_parameters: { ...parameters, id: made.id } };
}

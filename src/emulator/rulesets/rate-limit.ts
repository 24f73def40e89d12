import { wireCodes } from "../../api/wire.ts";
import { isResponseField } from "../../syntax/expression/expression-fields.ts";
import { nodesIn } from "../../syntax/expression/expression.ts";
import { definedMembers, type JsonObject } from "../../syntax/json.ts";
import { type FieldReader, firstRepeated } from "../http/fields.ts";
import type { RulesetWrite } from "./action-parameters.ts";
import { checkFilterExpression } from "./filter-expression.ts";
import { expressionLimits, rateLimitPlan } from "./phases.ts";

const members = [
  "characteristics",
  "period",
  "requests_per_period",
  "mitigation_timeout",
  "counting_expression",
  "requests_to_origin",
  "score_per_period",
  "score_response_header_name",
];

/**
 * The rate limit of a rule as it is stored, with the members that the service adds
 * (SERVICE.md B.11).
 *
 * @param rule the rest of the rule that it belongs to.
 */
export function rateLimitIn(
  fields: FieldReader,
  rule: { readonly action: string; readonly expression: string },
  write: RulesetWrite,
): JsonObject {
  fields.only(members);
  if (rule.action !== "block" && !rateLimitPlan(write.owner).allActions) {
    throw fields.error("", `not entitled to use the ${rule.action} action in ratelimiting`);
  }
  const requests = fields.integer("requests_per_period", 1);
  const score = fields.integer("score_per_period", 1);
  if (score === undefined) fields.required("requests_per_period", requests);
  const toOrigin = fields.boolean("requests_to_origin") ?? false;
  // Lists of the service itself are allowed.
  if (toOrigin && listsIn(rule.expression).some((list) => !list.startsWith("cf."))) {
    const message = "requests_to_origin must be false because the expression has a list";
    throw fields.error("requests_to_origin", message);
  }
  return definedMembers({
    characteristics: characteristicsIn(fields, write),
    period: periodIn(fields, write),
    requests_per_period: requests,
    mitigation_timeout: timeoutIn(fields, rule.action, write),
    counting_expression: countingExpressionIn(fields, write),
    requests_to_origin: toOrigin,
    score_per_period: score,
    score_response_header_name: fields.text("score_response_header_name"),
  });
}

/** They come back in an order of the service (SERVICE.md B.11). */
function characteristicsIn(fields: FieldReader, { owner }: RulesetWrite): readonly string[] {
  const all = fields.required("characteristics", fields.texts("characteristics"));
  if (!all.includes("cf.colo.id")) {
    throw fields.error(
      "characteristics",
      "characteristics field is missing 'cf.colo.id', this is required as ratelimiting counting is processed at colocation level only",
      wireCodes.missingColo,
    );
  }
  const repeated = firstRepeated(all);
  if (repeated >= 0) throw fields.error(`characteristics/${repeated}`, "duplicate characteristic");
  if (all.includes("ip.src") && all.includes("cf.unique_visitor_id")) {
    const message = "characteristics must not have both ip.src and cf.unique_visitor_id";
    throw fields.error("characteristics", message);
  }
  const { characteristics } = rateLimitPlan(owner);
  const extra = characteristics && all.find((name) => !characteristics.includes(name));
  if (extra === undefined) return all.toSorted().toReversed();
  throw fields.error(
    "characteristics",
    `not entitled: the use of characteristic ${extra} is not allowed, an higher Advanced Rate Limiting plan is required`,
  );
}

function periodIn(fields: FieldReader, { owner }: RulesetWrite): number {
  const period = fields.required("period", fields.integer("period"));
  const { periods } = rateLimitPlan(owner);
  if (periods.includes(period)) return period;
  throw fields.error(
    "period",
    `not entitled to use the period ${period}, can only use a period among [${periods.join(" ")}]`,
  );
}

/** 0 limits only the excess; not every plan has it, and others have nothing else for challenges. */
function timeoutIn(fields: FieldReader, action: string, { owner }: RulesetWrite): number {
  const { timeouts, throttling } = rateLimitPlan(owner);
  const isChallenge = action.endsWith("challenge");
  const within = throttling ? [0, ...timeouts] : isChallenge ? [0] : timeouts;
  const timeout = fields.integer("mitigation_timeout", 0) ?? within[0] ?? 0;
  if (within.includes(timeout)) return timeout;
  throw fields.error(
    "mitigation_timeout",
    within.length === 1
      ? `not entitled to use a mitigation timeout different from ${within.join("")}`
      : `not entitled to use the mitigation timeout ${timeout}, can only use a timeout among [${within.join(" ")}]`,
  );
}

function countingExpressionIn(fields: FieldReader, write: RulesetWrite): string | undefined {
  const counting = fields.text("counting_expression") ?? "";
  const { owner, undocumented } = write;
  if (counting === "") return undocumented.counting_expression === "empty" ? "" : undefined;
  if (!rateLimitPlan(owner).countingExpression) {
    throw fields.error(
      "counting_expression",
      "not entitled: the use of a counting expression is not allowed, an higher Advanced Rate Limiting plan is required",
    );
  }
  const limits = expressionLimits(owner, write.before.current.phase, write.isLenient);
  const member = "counting_expression";
  checkFilterExpression(fields, counting, { ...limits, member, isBeforeResponse: false });
  const hasResponse = nodesIn(counting).some(
    (node) => node.kind === "field" && isResponseField(node.name),
  );
  if (hasResponse && listsIn(counting).length > 0) {
    throw fields.error(member, "counting_expression must not have both lists and response fields");
  }
  return counting;
}

function listsIn(expression: string): readonly string[] {
  return nodesIn(expression).flatMap((node) => (node.kind === "list" ? [node.name] : []));
}

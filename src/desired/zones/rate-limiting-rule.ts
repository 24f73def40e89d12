import { isResponseField } from "../../syntax/expression/expression-fields.ts";
import type { ExpressionNode } from "../../syntax/expression/expression-tree.ts";
import { canonicalExpression, nodesIn } from "../../syntax/expression/expression.ts";
import type { RateLimit, RuleBase } from "../../zone/resource.ts";
import { contradiction, type Converted, missing, type UnplacedDiagnostic } from "../diagnostics.ts";
import type { Path } from "../location.ts";
import type { Merged } from "./merged-values.ts";
import type { YamlRatelimit } from "./zone-file.ts";

type LimitInFile = Merged<YamlRatelimit>;

/** Every rule counts for each data centre by itself (SERVICE.md B.11, code 20155). */
const perDataCentre = "cf.colo.id";

/** The rate of a rule; no value if something is missing. */
export function rateLimitOf(
  limit: LimitInFile | undefined,
  { key, expression }: RuleBase,
  path: Path,
): Converted<RateLimit | undefined> {
  if (limit === undefined) {
    const remedy = "write what is counted, and the rate";
    const diagnostic = missing(path.slice(0, -1), `"ratelimit" of the rule "${key}"`, remedy);
    return { value: undefined, diagnostics: [diagnostic] };
  }
  const { characteristics = [], period, mitigation_timeout } = limit;
  const diagnostics = [
    ...missingIn(limit, path),
    ...inCharacteristics(characteristics, [...path, "characteristics"]),
    ...inExpressions(limit, expression, path),
  ];
  if (period === undefined || mitigation_timeout === undefined) {
    return { value: undefined, diagnostics };
  }
  const value = {
    characteristics: [...new Set(characteristics)].toSorted(),
    period,
    requests_per_period: limit.requests_per_period,
    mitigation_timeout,
    counting_expression: canonicalExpression(limit.counting_expression ?? ""),
    requests_to_origin: limit.requests_to_origin ?? false,
    score_per_period: limit.score_per_period,
    score_response_header_name: limit.score_response_header_name,
  };
  return { value, diagnostics };
}

const needed = [
  ["characteristics", "write what is counted separately, like [cf.colo.id, ip.src]"],
  ["period", "write the seconds in which requests are counted"],
  ["mitigation_timeout", "write for how many seconds the action is taken"],
] as const;

function missingIn(limit: LimitInFile, path: Path): readonly UnplacedDiagnostic[] {
  const has = (name: keyof LimitInFile): boolean => limit[name] !== undefined;
  return [
    ...needed
      .filter(([name]) => !has(name))
      .map(([name, remedy]) => missing(path, `"${name}" of the rate`, remedy)),
    ...(has("requests_per_period") || has("score_per_period")
      ? []
      : [
          missing(path, '"requests_per_period" of the rate', "write how many requests are allowed"),
        ]),
    ...scoreMembers
      .filter((name) => !has(name) && scoreMembers.some(has))
      .map((name) => missing(path, `"${name}" of the rate`, "a score needs both of its keys")),
  ];
}

const scoreMembers = ["score_per_period", "score_response_header_name"] as const;

/** What is wrong with several characteristics together. */
function inCharacteristics(
  characteristics: readonly string[],
  path: Path,
): readonly UnplacedDiagnostic[] {
  const found: UnplacedDiagnostic[] = [];
  if (characteristics.length > 0 && !characteristics.includes(perDataCentre)) {
    const message = `the characteristics do not contain ${perDataCentre}: each data centre counts for itself`;
    const remedy = `add ${perDataCentre}`;
    found.push({ code: "CHARACTERISTIC_MISSING", path, message, remedy });
  }
  if (visitors.every((name) => characteristics.includes(name))) {
    const message = `${visitors.join(" and ")} exclude each other`;
    found.push(contradiction(path, message, "keep one of them"));
  }
  return found;
}

/** Both tell visitors apart. */
const visitors = ["ip.src", "cf.unique_visitor_id"];

/** What the expressions of a rate limit must not combine (SERVICE.md B.11). */
function inExpressions(
  { counting_expression: counted = "", requests_to_origin: toOrigin }: LimitInFile,
  expression: string,
  path: Path,
): readonly UnplacedDiagnostic[] {
  const found: UnplacedDiagnostic[] = [];
  const counting = nodesIn(counted);
  const at = [...path, "counting_expression"];
  if (counting.some(isList) && counting.some(isOfResponse)) {
    const message = "an expression that counts cannot have both lists and fields of the response";
    found.push(contradiction(at, message, "move the list to `expression`"));
  }
  if (toOrigin === true && nodesIn(expression).some(isList)) {
    const message = '"requests_to_origin" excludes lists in "expression"';
    const remedy = "write the members of the list in place of it, or delete this key";
    found.push(contradiction([...path, "requests_to_origin"], message, remedy));
  }
  return found;
}

/** A list of the account, not one that the service maintains (`$cf.…`). */
function isList(node: ExpressionNode): boolean {
  return node.kind === "list" && !node.name.startsWith("cf.");
}

function isOfResponse(node: ExpressionNode): boolean {
  return node.kind === "field" && isResponseField(node.name);
}

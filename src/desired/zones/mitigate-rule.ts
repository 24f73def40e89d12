import type { BlockResponse, MitigateRule, Rule, RuleBase } from "../../zone/resource.ts";
import { type RulePhase, factsOfPhase } from "../../zone/rule-phase.ts";
import { contradiction, type Converted, missing, type UnplacedDiagnostic } from "../diagnostics.ts";
import type { Path } from "../location.ts";
import { promotionOf, ruleSteps } from "./declared-promotion.ts";
import type { AnyRule, Merged, RuleInFile } from "./merged-values.ts";
import { skipRuleOf } from "./skip-rule.ts";
import type { YamlResponse } from "./zone-file.ts";

/** A rule of the custom phase; no value if something is missing. */
export function customRuleOf(
  rule: RuleInFile["custom_rules"],
  base: RuleBase,
  path: Path,
): Converted<Rule | undefined> {
  const { response, skip, promote, action = promote?.to } = rule;
  if (action === "skip") {
    const exception = skipRuleOf(skip ?? {}, promote, base, path);
    const misplaced = misused("response", response, "block", path);
    const incomplete = withoutParts(rule, action, path);
    return { ...exception, diagnostics: [...incomplete, ...misplaced, ...exception.diagnostics] };
  }
  const { value, diagnostics } = mitigationOf("custom_rules", rule, action, base, path);
  return { value, diagnostics: [...misused("skip", skip, "skip", path), ...diagnostics] };
}

/** What is missing of what every rule of these phases needs. */
function withoutParts(
  { key, expression }: AnyRule,
  action: string | undefined,
  path: Path,
): readonly UnplacedDiagnostic[] {
  return [
    ...(action === undefined
      ? [missing(path, `"action" of the rule "${key}"`, "write what happens, like `action: block`")]
      : []),
    ...(expression === undefined
      ? [missing(path, `"expression" of the rule "${key}"`, expressionRemedy)]
      : []),
  ];
}

const expressionRemedy =
  'write which requests it applies to, like: http.host eq "shop.example.com"; true is all of them';

/** A rule that acts against requests, without a rate; no value if it does not say how. */
export function mitigationOf(
  phase: RulePhase,
  rule: RuleInFile["custom_rules" | "rate_limiting_rules"],
  action: MitigateRule["action"] | undefined,
  base: RuleBase,
  path: Path,
): Converted<MitigateRule | undefined> {
  const { response, promote } = rule;
  const found = responseOf(phase, response, [...path, "response"]);
  const promoted = { ...base, value: action };
  const promotion = promotionOf(promote, "action", ruleSteps.action, promoted, path);
  const diagnostics = [
    ...withoutParts(rule, action, path),
    ...(action === undefined || action === "block"
      ? []
      : misused("response", response, "block", path)),
    ...found.diagnostics,
    ...promotion.diagnostics,
  ];
  const value = action && {
    ...base,
    action,
    response: found.value,
    ratelimit: undefined,
    promotion: promotion.value,
  };
  return { value, diagnostics };
}

/** A member that only one action has, beside another action. */
function misused(
  name: "response" | "skip",
  value: object | undefined,
  action: string,
  path: Path,
): readonly UnplacedDiagnostic[] {
  if (value === undefined) return [];
  const message = `"${name}" is for rules with \`action: ${action}\``;
  return [contradiction([...path, name], message, "delete it, or change the action")];
}

const responseMembers = ["status_code", "content_type", "content"] as const;

function responseOf(
  phase: RulePhase,
  response: Merged<YamlResponse> | undefined,
  path: Path,
): Converted<BlockResponse | undefined> {
  if (response === undefined) return { value: undefined, diagnostics: [] };
  const { status_code, content_type, content } = response;
  const diagnostics = responseMembers
    .filter((name) => response[name] === undefined)
    .map((name) => missing(path, `"${name}" of the response`, "the service needs all three keys"));
  if (status_code === undefined || content_type === undefined || content === undefined) {
    return { value: undefined, diagnostics };
  }
  const tooLarge = contentTooLarge(phase, content, path);
  return { value: { status_code, content_type, content }, diagnostics: tooLarge };
}

function contentTooLarge(
  phase: RulePhase,
  content: string,
  path: Path,
): readonly UnplacedDiagnostic[] {
  const { maxResponseBytes } = factsOfPhase(phase);
  const size = Buffer.byteLength(content);
  if (size <= maxResponseBytes) return [];
  const message = `the content has ${size} bytes, the maximum is ${maxResponseBytes}`;
  const remedy = "shorten it, or link to a page";
  return [{ code: "WRONG_VALUE", path: [...path, "content"], message, remedy }];
}

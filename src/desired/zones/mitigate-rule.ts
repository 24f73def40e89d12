import type { BlockResponse, MitigateRule, RuleBase } from "../../zone/resource.ts";
import { type RulePhase, factsOf } from "../../zone/rule-phase.ts";
import { contradiction, type Converted, missing, type UnplacedDiagnostic } from "../diagnostics.ts";
import type { Path } from "../location.ts";
import type { Merged } from "../merged.ts";
import { rulePromotionOf } from "./declared-promotion.ts";
import type { AnyRule } from "./rule-in-file.ts";
import type { YamlResponse, YamlRulePromotion } from "./zone-file.ts";

/** What is missing of what every rule of these phases needs. */
export function withoutParts(
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

/** What a rule that acts against requests has in a file. */
interface MitigationInFile {
  readonly action?: MitigateRule["action"] | undefined;
  readonly response?: Merged<YamlResponse> | undefined;
  readonly promote?: Merged<YamlRulePromotion> | undefined;
}

/** A rule that acts against requests, without a rate; no value if it does not say how. */
export function mitigationOf(
  phase: RulePhase,
  { response, promote, action = promote?.to }: MitigationInFile,
  base: RuleBase,
  path: Path,
): Converted<MitigateRule | undefined> {
  const found = responseOf(phase, response, [...path, "response"]);
  const promotion = rulePromotionOf(promote, "action", { ...base, value: action }, path);
  const diagnostics = [
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
export function misused(
  name: "response" | "skip",
  value: object | undefined,
  action: string,
  path: Path,
): readonly UnplacedDiagnostic[] {
  if (value === undefined) return [];
  const message = `"${name}" is for rules with \`action: ${action}\``;
  return [contradiction([...path, name], message, "delete it, or change the action")];
}

/** Steps of an exception, which acts against nothing. */
export function neverPromoted(path: Path): UnplacedDiagnostic {
  const message = '"promote" is for rules that act against requests';
  return contradiction([...path, "promote"], message, "delete it here");
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
  const { maxResponseBytes } = factsOf(phase);
  const size = Buffer.byteLength(content);
  if (size <= maxResponseBytes) return [];
  const message = `the content has ${size} bytes, the maximum is ${maxResponseBytes}`;
  const remedy = "shorten it, or link to a page";
  return [{ code: "WRONG_VALUE", path: [...path, "content"], message, remedy }];
}

import { checkCsp } from "../../syntax/csp/check-csp.ts";
import { parseExpression } from "../../syntax/expression/expression.ts";
import { coerceList, coerceObject, isJsonObject } from "../../syntax/json.ts";
import type { SyntaxDiagnostic } from "../../syntax/syntax-diagnostic.ts";
import { type Diagnostic, isError } from "../../zone/diagnostic.ts";
import { diagnosticAt, maxDiagnostics } from "../diagnostics.ts";
import { keyPlace, type Path, placeInScalar } from "../location.ts";
import { cspText, type CspInFile } from "./csp-text.ts";
import { diagnosticInPart, type FilePart, identityOf } from "./layer.ts";

const policyList = ["page_shield", "policies", "items"];
const ruleList = ["managed_rules", "rules"];

/**
 * Checks what the schema cannot: CSP values, filter expressions, and repeated keys of a profile or zone. A value is
 * also checked if others around it violate the schema.
 *
 * @param text of the file
 */
export function checkValues(part: FilePart, text: string): readonly Diagnostic[] {
  const policies = listAt(part.content, policyList);
  const rules = listAt(part.content, ruleList);
  return [
    ...bothNames(part),
    ...repeatedKeys(part, policyList, policies),
    ...repeatedKeys(part, ruleList, rules),
    ...rules.flatMap((rule, index) =>
      ["categories", "rules"].flatMap((name) => {
        const path = [...ruleList, index, "overrides", name];
        return repeatedKeys(part, path, listAt(rule, ["overrides", name]));
      }),
    ),
    ...policies.flatMap((policy, index) => [
      ...checkExpression(part, text, policy, [...policyList, index, "expression"]),
      ...checkPolicyValue(part, text, policy, [...policyList, index, "value"]),
    ]),
    ...rules.flatMap((rule, index) =>
      checkExpression(part, text, rule, [...ruleList, index, "expression"]),
    ),
  ];
}

/** The list at `steps` in a value of any shape; empty if there is none. */
function listAt(value: unknown, steps: readonly string[]): readonly unknown[] {
  return coerceList(steps.reduce<unknown>((holder, step) => coerceObject(holder)[step], value));
}

function repeatedKeys(
  part: FilePart,
  list: Path,
  items: readonly unknown[],
): readonly Diagnostic[] {
  const seen = new Set<string>();
  return items.flatMap((item, index) => {
    const key = identityOf(item);
    if (key === undefined) return [];
    if (!seen.has(key)) {
      seen.add(key);
      return [];
    }
    const message = `"${key}" is repeated in this list`;
    const remedy = "rename one of the two, or merge them";
    const path = [...list, index];
    return [diagnosticInPart(part, { code: "KEY_TWICE", path, message, remedy })];
  });
}

function bothNames(part: FilePart): readonly Diagnostic[] {
  const names = ["use_cloudflare_reporting_endpoint", "use_service_reporting_endpoint"] as const;
  const settings = coerceObject(
    coerceObject(coerceObject(part.content)["page_shield"])["settings"],
  );
  if (names.some((name) => settings[name] === undefined)) return [];
  const path = ["page_shield", "settings", names[1]];
  const message = `"${names[1]}" is another name of "${names[0]}"`;
  return [
    diagnosticInPart(part, { code: "CONTRADICTION", path, message, remedy: "keep one of the two" }),
  ];
}

function checkExpression(
  part: FilePart,
  text: string,
  item: unknown,
  path: Path,
): readonly Diagnostic[] {
  const { expression } = coerceObject(item);
  if (typeof expression !== "string") return [];
  return inScalar(part, text, expression, path, parseExpression(expression).diagnostics);
}

function checkPolicyValue(
  part: FilePart,
  text: string,
  item: unknown,
  path: Path,
): readonly Diagnostic[] {
  const { value } = coerceObject(item);
  if (!isCspInFile(value)) return [];
  const { text: policy, diagnostics, pathAt } = cspText(value);
  if (pathAt === undefined) return inScalar(part, text, policy, path, checkCsp(policy));
  // An entry of the map that holds a separator would make checks of the whole text wrong.
  const found = diagnostics.length > 0 ? diagnostics : checkCsp(policy);
  return limited(found).map((each) => {
    const whole = [...part.path, ...path, ...pathAt(each.offset)];
    return diagnosticAt(keyPlace(part.document, whole), each, whole);
  });
}

function isCspInFile(value: unknown): value is CspInFile {
  if (typeof value === "string") return true;
  return isJsonObject(value) && Object.values(value).every(isSources);
}

function isSources(value: unknown): boolean {
  if (Array.isArray(value)) return value.every((source) => typeof source === "string");
  return value === null || typeof value === "boolean";
}

/** Diagnostics of a scalar, at their places in the text of the file. */
function inScalar(
  part: FilePart,
  text: string,
  value: string,
  below: Path,
  found: readonly SyntaxDiagnostic[],
): readonly Diagnostic[] {
  const path = [...part.path, ...below];
  return limited(found).map((each) => {
    const place = placeInScalar(part.document, path, text, value, each.offset);
    return diagnosticAt(place, each, path);
  });
}

/** At most one diagnostic more than a file reports, since finding places takes long; an error is among them. */
function limited(found: readonly SyntaxDiagnostic[]): readonly SyntaxDiagnostic[] {
  if (found.length <= maxDiagnostics) return found;
  const errors = found.filter(isError);
  return (errors.length > 0 ? errors : found).slice(0, maxDiagnostics + 1);
}

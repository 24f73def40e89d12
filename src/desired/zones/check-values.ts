import { checkCsp } from "../../syntax/csp/check-csp.ts";
import { parseExpression } from "../../syntax/expression/expression.ts";
import { isJsonObject } from "../../syntax/json.ts";
import type { SyntaxDiagnostic } from "../../syntax/syntax-diagnostic.ts";
import { diagnosticCodes } from "../../zone/diagnostic-codes.ts";
import type { Diagnostic } from "../../zone/diagnostic.ts";
import { maxProblems, problemOf } from "../diagnostics.ts";
import { type CoercedPart, itemsAt, valueAt } from "../import/coerce.ts";
import { keyOffset, valueOffset } from "../location.ts";
import type { Path } from "../yaml/path.ts";
import { offsetInScalar } from "../yaml/scalar-text.ts";
import { type CspInFile, cspText } from "./csp-text.ts";

/**
 * What is wrong with the CSP values and filter expressions of a profile or zone, at their places in the file's text.
 * Whatever else is wrong around them, the schema tells: what has the right shape is checked nevertheless.
 */
export function meaningProblems(part: CoercedPart, text: string): readonly Diagnostic[] {
  const shield = ["page_shield", "policies", "items"];
  const policies = itemsAt(part.content, ...shield).flatMap((item, index) => {
    const path = [...shield, index];
    return [
      ...inExpression(part, text, valueAt(item, "expression"), [...path, "expression"]),
      ...inValue(part, text, valueAt(item, "value"), [...path, "value"]),
    ];
  });
  const rules = itemsAt(part.content, "managed_rules", "rules").flatMap((item, index) => {
    const path = ["managed_rules", "rules", index, "expression"];
    return inExpression(part, text, valueAt(item, "expression"), path);
  });
  return [...policies, ...rules];
}

function inExpression(
  part: CoercedPart,
  text: string,
  expression: unknown,
  path: Path,
): readonly Diagnostic[] {
  if (typeof expression !== "string") return [];
  const { diagnostics } = parseExpression(expression);
  return told(diagnostics).map((found) => inText(part, text, expression, path, found));
}

function inValue(
  part: CoercedPart,
  text: string,
  value: unknown,
  path: Path,
): readonly Diagnostic[] {
  if (!isCspInFile(value)) return [];
  const { text: policy, diagnostics, pathAt } = cspText(value);
  if (pathAt === undefined) {
    return told(checkCsp(policy)).map((found) => inText(part, text, policy, path, found));
  }
  // Where an entry does not stay within its place, checking the text would tell of it wrongly.
  const found = diagnostics.length > 0 ? diagnostics : checkCsp(policy);
  return told(found).map((one) => inEntry(part, [...path, ...pathAt(one.offset)], one));
}

/** As many diagnostics of one value as a file tells of: to look for the places of more takes long. An error is among them. */
function told(diagnostics: readonly SyntaxDiagnostic[]): readonly SyntaxDiagnostic[] {
  if (diagnostics.length <= maxProblems) return diagnostics;
  const errors = diagnostics.filter(({ code }) => diagnosticCodes[code].severity === "error");
  return (errors.length > 0 ? errors : diagnostics).slice(0, maxProblems + 1);
}

function isCspInFile(value: unknown): value is CspInFile {
  if (typeof value === "string") return true;
  return isJsonObject(value) && Object.values(value).every(isSources);
}

function isSources(value: unknown): boolean {
  if (Array.isArray(value)) return value.every((source) => typeof source === "string");
  return value === null || typeof value === "boolean";
}

/** A finding inside of a text that stands in the file as one value. */
function inText(
  part: CoercedPart,
  text: string,
  value: string,
  below: Path,
  found: SyntaxDiagnostic,
): Diagnostic {
  const path = [...part.path, ...below];
  const start = valueOffset(part.document, path);
  return diagnostic(part, path, offsetInScalar(text, start, value, found.offset), found);
}

/** A finding in a policy that is written as a map: at its directive, or at the source. */
function inEntry(part: CoercedPart, below: Path, found: SyntaxDiagnostic): Diagnostic {
  const path = [...part.path, ...below];
  return diagnostic(part, path, keyOffset(part.document, path), found);
}

function diagnostic(
  part: CoercedPart,
  path: Path,
  offset: number,
  found: SyntaxDiagnostic,
): Diagnostic {
  return problemOf(part.document.source, found.code, offset, path, found);
}

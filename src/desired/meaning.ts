import { checkCsp } from "../syntax/check-csp.ts";
import { parseExpression } from "../syntax/expression.ts";
import type { Finding } from "../syntax/finding.ts";
import type { Problem } from "../zone/problem.ts";
import { cspText } from "./csp-text.ts";
import type { CspInFile } from "./csp-text.ts";
import type { Layer } from "./layer.ts";
import { keyOffset, valueOffset } from "./located.ts";
import type { Path } from "./path.ts";
import { problemOf } from "./problem-of.ts";
import { offsetInScalar } from "./scalar-text.ts";

/** What is wrong with the CSP values and filter expressions of a layer, at their places in the file's text. */
export function meaningProblems(layer: Layer, text: string): readonly Problem[] {
  const { page_shield: shield, managed_rules: managed } = layer.content;
  const policies = (shield?.policies?.items ?? []).flatMap(({ value, expression }, index) => {
    const path = ["page_shield", "policies", "items", index];
    return [
      ...inExpression(layer, text, expression, [...path, "expression"]),
      ...inValue(layer, text, value, [...path, "value"]),
    ];
  });
  const rules = (managed?.rules ?? []).flatMap(({ expression }, index) =>
    inExpression(layer, text, expression, ["managed_rules", "rules", index, "expression"]),
  );
  return [...policies, ...rules];
}

function inExpression(
  layer: Layer,
  text: string,
  expression: string | null | undefined,
  path: Path,
): readonly Problem[] {
  if (typeof expression !== "string") return [];
  const { findings } = parseExpression(expression);
  return findings.map((found) => inText(layer, text, expression, path, found));
}

function inValue(
  layer: Layer,
  text: string,
  value: CspInFile | null | undefined,
  path: Path,
): readonly Problem[] {
  if (value === null || value === undefined) return [];
  const { text: policy, findings, pathAt } = cspText(value);
  if (pathAt === undefined) {
    return checkCsp(policy).map((found) => inText(layer, text, policy, path, found));
  }
  // Where an entry does not stay within its place, checking the text would tell of it wrongly.
  const found = findings.length > 0 ? findings : checkCsp(policy);
  return found.map((one) => inEntry(layer, [...path, ...pathAt(one.offset)], one));
}

/** A finding inside of a text that stands in the file as one value. */
function inText(layer: Layer, text: string, value: string, below: Path, found: Finding): Problem {
  const path = [...layer.path, ...below];
  const start = valueOffset(layer.document, path);
  return problem(layer, path, offsetInScalar(text, start, value, found.offset), found);
}

/** A finding in a policy that is written as a map: at its directive, or at the source. */
function inEntry(layer: Layer, below: Path, found: Finding): Problem {
  const path = [...layer.path, ...below];
  return problem(layer, path, keyOffset(layer.document, path), found);
}

function problem(layer: Layer, path: Path, offset: number, found: Finding): Problem {
  return problemOf(layer.document.source, found.code, offset, path, found);
}

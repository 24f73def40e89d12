import type { Comparison, Expression, Operand } from "../expression-tree.ts";
import { parseExpression } from "../expression.ts";
import { type Conjunction, conjunctionsOf, maxConjunctions, outcomesOf } from "./conjunctions.ts";

/** Whether an expression certainly selects every request, as `true` and `http.request.uri.path wildcard "/*"` do. */
export function selectsEverything(expression: string): boolean {
  const { tree } = parseExpression(expression);
  const ways = tree && conjunctionsOf(tree, false);
  return ways !== undefined && ways.length < maxConjunctions && ways.every(isImpossible);
}

/** Whether conditions cannot hold together: one of them never holds, or one must hold and fail. */
function isImpossible(conjunction: Conjunction): boolean {
  return (
    outcomesOf(conjunction) === undefined ||
    conjunction.some(({ condition, holds }) => isCertain(condition, !holds))
  );
}

/** Whether a condition has `outcome` for every request. */
function isCertain(condition: Expression, outcome: boolean): boolean {
  if (condition.kind === "truth") return outcome && isCertainCall(condition.operand);
  return condition.kind === "comparison" && isCertainComparison(condition, outcome);
}

function isCertainComparison({ left, operator, right }: Comparison, outcome: boolean): boolean {
  if (right.kind !== "text") return false;
  if (operator === "contains") return outcome && right.text === "";
  const field = left.kind === "field" && left.indexes.length === 0 ? left.name : "";
  if (operator.endsWith("wildcard")) return outcome && isEveryPattern(right.text, field);
  const isNever = never[field]?.test(right.text) === true;
  return isNever && operator === (outcome ? "ne" : "eq");
}

/** Texts that a field never has: there is always a host, and a path starts with a slash. */
const never: Readonly<Record<string, RegExp>> = {
  "http.host": /^$/,
  "http.request.uri": /^(?!\/)/,
  "http.request.uri.path": /^(?!\/)/,
};

/** Fields whose every value starts with a slash. */
const paths: ReadonlySet<string> = new Set([
  "http.request.uri",
  "http.request.uri.path",
  "raw.http.request.uri",
  "raw.http.request.uri.path",
]);

function isEveryPattern(pattern: string, field: string): boolean {
  return pattern === "*" || (pattern === "/*" && paths.has(field));
}

function isCertainCall(operand: Operand): boolean {
  if (operand.kind !== "call") return false;
  const [subject, text] = operand.arguments;
  if (text?.kind !== "text") return false;
  const isPartOf = ["starts_with", "ends_with", "contains"].includes(operand.name);
  if (isPartOf && text.text === "") return true;
  const isPath = subject?.kind === "field" && paths.has(subject.name);
  return isPath && operand.name === "starts_with" && text.text === "/";
}

import type { Expression } from "./expression-tree.ts";
import { canonicalExpression, parseExpression } from "./expression.ts";
import { comparisonImplies, singleComparisons } from "./implied-comparison.ts";
import { printExpression } from "./print-expression.ts";

/**
 * How the requests that the second expression selects lie to those of the first.
 *
 * `narrower`: no request more; `wider`: no request less; `unclear`: neither could be shown.
 */
export type ExpressionOrder = "equal" | "narrower" | "wider" | "unclear";

/** Compares what two expressions select. Only what can be shown from their shape is said. */
export function compareExpressions(before: string, after: string): ExpressionOrder {
  if (canonicalExpression(before) === canonicalExpression(after)) return "equal";
  const was = readable(before);
  const is = readable(after);
  if (was === undefined || is === undefined) return "unclear";
  const isNarrower = implies(is, was, { steps: maxSteps });
  const isWider = implies(was, is, { steps: maxSteps });
  if (isNarrower) return isWider ? "equal" : "narrower";
  return isWider ? "wider" : "unclear";
}

/** What is too long for the service is not looked into: it can never be live. */
function readable(text: string): Expression | undefined {
  const { tree, findings } = parseExpression(text);
  return findings.some(({ code }) => code === "EXPR_TOO_LONG") ? undefined : tree;
}

/** Pairs of parts that are compared before giving up: nested alternatives multiply. */
const maxSteps = 20_000;

interface Budget {
  steps: number;
}

/** Whether every request for which `a` holds is shown to be one for which `b` holds. */
function implies(a: Expression, b: Expression, budget: Budget): boolean {
  budget.steps -= 1;
  if (budget.steps < 0) return false;
  if (isConstant(a, false) || isConstant(b, true)) return true;
  const alternatives = alternativesOf(a, b);
  if (alternatives.length > 1) return alternatives.every((item) => implies(item, b, budget));
  const conditions = itemsOf(b, "and");
  if (conditions.length > 1) return conditions.every((item) => implies(a, item, budget));
  return (
    impliesDirectly(a, b, budget) ||
    itemsOf(a, "and").some((item) => implies(item, b, budget)) ||
    itemsOf(b, "or").some((item) => implies(a, item, budget))
  );
}

function impliesDirectly(a: Expression, b: Expression, budget: Budget): boolean {
  if (a.kind === "not" && b.kind === "not") return implies(b.item, a.item, budget);
  if (a.kind === "comparison" && b.kind === "comparison" && comparisonImplies(a, b)) return true;
  return a.kind === b.kind && printExpression(a) === printExpression(b);
}

/** The cases that `a` consists of; a set is taken apart only where `b` has cases too. */
function alternativesOf(a: Expression, b: Expression): readonly Expression[] {
  if (a.kind === "comparison" && itemsOf(b, "or").length > 0) return singleComparisons(a);
  return itemsOf(a, "or");
}

function itemsOf(expression: Expression, connective: "and" | "or"): readonly Expression[] {
  const isIt = expression.kind === "logic" && expression.connective === connective;
  return isIt ? expression.items : [];
}

function isConstant(expression: Expression, value: boolean): boolean {
  return expression.kind === "constant" && expression.value === value;
}

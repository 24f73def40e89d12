import { canonicalExpression } from "./expression.ts";

/** How the requests selected by the second expression lie to those of the first; `unclear` is always a right answer. */
export type ExpressionOrder = "equal" | "narrower" | "wider" | "unclear";

/** Compares what two expressions select. */
export function compareExpressions(before: string, after: string): ExpressionOrder {
  return canonicalExpression(before) === canonicalExpression(after) ? "equal" : "unclear";
}

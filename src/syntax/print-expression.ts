import type { Expression } from "./expression-tree.ts";

/** The expression as text; parsed again it gives the same tree. */
export function printExpression(tree: Expression): string {
  return tree.kind;
}

import { type SyntaxDiagnostic, diagnostic } from "../../syntax-diagnostic.ts";
import type { CertaintyJudge } from "../certainty/certainty-judge.ts";
import type { Expression, ExpressionNode } from "../expression-tree.ts";

/**
 * Warnings about parts of an expression that hold for no request, and about alternatives that hold
 * for every one. The innermost part is named, unless `known` already says something about it.
 */
export function adviseCertainty(
  nodes: readonly ExpressionNode[],
  known: readonly SyntaxDiagnostic[],
  judge: CertaintyJudge,
): readonly SyntaxDiagnostic[] {
  const found = [...known];
  // A part comes after what it is a part of.
  for (const node of nodes.toReversed()) {
    if (node.kind !== "comparison" && node.kind !== "truth" && node.kind !== "logic") continue;
    if (found.some((each) => isWithin(each, node))) continue;
    const advice = adviceFor(node, judge);
    if (advice !== undefined) found.push(advice);
  }
  return found.slice(known.length);
}

function adviceFor(
  node: Extract<Expression, { readonly kind: "comparison" | "truth" | "logic" }>,
  judge: CertaintyJudge,
): SyntaxDiagnostic | undefined {
  const certainty = judge.certaintyOf(node);
  if (certainty === "never") {
    const message =
      node.kind === "logic"
        ? "these conditions can never hold together"
        : "this never holds: the value cannot be so";
    return diagnostic("EXPR_NEVER", node, message, "correct the values, or delete the condition");
  }
  const isChoice = node.kind === "logic" && node.connective !== "and";
  if (certainty === "depends" || !isChoice) return undefined;
  const message = "one of these conditions always holds, so that they select every request";
  const remedy = "join them with and, or delete them";
  return diagnostic("EXPR_ALWAYS", node, message, remedy);
}

function isWithin(inner: SyntaxDiagnostic, outer: Expression): boolean {
  return inner.offset >= outer.offset && inner.offset < outer.offset + outer.length;
}

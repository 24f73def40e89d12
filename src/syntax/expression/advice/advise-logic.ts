import { type SyntaxDiagnostic, diagnostic } from "../../syntax-diagnostic.ts";
import { CertaintyJudge } from "../certainty/certainty-judge.ts";
import type { Expression, ExpressionNode } from "../expression-tree.ts";

/** Warnings about how the conditions of `expression` are joined; `text` has its parentheses. */
export function adviseLogic(
  expression: Expression,
  nodes: readonly ExpressionNode[],
  text: string,
): readonly SyntaxDiagnostic[] {
  return nodes.flatMap((node) => {
    if (node.kind === "not") return doubleNegation(node);
    if (node.kind === "constant") return node === expression ? [] : [idleConstant(node)];
    return node.kind === "logic" ? mixed(node, text) : [];
  });
}

type Logic = Extract<Expression, { readonly kind: "logic" }>;

function doubleNegation(node: Expression & { readonly kind: "not" }): readonly SyntaxDiagnostic[] {
  if (node.item.kind !== "not") return [];
  return [
    diagnostic("EXPR_DOUBLE_NOT", node, "two negations cancel each other", "delete both, or one"),
  ];
}

function idleConstant(node: Expression & { readonly kind: "constant" }): SyntaxDiagnostic {
  const message = `${node.value} beside other conditions changes nothing, or everything`;
  const remedy = "delete it; the public engine of the service refuses it here";
  return diagnostic("EXPR_CONSTANT", node, message, remedy);
}

/** `and` beside `or` without parentheses: not everybody knows which binds tighter. */
function mixed(node: Logic, text: string): readonly SyntaxDiagnostic[] {
  const bare = node.items.find((item) => item.kind === "logic" && !isInParentheses(item, text));
  if (bare === undefined || bare.kind !== "logic") return [];
  const message = `${bare.connective} binds tighter than ${node.connective}`;
  const remedy = "write parentheses around what belongs together";
  return [diagnostic("EXPR_MIXED_LOGIC", bare, message, remedy)];
}

function isInParentheses({ offset, length }: Expression, text: string): boolean {
  const before = text.slice(0, offset).trimEnd();
  const after = text.slice(offset + length).trimStart();
  return before.endsWith("(") && after.startsWith(")");
}

/**
 * Warnings about parts of an expression that hold for no request, and about alternatives that hold
 * for every one. The innermost part is named, unless `known` already says something about it.
 */
export function adviseCertainty(
  expression: Expression,
  isPossible: boolean,
  nodes: readonly ExpressionNode[],
  known: readonly SyntaxDiagnostic[],
): readonly SyntaxDiagnostic[] {
  const found = [...known];
  const judge = new CertaintyJudge();
  const possible = new Set(isPossible ? conjunctsOf(expression) : []);
  // A part comes after what it is a part of.
  for (const node of nodes.toReversed()) {
    if (node.kind !== "comparison" && node.kind !== "truth" && node.kind !== "logic") continue;
    if (possible.has(node) && !isChoice(node)) continue;
    if (found.some((each) => isWithin(each, node))) continue;
    const advice = adviceFor(node, judge);
    if (advice !== undefined) found.push(advice);
  }
  return found.slice(known.length);
}

/** What must hold wherever an expression does: itself, and what is joined in it by `and`. */
function conjunctsOf(expression: Expression): readonly ExpressionNode[] {
  const isJoined = expression.kind === "logic" && expression.connective === "and";
  return [expression, ...(isJoined ? expression.items.flatMap(conjunctsOf) : [])];
}

/** Alternatives, of which one may always hold. */
function isChoice(node: ExpressionNode): boolean {
  return node.kind === "logic" && node.connective !== "and";
}

function adviceFor(
  node: Logic | Extract<Expression, { readonly kind: "comparison" | "truth" }>,
  judge: CertaintyJudge,
): SyntaxDiagnostic | undefined {
  if (judge.isNever(node)) {
    const [message, remedy] =
      node.kind === "logic"
        ? ["these conditions can never hold together", "join them with or, or correct the values"]
        : [
            "this never holds: the value cannot be so",
            "correct the values, or delete the condition",
          ];
    return diagnostic("EXPR_NEVER", node, message, remedy);
  }
  if (!isChoice(node) || judge.certaintyOf(node) === "depends") return undefined;
  const message = "one of these conditions always holds, so that they select every request";
  const remedy = "join them with and, or delete them";
  return diagnostic("EXPR_ALWAYS", node, message, remedy);
}

function isWithin(inner: SyntaxDiagnostic, outer: Expression): boolean {
  return inner.offset >= outer.offset && inner.offset < outer.offset + outer.length;
}

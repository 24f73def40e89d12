import { type SyntaxDiagnostic, diagnostic } from "../../syntax-diagnostic.ts";
import type { Comparison, Expression, ExpressionNode, Value } from "../expression-tree.ts";
import { printOperand, printValue } from "../print-expression.ts";

/** Warnings about how the conditions of `expression` are joined; `text` has its parentheses. */
export function adviseLogic(
  expression: Expression,
  nodes: readonly ExpressionNode[],
  text: string,
): readonly SyntaxDiagnostic[] {
  return nodes.flatMap((node) => {
    if (node.kind === "not") return doubleNegation(node);
    if (node.kind === "constant") return node === expression ? [] : [idleConstant(node)];
    return node.kind === "logic" ? [...contradictions(node), ...mixed(node, text)] : [];
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

/** Conditions that can never hold together: one value cannot be equal to two. */
function contradictions(node: Logic): readonly SyntaxDiagnostic[] {
  if (node.connective !== "and") return [];
  const known = new Map<string, ReadonlySet<string>>();
  return node.items.flatMap((item) => {
    const values = item.kind === "comparison" ? valuesOf(item) : undefined;
    if (item.kind !== "comparison" || values === undefined) return [];
    const subject = printOperand(item.left);
    const others = known.get(subject);
    known.set(subject, values);
    if (others === undefined || [...values].some((value) => others.has(value))) return [];
    const message = `${subject} cannot have two values at once, so that this never applies`;
    const remedy = `join them with or, or write ${subject} in {${[...others, ...values].slice(0, 4).join(" ")}}`;
    return [diagnostic("EXPR_NEVER", item, message, remedy)];
  });
}

function valuesOf({ operator, right }: Comparison): ReadonlySet<string> | undefined {
  const members: readonly Value[] = right.kind === "set" ? right.members : [right];
  const isEqual = operator === "eq" || operator === "in";
  const isPlain = members.every(({ kind }) => kind === "text" || kind === "integer");
  if (!isEqual || !isPlain || members.length === 0) return undefined;
  return new Set(members.map(printValue));
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

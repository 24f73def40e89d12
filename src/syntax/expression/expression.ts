import { remembered } from "../remembered.ts";
import { type SyntaxDiagnostic, diagnostic, inTextOrder } from "../syntax-diagnostic.ts";
import { checkExpression } from "./check-expression.ts";
import { checkRegexes } from "./check-regex.ts";
import { type Expression, type ExpressionNode, nodesOf, type Operand } from "./expression-tree.ts";
import { readExpression, readWholeOperand } from "./read/read-expression.ts";
import { TextReader } from "./read/text-reader.ts";

/** A parsed filter expression; without a tree if it is invalid. */
interface ParsedExpression {
  readonly tree: Expression | undefined;
  readonly diagnostics: readonly SyntaxDiagnostic[];
}

/** Maximum length of an expression in characters (SERVICE.md B.8). */
export const maxExpressionLength = 4096;

/** The expression as the service stores it: without surrounding white space (SERVICE.md D). */
export function canonicalExpression(text: string): string {
  return text.trim();
}

/**
 * Parses and checks a filter expression. Only syntax the service rejects is an error: unknown names
 * and mismatched types are warnings, because the service may know more than the tables.
 */
export function parseExpression(text: string): ParsedExpression {
  return parsed(text, () => parse(text));
}

/** A zone file needs each of them a few times, and many zones have the same expressions. */
const parsed = remembered<ParsedExpression>(2_000);

/** Parses a text that is one field or one call; without one, there is an error. */
export function parseOperand(text: string): {
  readonly operand: Operand | undefined;
  readonly error: SyntaxDiagnostic | undefined;
} {
  const reader = new TextReader(text, 0);
  const operand = readWholeOperand(reader);
  return { operand, error: reader.error };
}

/** The tree of an expression; `undefined` if it is invalid. */
export function validTree(text: string): Expression | undefined {
  const { tree, diagnostics } = parseExpression(text);
  return diagnostics.some(({ severity }) => severity === "error") ? undefined : tree;
}

/** All nodes of an expression except indexes, in depth-first order; none if it is invalid. */
export function nodesIn(text: string): readonly ExpressionNode[] {
  const tree = validTree(text);
  return tree === undefined ? [] : nodesOf(tree);
}

function parse(text: string): ParsedExpression {
  const written = canonicalExpression(text);
  const whole = { offset: text.length - text.trimStart().length, length: written.length };
  if (written === "") {
    const remedy = "write true to select every request";
    return {
      tree: undefined,
      diagnostics: [diagnostic("EXPR_EMPTY", whole, "the expression is empty", remedy)],
    };
  }
  // Skipping the surrounding white space in `text` keeps its offsets.
  const reader = new TextReader(text.slice(0, whole.offset + whole.length), whole.offset);
  const tree = readExpression(reader);
  const diagnostics = tree === undefined ? [] : checkTree(tree);
  if (reader.error !== undefined) diagnostics.push(reader.error);
  if (written.length > maxExpressionLength) {
    const message = `the expression has ${written.length} characters, the maximum is ${maxExpressionLength}`;
    diagnostics.push(
      diagnostic("EXPR_TOO_LONG", whole, message, "use a list, or split the policy or rule"),
    );
  }
  return { tree, diagnostics: inTextOrder(diagnostics) };
}

function checkTree(tree: Expression): SyntaxDiagnostic[] {
  const nodes = nodesOf(tree);
  return [...checkExpression(tree, nodes), ...checkRegexes(nodes)];
}

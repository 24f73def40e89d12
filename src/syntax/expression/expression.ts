import { type SyntaxDiagnostic, diagnostic, inTextOrder } from "../syntax-diagnostic.ts";
import { checkExpression } from "./check-expression.ts";
import type { Expression } from "./expression-tree.ts";
import { readExpression } from "./read-expression.ts";
import { TextReader } from "./text-reader.ts";

/** A filter expression taken apart; no tree where it cannot be read. */
interface ParsedExpression {
  readonly tree: Expression | undefined;
  readonly diagnostics: readonly SyntaxDiagnostic[];
}

/** The most characters that an expression may have (SERVICE.md B.8). */
export const maxExpressionLength = 4096;

/** The expression as the service keeps it: without white space around it (SERVICE.md D). */
export function canonicalExpression(text: string): string {
  return text.trim();
}

/**
 * Takes a filter expression apart and checks it.
 *
 * What the service accepts has no error here: only what cannot be read is one, while unknown names and
 * types that do not fit are warnings, for the service may know more than the tables.
 */
export function parseExpression(text: string): ParsedExpression {
  const written = canonicalExpression(text);
  const whole = { offset: text.length - text.trimStart().length, length: written.length };
  if (written === "") {
    const remedy = "write true to select every request";
    return {
      tree: undefined,
      diagnostics: [diagnostic("EXPR_EMPTY", whole, "the expression is empty", remedy)],
    };
  }
  // Read up to the trimmed end, from the trimmed beginning, so that offsets are those of `text`.
  const reader = new TextReader(text.slice(0, whole.offset + whole.length), whole.offset);
  const tree = readExpression(reader);
  const diagnostics = tree === undefined ? [] : [...checkExpression(tree)];
  if (reader.mistake !== undefined) diagnostics.push(reader.mistake);
  if (written.length > maxExpressionLength) {
    const message = `the expression has ${written.length} characters, the most is ${maxExpressionLength}`;
    diagnostics.push(
      diagnostic("EXPR_TOO_LONG", whole, message, "use a list, or split the policy or rule"),
    );
  }
  return { tree, diagnostics: inTextOrder(diagnostics) };
}

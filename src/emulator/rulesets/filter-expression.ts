import { wireCodes } from "../../api/wire.ts";
import { type Expression, nodesOf } from "../../syntax/expression/expression-tree.ts";
import { maxExpressionLength, parseExpression } from "../../syntax/expression/expression.ts";
import { isRefused, type SyntaxDiagnostic } from "../../syntax/syntax-diagnostic.ts";
import type { FieldReader } from "../http/fields.ts";

/** Plans whose expressions may use regular expressions (SERVICE.md D). */
const plansWithRegex = ["business", "enterprise"];

/**
 * Throws if the service rejects a filter expression.
 *
 * @param plan the plan of the zone, "" if none restricts it.
 * @param isLenient whether names and arguments that the tables do not have are accepted, as those
 *   of a newer service.
 */
export function checkFilterExpression(
  fields: FieldReader,
  expression: string,
  plan: string,
  isLenient: boolean,
): void {
  if (expression.length > maxExpressionLength) {
    throw fields.error(
      "expression",
      `expression size ${expression.length} exceeded maximum ${maxExpressionLength}`,
      wireCodes.expressionTooLong,
    );
  }
  const { tree, diagnostics } = parseExpression(expression);
  const error = diagnostics.find(
    (diagnostic) => diagnostic.severity === "error" || (!isLenient && isRefused(diagnostic)),
  );
  if (error !== undefined || tree === undefined) {
    const message = parsingError(expression, error);
    const isArgument = error?.code === "EXPR_BAD_ARGUMENT";
    throw fields.error("expression", message, isArgument ? wireCodes.wrongArgument : undefined);
  }
  if (plan !== "" && !plansWithRegex.includes(plan) && usesRegex(tree)) {
    throw fields.error(
      "expression",
      "not entitled: the use of operator Matches is not allowed, a Business plan or a WAF Advanced plan is required",
    );
  }
}

/**
 * The message of the service's parser: line and column, the line, and a mark below the error
 * (SERVICE.md D).
 */
function parsingError(expression: string, error: SyntaxDiagnostic | undefined): string {
  const { offset, length, message } = error ?? {
    offset: 0,
    length: 1,
    message: "not an expression",
  };
  const before = expression.slice(0, offset).split("\n");
  const line = expression.split("\n")[before.length - 1] ?? "";
  const column = before.at(-1)?.length ?? 0;
  const mark = " ".repeat(column) + "^".repeat(Math.max(1, Math.min(length, line.length - column)));
  return `Filter parsing error (${before.length}:${column + 1}):\n${line}\n${mark} ${message}\n`;
}

function usesRegex(tree: Expression): boolean {
  return nodesOf(tree).some((node) => node.kind === "comparison" && node.operator === "matches");
}

import { wireCodes } from "../../api/wire.ts";
import { isResponseField } from "../../syntax/expression/expression-fields.ts";
import { type ExpressionNode, fieldsIn, nodesOf } from "../../syntax/expression/expression-tree.ts";
import { maxExpressionLength, parseExpression } from "../../syntax/expression/expression.ts";
import { isRefused, type SyntaxDiagnostic } from "../../syntax/syntax-diagnostic.ts";
import type { FieldReader } from "../http/fields.ts";

/** Plans whose expressions may use regular expressions (SERVICE.md D). */
const plansWithRegex = ["", "business", "enterprise"];

/** What the place of an expression allows in it. */
export interface ExpressionLimits {
  /** The plan of the zone, "" if none restricts it. */
  readonly plan: string;
  /** Whether names and arguments that the tables do not have are accepted, as those of a newer service. */
  readonly isLenient: boolean;
  readonly member?: string;
  /** Whether fields of the response are refused. */
  readonly isBeforeResponse?: boolean | undefined;
  /** What a plan without regular expressions needs for them, in the service's words. */
  readonly regexNeeds?: string | undefined;
  /** What a field needs that the plan does not have; `undefined`: nothing. */
  readonly fieldNeeds?: (field: string) => string | undefined;
}

/** Throws if the service rejects a filter expression. */
export function checkFilterExpression(
  fields: FieldReader,
  expression: string,
  {
    plan,
    member = "expression",
    isLenient,
    regexNeeds = "a Business plan or a WAF Advanced plan",
    ...limits
  }: ExpressionLimits,
): void {
  // The service measures an expression without repeated white space (SERVICE.md B.8).
  const { length } = expression.trim().replaceAll(/[ \r\n]+/g, " ");
  if (length > maxExpressionLength) {
    const message = `expression size ${length} exceeded maximum ${maxExpressionLength}`;
    throw fields.error(member, message, wireCodes.expressionTooLong);
  }
  const { tree, diagnostics } = parseExpression(expression);
  const error = diagnostics.find(
    (diagnostic) =>
      diagnostic.code !== "EXPR_TOO_LONG" &&
      (diagnostic.severity === "error" || (!isLenient && isRefused(diagnostic))),
  );
  if (error !== undefined || tree === undefined) {
    const message = parsingError(expression, error);
    const isArgument = error?.code === "EXPR_BAD_ARGUMENT";
    throw fields.error(member, message, isArgument ? wireCodes.wrongArgument : undefined);
  }
  const names = fieldsIn(tree);
  const late = limits.isBeforeResponse === true ? names.find(isResponseField) : undefined;
  if (late !== undefined) {
    throw fields.error(
      member,
      `'${expression}' is not a valid value for ${member} because the use of field ${late} is not allowed`,
    );
  }
  for (const name of names) {
    const needs = limits.fieldNeeds?.(name);
    if (needs !== undefined) throw fields.error(member, notEntitled(`field ${name}`, needs));
  }
  if (!plansWithRegex.includes(plan) && nodesOf(tree).some(isRegex)) {
    throw fields.error(member, notEntitled("operator Matches", regexNeeds));
  }
}

function isRegex(node: ExpressionNode): boolean {
  return node.kind === "comparison" && node.operator === "matches";
}

function notEntitled(what: string, needs: string): string {
  return `not entitled: the use of ${what} is not allowed, ${needs} is required`;
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

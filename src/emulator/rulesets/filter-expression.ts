import { wireCodes } from "../../api/wire.ts";
import { namesIn } from "../../syntax/by-text.ts";
import { typeOfOperand } from "../../syntax/expression/expression-fields.ts";
import {
  type Argument,
  type Expression,
  nodesOf,
} from "../../syntax/expression/expression-tree.ts";
import { maxExpressionLength, parseExpression } from "../../syntax/expression/expression.ts";
import type { SyntaxDiagnostic } from "../../syntax/syntax-diagnostic.ts";
import type { FieldReader } from "../http/fields.ts";

/** Plans whose expressions may use regular expressions (SERVICE.md D). */
const plansWithRegex = ["business", "enterprise"];

/** Functions whose first argument is a text. */
const textFunctions = new Set(
  namesIn(`
  decode_base64 ends_with encode_base64 lookup_json_integer lookup_json_string lower
  regex_replace remove_bytes remove_query_args split starts_with substring upper url_decode
  wildcard_replace
`),
);

/**
 * Throws where the service rejects a filter expression; `plan` is "" where none restricts it. Unknown fields and
 * functions are accepted: the service may know more than the tables.
 */
export function checkFilterExpression(fields: FieldReader, expression: string, plan: string): void {
  if (expression.length > maxExpressionLength) {
    throw fields.error(
      "expression",
      `expression size ${expression.length} exceeded maximum ${maxExpressionLength}`,
      wireCodes.expressionTooLong,
    );
  }
  const { tree, diagnostics } = parseExpression(expression);
  const error = diagnostics.find(({ severity }) => severity === "error");
  if (error !== undefined || tree === undefined) {
    throw fields.error("expression", parsingError(expression, error));
  }
  const mismatch = mismatchedCall(tree);
  if (mismatch !== undefined) {
    throw fields.error(
      "expression",
      `the function ${mismatch.name} cannot be given an argument of type ${mismatch.type}`,
      wireCodes.wrongArgument,
    );
  }
  if (plan !== "" && !plansWithRegex.includes(plan) && usesRegex(tree)) {
    throw fields.error(
      "expression",
      "not entitled: the use of operator Matches is not allowed, a Business plan or a WAF Advanced plan is required",
    );
  }
}

/** The message of the service's parser: line and column, the line, and a mark below the error (SERVICE.md D). */
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

/** A call whose first argument has the wrong type. */
function mismatchedCall(
  tree: Expression,
): { readonly name: string; readonly type: string } | undefined {
  for (const node of nodesOf(tree)) {
    if (node.kind !== "call" || !textFunctions.has(node.name)) continue;
    const [first] = node.arguments;
    const type = first && typeOfArgument(first);
    // With `[*]` a function is applied to each element.
    if (type !== undefined && type !== "String" && type !== "Array<String>") {
      return { name: node.name, type };
    }
  }
  return undefined;
}

function typeOfArgument(argument: Argument): string | undefined {
  if (argument.kind === "field" || argument.kind === "call") return typeOfOperand(argument);
  if (argument.kind === "integer") return "Integer";
  return argument.kind === "address" ? "IP" : undefined;
}

function usesRegex(tree: Expression): boolean {
  return nodesOf(tree).some((node) => node.kind === "comparison" && node.operator === "matches");
}

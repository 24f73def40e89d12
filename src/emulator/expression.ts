import { wireCodes } from "../api/wire.ts";
import type { FieldReader } from "./fields.ts";

/** Longest expression that the service stores (api-facts B.8). */
const mostCharacters = 4096;

/** Gives a filter expression back, or refuses it where the service does. */
export function checkedExpression(fields: FieldReader, expression: string): string {
  if (expression.trim() === "") {
    throw fields.mistake("expression", "expression must not be empty");
  }
  if (expression.length > mostCharacters) {
    throw fields.mistake(
      "expression",
      `expression size ${expression.length} exceeded maximum ${mostCharacters}`,
      wireCodes.expressionTooLong,
    );
  }
  return expression;
}

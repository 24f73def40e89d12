import { expressionFields, expressionFunctions } from "./expression-fields.ts";
import type { Operand } from "./expression-tree.ts";

/**
 * Type of what stands on the left of an operator, in the words of the documentation; `undefined` where the
 * tables do not know it or an index does not fit.
 */
export function typeOfOperand(operand: Operand): string | undefined {
  let type: string | undefined = ownType(operand);
  for (const { kind } of operand.indexes) {
    const { container, inner } = containerPattern.exec(type ?? "")?.groups ?? {};
    const fits = kind === "each" || container === (kind === "item" ? "Array" : "Map");
    type = fits ? inner : undefined;
  }
  return type;
}

const containerPattern = /^(?<container>Array|Map)<(?<inner>.*)>$/;

/** A function over `[*]` of its first argument gives an array of its results. */
function ownType(operand: Operand): string | undefined {
  if (operand.kind === "field") return expressionFields.get(operand.name);
  const result = expressionFunctions.get(operand.name);
  const [first] = operand.arguments;
  const isMapped =
    (first?.kind === "field" || first?.kind === "call") &&
    first.indexes.some(({ kind }) => kind === "each");
  return isMapped && result !== undefined ? `Array<${result}>` : result;
}

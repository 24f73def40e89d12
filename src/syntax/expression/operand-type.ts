import { expressionFields } from "./expression-fields.ts";
import { expressionFunctions } from "./expression-functions.ts";
import type { Argument, Expression, Index, Operand } from "./expression-tree.ts";

/** A list or a map with the type of its elements. */
const containerPattern = /^(?<container>Array|Map)<(?<inner>.*)>$/;

/** Whether `[*]` makes an operand stand for each of its elements in turn. */
export function isMapped(operand: Operand): boolean {
  return operand.indexes.some(({ kind }) => kind === "each");
}

/**
 * The type of an operand; with `[*]` that of an element. `undefined` if the tables do not know it,
 * or if an index does not fit.
 */
export function typeOfOperand(operand: Operand): string | undefined {
  return operand.indexes.reduce(typeAfterIndex, typeWithoutIndexes(operand));
}

export function typeWithoutIndexes(operand: Operand): string | undefined {
  if (operand.kind === "field") return expressionFields.get(operand.name);
  const result = expressionFunctions.get(operand.name)?.signature.result;
  const [first] = operand.arguments;
  const type = result === "same" ? first && typeOfArgument(first) : result;
  const isForEach = first !== undefined && isOperand(first) && isMapped(first);
  return isForEach && type !== undefined ? `Array<${type}>` : type;
}

/** The type of an element that `index` reaches; `undefined` if the index does not fit. */
export function typeAfterIndex(
  type: string | undefined,
  { kind }: Pick<Index, "kind">,
): string | undefined {
  const { container, inner } = containerPattern.exec(type ?? "")?.groups ?? {};
  const fits = kind === "each" || container === (kind === "item" ? "Array" : "Map");
  return fits ? inner : undefined;
}

/** Whether an argument or a value is a field or a call. */
export function isOperand(node: { readonly kind: string }): node is Operand {
  return node.kind === "field" || node.kind === "call";
}

/** The type of an argument; `undefined` if the tables do not know it. */
export function typeOfArgument(argument: Argument): string | undefined {
  if (isOperand(argument)) return typeOfOperand(argument);
  if (argument.kind === "text") return "String";
  if (argument.kind === "integer") return "Integer";
  return argument.kind === "address" ? "IP" : typeOfCondition(argument);
}

/** `Boolean`, or `Array<Boolean>` for a condition on each element of a list. */
export function typeOfCondition(expression: Expression): "Boolean" | "Array<Boolean>" {
  if (expression.kind === "not") return typeOfCondition(expression.item);
  if (expression.kind === "logic") {
    const [first] = expression.items;
    return first === undefined ? "Boolean" : typeOfCondition(first);
  }
  if (expression.kind === "constant") return "Boolean";
  const operand = expression.kind === "truth" ? expression.operand : expression.left;
  const isList = expression.kind === "truth" && typeOfOperand(operand) === "Array<Boolean>";
  return isList || isMapped(operand) ? "Array<Boolean>" : "Boolean";
}

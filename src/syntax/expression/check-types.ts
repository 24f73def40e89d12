import { type SyntaxDiagnostic, diagnostic } from "../syntax-diagnostic.ts";
import {
  type Comparison,
  comparedValues,
  type Expression,
  type Operand,
  type Operator,
  type Value,
} from "./expression-tree.ts";
import {
  isMapped,
  isOperand,
  typeAfterIndex,
  typeOfArgument,
  typeOfCondition,
  typeOfOperand,
  typeWithoutIndexes,
} from "./operand-type.ts";

/**
 * Diagnostics of an expression whose value is no `Boolean`, or which joins single conditions with
 * lists of them.
 */
export function checkConditions(expression: Expression): readonly SyntaxDiagnostic[] {
  if (typeOfCondition(expression) === "Boolean") return [];
  return [ofEachElement(expression)];
}

export function checkJoined(items: readonly Expression[]): readonly SyntaxDiagnostic[] {
  const lists = items.filter((item) => typeOfCondition(item) === "Array<Boolean>");
  const [first] = lists;
  return first === undefined || lists.length === items.length ? [] : [ofEachElement(first)];
}

function ofEachElement(expression: Expression): SyntaxDiagnostic {
  const message = "[*] makes a condition for each element, and nothing says how many must hold";
  const remedy = "write any(…) or all(…) around it";
  return diagnostic("EXPR_LIST_CONDITION", expression, message, remedy);
}

/** Diagnostics of an operand that stands alone, as a condition. */
export function checkTruth(operand: Operand): readonly SyntaxDiagnostic[] {
  const type = typeOfOperand(operand);
  if (type === undefined || type === "Boolean" || type === "Array<Boolean>") return [];
  const message = `${operand.name} is of type ${type} and needs a comparison`;
  return [diagnostic("EXPR_MISSING_OPERATOR", operand, message, comparisonOf(operand, type))];
}

function comparisonOf({ name }: Operand, type: string): string {
  if (type === "String") return `compare it, as in ${name} eq "…"`;
  if (type === "Integer") return `compare it, as in ${name} gt 10`;
  if (type === "IP") return `compare it, as in ${name} in {192.0.2.0/24}`;
  return elementsRemedy;
}

/** Diagnostics of indexes that the type of the operand does not have. */
export function checkIndexes(operand: Operand): readonly SyntaxDiagnostic[] {
  let type = typeWithoutIndexes(operand);
  for (const index of operand.indexes) {
    const inner = typeAfterIndex(type, index);
    if (type !== undefined && inner === undefined) {
      const message = `a value of type ${type} has no such element`;
      return [diagnostic("EXPR_BAD_INDEX", index, message, indexRemedy(type))];
    }
    type = inner;
  }
  return [];
}

function indexRemedy(type: string): string {
  if (type.startsWith("Map<")) return 'write the name of an entry, as in ["name"], or [*]';
  return type.startsWith("Array<") ? "write a number, as in [0], or [*]" : "delete the brackets";
}

/** Diagnostics of a comparison whose operands or operator do not fit together. */
export function checkComparison(comparison: Comparison): SyntaxDiagnostic[] {
  const { left, operator } = comparison;
  const type = typeOfOperand(left);
  if (type === undefined) return [];
  if (!(typesOf[operator] ?? scalars).includes(type)) {
    const message = `${operator} does not support ${type}, the type of ${left.name}`;
    const remedy = scalars.includes(type) ? "use eq, ne or in" : remedyFor(type);
    return [diagnostic("EXPR_TYPE_MISMATCH", left, message, remedy)];
  }
  const wrong = comparedValues(comparison).find((value) => !fits(value, type));
  if (wrong === undefined) return [];
  const message = `${left.name} is of type ${type}, the value is not`;
  return [diagnostic("EXPR_TYPE_MISMATCH", wrong, message, remedyFor(type))];
}

const scalars = ["String", "Integer", "IP"];

/**
 * Types that an operator supports; operators that are not listed support every scalar but
 * `Boolean`.
 */
const typesOf: Readonly<Partial<Record<Operator, readonly string[]>>> = {
  contains: ["String"],
  matches: ["String"],
  wildcard: ["String"],
  "strict wildcard": ["String"],
  bitwise_and: ["Integer"],
};

/** Whether a value can be of a type; in comparisons, the language has no constant of type `Boolean`. */
function fits(value: Value, type: string): boolean {
  if (value.kind === "list") return true;
  if (value.kind === "set" || value.kind === "boolean") return false;
  if (value.kind === "range") return fits(value.from, type);
  const own = typeOfArgument(value);
  return own === undefined || (own === type && !(isOperand(value) && isMapped(value)));
}

const elementsRemedy = 'compare its elements: any(field[*] eq "…")';

function remedyFor(type: string): string {
  if (type === "String") return "write the text in double quotes";
  if (type === "Integer") return "write a number without quotes";
  if (type === "IP") return "write an address without quotes";
  if (type === "Boolean") return "use the field without a comparison, or after not";
  return elementsRemedy;
}

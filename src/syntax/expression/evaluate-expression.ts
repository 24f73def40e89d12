import { asciiLower } from "../by-text.ts";
import { matchesGlob } from "../glob.ts";
import type { Argument, Comparison, Expression, Operand } from "./expression-tree.ts";
import { parseIpAddress } from "./ip-address.ts";
import { numbersOf } from "./number-sets.ts";
import { isOperand } from "./operand-type.ts";

/** The value of a field: a text, a number, the number of an address, or a truth value. */
export type FieldValue = string | bigint | boolean;

/** A request: the values of its fields, `undefined` for those that are not known. */
type FieldValues = (field: string) => FieldValue | undefined;

/** Whether an expression selects a request; `undefined` if what is known of it does not tell. */
export function selects(expression: Expression, request: FieldValues): boolean | undefined {
  switch (expression.kind) {
    case "constant":
      return expression.value;
    case "not":
      return negated(selects(expression.item, request));
    case "truth":
      return asTruth(valueOf(expression.operand, request));
    case "comparison":
      return compare(expression, request);
    case "logic": {
      const outcomes = expression.items.map((item) => selects(item, request));
      if (expression.connective === "and") return every(outcomes);
      if (expression.connective === "or") return negated(every(outcomes.map(negated)));
      if (outcomes.includes(undefined)) return undefined;
      return outcomes.filter((outcome) => outcome === true).length % 2 === 1;
    }
  }
}

function negated(outcome: boolean | undefined): boolean | undefined {
  return outcome === undefined ? undefined : !outcome;
}

function every(outcomes: readonly (boolean | undefined)[]): boolean | undefined {
  if (outcomes.includes(false)) return false;
  return outcomes.includes(undefined) ? undefined : true;
}

function asTruth(value: FieldValue | undefined): boolean | undefined {
  return typeof value === "boolean" ? value : undefined;
}

function valueOf(node: Operand | Argument, request: FieldValues): FieldValue | undefined {
  if (node.kind === "text") return node.text;
  if (node.kind === "integer") return node.value;
  if (node.kind === "address") return parseIpAddress(node.address);
  if (node.kind !== "field" && node.kind !== "call") return selects(node, request);
  if (node.indexes.length > 0) return undefined;
  if (node.kind === "field") return request(node.name);
  const values = node.arguments.map((argument) => valueOf(argument, request));
  return applied(node.name, values);
}

/** Functions that known values can decide. */
function applied(
  name: string,
  [first, second, ...more]: readonly (FieldValue | undefined)[],
): FieldValue | undefined {
  if (typeof first !== "string" || more.length > 0) return undefined;
  if (name === "lower") return asciiLower(first);
  if (name === "upper") return first.replaceAll(/[a-z]+/g, (letters) => letters.toUpperCase());
  if (name === "len" && isAscii(first)) return BigInt(first.length);
  if (typeof second !== "string") return undefined;
  if (name === "starts_with") return first.startsWith(second);
  if (name === "ends_with") return first.endsWith(second);
  return name === "contains" ? first.includes(second) : undefined;
}

/** Whether each character is one byte. */
function isAscii(text: string): boolean {
  return /^[\0-\x7f]*$/.test(text);
}

function compare(comparison: Comparison, request: FieldValues): boolean | undefined {
  const { left, operator, right } = comparison;
  const value = valueOf(left, request);
  if (isOperand(right)) return compareValues(value, operator, valueOf(right, request));
  if (typeof value === "bigint") return compareNumber(value, comparison);
  if (right.kind === "text") return compareValues(value, operator, right.text);
  if (right.kind === "boolean") return compareValues(value, operator, right.value);
  const texts =
    right.kind === "set" ? right.members.filter((member) => member.kind === "text") : [];
  const isOfTexts = right.kind === "set" && texts.length === right.members.length;
  if (typeof value !== "string" || !isOfTexts) return undefined;
  return texts.some(({ text }) => text === value);
}

function compareNumber(value: bigint, comparison: Comparison): boolean | undefined {
  const { operator, right } = comparison;
  if (operator === "bitwise_and") {
    return right.kind === "integer" ? (value & right.value) !== 0n : undefined;
  }
  return numbersOf(comparison)?.some(([first, last]) => first <= value && value <= last);
}

function compareValues(
  value: FieldValue | undefined,
  operator: string,
  other: FieldValue | undefined,
): boolean | undefined {
  if (value === undefined || typeof value !== typeof other) return undefined;
  if (operator === "eq") return value === other;
  if (operator === "ne") return value !== other;
  return typeof value === "string" && typeof other === "string"
    ? compareTexts(value, operator, other)
    : undefined;
}

/** The outcome of a comparison of texts; `undefined` if only the service can tell. */
function compareTexts(value: string, operator: string, other: string): boolean | undefined {
  if (operator === "contains") return value.includes(other);
  if (!operator.endsWith("wildcard") || other.includes("\\")) return undefined;
  return operator === "wildcard"
    ? matchesGlob(asciiLower(other), asciiLower(value))
    : matchesGlob(other, value);
}

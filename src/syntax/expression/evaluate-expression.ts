import { asciiLower } from "../by-text.ts";
import { matchesGlob } from "../glob.ts";
import type {
  Argument,
  Comparison,
  Expression,
  Member,
  Operand,
  Value,
} from "./expression-tree.ts";
import { includes, intervalOf } from "./intervals.ts";
import { type IpAddress, parseIpAddress } from "./ip-address.ts";

/** The value of a field: a text, a number, an address as a number, or a truth value. */
export type FieldValue = string | bigint | boolean | IpAddress;

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

/** A right operand that is no set. */
type Single = Exclude<Value, { readonly kind: "set" }>;

function valueOfRight(value: Single, request: FieldValues): FieldValue | undefined {
  switch (value.kind) {
    case "range":
    case "list":
      return undefined;
    case "boolean":
      return value.value;
    case "field":
    case "call":
    case "text":
    case "integer":
    case "address":
      return valueOf(value, request);
  }
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
  if (value === undefined) return undefined;
  if (right.kind === "set") {
    const outcomes = right.members.map((member) => isMember(value, member));
    return negated(every(outcomes.map(negated)));
  }
  const other = valueOfRight(right, request);
  if (typeof value === "string" && typeof other === "string") {
    return compareTexts(value, operator, other);
  }
  if (typeof value === "boolean" && typeof other === "boolean") {
    if (operator === "eq") return value === other;
    return operator === "ne" ? value !== other : undefined;
  }
  return compareNumbers(value, operator, other);
}

function isMember(value: FieldValue, member: Member): boolean | undefined {
  if (member.kind === "text") return typeof value === "string" ? value === member.text : undefined;
  const range = intervalOf(member);
  if (range === undefined || typeof value === "string" || typeof value === "boolean") {
    return undefined;
  }
  if (typeof value === "bigint") {
    return range.of === "integer" ? range.first <= value && value <= range.last : undefined;
  }
  const { version, value: first } = value;
  return includes(range, { of: `ip${version}`, first, last: first });
}

/** The outcome of a comparison of texts; `undefined` if only the service can tell. */
function compareTexts(value: string, operator: string, other: string): boolean | undefined {
  if (operator === "eq") return value === other;
  if (operator === "ne") return value !== other;
  if (operator === "contains") return value.includes(other);
  if (!operator.endsWith("wildcard") || other.includes("\\")) return undefined;
  return operator === "wildcard"
    ? matchesGlob(asciiLower(other), asciiLower(value))
    : matchesGlob(other, value);
}

function compareNumbers(
  value: FieldValue,
  operator: string,
  other: FieldValue | undefined,
): boolean | undefined {
  if (typeof value === "object" && typeof other === "object") {
    const isSame = value.version === other.version && value.value === other.value;
    if (operator === "eq") return isSame;
    return operator === "ne" ? !isSame : undefined;
  }
  if (typeof value !== "bigint" || typeof other !== "bigint") return undefined;
  const outcomes: Readonly<Record<string, boolean>> = {
    eq: value === other,
    ne: value !== other,
    lt: value < other,
    le: value <= other,
    gt: value > other,
    ge: value >= other,
    bitwise_and: (value & other) !== 0n,
  };
  return outcomes[operator];
}

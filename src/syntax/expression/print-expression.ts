import {
  type Argument,
  type Expression,
  type Index,
  type Operand,
  type Operator,
  type Value,
  connectives,
} from "./expression-tree.ts";

/** The expression as text; parsing it gives the same tree, unless a regular expression has over 255 # in a row. */
export function printExpression(tree: Expression): string {
  switch (tree.kind) {
    case "constant":
      return String(tree.value);
    case "truth":
      return printOperand(tree.operand);
    case "comparison":
      return `${printOperand(tree.left)} ${tree.operator} ${printRight(tree.operator, tree.right)}`;
    case "not":
      return tree.item.kind === "logic"
        ? `not (${printExpression(tree.item)})`
        : `not ${printExpression(tree.item)}`;
    case "logic":
      return tree.items
        .map((item) => printItem(item, tree.connective))
        .join(` ${tree.connective} `);
  }
}

export function printOperand(operand: Operand): string {
  const given =
    operand.kind === "call" ? `(${operand.arguments.map(printArgument).join(", ")})` : "";
  return `${operand.name}${given}${operand.indexes.map(printIndex).join("")}`;
}

/** Items of higher precedence need no parentheses. */
function printItem(item: Expression, around: (typeof connectives)[number]): string {
  const isTighter =
    item.kind !== "logic" || connectives.indexOf(item.connective) > connectives.indexOf(around);
  return isTighter ? printExpression(item) : `(${printExpression(item)})`;
}

function printArgument(argument: Argument): string {
  const { kind } = argument;
  if (kind === "field" || kind === "call") return printOperand(argument);
  if (kind === "text" || kind === "integer" || kind === "address") return printValue(argument);
  // Without parentheses, a condition would end at the connective, and an operand would not be a
  // condition.
  const needsGroup = kind === "logic" || kind === "truth";
  return needsGroup ? `(${printExpression(argument)})` : printExpression(argument);
}

function printIndex(index: Index): string {
  if (index.kind === "each") return "[*]";
  return index.kind === "key" ? `[${quoted(index.key.text)}]` : `[${index.item}]`;
}

function printRight(operator: Operator, right: Value): string {
  return operator === "matches" && right.kind === "text"
    ? printRegex(right.text)
    : printValue(right);
}

/** A right operand as text. */
export function printValue(value: Value): string {
  switch (value.kind) {
    case "field":
    case "call":
      return printOperand(value);
    case "text":
      return quoted(value.text);
    case "integer":
      return String(value.value);
    case "address":
      return value.prefix === undefined ? value.address : `${value.address}/${value.prefix}`;
    case "range":
      return `${printValue(value.from)}..${printValue(value.to)}`;
    case "boolean":
      return String(value.value);
    case "set":
      return `{${value.members.map(printValue).join(" ")}}`;
    case "list":
      return `$${value.name}`;
  }
}

/** Escapes quotes, backslashes and bytes that are lone surrogates (see `TextValue`). */
function quoted(text: string): string {
  if (!/["\\\udc80-\udcff]/.test(text)) return `"${text}"`;
  const escaped = text
    .replaceAll(/["\\]/g, String.raw`\$&`)
    .replaceAll(
      /[\u{dc80}-\u{dcff}]/gu,
      (byte) => `\\x${(byte.charCodeAt(0) - 0xdc00).toString(16)}`,
    );
  return `"${escaped}"`;
}

/** A raw text keeps the pattern readable; it has more # than any run of # after a quote in it. */
function printRegex(pattern: string): string {
  const runs = pattern.match(/"#*/g) ?? [];
  const fence = "#".repeat(Math.max(0, ...runs.map((run) => run.length)));
  return `r${fence}"${pattern}"${fence}`;
}

import { nearestOfMany } from "../nearest.ts";
import { type SyntaxDiagnostic, diagnostic } from "../syntax-diagnostic.ts";
import { expressionFields, expressionFunctions, typeOfOperand } from "./expression-fields.ts";
import {
  type Comparison,
  type Expression,
  type Operand,
  type Operator,
  type TextValue,
  type Value,
  nodesOf,
} from "./expression-tree.ts";
import { regexParts } from "./read-string-literal.ts";

/** Maximum number of regular expressions in an expression (SERVICE.md B.8). */
const maxRegexes = 64;

/** Diagnostics about names, types and patterns. */
export function checkExpression(expression: Expression): readonly SyntaxDiagnostic[] {
  const nodes = nodesOf(expression);
  const regexes = nodes.filter((node) => node.kind === "comparison" && node.operator === "matches");
  return [
    ...unknownNames(nodes.filter((node) => node.kind === "field" || node.kind === "call")),
    ...nodes.flatMap((node) => {
      if (node.kind === "truth") return missingOperator(node.operand);
      return node.kind === "comparison" ? [...typeMismatch(node), ...checkPattern(node)] : [];
    }),
    ...tooManyRegexes(regexes),
  ];
}

/** Each unknown name once, where it occurs first. */
function unknownNames(operands: readonly Operand[]): SyntaxDiagnostic[] {
  const suggestField = nearestOfMany([...expressionFields.keys()]);
  const suggestFunction = nearestOfMany([...expressionFunctions.keys()]);
  const reported = new Set<string>();
  return operands.flatMap((operand) => {
    const isCall = operand.kind === "call";
    const known = isCall ? expressionFunctions : expressionFields;
    const id = `${operand.kind} ${operand.name}`;
    if (known.has(operand.name) || reported.has(id)) return [];
    reported.add(id);
    return [unknownName(operand, (isCall ? suggestFunction : suggestField)(operand.name))];
  });
}

function unknownName(operand: Operand, near: string | undefined): SyntaxDiagnostic {
  const isCall = operand.kind === "call";
  const what = isCall ? "function" : "field";
  return diagnostic(
    isCall ? "EXPR_UNKNOWN_FUNCTION" : "EXPR_UNKNOWN_FIELD",
    { offset: operand.offset, length: operand.name.length },
    `unknown ${what} ${operand.name}`,
    near === undefined ? `check that the service has this ${what}` : `did you mean ${near}?`,
  );
}

function missingOperator(operand: Operand): SyntaxDiagnostic[] {
  const type = typeOfOperand(operand);
  if (type !== "String" && type !== "Integer" && type !== "IP") return [];
  const message = `${operand.name} is of type ${type} and needs a comparison`;
  const remedy = `compare it, as in ${operand.name} ${exampleOf[type]}`;
  return [diagnostic("EXPR_MISSING_OPERATOR", operand, message, remedy)];
}

const exampleOf = { String: 'eq "…"', Integer: "gt 10", IP: "in {192.0.2.0/24}" };

function typeMismatch({ left, operator, right }: Comparison): SyntaxDiagnostic[] {
  const type = typeOfOperand(left);
  if (type === undefined) return [];
  const members: readonly Value[] = right.kind === "set" ? right.members : [right];
  const wrong = members.find((member) => member.kind !== "list" && typeOfValue(member) !== type);
  if (wrong !== undefined) {
    const message = `${left.name} is of type ${type}, the value is not`;
    return [diagnostic("EXPR_TYPE_MISMATCH", wrong, message, remedyFor(type))];
  }
  if (operandTypes[operator]?.includes(type) ?? true) return [];
  const message = `${operator} does not support ${type}, the type of ${left.name}`;
  return [diagnostic("EXPR_TYPE_MISMATCH", left, message, "use eq, ne or in")];
}

/** Types that an operator supports; operators that are not listed support every scalar. */
const operandTypes: Readonly<Partial<Record<Operator, readonly string[]>>> = {
  contains: ["String"],
  matches: ["String"],
  wildcard: ["String"],
  "strict wildcard": ["String"],
  bitwise_and: ["Integer"],
};

function remedyFor(type: string): string {
  if (type === "String") return "write the text in double quotes";
  if (type === "Integer") return "write a number without quotes";
  if (type === "IP") return "write an address without quotes";
  if (type === "Boolean") return "use the field without a comparison, or after not";
  return `compare its elements: any(field[*] eq "…")`;
}

/** Types of values; the language has no boolean values except fields, so a constant matches no type. */
const valueTypes = {
  text: "String",
  integer: "Integer",
  address: "IP",
  boolean: "a constant",
  set: "a set",
  list: "a list",
};

function typeOfValue(value: Value): string {
  return value.kind === "range" ? typeOfValue(value.from) : valueTypes[value.kind];
}

function tooManyRegexes(
  regexes: readonly { offset: number; length: number }[],
): SyntaxDiagnostic[] {
  const first = regexes[maxRegexes];
  if (first === undefined) return [];
  const message = `${regexes.length} regular expressions; the service accepts at most ${maxRegexes}`;
  return [
    diagnostic("EXPR_MANY_REGEXES", first, message, "use wildcard or in, or combine patterns"),
  ];
}

/** Diagnostics about the pattern of `wildcard`, `strict wildcard` or `matches`. */
function checkPattern({ operator, right }: Comparison): SyntaxDiagnostic[] {
  if (right.kind !== "text") return [];
  if (operator === "matches") return checkRegex(right);
  return operator.endsWith("wildcard") ? checkWildcard(right) : [];
}

function checkWildcard(pattern: TextValue): SyntaxDiagnostic[] {
  const found: SyntaxDiagnostic[] = [];
  const tokens = pattern.text.match(/\\[^]?|\*+|[^\\*]+/g) ?? [];
  if (tokens.some((token) => token.startsWith("**"))) {
    found.push(
      diagnostic(
        "EXPR_DOUBLE_STAR",
        pattern,
        "a wildcard pattern cannot contain **",
        "write one *",
      ),
    );
  }
  if (tokens.some((token) => token.startsWith("\\") && !/^\\[\\*]$/.test(token))) {
    const remedy = "a backslash can only escape * or another backslash";
    found.push(diagnostic("EXPR_BAD_WILDCARD", pattern, "invalid escape", remedy));
  }
  return found;
}

/** The service supports neither look-around nor back-references (SERVICE.md D). */
function checkRegex(pattern: TextValue): SyntaxDiagnostic[] {
  const plain = regexParts(pattern.text)
    .filter(({ text, inClass }) => !inClass && !/^\\[^1-9]/.test(text))
    .map(({ text }) => text)
    .join("");
  const known = [
    { pattern: /\(\?<?[=!]/, message: "the service does not support look-around" },
    { pattern: /\\[1-9]/, message: "the service does not support back-references" },
  ].find((feature) => feature.pattern.test(plain));
  if (known === undefined) return [];
  const remedy = "use several conditions joined by and, or and not";
  return [diagnostic("EXPR_BAD_REGEX", pattern, known.message, remedy)];
}

import { nearestOfMany } from "../nearest.ts";
import { type SyntaxDiagnostic, diagnostic } from "../syntax-diagnostic.ts";
import { checkCall } from "./check-call.ts";
import {
  checkComparison,
  checkConditions,
  checkIndexes,
  checkJoined,
  checkTruth,
} from "./check-types.ts";
import { documentedFields, expressionFields } from "./expression-fields.ts";
import { expressionFunctions } from "./expression-functions.ts";
import type {
  AddressValue,
  Comparison,
  Expression,
  ExpressionNode,
  Operand,
} from "./expression-tree.ts";
import { networkOf, parseIpAddress, textOfAddress } from "./ip-address.ts";

/** Maximum number of `*` in a pattern that is known to work. */
const maxStars = 10;

/** Diagnostics about names, types and wildcard patterns; `nodes` are those of the expression. */
export function checkExpression(
  expression: Expression,
  nodes: readonly ExpressionNode[],
): readonly SyntaxDiagnostic[] {
  return [
    ...checkNames(nodes.filter((node) => node.kind === "field" || node.kind === "call")),
    ...checkConditions(expression),
    ...nodes.flatMap(checkNode),
  ];
}

function checkNode(node: ExpressionNode): readonly SyntaxDiagnostic[] {
  if (node.kind === "truth") return checkTruth(node.operand);
  if (node.kind === "comparison") return [...checkComparison(node), ...checkPattern(node)];
  if (node.kind === "logic") return checkJoined(node.items);
  if (node.kind === "call") return [...checkCall(node), ...checkIndexes(node)];
  if (node.kind === "field") return checkIndexes(node);
  return node.kind === "address" ? checkAddress(node) : [];
}

/**
 * Each name that is unknown, or that the public engine does not have, once, where it occurs first.
 */
export function checkNames(operands: readonly Operand[]): readonly SyntaxDiagnostic[] {
  const unknown = operands.filter(
    ({ kind, name }) => !namesOf(kind).has(name) || documentedFields.has(name),
  );
  if (unknown.length === 0) return [];
  const suggestField = nearestOfMany([...expressionFields.keys()]);
  const suggestFunction = nearestOfMany([...expressionFunctions.keys()]);
  const reported = new Set<string>();
  return unknown.flatMap((operand) => {
    const id = `${operand.kind} ${operand.name}`;
    if (reported.has(id)) return [];
    reported.add(id);
    if (documentedFields.has(operand.name)) return [onlyDocumented(operand)];
    const suggest = operand.kind === "call" ? suggestFunction : suggestField;
    return [unknownName(operand, suggest(operand.name))];
  });
}

function namesOf(kind: Operand["kind"]): ReadonlyMap<string, unknown> {
  return kind === "call" ? expressionFunctions : expressionFields;
}

function onlyDocumented(operand: Operand): SyntaxDiagnostic {
  const span = { offset: operand.offset, length: operand.name.length };
  const message = `${operand.name} is documented, but the public engine of the service does not have it`;
  const remedy = "try it on a zone without visitors first";
  return diagnostic("EXPR_ONLY_DOCUMENTED", span, message, remedy);
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

function checkAddress(value: AddressValue): readonly SyntaxDiagnostic[] {
  const { address: text, prefix, isShort } = value;
  const address = parseIpAddress(text);
  const first = address === undefined ? undefined : networkOf(address, prefix)?.[0];
  if (first !== undefined && first !== address) {
    const start = textOfAddress(first);
    const message = `${text} is inside the network of its first ${prefix} bits, not its start`;
    const remedy = `write ${start}/${prefix} for the network, or ${text} for the one address`;
    return [diagnostic("EXPR_HOST_BITS", value, message, remedy)];
  }
  if (isShort !== true) return [];
  const whole = prefix === undefined ? text : `${text}/${prefix}`;
  const message = `the engine reads this as ${whole}; the documentation has no such form`;
  return [diagnostic("EXPR_SHORT_ADDRESS", value, message, `write ${whole}`)];
}

function checkPattern({ operator, right: pattern }: Comparison): readonly SyntaxDiagnostic[] {
  if (pattern.kind !== "text" || !operator.endsWith("wildcard")) return [];
  const tokens = pattern.text.match(/\\[^]?|\*+|[^\\*]+/g) ?? [];
  const stars = tokens.filter((token) => token.startsWith("*"));
  const found: SyntaxDiagnostic[] = [];
  if (stars.some((token) => token.length > 1)) {
    const message = "a wildcard pattern cannot contain **";
    found.push(diagnostic("EXPR_DOUBLE_STAR", pattern, message, "write one *"));
  }
  if (tokens.some((token) => token.startsWith("\\") && !/^\\[\\*]$/.test(token))) {
    const remedy = "a backslash can only escape * or another backslash";
    found.push(diagnostic("EXPR_BAD_WILDCARD", pattern, "invalid escape", remedy));
  }
  if (stars.length > maxStars) {
    const message = `the pattern has ${stars.length} *; more than ${maxStars} can be refused`;
    found.push(diagnostic("EXPR_MANY_STARS", pattern, message, "split it, or use contains"));
  }
  return found;
}

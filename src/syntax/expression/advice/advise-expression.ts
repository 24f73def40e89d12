import { type SyntaxDiagnostic, diagnostic, inTextOrder } from "../../syntax-diagnostic.ts";
import { selectedBy } from "../certainty/selected-requests.ts";
import { isResponseField } from "../expression-fields.ts";
import {
  type Comparison,
  type ExpressionNode,
  type FieldOperand,
  nodesOf,
} from "../expression-tree.ts";
import { parseExpression } from "../expression.ts";
import { adviseCertainty, adviseLogic } from "./advise-logic.ts";
import { adviseSet } from "./advise-sets.ts";
import { adviseTexts, headerAdvice } from "./advise-texts.ts";

/**
 * When the service evaluates an expression: before the request reaches the origin, as part of a
 * rate limit or not, or once the response is there.
 */
export type Phase = "request" | "ratelimit" | "response";

/**
 * All diagnostics of an expression: what is wrong with it, or if nothing is, what is valid but
 * cannot be meant.
 */
export function adviseExpression(text: string, phase: Phase): readonly SyntaxDiagnostic[] {
  const { tree, diagnostics } = parseExpression(text);
  const hasError = diagnostics.some(({ severity }) => severity === "error");
  if (tree === undefined || hasError) return diagnostics;
  const nodes = nodesOf(tree);
  const found = [
    ...diagnostics,
    ...adviseLogic(tree, nodes, text),
    ...nodes.flatMap((node) => adviseNode(node, phase)),
    ...adviseTexts(nodes),
  ];
  return inTextOrder([
    ...found,
    ...adviseCertainty(tree, selectedBy(text, () => tree).isPossible, nodes, found),
  ]);
}

/** What is valid at a node, but cannot be meant. */
export function adviseNode(node: ExpressionNode, phase: Phase): readonly SyntaxDiagnostic[] {
  if (node.kind === "comparison") return [...adviseSet(node), ...idlePattern(node)];
  if (node.kind !== "field") return [];
  return [...headerKeys(node), ...oldName(node), ...responseField(node, phase)];
}

/** A `.*` at an end of a pattern, which matches wherever it fits anyway; or nothing but that. */
function idlePattern({ operator, right }: Comparison): readonly SyntaxDiagnostic[] {
  if (operator !== "matches" || right.kind !== "text") return [];
  const pattern = right.text;
  const rest = pattern.replace(/^\^?\.\*\??/, "").replace(/(?<!\\)\.\*\??\$?$/, "");
  if (["", "^", "$"].includes(rest)) {
    const message = "the pattern matches every text";
    return [diagnostic("EXPR_IDLE_PATTERN", right, message, "delete the condition")];
  }
  if (rest === pattern) return [];
  const message = "at an end of a pattern, .* changes nothing";
  const remedy = `delete it: ${JSON.stringify(rest.slice(0, 60))}`;
  return [diagnostic("EXPR_IDLE_PATTERN", right, message, remedy)];
}

const headerMaps = new Set([
  "http.request.headers",
  "http.response.headers",
  "raw.http.response.headers",
]);

function headerKeys({ name, indexes }: FieldOperand): readonly SyntaxDiagnostic[] {
  const [first] = indexes;
  if (!headerMaps.has(name) || first?.kind !== "key") return [];
  const advice = headerAdvice(first.key);
  return advice === undefined ? [] : [advice];
}

function oldName({ name, offset }: FieldOperand): readonly SyntaxDiagnostic[] {
  if (!name.startsWith("ip.geoip.")) return [];
  const message = `${name} is an old name, which the service may drop`;
  const remedy = `write ${name.replace("ip.geoip.", "ip.src.")}`;
  return [diagnostic("EXPR_DEPRECATED_FIELD", { offset, length: name.length }, message, remedy)];
}

function responseField({ name, offset }: FieldOperand, phase: Phase): readonly SyntaxDiagnostic[] {
  if (phase === "response" || !isResponseField(name)) return [];
  const message = `${name} has no value yet: this is evaluated before the response is there`;
  const remedy =
    phase === "ratelimit"
      ? "move the condition to `counting_expression`"
      : "use a field of the request";
  return [diagnostic("EXPR_RESPONSE_FIELD", { offset, length: name.length }, message, remedy)];
}

import { nearest } from "../../nearest.ts";
import { type SyntaxDiagnostic, inTextOrder } from "../../syntax-diagnostic.ts";
import { checkNames } from "../check-expression.ts";
import { nodesOf } from "../expression-tree.ts";
import { parseOperand } from "../expression.ts";
import { adviseNode } from "./advise-expression.ts";

/** Characteristics that are no fields of the rules language (SERVICE.md B.11). */
const countedOnly: ReadonlySet<string> = new Set(["cf.colo.id", "cf.unique_visitor_id"]);

/** All diagnostics of a characteristic of a rate limit: a field, or a call of a function. */
export function adviseCharacteristic(text: string): readonly SyntaxDiagnostic[] {
  if (countedOnly.has(text)) return [];
  const { operand, error } = parseOperand(text);
  if (operand === undefined) return error === undefined ? [] : [error];
  const nodes = nodesOf({ ...operand, kind: "truth", operand });
  const operands = nodes.filter((node) => node.kind === "field" || node.kind === "call");
  return inTextOrder([
    ...checkNames(operands).map((found) => ({ ...found, remedy: remedyOf(found, text) })),
    ...nodes.flatMap((node) => adviseNode(node, "request")),
  ]);
}

function remedyOf({ remedy }: SyntaxDiagnostic, text: string): string {
  const near = nearest(text, countedOnly);
  return near === undefined ? remedy : `did you mean ${near}?`;
}

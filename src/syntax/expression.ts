import type { Expression } from "./expression-tree.ts";
import type { Finding } from "./finding.ts";

/** A filter expression taken apart; no tree where it has an error. */
export interface ParsedExpression {
  readonly tree: Expression | undefined;
  readonly findings: readonly Finding[];
}

/** The expression as the service keeps it: without white space around it (api-facts D). */
export function canonicalExpression(text: string): string {
  return text.replace(outerSpaceBefore, "").replace(outerSpaceAfter, "");
}

const outerSpaceBefore = /^[ \r\n]+/;
const outerSpaceAfter = /[ \r\n]+$/;

/** Takes a filter expression apart. */
export function parseExpression(text: string): ParsedExpression {
  void text;
  return { tree: undefined, findings: [] };
}

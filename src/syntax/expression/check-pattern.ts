import { finding } from "../finding.ts";
import type { SyntaxDiagnostic } from "../finding.ts";
import type { Expression, TextValue } from "./expression-tree.ts";
import { regexParts } from "./regex-parts.ts";

/** What is wrong with the pattern on the right of `wildcard`, `strict wildcard` and `matches`. */
export function checkPattern({
  operator,
  right,
}: Extract<Expression, { kind: "comparison" }>): SyntaxDiagnostic[] {
  if (right.kind !== "text") return [];
  if (operator === "matches") return checkRegex(right);
  return operator.endsWith("wildcard") ? checkWildcard(right) : [];
}

function checkWildcard(pattern: TextValue): SyntaxDiagnostic[] {
  const found: SyntaxDiagnostic[] = [];
  const tokens = pattern.text.match(/\\[^]?|\*+|[^\\*]+/g) ?? [];
  if (tokens.some((token) => token.startsWith("**"))) {
    found.push(
      finding("EXPR_DOUBLE_STAR", pattern, "** stands in a wildcard pattern", "write one *"),
    );
  }
  if (tokens.some((token) => token.startsWith("\\") && !/^\\[\\*]$/.test(token))) {
    const remedy = "a backslash stands before * or another backslash only";
    found.push(finding("EXPR_BAD_WILDCARD", pattern, "this escape does not exist", remedy));
  }
  return found;
}

/** The engine has neither look-around nor back-references (SERVICE.md D). */
function checkRegex(pattern: TextValue): SyntaxDiagnostic[] {
  const plain = regexParts(pattern.text)
    .filter(({ text, inClass }) => !inClass && !/^\\[^1-9]/.test(text))
    .map(({ text }) => text)
    .join("");
  const known = [
    { pattern: /\(\?<?[=!]/, message: "the service's engine has no look-around" },
    { pattern: /\\[1-9]/, message: "the service's engine has no back-references" },
  ].find((feature) => feature.pattern.test(plain));
  if (known === undefined) return [];
  const remedy = "say it with several conditions joined by and, or and not";
  return [finding("EXPR_BAD_REGEX", pattern, known.message, remedy)];
}

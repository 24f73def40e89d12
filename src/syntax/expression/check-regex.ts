import { type RegexFault, faultOfRegex } from "../regex/regex-dialect.ts";
import { type SyntaxDiagnostic, diagnostic } from "../syntax-diagnostic.ts";
import type { ExpressionNode, TextValue } from "./expression-tree.ts";

/** Maximum number of regular expressions in an expression (SERVICE.md B.8). */
const maxRegexes = 64;

/** Diagnostics of the regular expressions among the nodes of an expression. */
export function checkRegexes(nodes: readonly ExpressionNode[]): readonly SyntaxDiagnostic[] {
  const patterns = nodes.flatMap((node) => {
    if (node.kind !== "comparison" || node.operator !== "matches") return [];
    return node.right.kind === "text" ? [node.right] : [];
  });
  return [...patterns.flatMap(checkRegex), ...tooManyRegexes(patterns)];
}

/** A regular expression in the dialect of the service (SERVICE.md D). */
function checkRegex(pattern: TextValue): readonly SyntaxDiagnostic[] {
  const fault = faultOfRegex(pattern.text);
  if (fault === undefined) return [];
  const { code, message, remedy } = faults[fault];
  return [diagnostic(code, pattern, message, remedy)];
}

function tooManyRegexes(patterns: readonly TextValue[]): SyntaxDiagnostic[] {
  const first = patterns[maxRegexes];
  if (first === undefined) return [];
  const message = `${patterns.length} regular expressions; the service accepts at most ${maxRegexes}`;
  return [
    diagnostic("EXPR_MANY_REGEXES", first, message, "use wildcard or in, or combine patterns"),
  ];
}

type FaultText = Pick<SyntaxDiagnostic, "code" | "message" | "remedy">;

const faults: Readonly<Record<RegexFault, FaultText>> = {
  "look-around": bad(
    "the service does not support look-around",
    "use several conditions joined by and, or and not",
  ),
  "back-reference": bad(
    "the service does not support back-references",
    "use several conditions joined by and, or and not",
  ),
  group: bad("a group is not closed, or never opened", "write \\( for a bracket as text"),
  "group-kind": bad("an unknown kind of group", "write (…), (?:…), (?<name>…) or (?i)…"),
  "group-name": bad("an invalid or repeated name of a group", "write another name"),
  class: bad("a character class is not closed", "end it with ], or write \\[ for a bracket"),
  range: bad("a range in a character class is invalid", "write the smaller character first"),
  repetition: bad(
    "nothing is before the repetition",
    "write what is to be repeated; in a wildcard pattern * stands for any text, here .* does",
  ),
  count: bad("an invalid number of repetitions", "write {2}, {2,} or {2,5}, or \\{ for a brace"),
  escape: bad("an unknown or incomplete escape", "write \\\\ for a backslash"),
  flag: bad("invalid flags of a group", "write for example (?i)"),
  depth: bad("more than 250 levels of groups", "remove groups"),
  unicode: {
    code: "EXPR_UNICODE_REGEX",
    message: "Unicode is off in regular expressions of the service",
    remedy: "write the letters outside of brackets, or start with (?u)",
  },
  size: {
    code: "EXPR_LARGE_REGEX",
    message: "the pattern repeats so much that it becomes too large",
    remedy: "write smaller numbers of repetitions, or use + and *",
  },
};

function bad(message: string, remedy: string): FaultText {
  return { code: "EXPR_BAD_REGEX", message, remedy };
}

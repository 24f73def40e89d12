import { describe, it } from "vitest";

import { checkCsp } from "../../src/syntax/csp/check-csp.ts";
import { adviseExpression } from "../../src/syntax/expression/advice/advise-expression.ts";
import type { SyntaxDiagnostic } from "../../src/syntax/syntax-diagnostic.ts";
import { cspCorpus } from "./corpus/csp-values.ts";
import { documentedExpressions } from "./corpus/documented-expressions.ts";
import { edgeExpressions } from "./corpus/edge-expressions.ts";
import { wrongCalls } from "./corpus/wrong-calls.ts";

/** A text with what a person is told about it, and where. */
function problemsOf(text: string, found: readonly SyntaxDiagnostic[]): string {
  const lines = found.slice(0, 3).map(({ code, severity, message, remedy, offset, length }) => {
    const marked = shortened(text.slice(offset, offset + length));
    return `  ${severity} ${code} at ${offset} ${marked}\n    ${message}\n    ${remedy}\n`;
  });
  const more = found.length > 3 ? `  and ${found.length - 3} more\n` : "";
  return `${shortened(text)}\n${lines.join("")}${more}`;
}

function shortened(text: string): string {
  const shown = JSON.stringify(text);
  return shown.length > 120 ? `${shown.slice(0, 60)}…${shown.length}` : shown;
}

const wrongPolicies: readonly string[] = [
  `img-src 'self' ${"é".repeat(20)}`,
  `img-src 'self' ${"é".repeat(21)}`,
  `${"x".repeat(40)} a`,
  `${"x".repeat(41)} a`,
  "img-src 'self' * *.b.c a.b.c",
  "img-src 'self' https: https://a.b",
  "img-src 'self' a.b/c a.b/c/d a.b/",
  "img-src 'self' a.b:* a.b:1 a.b:80 a.b",
  "img-src 'self' a.b?c a.b/*",
  "img-src 'self' //a.b /a [::1]",
  "img-src 'self' 192.0.2.1 127.0.0.1",
  "script-src 'self' 'unsafe-inline' 'sha256-n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg='",
  "script-src 'self' 'sha1-x' 'sha256-x' 'nonce-' 'selff' 'Self'",
  "script-src 'self' 'strict-dynamic' a.b",
  "script-src 'none' 'none'",
  "script-src 'none' a.b",
  "script-src",
  "upgrade-insecure-requests 1",
  "frame-ancestors 'unsafe-inline'",
  "img-src 'self'\nfont-src a",
  "img-src 'self', font-src a",
  "",
  " ; ",
];

describe("what a person is told", () => {
  it("about expressions", async ({ expect }) => {
    const known = [...documentedExpressions, ...edgeExpressions].flatMap(({ expressions }) =>
      expressions.filter(([, ...codes]) => codes.length > 0).map(([text]) => text),
    );
    const texts = [...new Set([...known, ...wrongCalls])];
    const problems = texts.map((text) => problemsOf(text, adviseExpression(text, "request")));
    await expect(problems.join("\n")).toMatchFileSnapshot("../golden/expression-problems.txt");
  });

  it("about policies", async ({ expect }) => {
    const texts = cspCorpus.flatMap(({ values }) =>
      values.filter(([, ...codes]) => codes.length > 0).map(([text]) => text),
    );
    texts.push(...wrongPolicies);
    const problems = [...new Set(texts)].map((text) => problemsOf(text, checkCsp(text)));
    await expect(problems.join("\n")).toMatchFileSnapshot("../golden/csp-problems.txt");
  });
});

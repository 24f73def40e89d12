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
    const problems = [...new Set(texts)].map((text) => problemsOf(text, checkCsp(text)));
    await expect(problems.join("\n")).toMatchFileSnapshot("../golden/csp-problems.txt");
  });
});

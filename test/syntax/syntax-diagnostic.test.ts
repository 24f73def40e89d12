import { describe, it } from "vitest";

import { checkCsp } from "../../src/syntax/csp/check-csp.ts";
import { cspOfMap } from "../../src/syntax/csp/csp.ts";
import { adviseExpression } from "../../src/syntax/expression/advice/advise-expression.ts";
import { isRefused, syntaxDiagnosticCodes } from "../../src/syntax/syntax-diagnostic.ts";

describe("the table of findings", () => {
  const rows = Object.entries(syntaxDiagnosticCodes).map(([code, facts]) => ({ code, ...facts }));

  it.for(rows)("$code is found in its example", ({ code, severity, example }, { expect }) => {
    const diagnostics = code.startsWith("CSP_")
      ? checkCsp(example)
      : adviseExpression(example, "request");
    const all = [...diagnostics, ...cspOfMap({ "img-src": [example] }).diagnostics];
    const found = all.find((diagnostic) => diagnostic.code === code);
    expect(found).toMatchObject({ severity });
    expect(found?.message).not.toBe("");
    expect(found?.remedy).not.toBe("");
  });

  it("has a meaning of one line for each", ({ expect }) => {
    for (const { meaning } of rows) expect(meaning).toMatch(/^[^\n]{5,100}$/);
  });

  it.for([
    ["EXPR_UNKNOWN_FIELD", true],
    ["EXPR_BAD_ARGUMENT", true],
    ["EXPR_LETTER_CASE", false],
    ["EXPR_BAD_NUMBER", false],
    ["CSP_UNSAFE_INLINE", false],
  ] as const)(
    "says whether the service is expected to refuse %s: %s",
    ([code, yields], { expect }) => {
      expect(isRefused({ code })).toBe(yields);
    },
  );
});

import { describe, it } from "vitest";

import { parseExpression } from "../../src/syntax/expression/expression.ts";

/** Codes of the diagnostics of an expression, in order. */
function codesOf(text: string): readonly string[] {
  return parseExpression(text).diagnostics.map(({ code }) => code);
}

describe("an expression at the edge of what is valid", () => {
  it.for([
    { text: "ssl", codes: [] },
    { text: "not ssl and (ssl or cf.client.bot)", codes: [] },
    { text: 'http.host matches "(?u)\\x{d7ff}"', codes: [] },
    { text: 'http.host matches "(?u)\\x{e000}"', codes: [] },
  ])("$text has the codes $codes", ({ text, codes }, { expect }) => {
    expect(codesOf(text)).toEqual(codes);
  });

  it.for(['http.host matches "(?u)\\x{d800}"', 'http.host matches "(?u)\\x{dfff}"'])(
    "%s names no character",
    (text, { expect }) => {
      expect(codesOf(text)).toHaveLength(1);
    },
  );

  it("has one diagnostic for a raw text without a quote", ({ expect }) => {
    expect(codesOf("http.host eq r### and ssl")).toEqual(["EXPR_BAD_RAW_STRING"]);
  });
});

import { describe, it } from "vitest";

import { ApiError } from "../../src/emulator/http/api-error.ts";
import { FieldReader } from "../../src/emulator/http/fields.ts";
import { checkFilterExpression } from "../../src/emulator/rulesets/filter-expression.ts";

/** Code and message of the error about an expression, "" if there is none. */
function refusalOf(expression: string, plan = "enterprise"): string {
  try {
    checkFilterExpression(new FieldReader({ expression }, "", 20000), expression, plan);
    return "";
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return error.errors.map(({ code, message }) => `${code} ${message}`).join("\n");
  }
}

describe("an expression", () => {
  it.for([
    "true",
    'http.host eq "shop.example.com"',
    'lower(http.host) eq "a.example"',
    'any(lower(http.request.headers.names[*])[*] eq "x")',
    'any(starts_with(http.request.headers["x"][*], "a")[*])',
    'lower(a.field.not.in.the.tables) eq "x"',
    'a_function_not_in_the_tables(ip.src) eq "x"',
  ])("%s is accepted", (expression, { expect }) => {
    expect(refusalOf(expression)).toBe("");
  });

  it.for([
    {
      expression: 'lower(ip.src) eq "x"',
      says: "20083 the function lower cannot be given an argument of type IP",
    },
    { expression: 'url_decode(ssl) eq "x"', says: "20083 the function url_decode" },
    { expression: 'upper(len(http.host)) eq "x"', says: "20083 the function upper" },
    { expression: "", says: "20000 Filter parsing error (1:1)" },
    { expression: `http.host eq "${"x".repeat(4096)}"`, says: "20127 expression size 4111" },
  ])("$expression is rejected", ({ expression, says }, { expect }) => {
    expect(refusalOf(expression)).toContain(says);
  });

  it("that cannot be parsed is reported with its line and a mark", ({ expect }) => {
    const lines = refusalOf('http.host eq "a"\nand ssl equals 1').split("\n");
    expect(lines[0]).toBe("20000 Filter parsing error (2:9):");
    expect(lines[1]).toBe("and ssl equals 1");
    expect(lines[2]).toMatch(/^ {8}\^+ /);
  });

  it.for([
    { plan: "free", isTaken: false },
    { plan: "pro", isTaken: false },
    { plan: "business", isTaken: true },
    { plan: "", isTaken: true },
  ])(
    "may match a regular expression in plan '$plan': $isTaken",
    ({ plan, isTaken }, { expect }) => {
      expect(refusalOf('not http.host matches "^a"', plan) === "").toBe(isTaken);
    },
  );
});

import { describe, it } from "vitest";

import { ApiError } from "../../src/emulator/http/api-error.ts";
import { FieldReader } from "../../src/emulator/http/fields.ts";
import { checkFilterExpression } from "../../src/emulator/rulesets/filter-expression.ts";

/** Code and message of the error about an expression, "" if there is none. */
function refusalOf(expression: string, plan = "enterprise", isLenient = false): string {
  const fields = new FieldReader({ expression }, "", 20000);
  try {
    checkFilterExpression(fields, expression, { plan, isLenient });
    return "";
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return error.errors.map(({ code, message }) => `${code} ${message}`).join("\n");
  }
}

const unknownNames = [
  'lower(a.field.not.in.the.tables) eq "x"',
  'a_function_not_in_the_tables(ip.src) eq "x"',
  'http.hots eq "a.example"',
  'lowr(http.host) eq "a"',
];

describe("an expression", () => {
  it.for([
    "true",
    'http.host eq "shop.example.com"',
    "http.host eq lower(http.host)",
    'any(lower(http.request.headers.names[*])[*] eq "x")',
    'any(starts_with(http.request.headers["x"][*], "a"))',
    // The documentation has these; only the public engine does not.
    "len(http.request.headers.names) gt 9",
    "cf.bot_management.signed_agent",
  ])("%s is accepted", (expression, { expect }) => {
    expect(refusalOf(expression)).toBe("");
  });

  it.for([
    { expression: 'lower(ip.src) eq "x"', says: "20083 Filter parsing error (1:7)" },
    { expression: 'url_decode(ssl) eq "x"', says: "20083 Filter parsing error (1:12)" },
    { expression: 'upper(len(http.host)) eq "x"', says: "20083 Filter parsing error (1:7)" },
    { expression: 'concat(http.host) eq "x"', says: "20083 Filter parsing error (1:1)" },
    { expression: "http.host eq 1", says: "20000 Filter parsing error (1:14)" },
    { expression: 'ip.src eq "10.0.0.1"', says: "20000 Filter parsing error (1:11)" },
    { expression: "ip.src in {10.0.0.1/8}", says: "20000 Filter parsing error (1:12)" },
    { expression: 'http.host matches "^(?!www)"', says: "20000 Filter parsing error (1:19)" },
    { expression: String.raw`http.host matches "\pL"`, says: "20000 Filter parsing error (1:19)" },
    {
      expression: 'http.request.headers.names[*] eq "x"',
      says: "20000 Filter parsing error (1:1)",
    },
    { expression: 'http.host[0] eq "x"', says: "20000 Filter parsing error (1:10)" },
    { expression: "", says: "20000 Filter parsing error (1:1)" },
    { expression: `http.host eq "${"x".repeat(4096)}"`, says: "20127 expression size 4111" },
  ])("$expression is rejected", ({ expression, says }, { expect }) => {
    expect(refusalOf(expression)).toContain(says);
  });

  it.for(unknownNames)(
    "%s is rejected, unless the emulator is lenient",
    (expression, { expect }) => {
      expect(refusalOf(expression)).toContain("unknown");
      expect(refusalOf(expression, "enterprise", true)).toBe("");
    },
  );

  it("that cannot be parsed is rejected by a lenient emulator too", ({ expect }) => {
    expect(refusalOf("http.host eq 1", "enterprise", true)).toContain("Filter parsing error");
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

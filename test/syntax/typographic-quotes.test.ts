import { describe, it } from "vitest";

import { checkCsp } from "../../src/syntax/csp/check-csp.ts";
import { adviseExpression } from "../../src/syntax/expression/advice/advise-expression.ts";

describe("typographic quotes", () => {
  it.for([
    ["script-src ‘self’", ["‘", "’"], "script-src 'self'"],
    ["script-src 'self' “cdn.example.com”", ["“", "”"], "script-src 'self' cdn.example.com"],
    [
      "script-src 'self' „a.example‟ b.example",
      ["„", "‟"],
      "script-src 'self' a.example b.example",
    ],
  ] as const)("are told in a policy: %s", ([text, quotes, mended], { expect }) => {
    const found = checkCsp(text).filter(({ code }) => code === "CSP_INVALID_CHARACTER");
    expect(found.map(({ message }) => message)).toEqual(
      quotes.map((quote) => `${quote} is a typographic quote, which is not valid in a policy`),
    );
    expect(found[0]?.remedy).toBe(
      "write keywords in straight single quotes ('self'), and hosts without quotes",
    );
    expect(checkCsp(mended)).toEqual([]);
  });

  it.for([
    "http.host eq “shop.example.com”",
    "http.host in {“a.example” “b.example”}",
    "starts_with(http.request.uri.path, “/a”)",
  ])("are told in an expression: %s", (text, { expect }) => {
    const [found, ...others] = adviseExpression(text, "request");
    expect(others).toEqual([]);
    expect(found).toMatchObject({ offset: text.indexOf("“"), severity: "error" });
    expect(found?.remedy).toBe('replace the typographic quotes with straight double quotes (")');
    expect(adviseExpression(text.replaceAll(/[“”]/g, '"'), "request")).toEqual([]);
  });
});

describe("a placeholder of another tool", () => {
  it.for(["{{ .Values.zone }}", "www.{{ .Values.zone }}", "{{.Zone}}"])(
    "is not told to change its letter case: %s",
    (text, { expect }) => {
      const found = adviseExpression(`http.host eq "${text}"`, "request");
      const remedies = found.map(({ remedy }) => remedy).join("\n");
      expect(remedies).toContain("zonewarden fills no {{ }}: write a placeholder such as");
      expect(remedies).not.toContain(text.toLowerCase());
    },
  );
});

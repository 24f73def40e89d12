import { describe, it } from "vitest";

import { desiredBench, linesOf, loadText, zonesOf } from "../support/desired.ts";

/** Codes with their lines. */
async function codesIn(
  files: Readonly<Record<string, string>> | string,
): Promise<readonly string[]> {
  const state = await (typeof files === "string" ? loadText(files) : desiredBench(files).load());
  return state.diagnostics.map(({ place, code }) => `${place.file}:${place.line} ${code}`);
}

describe("all errors are reported at once", () => {
  it("an unknown key does not hide errors in values next to it", async ({ expect }) => {
    expect(
      await codesIn(`zones:
  - name: a.example
    colour: red
    page_shield:
      policies:
        items:
          - { key: a, action: log, expression: http.host eqq "a", value: scrpt-src x }
          - { key: a, action: log, expression: ssl, value: { script-src: ["'none'", x] } }
`),
    ).toEqual([
      "a.yaml:3 UNKNOWN_KEY",
      "a.yaml:7 EXPR_UNKNOWN_OPERATOR",
      "a.yaml:7 CSP_UNKNOWN_DIRECTIVE",
      "a.yaml:8 KEY_TWICE",
      "a.yaml:8 CSP_NONE_NOT_ALONE",
    ]);
  });

  it("a value that violates the schema is reported once, and values next to it are still checked", async ({
    expect,
  }) => {
    expect(
      await codesIn(`zones:
  - name: a.example
    page_shield:
      policies:
        items:
          - { key: a, action: log, expression: "", value: { script-src: 7 } }
          - 12
          - { key: b, action: log, expression: "ssl and", value: [] }
    managed_rules:
      rules: { key: owasp }
`),
    ).toEqual([
      "a.yaml:6 WRONG_VALUE",
      "a.yaml:6 WRONG_TYPE",
      "a.yaml:7 WRONG_TYPE",
      "a.yaml:8 EXPR_UNEXPECTED",
      "a.yaml:8 WRONG_TYPE",
      "a.yaml:10 WRONG_TYPE",
    ]);
  });

  it("an error does not hide missing or contradictory keys elsewhere", async ({ expect }) => {
    expect(
      await codesIn(`zones:
  - name: a.example
    colour: red
    profiles: [nobody]
    page_shield: { policies: { items: [{ key: a, action: log, expresion: ssl, value: "img-src 'self'" }] } }
  - name: b.example
    mode: 7
  - name: b.example
    managed_rules:
      rules: [{ key: free, deploy: free, paranoia_level: 2 }]
  - name: c.example
    page_shield:
      policies:
        items: [{ key: a, action: log, expression: ssl }]
  - name: d.example
    profiles: [nowhere]
`),
    ).toEqual([
      "a.yaml:3 UNKNOWN_KEY",
      "a.yaml:4 UNKNOWN_PROFILE",
      "a.yaml:5 UNKNOWN_KEY",
      "a.yaml:7 WRONG_VALUE",
      "a.yaml:10 NOT_OWASP",
      "a.yaml:14 MISSING_KEY",
      "a.yaml:16 UNKNOWN_PROFILE",
    ]);
  });

  it("an invalid expression does not hide errors that only merging shows", async ({ expect }) => {
    expect(
      await codesIn(`zones:
  - name: a.example
    page_shield:
      policies:
        items: [{ key: a, action: log, expression: "ssl and", value: "img-src 'self'" }]
    managed_rules:
      rules: [{ key: free, deploy: free, action: log }]
`),
    ).toEqual(["a.yaml:5 EXPR_UNEXPECTED", "a.yaml:7 NOT_OWASP"]);
  });

  it("a broken profile is not reported as unknown, nor its keys as missing", async ({ expect }) => {
    expect(
      await codesIn({
        "a.yaml": `profiles:
  base: { mode: 7, page_shield: { policies: { items: [{ key: a, value: "img-src 'self'" }] } } }
zones:
  - { name: a.example, profiles: [base], page_shield: { policies: { items: [{ key: a, action: log, expression: ssl }] } } }
`,
        "b.yaml": "zones: [{ name: b.example, profiles: [base] }]\n",
      }),
    ).toEqual(["a.yaml:2 WRONG_VALUE"]);
  });

  it("a broken file does not break other files", async ({ expect }) => {
    const { load } = desiredBench({
      "a.yaml": "profiles: { base: { managed_rules: { rules: [{ key: free, deploy: free }] } } }\n",
      "b.yaml": "zones: [{ name: b.example, profiles: [base] }]\n",
      "c.yaml": `zones:
  - { name: c.example, colour: red }
  - { name: d.example, profiles: [base], managed_rules: { rules: [{ key: free, action: log }] } }
`,
    });
    const state = await load();
    expect(zonesOf(state)).toEqual(["b.example"]);
    expect(state.stale).toEqual(["c.yaml"]);
    expect(linesOf(state)).toHaveLength(2);
  });
});

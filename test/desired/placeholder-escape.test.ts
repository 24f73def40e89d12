import * as fc from "fast-check";
import { describe, it } from "vitest";

import { escapedTemplate, fillTemplate } from "../../src/desired/template/template.ts";
import { parseCsp } from "../../src/syntax/csp/csp.ts";
import { parseExpression } from "../../src/syntax/expression/expression.ts";
import { cases } from "../support/properties.ts";

function hasControl(value: string): boolean {
  return /\p{Cc}/u.test(value);
}

function hasQuote(value: string): boolean {
  return hasControl(value) || value.includes('"');
}

function filled(template: string, value: string | number | boolean): string {
  return fillTemplate(template, "expression", () => value).text;
}

/** The tree of an expression without the places of its parts, in which the text Q is another one. */
function treeOf(text: string, q = "Q"): string {
  return JSON.stringify(parseExpression(text).tree, (key, value: unknown) => {
    if (key === "offset" || key === "length") return undefined;
    return key === "text" && value === "Q" ? q : value;
  });
}

describe("no value breaks out of where it stands", () => {
  const attacks = [
    '" or true or "',
    '" or ssl or http.host eq "',
    '") or ssl or (http.host eq "',
    String.raw`\" or ssl or http.host eq "`,
    '"# or ssl or http.host eq r#"',
    'x"} or ssl or http.host in {"y',
    "\\",
    String.raw`\"`,
    '"',
    '"#',
    "r#",
    "a; img-src *",
    "a b",
    "$${x}",
    "${zone.name}",
    "é\u2028ü",
  ];
  const anyText = fc.oneof(
    fc.string({ maxLength: 20 }),
    fc.string({
      unit: fc.constantFrom('"', "\\", "#", "r", "a", " ", "$", "{", "}"),
      maxLength: 8,
    }),
    fc.constantFrom(...attacks),
  );

  it.for([
    {
      where: "a string",
      template: 'http.host eq "x${vars.a}y" and not ssl',
      model: 'http.host eq "Q" and not ssl',
      around: ["x", "y"],
      refused: hasControl,
    },
    {
      where: "a string after an escaped backslash",
      template: 'http.host eq "\\\\${vars.a}" and not ssl',
      model: 'http.host eq "Q" and not ssl',
      around: ["\\", ""],
      refused: hasControl,
    },
    {
      where: "a list, after a string with quotes",
      template: 'http.user_agent ne "a\\"b" and http.host in {"b" "x${vars.a}" "c"}',
      model: 'http.user_agent ne "a\\"b" and http.host in {"b" "Q" "c"}',
      around: ["x", ""],
      refused: hasControl,
    },
    {
      where: "a raw string",
      template: 'http.host eq r"x${vars.a}y" and ssl',
      model: 'http.host eq "Q" and ssl',
      around: ["x", "y"],
      refused: hasQuote,
    },
    {
      where: "a raw string with a hash",
      template: 'ssl or http.host eq r#"x${vars.a}"#',
      model: 'ssl or http.host eq "Q"',
      around: ["x", ""],
      refused: hasQuote,
    },
    {
      where: "no string, after others",
      template: 'http.user_agent ne r"\\" and http.user_agent ne "\\\\" and http.host eq ${vars.a}',
      model: 'http.user_agent ne r"\\" and http.user_agent ne "\\\\" and http.host eq "Q"',
      around: ["", ""],
      refused: hasControl,
    },
  ])(
    "in $where: its text is the value, and nothing else changes",
    ({ template, model, around, refused }) => {
      const [before, after] = around;
      fc.assert(
        fc.property(anyText, (value) => {
          const { text, errors } = fillTemplate(template, "expression", () => value);
          if (refused(value)) return errors.length === 1;
          const expected = treeOf(model, `${before}${value}${after}`);
          return errors.length === 0 && treeOf(text) === expected;
        }),
        cases(300),
      );
    },
  );

  it.for(['http.host eq "a\\${vars.a}" and ssl', 'http.host eq "\\\\\\${vars.a}" and ssl'])(
    "not after a backslash that escapes its first character: %s",
    (template, { expect }) => {
      for (const value of attacks) {
        const { errors } = fillTemplate(template, "expression", () => value);
        expect(errors.map(({ remedy }) => remedy).join()).toContain("no backslash before");
      }
    },
  );

  it("whatever its type", ({ expect }) => {
    expect(filled("a ${vars.a} b", 7)).toBe("a 7 b");
    expect(filled("a ${vars.a} b", true)).toBe("a true b");
    expect(filled("a ${vars.a} b", "true")).toBe('a "true" b');
    expect(filled("a ${vars.a} b", "9.9.9.0/24")).toBe("a 9.9.9.0/24 b");
    expect(filled("a ${vars.a} b", "2001:db8::/32")).toBe("a 2001:db8::/32 b");
    expect(filled('a r"${vars.a}" b', "x")).toBe('a r"x" b');
  });

  it("in the sources of a policy", () => {
    fc.assert(
      fc.property(anyText, (value) => {
        const template = "script-src ${vars.a}; img-src 'self'";
        const { text, errors } = fillTemplate(template, "csp", () => value);
        if (!/^[^\s;,]+$/.test(value)) return errors.length === 1;
        const [script, image] = parseCsp(text).map(({ sources }) => sources.length);
        return errors.length === 0 && text.includes(` ${value};`) && script === 1 && image === 1;
      }),
      cases(300),
    );
  });

  it("and an escaped text reads as itself", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const read = fillTemplate(escapedTemplate(text), "text", () => "never");
        return read.text === text && read.errors.length === 0;
      }),
      cases(300),
    );
  });
});

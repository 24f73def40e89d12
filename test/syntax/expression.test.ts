import { describe, it } from "vitest";

import { canonicalExpression, parseExpression } from "../../src/syntax/expression/expression.ts";
import { printExpression } from "../../src/syntax/expression/print-expression.ts";

function printed(text: string): string | undefined {
  const { tree } = parseExpression(text);
  return tree === undefined ? undefined : printExpression(tree);
}

function patterns(count: number): string {
  return Array.from({ length: count }, () => 'http.host matches "a"').join(" or ");
}

describe("an expression that is printed", () => {
  it.for([
    {
      when: "words stand for signs",
      text: 'http.host == "a" && !ssl',
      yields: 'http.host eq "a" and not ssl',
    },
    {
      when: "and binds tighter than xor",
      text: "ssl xor ssl and ssl",
      yields: "ssl xor ssl and ssl",
    },
    {
      when: "xor binds tighter than or",
      text: "ssl or (ssl xor ssl)",
      yields: "ssl or ssl xor ssl",
    },
    { when: "or stands within and", text: "ssl and (ssl or ssl)", yields: "ssl and (ssl or ssl)" },
    { when: "not binds tightest", text: "(not ssl) and ssl", yields: "not ssl and ssl" },
    { when: "not rules a group", text: "!(ssl||ssl)", yields: "not (ssl or ssl)" },
    {
      when: "grouping differs from the flat form",
      text: "(ssl and ssl) and ssl",
      yields: "(ssl and ssl) and ssl",
    },
    { when: "parentheses say nothing", text: "(((ssl)))", yields: "ssl" },
    {
      when: "numbers have other bases",
      text: "cf.threat_score in {0x10 010 10}",
      yields: "cf.threat_score in {16 8 10}",
    },
    {
      when: "a text has escapes",
      text: String.raw`http.host eq "\x41\102\"\\\xE9"`,
      yields: String.raw`http.host eq "AB\"\\\xe9"`,
    },
    {
      when: "a raw text has none",
      text: 'http.host eq r#"a"\\"#',
      yields: String.raw`http.host eq "a\"\\"`,
    },
    {
      when: "a pattern has backslashes",
      text: String.raw`http.host matches "a\.b\""`,
      yields: String.raw`http.host matches r#"a\.b""#`,
    },
    {
      when: "a pattern has the longest run of # that a fence can exceed",
      text: `http.host matches "a\\"${"#".repeat(254)}"`,
      yields: `http.host matches r${"#".repeat(255)}"a"${"#".repeat(254)}"${"#".repeat(255)}`,
    },
    {
      when: "a value is that of a field or a call",
      text: "http.host eq lower(http.referer) or http.host == http.referer",
      yields: "http.host eq lower(http.referer) or http.host eq http.referer",
    },
    { when: "an argument is a condition", text: "any((ssl))", yields: "any((ssl))" },
    {
      when: "signs stand for operators",
      text: 'cf.threat_score<=1||cf.threat_score>=2||cf.threat_score<3||cf.threat_score>4||cf.threat_score!=5||cf.threat_score&6||http.host~"a"',
      yields:
        'cf.threat_score le 1 or cf.threat_score ge 2 or cf.threat_score lt 3 or cf.threat_score gt 4 or cf.threat_score ne 5 or cf.threat_score bitwise_and 6 or http.host matches r"a"',
    },
    { when: "there are lines", text: "ssl\n  and\r\nssl", yields: "ssl and ssl" },
    {
      when: "bytes stand behind a text field",
      text: "http.host eq 61:62:63:64",
      yields: 'http.host eq "abcd"',
    },
    { when: "words touch", text: 'http.host eq"a"andssl', yields: 'http.host eq "a" and ssl' },
  ])("when $when", ({ text, yields }, { expect }) => {
    expect(printed(text)).toBe(yields);
  });
});

describe("a diagnostic of an expression", () => {
  it.for(["or", "xor", "and", "eq", "ne", "lt", "le", "gt", "ge", "in", "matches"])(
    "says that %s is no field",
    (word, { expect }) => {
      const { diagnostics } = parseExpression(`ssl and ${word} eq "a"`);
      expect(diagnostics).toMatchObject([{ code: "EXPR_UNEXPECTED", offset: 8 }]);
    },
  );

  it("about names keeps the tree, one about syntax does not", ({ expect }) => {
    expect(parseExpression('foo.bar eq "a"').tree).toBeDefined();
    expect(parseExpression("foo.bar eq").tree).toBeUndefined();
  });

  it("is reported once for each unknown name", ({ expect }) => {
    const { diagnostics } = parseExpression('foo eq "a" or foo eq "b" or bar eq "c"');
    expect(diagnostics.map(({ offset }) => offset)).toEqual([0, 28]);
  });
});

describe("the limits of an expression", () => {
  it("are 4096 characters without surrounding white space", ({ expect }) => {
    const fitting = `http.host eq "${"a".repeat(4096 - 15)}"`;
    expect(parseExpression(`  ${fitting}\n`).diagnostics).toEqual([]);
    expect(parseExpression(`${fitting} `.replace('"', '"a')).diagnostics).toMatchObject([
      { code: "EXPR_TOO_LONG", severity: "error" },
    ]);
  });

  it.for([
    ["parentheses", "(", ")"],
    ["negations", "not ", ""],
    ["calls", "lower(", ")"],
  ])("are 128 levels of %s", ([, open = "", close = ""], { expect }) => {
    const nested = (levels: number): string => open.repeat(levels) + "ssl" + close.repeat(levels);
    expect(parseExpression(nested(128)).tree).toBeDefined();
    expect(parseExpression(nested(129)).diagnostics).toMatchObject([{ code: "EXPR_TOO_DEEP" }]);
  });

  it("are 64 regular expressions, as a warning", ({ expect }) => {
    expect(parseExpression(patterns(64)).diagnostics).toEqual([]);
    expect(parseExpression(patterns(65)).diagnostics).toMatchObject([
      { code: "EXPR_MANY_REGEXES", severity: "warning" },
    ]);
  });
});

describe("the canonical text of an expression", () => {
  it.for([
    [" ssl ", "ssl"],
    ["\r\n ssl\n", "ssl"],
    ["ssl  and  ssl", "ssl  and  ssl"],
    ["", ""],
  ] as const)("of %j is %j", ([text, canonical], { expect }) => {
    expect(canonicalExpression(text)).toBe(canonical);
  });
});

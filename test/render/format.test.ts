import { describe, it } from "vitest";

import { valueLines } from "../../src/render/change-text.ts";
import { inColumns, paintOf, plural, printable, valueText, wrap } from "../../src/render/format.ts";
import type { Json } from "../../src/syntax/json.ts";

describe("a value in a line", () => {
  it.for<{ readonly value: Json | undefined; readonly yields: string }>([
    { value: undefined, yields: "–" },
    { value: null, yields: "–" },
    { value: "", yields: '""' },
    { value: "script-src 'self'", yields: "script-src 'self'" },
    { value: true, yields: "true" },
    { value: 40, yields: "40" },
    { value: ["a", "b"], yields: "a, b" },
    { value: { a: ["1"], b: false }, yields: "a: 1; b: false" },
    { value: { "\u001Bx": "\u202E" }, yields: String.raw`\u{1b}x: \u{202e}` },
  ])("is $yields", ({ value, yields }, { expect }) => {
    expect(valueText(value)).toBe(yields);
  });

  it.for([
    { text: "ünïcode 漢字 🙂", yields: "ünïcode 漢字 🙂" },
    { text: "a\nb\tc", yields: String.raw`a\u{a}b\u{9}c` },
    { text: "\u009B31m", yields: String.raw`\u{9b}31m` },
    { text: "a\u2028b\u200Bc", yields: String.raw`a\u{2028}b\u{200b}c` },
  ])("shows $text as it is, without power over the terminal", ({ text, yields }, { expect }) => {
    expect(printable(text)).toBe(yields);
  });

  it.for([
    { text: "ünïcode 漢字 🙂", yields: "ünïcode 漢字 🙂" },
    { text: "a\tb\u001Bc\u202Ed", yields: "a b�c�d" },
    { text: "a\u{E0041}b", yields: "a��b" },
  ])("keeps the columns of $text", ({ text, yields }, { expect }) => {
    expect(inColumns(text)).toBe(yields);
    expect(yields).toHaveLength(text.length);
  });
});

describe("a long value", () => {
  it.for([
    { text: "", width: 5, yields: [""] },
    { text: "aa bb cc", width: 5, yields: ["aa bb", "cc"] },
    { text: "aa bbbbbbbb cc", width: 5, yields: ["aa", "bbbbbbbb", "cc"] },
  ])("breaks at spaces: $text", ({ text, width, yields }, { expect }) => {
    expect(wrap(text, width)).toEqual(yields);
  });

  it("has a line for each directive of a policy", ({ expect }) => {
    expect(valueLines("img-src a.example b.example; script-src 'self'", true, 22)).toEqual([
      "img-src a.example",
      "  b.example;",
      "script-src 'self'",
    ]);
    expect(valueLines(["a", "b"], true, 20)).toEqual(["a, b"]);
  });

  it("has the lines of the text, and shows what else would steer a terminal", ({ expect }) => {
    const page = "<p>\n  Not \u001B[31mnow\r\n\n</p>\n";
    expect(valueLines(page, false, 80)).toEqual([
      "<p>",
      "Not \\u{1b}[31mnow\\u{d}",
      "",
      "</p>\\u{a}",
    ]);
    expect(valueLines("\n", false, 80)).toEqual(["\\u{a}"]);
  });
});

describe("words", () => {
  it("count their nouns", ({ expect }) => {
    expect([plural(1, "policy"), plural(3, "policy"), plural(0, "rule")]).toEqual([
      "1 policy",
      "3 policies",
      "0 rules",
    ]);
  });

  it("are coloured only where that is wanted", ({ expect }) => {
    expect(paintOf(false)("red", "x")).toBe("x");
    expect(paintOf(true)("red", "x")).toBe("\u001B[31mx\u001B[39m");
  });
});

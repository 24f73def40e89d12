import { describe, it } from "vitest";

import { checkCsp } from "../../src/syntax/csp/check-csp.ts";
import { compareCsp } from "../../src/syntax/csp/compare-csp.ts";
import { canonicalCsp } from "../../src/syntax/csp/csp.ts";
import { compareExpressions } from "../../src/syntax/expression/certainty/certainty.ts";
import { parseExpression } from "../../src/syntax/expression/expression.ts";
import { printExpression } from "../../src/syntax/expression/print-expression.ts";
import { matchesGlob } from "../../src/syntax/glob.ts";

const size = 65_536;

function filled(part: string | ((index: number) => string)): string {
  const parts: string[] = [];
  for (let length = 0, index = 0; length < size; index += 1) {
    const next = typeof part === "string" ? part : part(index);
    parts.push(next);
    length += next.length;
  }
  return parts.join("").slice(0, size);
}

/** The least processor time of a few runs, so that a busy machine is not taken for a slow program. */
function processorTimeOf(work: () => unknown): number {
  const times = Array.from({ length: 4 }, () => {
    const start = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(start);
    return user + system;
  });
  return Math.min(...times);
}

/**
 * Work that grows with the square of 64 kB would be: 64 kB compared with itself, each character with each sixteenth one.
 * It is measured in the same process as what it is compared with, so that the ratio holds on any machine.
 */
function quadraticWork(): number {
  let found = 0;
  for (let left = 0; left < size; left += 1) {
    for (let right = 0; right < size; right += 16) {
      if (((left * 31) ^ right) % 97 === 0) found += 1;
    }
  }
  return found;
}

const reference = processorTimeOf(quadraticWork);

/** What `work` costs in processor time, where 1 is the cost of {@link quadraticWork}. */
function costOf(work: () => unknown): number {
  return processorTimeOf(work) / reference;
}

function listOf(count: number, item: (index: number) => string, between: string): string {
  const list = Array.from({ length: count }, (_, index) => item(index)).join(between);
  return list.slice(0, list.lastIndexOf(between, size));
}

describe("64 kB of anything cost less than quadratic work", () => {
  it.for([
    ["opening parentheses", filled("(")],
    ["closing parentheses", filled(")")],
    ["spaces", filled(" ")],
    ["spaces in the middle", `ssl${filled(" ")}x`],
    ["spaces and an and", `ssl${filled(" ")}and ssl`],
    ["quotes", filled('"')],
    ["an open text", `http.host eq "${filled("a")}`],
    ["escapes", `http.host eq "${filled("\\x41")}"`],
    ["backslashes", `http.host eq "${filled("\\")}"`],
    ["a pattern of brackets", `http.host matches "${filled("[")}]"`],
    ["a raw text of fences", `http.host eq r#"${filled('"')}"#`],
    ["fences", `http.host eq r${filled("#")}`],
    ["negations", filled("!")],
    ["calls", filled("a(")],
    ["indexes", `a${filled("[0]")}`],
    ["a long name", filled("a")],
    ["a dotted name", filled("a.")],
    ["digits", `cf.threat_score eq ${filled("9")}`],
    ["octal digits", `cf.threat_score eq ${filled("0")}`],
    ["an address of colons", `ip.src eq ${filled(":")}`],
    ["an address of dots", `ip.src eq ${filled("1.")}`],
    ["bytes", `http.host eq ${filled("61:")}`],
    ["alternatives", listOf(6_000, (index) => `a${index}`, " or ")],
    ["unknown names near to known ones", listOf(4_000, (index) => `http.hos${index}`, " or ")],
    ["conditions on hosts", listOf(2_400, (index) => `http.host eq "h${index}"`, " or ")],
    [
      "conditions that contain",
      listOf(2_000, (index) => `http.host contains "h${index}"`, " and "),
    ],
    ["wildcards", `http.host wildcard "${filled("*a")}"`],
    ["a set of texts", `http.host in {${listOf(9_000, (index) => `"${index}"`, " ")}}`],
    ["a set of numbers", `cf.threat_score in {${listOf(10_000, String, " ")}}`],
    ["mixed connectives", listOf(4_000, () => "ssl or ssl and ssl xor ssl", " or ")],
  ] as const)("expression: %s", ([, text], { expect }) => {
    expect(costOf(() => parseExpression(text))).toBeLessThan(1);
    const { tree } = parseExpression(text);
    if (tree === undefined) return;
    expect(costOf(() => printExpression(tree))).toBeLessThan(1);
  });

  it.for([
    ["semicolons", filled(";")],
    ["spaces", filled(" ")],
    ["quotes", filled("'")],
    ["stars", filled("*")],
    ["dots", `script-src ${filled("a.")}`],
    ["slashes", `script-src a.example${filled("/")}`],
    ["line ends", filled("\n")],
    ["commas", filled(",")],
    ["one long source", `script-src ${filled("a")}`],
    ["one long scheme", `script-src ${filled("a")}:`],
    ["directives of one letter", filled((index) => `${String.fromCharCode(97 + (index % 26))};`)],
    ["unknown directives", filled((index) => `script-sr${index};`)],
    ["sources of one host", `script-src ${filled((index) => `a.b:${index} `)}`],
    ["hosts", `script-src *.example.com ${filled((index) => `h${index}.example.com `)}`],
    ["deep hosts", `script-src ${filled((index) => `${"a.".repeat(60)}h${index} `)}`],
    ["the same source", `script-src ${filled("'self' ")}`],
    ["unknown keywords", `script-src ${filled((index) => `'unsafe-in${index}' `)}`],
    ["nonces", `script-src ${filled("'nonce-")}`],
  ] as const)("policy: %s", ([, text], { expect }) => {
    expect(costOf(() => checkCsp(text))).toBeLessThan(1);
    expect(costOf(() => canonicalCsp(text))).toBeLessThan(1);
    expect(costOf(() => compareCsp(text, "default-src 'self'; script-src a.example"))).toBeLessThan(
      1,
    );
  });

  it("a glob pattern of stars", ({ expect }) => {
    const [pattern, text] = [`${"*a".repeat(1_000)}b`, "a".repeat(100_000)];
    expect(matchesGlob(pattern, text)).toBe(false);
    expect(costOf(() => matchesGlob(pattern, text))).toBeLessThan(1);
  });

  it("a comparison of the longest expressions, each alternative different", ({ expect }) => {
    const before = listOf(120, (index) => `(http.host eq "h${index}" and ssl)`, " or ");
    const after = before.replaceAll("ssl", "cf.threat_score gt 5");
    expect(parseExpression(before).tree).toBeDefined();
    expect(costOf(() => compareExpressions(before, after))).toBeLessThan(1);
  });
});

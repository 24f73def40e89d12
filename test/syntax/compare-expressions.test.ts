import * as fc from "fast-check";
import { describe, it } from "vitest";

import {
  type ExpressionOrder,
  compareExpressions,
} from "../../src/syntax/expression/certainty/certainty.ts";
import type { Expression } from "../../src/syntax/expression/expression-tree.ts";
import { parseExpression } from "../../src/syntax/expression/expression.ts";
import { cases } from "../support/properties.ts";
import { selects } from "./evaluate.ts";

const opposite: Readonly<Record<ExpressionOrder, ExpressionOrder>> = {
  equal: "equal",
  narrower: "wider",
  wider: "narrower",
  unclear: "unclear",
};

function alternatives(condition: string): string {
  const scores = Array.from({ length: 80 }, (_, index) => `cf.waf.score eq ${index}`);
  return scores.map((score) => `(${condition} and ${score})`).join(" or ");
}

it("gives up where too many parts would have to be compared", ({ expect }) => {
  const [before, after] = [alternatives("ssl"), alternatives("cf.client.bot")];
  expect(compareExpressions(before, after)).toBe("unclear");
});

describe("from one expression to the other the requests are", () => {
  it.for([
    ["ssl", " ssl\n", "equal"],
    ["foo bar", "foo bar", "equal"],
    ["foo bar", "ssl", "unclear"],
    ['http.host == "a" && ssl', '(http.host eq "a") and ssl', "equal"],
    ['ssl and http.host eq "a"', 'http.host eq "a" and ssl', "equal"],
    ["true", "ssl", "narrower"],
    ["ssl", "false", "narrower"],
    ["ssl", 'ssl and http.host eq "a"', "narrower"],
    ["ssl", 'ssl or http.host eq "a"', "wider"],
    ['ssl and http.host eq "a"', 'ssl and http.host eq "a" and cf.client.bot', "narrower"],
    ['http.host eq "a"', 'http.host in {"a" "b"}', "wider"],
    ['http.host in {"a" "b"}', 'http.host eq "a" or http.host eq "b"', "equal"],
    ['http.host in {"a" "b"}', 'http.host in {"b" "c"}', "unclear"],
    ['http.host eq "www.a"', 'http.host contains "a"', "wider"],
    ['http.host eq "www.a"', 'http.host wildcard "*.A"', "wider"],
    ['http.host eq "www.a"', 'http.host strict wildcard "*.A"', "narrower"],
    ['http.host contains "shop.a"', 'http.host contains "shop"', "wider"],
    ['http.host eq "a"', 'http.host ne "b"', "wider"],
    ["cf.threat_score gt 10", "cf.threat_score gt 20", "narrower"],
    ["cf.threat_score gt 10", "cf.threat_score ge 11", "equal"],
    ["cf.threat_score lt 5", "cf.threat_score le 4", "equal"],
    ["cf.threat_score in {1..5}", "cf.threat_score in {1..3 4..9}", "wider"],
    ["ip.src in {10.0.0.0/8}", "ip.src in {10.1.0.0/16}", "narrower"],
    ["ip.src in {10.0.0.0/8}", "ip.src in $office", "unclear"],
    ['not http.host in {"a"}', 'not http.host in {"a" "b"}', "narrower"],
    ["not ssl", "ssl", "unclear"],
    ['lower(http.host) eq "a"', 'http.host eq "a"', "equal"],
    ["ssl xor cf.client.bot", "ssl xor cf.client.bot and true", "equal"],
    ["cf.threat_score in {1 2} and ssl", "ssl or tcp", "wider"],
    ['http.host eq "\\xE9"', 'http.host ne "a"', "wider"],
    ['http.host eq "a"', 'http.host ne "\\xE9"', "wider"],
    ['http.host eq "a"', 'http.host ne "a"', "unclear"],
    ['http.host eq "a\\\\b"', 'http.host wildcard r"a\\*"', "narrower"],
    ['http.host eq "a"', `http.host in {${' "a"'.repeat(1_200)}}`, "unclear"],
    ["cf.threat_score in {1..5}", "cf.threat_score in {1..3 5..9}", "unclear"],
    ["cf.threat_score in {1..5}", "cf.threat_score ne 5", "unclear"],
    ["ip.src eq 10.0.0.1", "ip.src ne ::a00:1", "wider"],
    ["ip.src in {0.0.0.0/0}", "ip.src in {::/0}", "unclear"],
    ["cf.threat_score le 5", "cf.threat_score & 1", "unclear"],
    ["cf.threat_score eq 1", "cf.waf.score eq 1", "unclear"],
    ['http.host in {"a" "ab"}', 'http.host contains "a"', "wider"],
    ['http.host in {"a" "b"}', 'http.host contains "a"', "unclear"],
    ['http.host contains "a"', 'http.host wildcard "*a*"', "equal"],
    ['http.host in {"a" 1}', 'http.host in {"a" 1 2}', "unclear"],
    ["not ssl", "not (ssl and cf.client.bot)", "wider"],
  ] as const)("%s → %s: %s", ([before, after, expected], { expect }) => {
    expect(compareExpressions(before, after)).toBe(expected);
    expect(compareExpressions(after, before)).toBe(opposite[expected]);
  });
});

const hosts = ["a.example", "b.example", "x.a.example", "A.Example", "a.test", ""];
const quoted = hosts.map((host) => `"${host}"`);

const condition = fc.oneof(
  fc.constantFrom("true", "false", "ssl", "not ssl"),
  fc
    .tuple(
      fc.constantFrom("http.host", "lower(http.host)"),
      fc.constantFrom("eq", "ne", "contains"),
      fc.constantFrom(...quoted, '".example"', '"a"'),
    )
    .map((parts) => parts.join(" ")),
  fc
    .tuple(
      fc.constantFrom("http.host wildcard", "http.host strict wildcard"),
      fc.constantFrom('"*.example"', '"A*"', '"*a*"', '"*"', '"a.*"'),
    )
    .map((parts) => parts.join(" ")),
  fc
    .array(fc.constantFrom(...quoted), { minLength: 1, maxLength: 3 })
    .map((members) => `http.host in {${members.join(" ")}}`),
  fc
    .tuple(
      fc.constantFrom("starts_with", "ends_with"),
      fc.constantFrom('"a."', '".example"', '"A"'),
    )
    .map(([name, text]) => `${name}(http.host, ${text})`),
  fc
    .tuple(fc.constantFrom("eq", "ne", "lt", "le", "gt", "ge"), fc.integer({ min: 0, max: 5 }))
    .map(([operator, value]) => `cf.threat_score ${operator} ${value}`),
  fc
    .array(fc.constantFrom("0", "1", "2..3", "3..5", "4"), { minLength: 1, maxLength: 3 })
    .map((members) => `cf.threat_score in {${members.join(" ")}}`),
);

const { expression } = fc.letrec<{ expression: string }>((tie) => ({
  expression: fc.oneof(
    { maxDepth: 3 },
    condition,
    tie("expression").map((item) => `not (${item})`),
    fc
      .tuple(fc.constantFrom("and", "or", "xor"), tie("expression"), tie("expression"))
      .map(([connective, a, b]) => `(${a}) ${connective} (${b})`),
  ),
}));

const request = fc.record({
  // The service gives every request a host, in lower case.
  host: fc.constantFrom(...hosts.filter((host) => /^[a-z.]+$/.test(host))),
  ssl: fc.boolean(),
  score: fc.bigInt({ min: 0n, max: 6n }),
});

function treeOf(text: string): Expression {
  const { tree } = parseExpression(text);
  if (tree === undefined) throw new Error(`cannot read ${text}`);
  return tree;
}

describe("a comparison of two expressions", () => {
  it("is narrower, wider or equal only if no request contradicts it", ({ expect }) => {
    const grown = fc
      .tuple(expression, expression, fc.constantFrom("and", "or", "alone"))
      .map(([a, b, how]): [string, string] => [a, how === "alone" ? b : `(${a}) ${how} (${b})`]);
    fc.assert(
      fc.property(
        grown,
        fc.boolean(),
        fc.array(request, { minLength: 6 }),
        (pair, swap, samples) => {
          const [before, after] = swap ? pair.toReversed() : pair;
          const order = compareExpressions(before ?? "", after ?? "");
          const [was, is] = [treeOf(before ?? ""), treeOf(after ?? "")];
          for (const sample of samples) {
            const [old, now] = [selects(was, sample), selects(is, sample)];
            if (old && !now) expect(["narrower", "unclear"]).toContain(order);
            if (now && !old) expect(["wider", "unclear"]).toContain(order);
          }
        },
      ),
      cases(500),
    );
  });
});

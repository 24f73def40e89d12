import * as fc from "fast-check";
import { describe, it } from "vitest";

import { compareExpressions } from "../../src/syntax/expression/certainty/certainty.ts";
import type { Expression } from "../../src/syntax/expression/expression-tree.ts";
import { parseExpression } from "../../src/syntax/expression/expression.ts";
import { cases } from "../support/properties.ts";
import { selects } from "./evaluate.ts";

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
      cases(1_500),
    );
  });
});

import * as fc from "fast-check";
import { describe, it } from "vitest";

import { compareExpressions } from "../../src/syntax/expression/certainty/certainty.ts";
import { parseExpression } from "../../src/syntax/expression/expression.ts";
import { printExpression } from "../../src/syntax/expression/print-expression.ts";
import { cases } from "../support/properties.ts";
import { arbitraryExpression, withoutPlaces } from "./arbitrary-expression.ts";
import { documentedExpressions } from "./corpus/documented-expressions.ts";
import { edgeExpressions } from "./corpus/edge-expressions.ts";
import { mutants, soup } from "./mutant.ts";

const corpus = [...documentedExpressions, ...edgeExpressions].flatMap(({ expressions }) =>
  expressions.map(([text]) => text),
);

const words =
  'http.host ssl ip.src lower( any( ( ) [ ] [*] [0] ["a"] , eq ne in contains matches wildcard == ~ & not and or xor ' +
  '&& || ^^ ! { } $list " "a" r" r#" "# \\ \\x41 1 0x1f -5 1..5 .. 10.0.0.0/8 ::1 true ' +
  "' é \0 # strict";

const pieces = [...words.split(" "), "\t", "strict wildcard"];

/** What holds for every text whatever: an answer, with places within the text. */
function examine(text: string): string | undefined {
  const { tree, diagnostics } = parseExpression(text);
  const outside = diagnostics.find(
    ({ offset, length }) => offset < 0 || offset + length > text.length,
  );
  if (outside !== undefined) return `${outside.code} lies outside the text`;
  if (tree === undefined) {
    return diagnostics.some(({ severity }) => severity === "error")
      ? undefined
      : "no tree, no error";
  }
  const printed = printExpression(tree);
  const again = parseExpression(printed).tree;
  if (again === undefined) return `cannot read its own text: ${printed}`;
  const isSame = JSON.stringify(withoutPlaces(again)) === JSON.stringify(withoutPlaces(tree));
  return isSame ? undefined : `reads its own text otherwise: ${printed}`;
}

describe("any text as an expression", () => {
  it("has a tree or an error: mutants of public expressions", ({ expect }) => {
    fc.assert(
      fc.property(mutants(corpus, pieces), (text) => {
        expect(examine(text)).toBeUndefined();
      }),
      cases(1_500),
    );
  });

  it("has a tree or an error: random words of the language", ({ expect }) => {
    fc.assert(
      fc.property(soup(pieces, ["", " ", "\n"]), (text) => {
        expect(examine(text)).toBeUndefined();
      }),
      cases(1_500),
    );
  });

  it("compares with any other", ({ expect }) => {
    fc.assert(
      fc.property(fc.constantFrom(...corpus), mutants(corpus, pieces), (before, after) => {
        expect(["equal", "narrower", "wider", "unclear"]).toContain(
          compareExpressions(before, after),
        );
      }),
      cases(1_000),
    );
  });
});

describe("any expression", () => {
  it("is the same tree after printing and parsing", ({ expect }) => {
    fc.assert(
      fc.property(arbitraryExpression, (tree) => {
        const { tree: again, diagnostics } = parseExpression(printExpression(tree));
        const told = again === undefined ? diagnostics : withoutPlaces(again);
        expect(told).toEqual(withoutPlaces(tree));
      }),
      cases(1_000),
    );
  });
});

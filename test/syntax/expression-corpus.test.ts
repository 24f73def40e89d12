import { describe, it } from "vitest";

import { parseExpression } from "../../src/syntax/expression/expression.ts";
import { printExpression } from "../../src/syntax/expression/print-expression.ts";
import { documentedExpressions } from "./corpus/documented-expressions.ts";
import { edgeExpressions } from "./corpus/edge-expressions.ts";

const expressionCorpus = [...documentedExpressions, ...edgeExpressions];

describe("expressions in public documentation", () => {
  for (const { from, expressions } of expressionCorpus) {
    it.for(expressions)(`${from}: %s`, ([text, ...codes], { expect }) => {
      const { tree, diagnostics } = parseExpression(text);
      expect(diagnostics.map(({ code }) => code).toSorted()).toEqual(codes.toSorted());
      if (tree === undefined) return;
      const printed = printExpression(tree);
      const again = parseExpression(printed);
      expect(again.tree === undefined ? again.diagnostics : printExpression(again.tree)).toBe(
        printed,
      );
    });
  }

  it("are at least 150, a third of them with diagnostics", ({ expect }) => {
    const all = expressionCorpus.flatMap(({ expressions }) => expressions);
    expect(new Set(all.map(([text]) => text)).size).toBeGreaterThanOrEqual(150);
    expect(all.filter(([, ...codes]) => codes.length > 0).length).toBeGreaterThanOrEqual(50);
  });
});

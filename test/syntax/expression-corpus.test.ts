import { describe, it } from "vitest";

import { type ExpressionNode, nodesOf } from "../../src/syntax/expression/expression-tree.ts";
import { parseExpression } from "../../src/syntax/expression/expression.ts";
import { printExpression } from "../../src/syntax/expression/print-expression.ts";
import type { Span } from "../../src/syntax/syntax-diagnostic.ts";
import { documentedExpressions } from "./corpus/documented-expressions.ts";
import { edgeExpressions } from "./corpus/edge-expressions.ts";

/** What the text of a constant looks like. */
const constants: Readonly<Record<string, RegExp>> = {
  text: /^(?:r?#*".*"#*|[0-9a-f]{2}(?::[0-9a-f]{2})+)$/is,
  integer: /^[-0-9a-fx]+$/i,
  address: /^[0-9a-f.:/]+$/i,
  set: /^\{.*\}$/s,
  list: /^\$/,
};

/** Whether the span of a part is that of its text. */
function isPlaced(node: ExpressionNode, text: string): boolean {
  const own = textAt(node, text);
  if (own === "" || own !== own.trim() || constants[node.kind]?.test(own) === false) return false;
  if (node.kind === "comparison") {
    return own.startsWith(textAt(node.left, text)) && own.endsWith(textAt(node.right, text));
  }
  if (node.kind === "range") return own === `${textAt(node.from, text)}..${textAt(node.to, text)}`;
  if (node.kind !== "field" && node.kind !== "call") return true;
  const last = node.indexes.at(-1);
  return own.startsWith(node.name) && (last === undefined || own.endsWith(textAt(last, text)));
}

function textAt({ offset, length }: Span, text: string): string {
  return text.slice(offset, offset + length);
}

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

  it("have the places of all their parts", ({ expect }) => {
    const texts = expressionCorpus.flatMap(({ expressions }) => expressions.map(([text]) => text));
    const wrong = texts.filter((text) => {
      const { tree } = parseExpression(text);
      return tree !== undefined && nodesOf(tree).some((node) => !isPlaced(node, text));
    });
    expect(wrong).toEqual([]);
  });

  it("are at least 150, a third of them with diagnostics", ({ expect }) => {
    const all = expressionCorpus.flatMap(({ expressions }) => expressions);
    expect(new Set(all.map(([text]) => text)).size).toBeGreaterThanOrEqual(150);
    expect(all.filter(([, ...codes]) => codes.length > 0).length).toBeGreaterThanOrEqual(50);
  });
});

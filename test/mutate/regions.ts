import { parseAst } from "vitest/node";

import { regionCounter } from "./region-counter.ts";
import { type TreeNode, isNode, partsOf, visit } from "./source-tree.ts";

/** A part of a text that runs as a whole or not at all: the body of a function, a branch, the right side of `&&`. */
interface Region {
  readonly start: number;
  readonly end: number;
}

/** The text in which each region says that it runs. `file` tells the regions of several files apart. */
export function withCounters(text: string, file: string): string {
  const openers: (readonly [number, string])[] = [];
  const closers: (readonly [number, string])[] = [];
  for (const node of regionNodes(text)) {
    const count = `${regionCounter}.add(${JSON.stringify(keyOf(file, node.start))})`;
    if (node.type === "BlockStatement") openers.push([node.start + 1, `${count};`]);
    else {
      openers.push([node.start, `(${count},(`]);
      // Where two regions end at one place, the inner one ends first.
      closers.unshift([node.end, "))"]);
    }
  }
  const inserted = [...closers, ...openers].toSorted(([a], [b]) => a - b);
  let done = 0;
  let result = "";
  for (const [place, code] of inserted) {
    result += text.slice(done, place) + code;
    done = place;
  }
  return `globalThis.${regionCounter} ??= new Set();${regionCounter}.add(${JSON.stringify(keyOf(file, 0))});${result}${text.slice(done)}`;
}

/** The key of the smallest region around a place. What is in none runs when the file is imported: that has a key too. */
export function regionKeys(text: string, file: string): (place: Region) => string {
  const regions = regionNodes(text).toSorted((a, b) => a.end - a.start - (b.end - b.start));
  return ({ start, end }) => {
    const around = regions.find((each) => each.start <= start && end <= each.end);
    return keyOf(file, around?.start ?? 0);
  };
}

function keyOf(file: string, start: number): string {
  return `${file}:${start}`;
}

function regionNodes(text: string): readonly TreeNode[] {
  const found = new Set<TreeNode>();
  visit(parseAst(text, { lang: "ts" }), undefined, (node) => {
    for (const region of regionsIn(node)) found.add(region);
  });
  return [...found];
}

function regionsIn(node: TreeNode): readonly TreeNode[] {
  const { type, body, right, consequent, alternate } = node;
  if (type === "BlockStatement") return [node];
  if (type === "ArrowFunctionExpression" && isNode(body)) {
    return body.type === "BlockStatement" ? [] : [body];
  }
  if (type === "LogicalExpression") return partsOf([right]);
  return type === "ConditionalExpression" ? partsOf([consequent, alternate]) : [];
}

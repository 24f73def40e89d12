import type { Argument, Expression, Operand, Value } from "./expression-tree.ts";

type Node = Expression | Operand | Value | Argument;

/** Every node of an expression, from outside inwards and from left to right, indexes aside. */
export function nodesOf(expression: Expression): readonly Node[] {
  const nodes: Node[] = [];
  const open: Node[] = [expression];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    nodes.push(node);
    for (const child of childrenOf(node).toReversed()) open.push(child);
  }
  return nodes;
}

function childrenOf(node: Node): readonly Node[] {
  if (node.kind === "logic") return node.items;
  if (node.kind === "not") return [node.item];
  if (node.kind === "truth") return [node.operand];
  if (node.kind === "comparison") return [node.left, node.right];
  if (node.kind === "call") return node.arguments;
  return node.kind === "set" ? node.members : [];
}

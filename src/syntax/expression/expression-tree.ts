import type { Span } from "../syntax-diagnostic.ts";

/** A text; a byte that only an escape can write (`\xE9`) is U+DC00 plus the byte. */
export interface TextValue extends Span {
  readonly kind: "text";
  readonly text: string;
}

/** A 64-bit integer. */
export interface IntegerValue extends Span {
  readonly kind: "integer";
  readonly value: bigint;
}

/** An IP address in full, or with `prefix` a network. */
export interface AddressValue extends Span {
  readonly kind: "address";
  readonly address: string;
  readonly prefix: number | undefined;
  /** Whether it was written with fewer than four numbers, or with leading zeros: `10/8`. */
  readonly isShort?: true;
}

/** Both ends included. */
interface RangeValue extends Span {
  readonly kind: "range";
  readonly from: IntegerValue | AddressValue;
  readonly to: IntegerValue | AddressValue;
}

/** `true` or `false` as a right operand. */
export interface BooleanValue extends Span {
  readonly kind: "boolean";
  readonly value: boolean;
}

export type Member = TextValue | IntegerValue | AddressValue | RangeValue;

/** `{ … }` */
interface SetValue extends Span {
  readonly kind: "set";
  readonly members: readonly Member[];
}

/** `$name` */
interface ListValue extends Span {
  readonly kind: "list";
  readonly name: string;
}

/** A right operand: a constant, or what has a value of its own. */
export type Value = Member | BooleanValue | SetValue | ListValue | Operand;

/** What is in the brackets of an index. */
export type IndexMeaning =
  | { readonly kind: "item"; readonly item: bigint }
  | { readonly kind: "key"; readonly key: TextValue }
  | { readonly kind: "each" };

/** `[0]`, `["key"]` or `[*]`. */
export type Index = Span & IndexMeaning;

export interface FieldOperand extends Span {
  readonly kind: "field";
  readonly name: string;
  readonly indexes: readonly Index[];
}

/** A function call with the indexes of its result. */
export interface CallOperand extends Span {
  readonly kind: "call";
  readonly name: string;
  readonly arguments: readonly Argument[];
  readonly indexes: readonly Index[];
}

export type Operand = FieldOperand | CallOperand;

/** A field or a call in parentheses is a condition (`truth`), not an operand. */
export type Argument = Operand | TextValue | IntegerValue | AddressValue | Expression;

/** Comparison operators; symbols (`==`, `~`, `&`) are aliases. */
export const operators = [
  "eq",
  "ne",
  "lt",
  "le",
  "gt",
  "ge",
  "contains",
  "matches",
  "wildcard",
  "strict wildcard",
  "in",
  "bitwise_and",
] as const;

export type Operator = (typeof operators)[number];

/** Logical operators by increasing precedence (SERVICE.md D). */
export const connectives = ["or", "xor", "and"] as const;

export type Connective = (typeof connectives)[number];

export interface Comparison extends Span {
  readonly kind: "comparison";
  readonly left: Operand;
  readonly operator: Operator;
  readonly right: Value;
}

/** A filter expression. The shape of the tree replaces parentheses. */
export type Expression =
  | (Span & { readonly kind: "constant"; readonly value: boolean })
  | (Span & { readonly kind: "truth"; readonly operand: Operand })
  | Comparison
  | (Span & { readonly kind: "not"; readonly item: Expression })
  | (Span & {
      readonly kind: "logic";
      readonly connective: Connective;
      /** Two or more. */
      readonly items: readonly Expression[];
    });

/** The values with which a comparison compares: those of a set, or the only one. */
export function comparedValues({ right }: Comparison): readonly Value[] {
  return right.kind === "set" ? right.members : [right];
}

/** Any part of an expression but an index. */
export type ExpressionNode = Expression | Operand | Value | Argument;

/** All nodes of an expression except indexes, in depth-first order. */
export function nodesOf(expression: Expression): readonly ExpressionNode[] {
  const nodes: ExpressionNode[] = [];
  const open: ExpressionNode[] = [expression];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    nodes.push(node);
    for (const child of childrenOf(node).toReversed()) open.push(child);
  }
  return nodes;
}

/** The names of the fields of an expression, each as often as it is there. */
export function fieldsIn(expression: Expression): readonly string[] {
  return nodesOf(expression).flatMap((node) => (node.kind === "field" ? [node.name] : []));
}

function childrenOf(node: ExpressionNode): readonly ExpressionNode[] {
  if (node.kind === "logic") return node.items;
  if (node.kind === "not") return [node.item];
  if (node.kind === "truth") return [node.operand];
  if (node.kind === "comparison") return [node.left, node.right];
  if (node.kind === "call") return node.arguments;
  if (node.kind === "range") return [node.from, node.to];
  return node.kind === "set" ? node.members : [];
}

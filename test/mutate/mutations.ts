import { parseAst } from "vitest/node";

/** One change of a source text that a test should notice. */
export interface Mutation {
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
  /** Counted from 1. */
  readonly line: number;
  /** `a < b` → `a <= b`, as it is reported. */
  readonly how: string;
}

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
}

/** A node of the syntax tree, as far as it is asked for. */
interface TreeNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

/** All mutations of a TypeScript text: operators, conditions, constants, removed statements, returned values, calls. */
export function mutationsOf(text: string): readonly Mutation[] {
  const edits: Edit[] = [];
  visit(parseAst(text, { lang: "ts" }), undefined, (node, parent) => {
    edits.push(...editsOf(node, parent, text));
  });
  return edits.map((edit) => {
    const { start, end, replacement } = edit;
    const line = text.slice(0, start).split("\n").length;
    return { ...edit, line, how: `${short(text.slice(start, end))} → ${short(replacement)}` };
  });
}

/** The text after a mutation. */
export function mutated(text: string, { start, end, replacement }: Edit): string {
  return text.slice(0, start) + replacement + text.slice(end);
}

function short(code: string): string {
  const line = code.replaceAll(/\s+/g, " ");
  if (line === "") return "(nothing)";
  return line.length > 90 ? `${line.slice(0, 90)}…` : line;
}

function isNode(value: unknown): value is TreeNode {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
}

/** Types are gone when the program runs: only these nodes of TypeScript hold code. */
const typescriptWithCode = ["TSAsExpression", "TSNonNullExpression", "TSSatisfiesExpression"];

function isWithoutCode({ type }: TreeNode): boolean {
  if (type === "ImportDeclaration" || type === "ExportAllDeclaration") return true;
  return type.startsWith("TS") && !typescriptWithCode.includes(type);
}

function visit(
  value: unknown,
  parent: TreeNode | undefined,
  found: (node: TreeNode, parent: TreeNode | undefined) => void,
): void {
  if (Array.isArray(value)) for (const each of value) visit(each, parent, found);
  if (!isNode(value) || isWithoutCode(value)) return;
  found(value, parent);
  for (const part of Object.values(value)) visit(part, value, found);
}

/** What a node is replaced by, from the node, what it stands in, and the code of a part. */
type Editor = (
  node: TreeNode,
  parent: TreeNode | undefined,
  code: (part: TreeNode) => string,
) => readonly Edit[];

function editsOf(node: TreeNode, parent: TreeNode | undefined, text: string): readonly Edit[] {
  const code = (part: TreeNode): string => text.slice(part.start, part.end);
  return editors.get(node.type)?.(node, parent, code) ?? [];
}

function replace(part: unknown, ...replacements: readonly string[]): readonly Edit[] {
  if (!isNode(part)) return [];
  return replacements.map((replacement) => ({ ...placeOf(part), replacement }));
}

const testEditor: Editor = ({ test }) => replace(test, "true", "false");
const loopEditor: Editor = ({ test }) => replace(test, "false");

const editors: ReadonlyMap<string, Editor> = new Map<string, Editor>([
  ["BinaryExpression", (node, _parent, code) => operatorEdits(node, code)],
  ["LogicalExpression", (node, _parent, code) => operatorEdits(node, code)],
  ["IfStatement", testEditor],
  ["ConditionalExpression", testEditor],
  ["WhileStatement", loopEditor],
  ["ForStatement", loopEditor],
  [
    "UnaryExpression",
    (node, _parent, code) => {
      const { operator, argument } = node;
      const isReplaced = operator === "!" || operator === "-";
      return isReplaced && isNode(argument) ? replace(node, code(argument)) : [];
    },
  ],
  ["Literal", literalEdits],
  ["ArrayExpression", (node) => (partsOf(node["elements"]).length > 0 ? replace(node, "[]") : [])],
  [
    "ExpressionStatement",
    (node) => (typeof node["directive"] === "string" ? [] : replace(node, ";")),
  ],
  ["ReturnStatement", ({ argument }) => replace(argument, "undefined")],
  ["CallExpression", (node, _parent, code) => callEdits(node, code)],
  [
    "SpreadElement",
    ({ argument }, parent) => (parent?.type === "ObjectExpression" ? replace(argument, "{}") : []),
  ],
]);

function placeOf({ start, end }: TreeNode): Pick<Edit, "start" | "end"> {
  return { start, end };
}

function partsOf(value: unknown): readonly TreeNode[] {
  return Array.isArray(value) ? value.filter(isNode) : [];
}

const operators: Readonly<Record<string, readonly string[]>> = {
  "===": ["!=="],
  "!==": ["==="],
  "<": ["<=", ">"],
  "<=": ["<", ">"],
  ">": [">=", "<"],
  ">=": [">", "<"],
  "+": ["-"],
  "-": ["+"],
  "*": ["/"],
  "/": ["*"],
  "%": ["*"],
  "**": ["*"],
  "&&": ["||"],
  "||": ["&&"],
  "??": ["&&"],
};

function operatorEdits(node: TreeNode, code: (part: TreeNode) => string): readonly Edit[] {
  const { left, right, operator } = node;
  if (!isNode(left) || !isNode(right) || typeof operator !== "string") return [];
  // A `??` beside `&&` without parentheses is no program.
  return (operators[operator] ?? []).map((other) => ({
    ...placeOf(node),
    replacement: `((${code(left)}) ${other} (${code(right)}))`,
  }));
}

/** Keys, and texts with spaces, which are for people to read, stay. */
function literalEdits(node: TreeNode, parent: TreeNode | undefined): readonly Edit[] {
  const { value } = node;
  const [key, computed] = [parent?.["key"], parent?.["computed"]];
  if (isNode(key) && key.start === node.start && computed !== true) return [];
  if (typeof value === "boolean") return replace(node, `${!value}`);
  if (typeof value === "number") return replace(node, `${value + 1}`);
  if (typeof value !== "string" || value.includes(" ")) return [];
  return replace(node, value === "" ? '"mutant"' : '""');
}

/** Calls whose removal leaves a value of the same type, and calls that another takes the place of. */
const removable = ["filter", "toSorted", "slice", "trim", "toLowerCase", "toReversed"];
const replaceable: ReadonlyMap<string, string> = new Map([
  ["some", "every"],
  ["every", "some"],
  ["min", "max"],
  ["max", "min"],
  ["startsWith", "endsWith"],
  ["endsWith", "startsWith"],
]);

function callEdits(node: TreeNode, code: (part: TreeNode) => string): readonly Edit[] {
  const { callee } = node;
  if (!isNode(callee) || callee.type !== "MemberExpression") return [];
  const { object, property } = callee;
  if (!isNode(object) || !isNode(property) || typeof property["name"] !== "string") return [];
  const { name } = property;
  const other = replaceable.get(name);
  if (other !== undefined) return [{ ...placeOf(property), replacement: other }];
  return removable.includes(name) ? [{ ...placeOf(node), replacement: code(object) }] : [];
}

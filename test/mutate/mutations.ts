import { parseAst } from "vitest/node";

import { type TreeNode, isNode, partsOf, visit } from "./source-tree.ts";

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

/**
 * All mutations of a TypeScript text: operators, conditions, constants, texts, lists, patterns, defaults, removed statements,
 * returned values, awaited promises, calls and their arguments.
 */
export function mutationsOf(text: string): readonly Mutation[] {
  const edits: Edit[] = [];
  visit(parseAst(text, { lang: "ts" }), undefined, (node, parent) => {
    edits.push(...editsOf(node, parent, text));
  });
  const changing = edits.filter((each) => each.replacement !== text.slice(each.start, each.end));
  return changing.map((edit) => {
    const { start, end, replacement } = edit;
    const line = text.slice(0, start).split("\n").length;
    const how = `${short(text.slice(start, end))} → ${short(replacement)}`;
    return { ...edit, line, how };
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

/** Functions whose first two arguments have no order. */
const symmetric = /^(?:Math\.(?:min|max)|isDeepStrictEqual|timingSafeEqual)$/;

const testEditor: Editor = ({ test }) => replace(test, "true", "false");
const loopEditor: Editor = ({ test }) => replace(test, "false");
const operatorEditor: Editor = (node, _parent, code) => operatorEdits(node, code);
const argumentEditor: Editor = ({ arguments: given, callee }, _parent, code) =>
  isNode(callee) && symmetric.test(code(callee)) ? [] : swapped(given, code);
const removedStatement: Editor = (node) => replace(node, ";");

const editors: ReadonlyMap<string, Editor> = new Map<string, Editor>([
  ["BinaryExpression", operatorEditor],
  ["LogicalExpression", operatorEditor],
  ["AssignmentExpression", operatorEditor],
  ["UpdateExpression", (node, _parent, code) => replace(node, flippedStep(code(node)))],
  ["IfStatement", testEditor],
  ["ConditionalExpression", testEditor],
  ["WhileStatement", loopEditor],
  ["ForStatement", loopEditor],
  ["ForOfStatement", ({ right }) => replace(right, "[]")],
  [
    "UnaryExpression",
    (node, _parent, code) => {
      const { operator, argument } = node;
      const isReplaced = operator === "!" || operator === "-";
      return isReplaced && isNode(argument) ? replace(node, code(argument)) : [];
    },
  ],
  [
    "AwaitExpression",
    (node, _parent, code) => replace(node, ...partsOf([node["argument"]]).map(code)),
  ],
  ["Literal", literalEdits],
  ["TemplateLiteral", templateEdits],
  ["ArrayExpression", (node) => (partsOf(node["elements"]).length > 0 ? replace(node, "[]") : [])],
  [
    "ExpressionStatement",
    (node) => (typeof node["directive"] === "string" ? [] : replace(node, ";")),
  ],
  ["ThrowStatement", removedStatement],
  ["BreakStatement", removedStatement],
  ["ContinueStatement", removedStatement],
  [
    "ReturnStatement",
    (node) => (isNode(node["argument"]) ? valueEdits(node["argument"]) : replace(node, ";")),
  ],
  ["ArrowFunctionExpression", ({ body }) => valueEdits(body)],
  [
    "CallExpression",
    (node, parent, code) => [
      ...callEdits(node, code),
      ...argumentEditor(node, parent, code),
      ...strictEdits(node, "callee", code),
    ],
  ],
  ["NewExpression", argumentEditor],
  ["MemberExpression", (node, _parent, code) => strictEdits(node, "object", code)],
  [
    "SpreadElement",
    ({ argument }, parent) => replace(argument, parent?.type === "ObjectExpression" ? "{}" : "[]"),
  ],
]);

/** A returned value that is a literal is changed where literals are. */
function valueEdits(value: unknown): readonly Edit[] {
  const isChanged = isNode(value) && value.type !== "BlockStatement" && value.type !== "Literal";
  return isChanged ? replace(value, "undefined") : [];
}

function flippedStep(code: string): string {
  return code.includes("++") ? code.replace("++", "--") : code.replace("--", "++");
}

/** The first two arguments in the other order. */
function swapped(given: unknown, code: (part: TreeNode) => string): readonly Edit[] {
  const [first, second] = partsOf(given);
  if (first === undefined || second === undefined) return [];
  const { start } = first;
  const { end } = second;
  return [{ start, end, replacement: `${code(second)}, ${code(first)}` }];
}

/** `a?.b` → `a.b` */
function strictEdits(
  node: TreeNode,
  left: "object" | "callee",
  code: (part: TreeNode) => string,
): readonly Edit[] {
  const owner = node[left];
  if (node["optional"] !== true || !isNode(owner)) return [];
  const rest = code({ ...node, start: owner.end });
  const strict = /^\s*\?\.[[(]/.test(rest) ? rest.replace("?.", "") : rest.replace("?.", ".");
  return [{ start: owner.end, end: node.end, replacement: strict }];
}

function placeOf({ start, end }: TreeNode): Pick<Edit, "start" | "end"> {
  return { start, end };
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
  "+=": ["-="],
  "-=": ["+="],
  "??=": ["="],
  "||=": ["="],
};

/** These have two sides that can be left out. */
const sided = ["&&", "||", "??"];

function operatorEdits(node: TreeNode, code: (part: TreeNode) => string): readonly Edit[] {
  const { left, right, operator } = node;
  if (!isNode(left) || !isNode(right) || typeof operator !== "string") return [];
  const others = (operators[operator] ?? []).map((other) =>
    node.type === "AssignmentExpression"
      ? `${code(left)} ${other} ${code(right)}`
      : `((${code(left)}) ${other} (${code(right)}))`,
  );
  const sides = sided.includes(operator) ? [`(${code(left)})`, `(${code(right)})`] : [];
  return replace(node, ...others, ...sides);
}

/** Keys, and texts with spaces, which are for people to read, stay. */
function literalEdits(node: TreeNode, parent: TreeNode | undefined): readonly Edit[] {
  const { value } = node;
  const [key, computed] = [parent?.["key"], parent?.["computed"]];
  if (isNode(key) && key.start === node.start && computed !== true) return [];
  if (typeof value === "boolean") return replace(node, `${!value}`);
  if (typeof value === "number") return replace(node, `${value + 1}`);
  if (typeof node["regex"] === "object") return anchorEdits(node);
  if (typeof value !== "string" || value.includes(" ")) return [];
  return replace(node, value === "" ? '"mutant"' : '""');
}

/** A regular expression without the anchors at its ends. */
function anchorEdits({ raw, start }: TreeNode): readonly Edit[] {
  if (typeof raw !== "string") return [];
  const anchors = [/^\/(?<anchor>\^)/, /[^\\](?<anchor>\$)\/[a-z]*$/];
  return anchors.flatMap((each) => {
    const found = each.exec(raw);
    if (found === null) return [];
    const place = start + found.index + 1;
    return [{ start: place, end: place + 1, replacement: "" }];
  });
}

function templateEdits(node: TreeNode): readonly Edit[] {
  const texts = partsOf(node["quasis"]).map(({ value }) => JSON.stringify(value));
  return texts.some((text) => text.includes(" ")) ? [] : replace(node, '""');
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
  ["floor", "ceil"],
  ["ceil", "floor"],
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

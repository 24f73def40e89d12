/** A node of the syntax tree, as far as it is asked for. */
export interface TreeNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

/** Whether a value is a node. */
export function isNode(value: unknown): value is TreeNode {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
}

/** Types are gone when the program runs: only these nodes of TypeScript hold code. */
const typescriptWithCode = ["TSAsExpression", "TSNonNullExpression", "TSSatisfiesExpression"];

function isWithoutCode({ type }: TreeNode): boolean {
  if (type === "ImportDeclaration" || type === "ExportAllDeclaration") return true;
  return type.startsWith("TS") && !typescriptWithCode.includes(type);
}

/** Calls `found` for each node that holds code, and the node around it: parents first, in the order of the text. */
export function visit(
  value: unknown,
  parent: TreeNode | undefined,
  found: (node: TreeNode, parent: TreeNode | undefined) => void,
): void {
  if (Array.isArray(value)) for (const each of value) visit(each, parent, found);
  if (!isNode(value) || isWithoutCode(value)) return;
  found(value, parent);
  for (const part of Object.values(value)) visit(part, value, found);
}

/** The nodes of a list. */
export function partsOf(value: unknown): readonly TreeNode[] {
  return Array.isArray(value) ? value.filter(isNode) : [];
}

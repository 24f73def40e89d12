import type {
  Argument,
  Comparison,
  ExpressionNode,
  Operand,
  TextValue,
  Value,
} from "../expression-tree.ts";
import { isOperand } from "../operand-type.ts";

/** What part of a value a condition compares with its text. */
type Compared = "whole" | "start" | "end" | "part" | "pattern";

/** A text with which a condition compares the value of a field. */
export interface TextCondition {
  /** The field, below all functions. */
  readonly field: string;
  /** Functions around the field. */
  readonly functions: readonly string[];
  readonly compared: Compared;
  /** Whether capitals and small letters are the same. */
  readonly ignoresCase: boolean;
  readonly text: TextValue;
}

/** The conditions on texts among the nodes of an expression. */
export function textConditions(nodes: readonly ExpressionNode[]): readonly TextCondition[] {
  return nodes.flatMap((node) => {
    if (node.kind === "comparison") return ofComparison(node);
    return node.kind === "call" ? ofCall(node.name, node.arguments) : [];
  });
}

const comparedBy: Readonly<Record<string, Compared>> = {
  eq: "whole",
  ne: "whole",
  in: "whole",
  contains: "part",
  wildcard: "pattern",
  "strict wildcard": "pattern",
  starts_with: "start",
  ends_with: "end",
};

function ofComparison({ left, operator, right }: Comparison): readonly TextCondition[] {
  const compared = comparedBy[operator];
  const values: readonly Value[] = right.kind === "set" ? right.members : [right];
  const subject = subjectOf(left);
  if (compared === undefined || subject === undefined) return [];
  const ignoresCase = operator === "wildcard";
  return values.flatMap((text) =>
    text.kind === "text" ? [{ ...subject, compared, ignoresCase, text }] : [],
  );
}

function ofCall(name: string, [first, text]: readonly Argument[]): readonly TextCondition[] {
  const compared = comparedBy[name];
  const subject = first !== undefined && isOperand(first) ? subjectOf(first) : undefined;
  if (compared === undefined || subject === undefined || text?.kind !== "text") return [];
  return [{ ...subject, compared, ignoresCase: false, text }];
}

type Subject = Pick<TextCondition, "field" | "functions">;

function subjectOf(operand: Operand): Subject | undefined {
  if (operand.kind === "field") return { field: operand.name, functions: [] };
  const [first] = operand.arguments;
  const inner = first !== undefined && isOperand(first) ? subjectOf(first) : undefined;
  return inner && { ...inner, functions: [operand.name, ...inner.functions] };
}

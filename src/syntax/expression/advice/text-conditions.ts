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
  /**
   * The field, below functions that keep what is known of it; "" if another function changes it.
   */
  readonly field: string;
  /** These functions, the outermost first. */
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
  if (compared === undefined) return [];
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

/** Functions whose result starts as their argument does, and is made of the same parts. */
const keeping = new Set(["lower", "upper", "url_decode"]);

function subjectOf(operand: Operand): Subject {
  if (operand.kind === "field") return { field: operand.name, functions: [] };
  const [first] = operand.arguments;
  if (!keeping.has(operand.name) || first === undefined || !isOperand(first)) {
    return { field: "", functions: [] };
  }
  const { field, functions } = subjectOf(first);
  return { field, functions: [operand.name, ...functions] };
}

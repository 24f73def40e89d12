import type {
  Argument,
  Expression,
  Operand,
  Value,
} from "../../src/syntax/expression/expression-tree.ts";

/** A request, as far as the laws below look at it. */
export interface SampleRequest {
  readonly host: string;
  /** "/" where nothing is said. */
  readonly path?: string;
  /** GET where nothing is said. */
  readonly method?: string;
  readonly ssl: boolean;
  readonly score: bigint;
}

/** Whether the expression selects the request: the engine's meaning, for the few fields of the laws. */
export function selects(expression: Expression, request: SampleRequest): boolean {
  switch (expression.kind) {
    case "constant":
      return expression.value;
    case "not":
      return !selects(expression.item, request);
    case "truth":
      return valueOf(expression.operand, request) === true;
    case "comparison":
      return compare(valueOf(expression.left, request), expression.operator, expression.right);
    case "logic": {
      const outcomes = expression.items.map((item) => selects(item, request));
      if (expression.connective === "and") return outcomes.every(Boolean);
      if (expression.connective === "or") return outcomes.some(Boolean);
      return outcomes.filter(Boolean).length % 2 === 1;
    }
  }
}

type Scalar = string | bigint | boolean;

function valueOf(operand: Operand | Argument, request: SampleRequest): Scalar {
  if (operand.kind === "field") {
    const fields: Readonly<Record<string, Scalar>> = {
      "http.host": request.host,
      "http.request.uri.path": request.path ?? "/",
      "http.request.method": request.method ?? "GET",
      ssl: request.ssl,
      "cf.threat_score": request.score,
    };
    return fields[operand.name] ?? "";
  }
  if (operand.kind === "text") return operand.text;
  if (operand.kind !== "call") throw new Error(`the laws do not use ${operand.kind}`);
  const [first = "", second = ""] = operand.arguments.map((argument) => valueOf(argument, request));
  return apply(operand.name, String(first), String(second));
}

function apply(name: string, first: string, second: string): Scalar {
  if (name === "lower") return first.toLowerCase();
  if (name === "starts_with") return first.startsWith(second);
  if (name === "ends_with") return first.endsWith(second);
  throw new Error(`the laws do not use ${name}`);
}

function compare(left: Scalar, operator: string, right: Value): boolean {
  if (right.kind === "set") return right.members.some((member) => compare(left, "eq", member));
  if (right.kind === "range") {
    return compare(left, "ge", right.from) && compare(left, "le", right.to);
  }
  const value = right.kind === "text" ? right.text : right.kind === "integer" ? right.value : "";
  if (operator.endsWith("wildcard")) return fits(String(left), String(value), operator);
  if (operator === "contains") return String(left).includes(String(value));
  const outcomes: Readonly<Record<string, boolean>> = {
    eq: left === value,
    ne: left !== value,
    lt: left < value,
    le: left <= value,
    gt: left > value,
    ge: left >= value,
  };
  return outcomes[operator] ?? false;
}

function fits(text: string, pattern: string, operator: string): boolean {
  const source = pattern.split("*").map((piece) => piece.replaceAll(".", String.raw`\.`));
  return new RegExp(`^${source.join(".*")}$`, operator === "wildcard" ? "is" : "s").test(text);
}

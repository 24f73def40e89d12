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
  /** The number of an IPv4 address, 192.0.2.1 where nothing is said. */
  readonly address?: bigint;
  /** HTTP/2 where nothing is said. */
  readonly version?: string;
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

function fieldsOf(request: SampleRequest): Readonly<Record<string, Scalar>> {
  return {
    "http.host": request.host,
    "http.request.uri.path": request.path ?? "/",
    "http.request.method": request.method ?? "GET",
    ssl: request.ssl,
    "cf.threat_score": request.score,
    "ip.src": request.address ?? 3_221_225_985n,
    "http.request.version": request.version ?? "HTTP/2",
  };
}

function valueOf(operand: Operand | Argument, request: SampleRequest): Scalar {
  if (operand.kind === "field") return fieldsOf(request)[operand.name] ?? "";
  if (operand.kind === "text") return operand.text;
  if (operand.kind === "integer") return operand.value;
  if (operand.kind !== "call") throw new Error(`the laws do not use ${operand.kind}`);
  const [first = "", ...rest] = operand.arguments.map((argument) => valueOf(argument, request));
  if (operand.name === "substring") return bytesBetween(String(first), rest.map(Number));
  return apply(operand.name, String(first), String(rest[0] ?? ""));
}

/** As the engine's `substring`: what is below 0 counts from the end, what is outside is moved to the end. */
function bytesBetween(text: string, [start = 0, end = text.length]: readonly number[]): string {
  const inside = (index: number): number =>
    Math.min(Math.max(index < 0 ? text.length + index : index, 0), text.length);
  const count = Math.max(inside(end) - inside(start), 0);
  return Array.from({ length: count }, (_, at) => text.charAt(inside(start) + at)).join("");
}

function apply(name: string, first: string, second: string): Scalar {
  if (name === "len") return BigInt(first.length);
  if (name === "upper") return first.toUpperCase();
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
  if (right.kind === "address" && right.prefix !== undefined) {
    const size = 2n ** BigInt(32 - right.prefix);
    return typeof left === "bigint" && left / size === numberOf(right.address) / size;
  }
  const value = scalarOf(right);
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

function scalarOf(value: Value): Scalar {
  if (value.kind === "text") return value.text;
  if (value.kind === "integer") return value.value;
  return value.kind === "address" ? numberOf(value.address) : "";
}

/** The number of an IPv4 address. */
function numberOf(address: string): bigint {
  return address.split(".").reduce((number, part) => number * 256n + BigInt(part), 0n);
}

function fits(text: string, pattern: string, operator: string): boolean {
  const source = pattern.split("*").map((piece) => piece.replaceAll(".", String.raw`\.`));
  return new RegExp(`^${source.join(".*")}$`, operator === "wildcard" ? "is" : "s").test(text);
}

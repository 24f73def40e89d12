import type { Argument, Expression, Operand, Value } from "../syntax/expression/expression-tree.ts";
import { globIgnoringCase, matchesGlob } from "../syntax/glob.ts";

/** Whether an expression selects a page; `maybe` if it depends on more than the URL of the page. */
export type Selected = "yes" | "no" | "maybe";

export interface PageFacts {
  readonly url: URL;
  /** Only the host is known; the rest of the URL is a guess. */
  readonly hostOnly: boolean;
}

/** Whether `expression` selects requests for a page, as far as the page's URL decides it. */
export function selectsPage(expression: Expression, page: PageFacts): Selected {
  switch (expression.kind) {
    case "constant":
      return expression.value ? "yes" : "no";
    case "not":
      return opposite(selectsPage(expression.item, page));
    case "truth":
      return selectedBy(valueOf(expression.operand, page));
    case "comparison":
      return compared(valueOf(expression.left, page), expression.operator, expression.right);
    case "logic": {
      const parts = expression.items.map((item) => selectsPage(item, page));
      if (expression.connective === "xor") return oddCount(parts);
      const decisive = expression.connective === "and" ? "no" : "yes";
      if (parts.includes(decisive)) return decisive;
      return parts.includes("maybe") ? "maybe" : opposite(decisive);
    }
  }
}

function opposite(selected: Selected): Selected {
  if (selected === "maybe") return "maybe";
  return selected === "yes" ? "no" : "yes";
}

function oddCount(parts: readonly Selected[]): Selected {
  if (parts.includes("maybe")) return "maybe";
  return parts.filter((part) => part === "yes").length % 2 === 1 ? "yes" : "no";
}

/** Value of an operand for a page; `undefined` if it depends on more than its URL. */
type Known = string | boolean | undefined;

function selectedBy(value: Known): Selected {
  if (typeof value !== "boolean") return "maybe";
  return value ? "yes" : "no";
}

function valueOf(operand: Operand | Argument, page: PageFacts): Known {
  if (operand.kind === "text") return operand.text;
  if (operand.kind === "field") {
    return operand.indexes.length === 0 ? fieldOf(operand.name, page) : undefined;
  }
  if (operand.kind !== "call" || operand.indexes.length > 0) return undefined;
  const values = operand.arguments.map((argument) => valueOf(argument, page));
  return applied(operand.name, values);
}

/** Fields that depend on the URL of a page, before any rewriting (SERVICE.md A.7). */
function fieldOf(name: string, { url, hostOnly }: PageFacts): Known {
  if (name === "http.host") return url.host;
  if (hostOnly) return undefined;
  const path = `${url.pathname}${url.search}`;
  const fields: Readonly<Record<string, Known>> = {
    "http.request.uri.path": url.pathname,
    "http.request.uri.query": url.search.slice(1),
    "http.request.uri": path,
    "http.request.full_uri": `${url.origin}${path}`,
    ssl: url.protocol === "https:",
  };
  return fields[name.replace(/^raw\./, "")];
}

function applied(name: string, [subject, argument, ...more]: readonly Known[]): Known {
  if (typeof subject !== "string" || more.length > 0) return undefined;
  if (argument === undefined) {
    if (name === "lower") return subject.toLowerCase();
    return name === "upper" ? subject.toUpperCase() : undefined;
  }
  if (typeof argument !== "string") return undefined;
  if (name === "starts_with") return subject.startsWith(argument);
  if (name === "ends_with") return subject.endsWith(argument);
  return name === "contains" ? subject.includes(argument) : undefined;
}

function compared(left: Known, operator: string, right: Value): Selected {
  if (typeof left === "boolean" && right.kind === "boolean") {
    if (operator === "eq") return selectedBy(left === right.value);
    return operator === "ne" ? selectedBy(left !== right.value) : "maybe";
  }
  const texts = textsOf(right);
  if (typeof left !== "string" || texts === undefined) return "maybe";
  return selectedBy(holds(left, operator, texts));
}

function textsOf(value: Value): readonly string[] | undefined {
  if (value.kind === "text") return [value.text];
  if (value.kind !== "set") return undefined;
  const texts = value.members.flatMap((member) => (member.kind === "text" ? [member.text] : []));
  return texts.length === value.members.length ? texts : undefined;
}

/** Result of a comparison of texts (SERVICE.md D); `undefined` if only the service can tell. */
function holds(left: string, operator: string, texts: readonly string[]): Known {
  const [text = ""] = texts;
  switch (operator) {
    case "eq":
      return left === text;
    case "ne":
      return left !== text;
    case "in":
      return texts.includes(left);
    case "contains":
      return left.includes(text);
    case "wildcard":
      return isPlainWildcard(text) ? globIgnoringCase(text)(left) : undefined;
    case "strict wildcard":
      return isPlainWildcard(text) ? matchesGlob(text, left) : undefined;
    default:
      return undefined;
  }
}

/** Whether a wildcard pattern has no escapes. */
function isPlainWildcard(text: string): boolean {
  return !text.includes("\\");
}

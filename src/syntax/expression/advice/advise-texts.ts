import {
  type SyntaxDiagnostic,
  type SyntaxDiagnosticCode,
  diagnostic,
} from "../../syntax-diagnostic.ts";
import {
  type Argument,
  type Comparison,
  comparedValues,
  type ExpressionNode,
  type Operand,
  type TextValue,
} from "../expression-tree.ts";
import { isOperand } from "../operand-type.ts";
import { shown } from "../read/read-failure.ts";

/**
 * Warnings about texts that the value of their field can never be, or that mean something else than
 * they say.
 */
export function adviseTexts(nodes: readonly ExpressionNode[]): readonly SyntaxDiagnostic[] {
  return textConditions(nodes).flatMap((condition) =>
    checks.flatMap((check) => check(condition) ?? []),
  );
}

type Compared = "whole" | "start" | "end" | "part" | "pattern";

interface TextCondition {
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

type Advice = SyntaxDiagnostic | undefined;

const checks: readonly ((condition: TextCondition) => Advice)[] = [
  letterCase,
  pathSlash,
  notAHost,
  hostPort,
  starInText,
  anchor,
  extensionDot,
  encoded,
  country,
];

/** Which letters a value has. */
interface LetterCase {
  readonly letters: "lower" | "upper";
  readonly code: SyntaxDiagnosticCode;
  readonly why: string;
}

const lowerCase = inCase("lower", "EXPR_LETTER_CASE", "the value is in lower case");
const upperCase = inCase("upper", "EXPR_LETTER_CASE", "the value is in upper case");
const method = inCase("upper", "EXPR_METHOD_CASE", "methods are in upper case");
const headerName = inCase("lower", "EXPR_HEADER_CASE", "names of headers are in lower case");

function inCase(
  letters: LetterCase["letters"],
  code: SyntaxDiagnosticCode,
  why: string,
): LetterCase {
  return { letters, code, why };
}

/** By the function around a field, and by the field without one. */
const caseOf = new Map<string, LetterCase>([
  ["lower", lowerCase],
  ["upper", upperCase],
  ["http.host", lowerCase],
  ["http.request.uri.path.extension", lowerCase],
  ["http.request.method", method],
  ["http.request.headers.names", headerName],
  ["http.response.headers.names", headerName],
  ["raw.http.response.headers.names", headerName],
]);

function letterCase({ field, functions, ignoresCase, text }: TextCondition): Advice {
  const known = caseOf.get(functions[0] ?? field);
  return ignoresCase || known === undefined ? undefined : caseAdvice(text, known);
}

export function headerAdvice(name: TextValue): Advice {
  return caseAdvice(name, headerName);
}

function caseAdvice(value: TextValue, { letters, code, why }: LetterCase): Advice {
  const { text } = value;
  if (!(letters === "lower" ? /[A-Z]/ : /[a-z]/).test(text)) return undefined;
  const changed = letters === "lower" ? text.toLowerCase() : text.toUpperCase();
  const remedy = text.includes("{{")
    ? "zonewarden fills no {{ }}: write a placeholder such as ${zone.name}, or let the tool fill the file first"
    : `write ${shown(changed)}`;
  return never(code, value, why, remedy);
}

const pathFields = new Set([
  "http.request.uri",
  "http.request.uri.path",
  "raw.http.request.uri",
  "raw.http.request.uri.path",
]);

function pathSlash({ field, compared, text }: TextCondition): Advice {
  const isStart = compared === "whole" || compared === "start" || compared === "pattern";
  if (!pathFields.has(field) || !isStart || /^(?:[/^]|$)/.test(text.text)) return undefined;
  if (compared === "pattern" && text.text.startsWith("*")) return undefined;
  const isUrl = /^https?:\/\//i.test(text.text);
  const remedy = isUrl ? "compare http.request.full_uri" : `write ${shown(`/${text.text}`)}`;
  return never("EXPR_PATH_SLASH", text, "a path starts with /", remedy);
}

function notAHost({ field, compared, text }: TextCondition): Advice {
  if (field !== "http.host") return undefined;
  const isUrl = /[/?]/.test(text.text);
  const isStar = compared !== "pattern" && text.text.includes("*");
  if (!isUrl && !isStar) return undefined;
  const host = text.text.replace(/^[a-z]+:\/\//i, "").replace(/[/?].*/s, "");
  const instead = host === "" ? "" : `write ${shown(host)}, and `;
  const remedy = isUrl
    ? `${instead}compare the path with http.request.uri.path`
    : `write http.host wildcard ${shown(text.text)}`;
  return never("EXPR_NOT_A_HOST", text, "it is not a host", remedy);
}

function hostPort({ field, compared, text }: TextCondition): Advice {
  const [, host = ""] = /^([^:/?*]+):[0-9]+$/.exec(text.text) ?? [];
  if (field !== "http.host" || compared !== "whole" || host === "") return undefined;
  const message = `${shown(text.text)} matches only where the visitor sends the port, which browsers leave out for 80 and 443`;
  const remedy = `write ${shown(host)}, and compare the port with cf.edge.server_port`;
  return diagnostic("EXPR_HOST_PORT", text, message, remedy);
}

function starInText({ field, compared, text }: TextCondition): Advice {
  const isLiteral = compared === "whole" || compared === "start" || compared === "end";
  const isUri = pathFields.has(field) || field.endsWith("http.request.full_uri");
  if (!isUri || !isLiteral || !/^\*|\*$|\/\*\//.test(text.text)) return undefined;
  const message = "here * is a character of the text, and stands for nothing else";
  const remedy = `write ${field} wildcard ${shown(text.text)}`;
  return diagnostic("EXPR_LITERAL_STAR", text, message, remedy);
}

function anchor({ text }: TextCondition): Advice {
  if (!/^\^.|.\$$/.test(text.text)) return undefined;
  const message = "^ and $ are characters of the text, and mark no start or end";
  const remedy = "delete them and use starts_with() or ends_with(), or write matches";
  return diagnostic("EXPR_ANCHOR", text, message, remedy);
}

function extensionDot({ field, compared, text }: TextCondition): Advice {
  const isExtension = field.endsWith("http.request.uri.path.extension");
  const isStart = compared !== "part" && compared !== "end";
  if (!isExtension || !isStart || !text.text.startsWith(".")) return undefined;
  const remedy = `write ${shown(text.text.replace(/^\.+/, ""))}`;
  return never("EXPR_EXTENSION_DOT", text, "an extension has no dot before it", remedy);
}

/** The service decodes letters, digits and `-._~` in paths; the function decodes everything. */
const decodedInPath = /%(?:2[de]|3[0-9]|4[1-9a-f]|5[0-9af]|6[1-9a-f]|7[0-9ae])/i;

function encoded({ field, functions, text }: TextCondition): Advice {
  const isDecoded = functions.includes("url_decode");
  const isPath = field === "http.request.uri.path" || field === "http.request.uri";
  const found = isDecoded ? /%[0-9a-f]{2}/i.exec(text.text) : decodedInPath.exec(text.text);
  if ((!isDecoded && !isPath) || found === null) return undefined;
  const character = String.fromCharCode(parseInt(found[0].slice(1), 16));
  const message = `${found[0]} never matches: the value is decoded`;
  const remedy = `write ${shown(character)}, or compare the field with raw. before its name`;
  return diagnostic("EXPR_ENCODED", text, message, remedy);
}

function country({ field, compared, functions, text }: TextCondition): Advice {
  const [, what] = /^ip\.(?:src|geoip)\.(country|continent)$/.exec(field) ?? [];
  const isCode = /^[A-Z][A-Z0-9]$/.test(text.text) || text.text === "";
  const isCompared = compared === "whole" && functions.length === 0;
  if (what === undefined || !isCompared || isCode) return undefined;
  const examples = what === "country" ? '"DE" or "US"' : '"EU" or "NA"';
  const why = "the value is a code of two capitals";
  return never("EXPR_COUNTRY_CODE", text, why, `write a code such as ${examples}`);
}

function never(
  code: SyntaxDiagnosticCode,
  text: TextValue,
  why: string,
  remedy: string,
): SyntaxDiagnostic {
  return diagnostic(code, text, `${shown(text.text)} never matches: ${why}`, remedy);
}

function textConditions(nodes: readonly ExpressionNode[]): readonly TextCondition[] {
  return nodes.flatMap((node) => {
    if (node.kind === "comparison") return ofComparison(node);
    return node.kind === "call" ? ofCall(node.name, node.arguments) : [];
  });
}

const comparedBy = new Map<string, Compared>([
  ["eq", "whole"],
  ["ne", "whole"],
  ["in", "whole"],
  ["contains", "part"],
  ["wildcard", "pattern"],
  ["strict wildcard", "pattern"],
  ["starts_with", "start"],
  ["ends_with", "end"],
]);

function ofComparison(comparison: Comparison): readonly TextCondition[] {
  const { left, operator } = comparison;
  const compared = comparedBy.get(operator);
  const subject = subjectOf(left);
  if (compared === undefined) return [];
  const ignoresCase = operator === "wildcard";
  return comparedValues(comparison).flatMap((text) =>
    text.kind === "text" ? [{ ...subject, compared, ignoresCase, text }] : [],
  );
}

function ofCall(name: string, [first, text]: readonly Argument[]): readonly TextCondition[] {
  const compared = comparedBy.get(name);
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

import {
  type SyntaxDiagnostic,
  type SyntaxDiagnosticCode,
  diagnostic,
} from "../../syntax-diagnostic.ts";
import type { TextCondition } from "./text-conditions.ts";

/**
 * Warnings about a text that the value of its field can never be, or that means something else than
 * it says.
 */
export function adviseText(condition: TextCondition): readonly SyntaxDiagnostic[] {
  return checks.flatMap((check) => {
    const found = check(condition);
    if (found === undefined) return [];
    return [diagnostic(found.code, condition.text, found.message, found.remedy)];
  });
}

interface Advice {
  readonly code: SyntaxDiagnosticCode;
  readonly message: string;
  readonly remedy: string;
}

const checks = [
  letterCase,
  methodCase,
  headerCase,
  pathSlash,
  notAHost,
  hostPort,
  starInText,
  anchor,
  extensionDot,
  encoded,
  country,
];

/** Fields of which the service gives the values in lower case. */
const lowerCaseFields = new Set(["http.host", "http.request.uri.path.extension"]);

function letterCase(condition: TextCondition): Advice | undefined {
  const { field, functions, ignoresCase, text } = condition;
  const [outer] = functions;
  const isLower = outer === "lower" || (functions.length === 0 && lowerCaseFields.has(field));
  const wrong = isLower ? /[A-Z]/ : /[a-z]/;
  if (ignoresCase || (!isLower && outer !== "upper") || !wrong.test(text.text)) return undefined;
  const letters = isLower ? "lower" : "upper";
  const changed = isLower ? text.text.toLowerCase() : text.text.toUpperCase();
  const isForeignTemplate = text.text.includes("{{");
  return {
    code: "EXPR_LETTER_CASE",
    message: `${shown(text.text)} never matches: the value is in ${letters} case`,
    remedy: isForeignTemplate
      ? "zonewarden fills no {{ }}: write a placeholder such as ${zone.name}, or let the tool fill the file first"
      : `write ${shown(changed)}`,
  };
}

function methodCase({ field, functions, ignoresCase, text }: TextCondition): Advice | undefined {
  const isMethod = field === "http.request.method" && functions.length === 0;
  if (!isMethod || ignoresCase || !/[a-z]/.test(text.text)) return undefined;
  return {
    code: "EXPR_METHOD_CASE",
    message: `${shown(text.text)} never matches: methods are in upper case`,
    remedy: `write ${shown(text.text.toUpperCase())}`,
  };
}

const headerNames = new Set([
  "http.request.headers.names",
  "http.response.headers.names",
  "raw.http.response.headers.names",
]);

function headerCase({ field, functions, ignoresCase, text }: TextCondition): Advice | undefined {
  const isName = headerNames.has(field) && functions.length === 0;
  return isName && !ignoresCase && /[A-Z]/.test(text.text) ? headerAdvice(text.text) : undefined;
}

/** The advice for the name of a header with capitals. */
export function headerAdvice(name: string): Advice {
  return {
    code: "EXPR_HEADER_CASE",
    message: `${shown(name)} never matches: names of headers are in lower case`,
    remedy: `write ${shown(name.toLowerCase())}`,
  };
}

const pathFields = new Set([
  "http.request.uri",
  "http.request.uri.path",
  "raw.http.request.uri",
  "raw.http.request.uri.path",
]);

function pathSlash({ field, compared, text }: TextCondition): Advice | undefined {
  const isStart = compared === "whole" || compared === "start" || compared === "pattern";
  if (!pathFields.has(field) || !isStart || /^(?:[/^]|$)/.test(text.text)) return undefined;
  if (compared === "pattern" && text.text.startsWith("*")) return undefined;
  const isUrl = /^https?:\/\//i.test(text.text);
  return {
    code: "EXPR_PATH_SLASH",
    message: `${shown(text.text)} never matches: a path starts with /`,
    remedy: isUrl ? "compare http.request.full_uri" : `write ${shown(`/${text.text}`)}`,
  };
}

function notAHost({ field, compared, text }: TextCondition): Advice | undefined {
  if (field !== "http.host") return undefined;
  const isUrl = /[/?]/.test(text.text);
  const isStar = compared !== "pattern" && text.text.includes("*");
  if (!isUrl && !isStar) return undefined;
  const host = text.text.replace(/^[a-z]+:\/\//i, "").replace(/[/?].*/s, "");
  const instead = host === "" ? "" : `write ${shown(host)}, and `;
  return {
    code: "EXPR_NOT_A_HOST",
    message: `${shown(text.text)} never matches: it is not a host`,
    remedy: isUrl
      ? `${instead}compare the path with http.request.uri.path`
      : `write http.host wildcard ${shown(text.text)}`,
  };
}

function hostPort({ field, compared, text }: TextCondition): Advice | undefined {
  const [, host = ""] = /^([^:/?*]+):[0-9]+$/.exec(text.text) ?? [];
  if (field !== "http.host" || compared !== "whole" || host === "") return undefined;
  return {
    code: "EXPR_HOST_PORT",
    message: `${shown(text.text)} matches only where the visitor sends the port, which browsers leave out for 80 and 443`,
    remedy: `write ${shown(host)}, and compare the port with cf.edge.server_port`,
  };
}

function starInText({ field, compared, text }: TextCondition): Advice | undefined {
  const isLiteral = compared === "whole" || compared === "start" || compared === "end";
  const isUri = pathFields.has(field) || field.endsWith("http.request.full_uri");
  if (!isUri || !isLiteral || !/^\*|\*$|\/\*\//.test(text.text)) return undefined;
  return {
    code: "EXPR_LITERAL_STAR",
    message: "here * is a character of the text, and stands for nothing else",
    remedy: `write ${field} wildcard ${shown(text.text)}`,
  };
}

function anchor({ text }: TextCondition): Advice | undefined {
  if (!/^\^.|.\$$/.test(text.text)) return undefined;
  return {
    code: "EXPR_ANCHOR",
    message: "^ and $ are characters of the text, and mark no start or end",
    remedy: "delete them and use starts_with() or ends_with(), or write matches",
  };
}

function extensionDot({ field, compared, text }: TextCondition): Advice | undefined {
  const isExtension = field.endsWith("http.request.uri.path.extension");
  const isStart = compared !== "part" && compared !== "end";
  if (!isExtension || !isStart || !text.text.startsWith(".")) return undefined;
  return {
    code: "EXPR_EXTENSION_DOT",
    message: `${shown(text.text)} never matches: an extension has no dot before it`,
    remedy: `write ${shown(text.text.replace(/^\.+/, ""))}`,
  };
}

/** The service decodes letters, digits and `-._~` in paths; the function decodes everything. */
const decodedInPath = /%(?:2[de]|3[0-9]|4[1-9a-f]|5[0-9af]|6[1-9a-f]|7[0-9ae])/i;

function encoded({ field, functions, text }: TextCondition): Advice | undefined {
  const isDecoded = functions.includes("url_decode");
  const isPath = field === "http.request.uri.path" || field === "http.request.uri";
  const found = isDecoded ? /%[0-9a-f]{2}/i.exec(text.text) : decodedInPath.exec(text.text);
  if ((!isDecoded && !isPath) || found === null) return undefined;
  const character = String.fromCharCode(parseInt(found[0].slice(1), 16));
  return {
    code: "EXPR_ENCODED",
    message: `${found[0]} never matches: the value is decoded`,
    remedy: `write ${shown(character)}, or compare the field with raw. before its name`,
  };
}

function country({ field, compared, functions, text }: TextCondition): Advice | undefined {
  const [, what] = /^ip\.(?:src|geoip)\.(country|continent)$/.exec(field) ?? [];
  const isCode = /^[A-Z][A-Z0-9]$/.test(text.text) || text.text === "";
  const isCompared = compared === "whole" && functions.length === 0;
  if (what === undefined || !isCompared || isCode) return undefined;
  const examples = what === "country" ? '"DE" or "US"' : '"EU" or "NA"';
  return {
    code: "EXPR_COUNTRY_CODE",
    message: `${shown(text.text)} never matches: the value is a code of two capitals`,
    remedy: `write a code such as ${examples}`,
  };
}

function shown(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);
}

import { isJsonList, isJsonObject, type Json } from "../../syntax/json.ts";
import type { Path } from "../location.ts";

/** What a placeholder stands for, if it is no list. */
export type TemplateScalar = string | number | boolean;

/** What a placeholder stands for. */
export type TemplateValue = TemplateScalar | readonly TemplateScalar[];

/** Where a text with placeholders stands, which decides how values are escaped. */
export type TemplateKind = "expression" | "csp" | "text";

/** A placeholder of a text: `${zone.name}` has the name `zone.name`. */
interface Placeholder {
  readonly name: string;
  /** The text after it, as it is written. */
  readonly after: string;
}

/** An error in a template. */
export interface TemplateError {
  /** Whether no list can stand there: another value of the variable would not help. */
  readonly isOfPlace?: boolean;
  readonly message: string;
  readonly remedy: string;
}

/** A text in parts: literal texts, in which `$${` has become `${`, and placeholders. */
interface Template {
  readonly parts: readonly (string | Placeholder)[];
  readonly errors: readonly TemplateError[];
}

/** Whether a text has a placeholder, or an escaped one. */
export function isTemplate(text: string): boolean {
  return text.includes("${");
}

/** The text of a file that reads as `text`, without a placeholder. */
export function escapedTemplate(text: string): string {
  return text.replaceAll("${", () => "$${");
}

/** The names of the placeholders of a text. */
export function placeholdersIn(text: string): readonly string[] {
  return parseTemplate(text).parts.flatMap((part) => (typeof part === "string" ? [] : part.name));
}

/** The name of the placeholder that a text is; `undefined` for another text. */
export function placeholderAlone(text: string): string | undefined {
  if (!/^\$\{[^}]*\}$/.test(text)) return undefined;
  const [name] = placeholdersIn(text);
  return name;
}

/** Whether a text that is not filled has what a person meant as a placeholder. */
export function looksFillable(text: string): boolean {
  return /\$\{\s*(?:zone|vars)\b/.test(text);
}

const withoutBraces =
  /(?<!\$)\$\(?(?:zone\.(?:name|id|account)|vars\.[a-z][a-z0-9_]*)\)?|(?<!\$)\{\s*(?:zone\.(?:name|id|account)|vars\.[a-z][a-z0-9_]*)\s*\}/g;

/**
 * What a person may have meant as placeholders, such as `$zone.name`: the text is used as it is
 * written.
 */
export function unfilledIn(text: string): readonly TemplateError[] {
  return [...text.matchAll(withoutBraces)].map(([whole]) => ({
    message: `"${whole}" is text, and no placeholder`,
    remedy: `write \${${whole.replaceAll(/[^a-z0-9_.]/g, "")}}`,
  }));
}

/** All texts in a value with their paths; keys are none of them. */
export function textsIn(
  value: unknown,
  path: Path = [],
): readonly { readonly path: Path; readonly text: string }[] {
  if (typeof value === "string") return [{ path, text: value }];
  if (isJsonList(value)) return value.flatMap((item, index) => textsIn(item, [...path, index]));
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, part]) => textsIn(part, [...path, name]));
}

/** What to do where placeholders are not filled. */
export const fillableKeys =
  "a placeholder can be a value as a whole, except of a key that names an entry, and a part of the texts of `description`, expressions, `value`, `acknowledge`, `content` and `scripts`; write the value itself here";

/** What a placeholder can name of a zone: `${zone.name}`. */
export const zoneFactNames = ["name", "id", "account"] as const;

const zonePlaceholders = zoneFactNames.map((name) => `zone.${name}`);
const variable = /^vars\.[a-z][a-z0-9_]*$/;
const literal = "for a literal write $${";

/** Splits a text at its placeholders. */
function parseTemplate(text: string): Template {
  const parts: (string | Placeholder)[] = [];
  const errors: TemplateError[] = [];
  let end = 0;
  for (const match of text.matchAll(/\$\$\{|\$\{([^}]*)(\}?)/g)) {
    const [whole, inner, close] = match;
    const offset = match.index;
    parts.push(text.slice(end, offset));
    end = offset + whole.length;
    if (inner === undefined) {
      parts.push("${");
      continue;
    }
    const name = inner.trim();
    if (close !== "}") {
      const remedy = `close it with }; ${literal}`;
      errors.push({ message: "a placeholder is not closed", remedy });
    } else if (zonePlaceholders.includes(name) || variable.test(name)) {
      parts.push({ name, after: text.slice(end) });
    } else {
      const message = `there is no placeholder \${${name}}`;
      const known = [...zonePlaceholders, "vars.NAME"].map((each) => `\${${each}}`).join(", ");
      errors.push({ message, remedy: `write one of ${known}; ${literal}` });
    }
  }
  parts.push(text.slice(end));
  return { parts, errors };
}

/**
 * The longest text that placeholders may make: values that contain each other could grow without
 * end.
 */
const maxFilled = 65_536;

/**
 * Fills a text. Values are escaped for where they stand: none can end the string or the source that
 * contains it.
 *
 * @param valueOf the value of a placeholder; `undefined` leaves it out, which the caller reports
 * @param hasTexts whether the members of a list are texts, also those that look like addresses
 */
export function fillTemplate(
  text: string,
  kind: TemplateKind,
  valueOf: (name: string) => TemplateValue | undefined,
  hasTexts: (name: string) => boolean = () => false,
): { readonly text: string; readonly errors: readonly TemplateError[] } {
  const { parts, errors } = parseTemplate(text);
  const found = [...errors];
  let filled = "";
  for (const part of parts) {
    if (typeof part === "string") {
      filled += part;
      continue;
    }
    const value = valueOf(part.name);
    if (value === undefined) continue;
    const written = isList(value)
      ? listWrittenAs(value, kind, filled, part.after, hasTexts(part.name))
      : (writtenAs(value, kind, filled) ?? { member: value });
    if (typeof written === "string") filled += written;
    else found.push(unfit(part, kind, written));
    if (filled.length <= maxFilled) continue;
    found.push({
      message: `the text with its values is longer than ${maxFilled} characters`,
      remedy: "shorten the values",
    });
    break;
  }
  return { text: filled, errors: found };
}

/** A JSON value as that of a variable; `undefined` if it is none. */
export function templateValueOf(json: Json | undefined): TemplateValue | undefined {
  if (isJsonList(json)) return json.every(isScalar) ? json : undefined;
  return isScalar(json) ? json : undefined;
}

/** Whether a JSON value can be that of a variable, and is no list. */
export function isScalar(json: Json | undefined): json is TemplateScalar {
  return json !== undefined && typeof json !== "object";
}

export function isList(value: TemplateValue): value is readonly TemplateScalar[] {
  return isJsonList(value);
}

function writtenAs(value: TemplateScalar, kind: TemplateKind, before: string): string | undefined {
  switch (kind) {
    case "text":
      return String(value);
    case "csp":
      return isSource(value) ? String(value) : undefined;
    case "expression":
      return inExpression(value, before);
  }
}

/** Whether a value can be one source of a policy. */
function isSource(value: TemplateScalar): boolean {
  return /^[^\s;,]+$/.test(String(value));
}

/** What cannot be written where its placeholder stands; `undefined`: a list as such. */
interface Unwritten {
  readonly member: TemplateScalar | undefined;
}

/**
 * The members of a list, separated by spaces: sources of a directive, or members of a set.
 *
 * @param after the text after its placeholder
 */
function listWrittenAs(
  list: readonly TemplateScalar[],
  kind: TemplateKind,
  before: string,
  after: string,
  areTexts: boolean,
): string | Unwritten {
  const isInPlace =
    kind === "csp"
      ? /(?:^|;)\s*[^\s;][^;]*[\t\n\f\r ]$/.test(before) && /^(?:[\t\n\f\r ;]|$)/.test(after)
      : kind === "expression" && isInSet(before) && /^[\s}]/.test(after);
  if (!isInPlace) return { member: undefined };
  const isUnquoted = (each: TemplateScalar): boolean =>
    typeof each !== "string" || address.test(each);
  const areQuoted = areTexts || !list.every(isUnquoted);
  const written: string[] = [];
  for (const member of list) {
    const text =
      kind === "expression" && areQuoted && typeof member === "string"
        ? quoted(member)
        : writtenAs(member, kind, before);
    if (text === undefined) return { member };
    written.push(text);
  }
  return written.join(" ");
}

/** An IP address or a network, which stands in expressions without quotes. */
const address = /^(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9a-f]*:[0-9a-f:.]*:[0-9a-f:.]*)(?:\/\d{1,3})?$/i;

/** No string of an expression contains a line end, and no value needs one. */
const control = /\p{Cc}/u;

function quoted(text: string): string | undefined {
  return control.test(text) ? undefined : `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}

function inExpression(value: TemplateScalar, before: string): string | undefined {
  const text = String(value);
  if (control.test(text)) return undefined;
  switch (endOf(before).quoting) {
    case "quoted":
      return text.replaceAll(/["\\]/g, String.raw`\$&`);
    // The first character of the value would be part of the escape, and its own escape would count
    // as text.
    case "escape":
      return undefined;
    case "raw":
      return text.includes('"') ? undefined : text;
    case "none":
      return typeof value !== "string" || address.test(value) ? text : quoted(text);
  }
}

/** Whether a member of a set can follow the beginning of an expression. */
function isInSet(before: string): boolean {
  const { quoting, bare } = endOf(before);
  return quoting === "none" && /\bin\s*\{[^{}]*$/.test(bare) && /[{\s]$/.test(before);
}

interface ExpressionEnd {
  /** Whether it is inside a string. */
  readonly quoting: "none" | "quoted" | "escape" | "raw";
  /** The text before it that is outside of strings. */
  readonly bare: string;
}

/** The end of the beginning of an expression. */
function endOf(before: string): ExpressionEnd {
  const strings = /r(#*)"|"(?:[^"\\]|\\.)*"|"/gs;
  let bare = "";
  let end = 0;
  for (let match = strings.exec(before); match !== null; match = strings.exec(before)) {
    const [whole, hashes] = match;
    bare += before.slice(end, match.index);
    if (whole === '"') {
      const isEscape = /(?:^|[^\\])(?:\\\\)*\\$/.test(before);
      return { quoting: isEscape ? "escape" : "quoted", bare };
    }
    end = strings.lastIndex;
    if (hashes === undefined) continue;
    const close = before.indexOf(`"${hashes}`, strings.lastIndex);
    if (close === -1) return { quoting: "raw", bare };
    strings.lastIndex = close + 1 + hashes.length;
    end = strings.lastIndex;
  }
  return { quoting: "none", bare: bare + before.slice(end) };
}

function unfit({ name }: Placeholder, kind: TemplateKind, { member }: Unwritten): TemplateError {
  if (member === undefined) {
    const message = `the list \${${name}} cannot stand here`;
    return { isOfPlace: true, message, remedy: listPlaces[kind] };
  }
  const isInSource = kind === "csp";
  return {
    message: `the value ${JSON.stringify(member)} of \${${name}} cannot stand in ${isInSource ? "a source" : "an expression"}`,
    remedy: isInSource
      ? "a source has no space, comma or semicolon"
      : "use a string with double quotes around it, no backslash before the placeholder, and a value without line ends",
  };
}

/** Where a list can stand. */
const listPlaces: Readonly<Record<TemplateKind, string>> = {
  expression: "write it in a set without quotes, like http.host in {${vars.NAME}}",
  csp: "write it as sources of a directive, with nothing but a space beside it",
  text: "write a variable that is no list",
};

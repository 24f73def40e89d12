import { isJsonList, isJsonObject } from "../../syntax/json.ts";
import type { Path } from "../location.ts";

/** What a placeholder stands for. */
export type TemplateValue = string | number | boolean;

/** Where a text with placeholders stands, which decides how values are escaped. */
export type TemplateKind = "expression" | "csp" | "text";

/** A placeholder of a text: `${zone.name}` has the name `zone.name`. */
interface Placeholder {
  readonly name: string;
}

/** An error in a template. */
export interface TemplateError {
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

/** Whether a text that is not filled has what a person meant as a placeholder. */
export function looksFillable(text: string): boolean {
  return /\$\{\s*(?:zone|vars)\b/.test(text);
}

const withoutBraces =
  /(?<!\$)\$\(?((?:zone\.(?:name|id|account)|vars\.[a-z][a-z0-9_]*))\)?|(?<!\$)\{\s*((?:zone\.(?:name|id|account)|vars\.[a-z][a-z0-9_]*))\s*\}/g;

/**
 * What a person may have meant as placeholders, such as `$zone.name`: the text is used as it is
 * written.
 */
export function unfilledIn(text: string): readonly TemplateError[] {
  return [...text.matchAll(withoutBraces)].map(([whole, dollar, brace]) => ({
    message: `"${whole}" is text, and no placeholder`,
    remedy: `write \${${dollar ?? brace ?? ""}}`,
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
  "placeholders work in `description`, in expressions, in the `value` and `acknowledge` of a policy, in the `content` of a response, and in `scripts`; write the value itself here";

const zoneFacts = ["zone.name", "zone.id", "zone.account"];
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
    const name = inner?.trim() ?? "";
    if (inner === undefined) {
      parts.push("${");
    } else if (close !== "}") {
      const remedy = `close it with }; ${literal}`;
      errors.push({ message: "a placeholder is not closed", remedy });
    } else if (zoneFacts.includes(name) || variable.test(name)) {
      parts.push({ name });
    } else {
      const message = `there is no placeholder \${${name}}`;
      const known = [...zoneFacts, "vars.NAME"].map((each) => `\${${each}}`).join(", ");
      errors.push({ message, remedy: `write one of ${known}; ${literal}` });
    }
  }
  parts.push(text.slice(end));
  return { parts, errors };
}

/** A text with its values, or why a value cannot stand where its placeholder is. */
export interface FilledText {
  readonly text: string;
  readonly errors: readonly TemplateError[];
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
 */
export function fillTemplate(
  text: string,
  kind: TemplateKind,
  valueOf: (name: string) => TemplateValue | undefined,
): FilledText {
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
    const written = writtenAs(value, kind, filled);
    if (written === undefined) found.push(unfit(part, value, kind));
    else filled += written;
    if (filled.length <= maxFilled) continue;
    found.push({
      message: `the text with its values is longer than ${maxFilled} characters`,
      remedy: "shorten the values",
    });
    break;
  }
  return { text: filled, errors: found };
}

function writtenAs(value: TemplateValue, kind: TemplateKind, before: string): string | undefined {
  switch (kind) {
    case "text":
      return String(value);
    case "csp":
      return /^[^\s;,]+$/.test(String(value)) ? String(value) : undefined;
    case "expression":
      return inExpression(value, before);
  }
}

/** An IP address or a network, which stands in expressions without quotes. */
const address = /^(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9a-f]*:[0-9a-f:.]*:[0-9a-f:.]*)(?:\/\d{1,3})?$/i;

function inExpression(value: TemplateValue, before: string): string | undefined {
  const text = String(value);
  // No string of an expression contains a line end, and no value needs one.
  if (/\p{Cc}/u.test(text)) return undefined;
  switch (quotingAfter(before)) {
    case "quoted":
      return text.replaceAll(/["\\]/g, String.raw`\$&`);
    // The first character of the value would be part of the escape, and its own escape would count
    // as text.
    case "escape":
      return undefined;
    case "raw":
      return text.includes('"') ? undefined : text;
    case "none":
      if (typeof value !== "string" || address.test(value)) return text;
      return `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
  }
}

/** Whether the end of the beginning of an expression is inside a string. */
function quotingAfter(before: string): "none" | "quoted" | "escape" | "raw" {
  const strings = /r(#*)"|"(?:[^"\\]|\\.)*"|"/gs;
  for (let match = strings.exec(before); match !== null; match = strings.exec(before)) {
    const [whole, hashes] = match;
    if (whole === '"') return /(?:^|[^\\])(?:\\\\)*\\$/.test(before) ? "escape" : "quoted";
    if (hashes === undefined) continue;
    const close = before.indexOf(`"${hashes}`, strings.lastIndex);
    if (close === -1) return "raw";
    strings.lastIndex = close + 1 + hashes.length;
  }
  return "none";
}

function unfit({ name }: Placeholder, value: TemplateValue, kind: TemplateKind): TemplateError {
  const isSource = kind === "csp";
  const shown = JSON.stringify(value);
  return {
    message: `the value ${shown} of \${${name}} cannot stand in ${isSource ? "a source" : "an expression"}`,
    remedy: isSource
      ? "a source has no space, comma or semicolon"
      : "use a string with double quotes around it, no backslash before the placeholder, and a value without line ends",
  };
}

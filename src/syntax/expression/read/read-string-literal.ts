import type { TextValue } from "../expression-tree.ts";
import type { TextReader } from "./text-reader.ts";

/** Start of a text: a quote, or the `r"` or `r#` of a raw one. */
export const textStart: RegExp = /"|r[#"]/y;

/**
 * Reads a quoted or raw text; a quoted one has the escapes `\"`, `\\`, `\xHH` and three octal
 * digits (SERVICE.md D).
 */
export function readText(reader: TextReader): TextValue | undefined {
  return reader.peek(/"/y) === undefined ? readRaw(reader) : readQuoted(reader);
}

/**
 * Reads a regular expression, in which `\` belongs to the pattern and classes can contain quotes.
 */
export function readRegex(reader: TextReader): TextValue | undefined {
  return reader.peek(/"/y) === undefined ? readRaw(reader) : readQuotedRegex(reader);
}

/** One byte of a text, as in {@link TextValue}. */
export function byteText(byte: number): string {
  return String.fromCharCode(byte < 0x80 ? byte : 0xdc00 + byte);
}

/** The bytes of a text, as in {@link TextValue}. */
export function bytesOf(text: string): readonly number[] {
  if (text.isWellFormed()) return [...encoder.encode(text)];
  return Array.from(text).flatMap((character) => {
    const code = character.charCodeAt(0);
    const isByte = code >= 0xdc80 && code <= 0xdcff;
    return isByte ? [code - 0xdc00] : Array.from(encoder.encode(character));
  });
}

const encoder = new TextEncoder();

function readQuoted(reader: TextReader): TextValue | undefined {
  const start = reader.position;
  const parts: string[] = [];
  reader.skip('"');
  for (;;) {
    parts.push(reader.takeAny(/[^"\\]*/y));
    if (reader.skip('"')) return { kind: "text", text: parts.join(""), ...reader.since(start) };
    if (reader.peek(/\\/y) === undefined) return unclosed(reader, start);
    const character = readEscape(reader);
    if (character === undefined) return undefined;
    parts.push(character);
  }
}

function readEscape(reader: TextReader): string | undefined {
  const start = reader.position;
  const escape = reader.take(/\\(?:["\\]|x[0-9a-fA-F]{2}|[0-3][0-7]{2})/y);
  if (escape === undefined) {
    reader.take(/\\(?:x.{0,2}|[0-7]{1,3}|[^]?)/y);
    const remedy = 'write \\\\ for a backslash, or use a raw text: r"…"';
    return reader.fail("EXPR_BAD_ESCAPE", start, "invalid escape", remedy);
  }
  const kind = escape.charAt(1);
  if (kind === '"' || kind === "\\") return kind;
  const byte = kind === "x" ? parseInt(escape.slice(2), 16) : parseInt(escape.slice(1), 8);
  return byteText(byte);
}

function readRaw(reader: TextReader): TextValue | undefined {
  const start = reader.position;
  const hashes = reader.takeAny(/r#*"/y).length - 2;
  if (hashes < 0 || hashes > 255) {
    reader.take(/r#*/y);
    const message = hashes < 0 ? 'r# needs a quote: r#"…"#' : "more than 255 #";
    const remedy = 'write r"…", or r#"…"# if the text contains quotes';
    return reader.fail("EXPR_BAD_RAW_STRING", start, message, remedy);
  }
  const closing = `"${"#".repeat(hashes)}`;
  const end = reader.text.indexOf(closing, reader.position);
  if (end < 0) return unclosed(reader, start);
  const text = reader.text.slice(reader.position, end);
  reader.position = end + closing.length;
  return { kind: "text", text, ...reader.since(start) };
}

function readQuotedRegex(reader: TextReader): TextValue | undefined {
  const start = reader.position;
  const parts: string[] = [];
  let inClass = false;
  reader.skip('"');
  for (;;) {
    parts.push(reader.takeAny(inClass ? /[^\\\]]*/y : /[^"\\[]*/y));
    if (reader.skip('"')) {
      return { kind: "text", text: parts.join(""), ...reader.since(start) };
    }
    const special = reader.take(/\\[^]|[[\]]/y);
    if (special === undefined) return unclosed(reader, start);
    if (special.length === 1) inClass = !inClass;
    parts.push(special === '\\"' && !inClass ? '"' : special);
  }
}

function unclosed(reader: TextReader, start: number): undefined {
  reader.take(/[^\r\n]*/y);
  const message = "the text is not closed";
  return reader.fail("EXPR_UNCLOSED_STRING", start, message, "end it with a quote");
}

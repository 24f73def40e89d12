import type { TextReader } from "./text-reader.ts";

/** Fails because `expected` is not here; reports the likeliest mistake. */
export function unexpected(reader: TextReader, expected: string, remedy: string): undefined {
  if (reader.peek(/[^\S \r\n]/y) !== undefined) return badSpace(reader);
  if (reader.peek(/'/y) !== undefined) return singleQuotes(reader);
  const isTypographic = reader.peek(/[\u2018-\u201F]/y) !== undefined;
  const start = reader.position;
  const found = reader.take(/[\w$.]+|[^]/uy);
  const what = found === undefined ? "the end of the expression" : shown(found);
  const message = `expected ${expected}, found ${what}`;
  const help = isTypographic
    ? 'replace the typographic quotes with straight double quotes (")'
    : remedy;
  return reader.fail("EXPR_UNEXPECTED", start, message, help);
}

/** Fails at white space that the language does not allow. */
export function badSpace(reader: TextReader): undefined {
  const start = reader.position;
  const isTab = reader.take(/[^]/uy) === "\t";
  const message = `${isTab ? "a tab" : "white space other than space and line end"} is not allowed`;
  return reader.fail("EXPR_BAD_SPACE", start, message, "write a space");
}

function singleQuotes(reader: TextReader): undefined {
  const start = reader.position;
  reader.take(/'[^'\r\n]*'?/y);
  const message = "texts need double quotes";
  return reader.fail("EXPR_SINGLE_QUOTES", start, message, "write double quotes");
}

/** The start of a text in quotes, for a message. */
export function shown(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);
}

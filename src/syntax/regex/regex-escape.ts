import type { RegexReader } from "./regex-reader.ts";

/** What can be wrong with an escape. */
export type EscapeFault = "escape" | "back-reference" | "unicode" | "count";

/** Hexadecimal escapes with braces, or with as many digits as their letter needs. */
const hexPattern = /\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[xuU]\{[0-9a-fA-F]+\})/y;

/**
 * Classes, assertions and characters with a name, and signs of which none is a letter or a digit.
 */
const plainPattern = /\\(?:[dswDSWAzBbaftnrv]|(?=\p{ASCII})[^0-9A-Za-z])/uy;

/** Reads an escape outside of a character class; returns what is wrong with it. */
export function readEscape(reader: RegexReader): EscapeFault | undefined {
  if (reader.take(/\\[0-9]/y) !== undefined) return "back-reference";
  if (reader.peek(/\\p/iy) !== undefined) return readProperty(reader);
  if (reader.peek(/\\[xuU]/y) !== undefined) {
    return readCharacter(reader) === undefined ? "escape" : undefined;
  }
  const escape = reader.take(plainPattern);
  if (escape === undefined) return "escape";
  return escape === "\\b" ? readBoundary(reader) : undefined;
}

/** Reads `\pL` or `\p{Greek}`: without (?u) there are no such classes. */
export function readProperty(reader: RegexReader): EscapeFault | undefined {
  const isWhole = reader.take(/\\p(?:\{[^}]*\}|[^{])/iuy) !== undefined;
  if (!isWhole) return "escape";
  return reader.isUnicode ? undefined : "unicode";
}

/** Reads a hexadecimal escape; its character, or `undefined` if it is not valid. */
export function readCharacter(reader: RegexReader): number | undefined {
  const text = reader.take(hexPattern);
  const code = text === undefined ? NaN : parseInt(text.replace(/^..\{?/, ""), 16);
  const isScalar = code < 0xd800 || (code > 0xdfff && code <= 0x10ffff);
  return isScalar ? code : undefined;
}

/** After `\b`, a brace is that of `\b{start}` or of a repetition. */
function readBoundary(reader: RegexReader): EscapeFault | undefined {
  if (reader.peek(/\{[a-z-]/iy) === undefined) {
    return reader.peek(/\{$/y) === undefined ? undefined : "count";
  }
  const isKnown = reader.take(/\{(?:start|end)(?:-half)?\}/y) !== undefined;
  return isKnown ? undefined : "escape";
}

import { readCharacter, readProperty } from "./regex-escape.ts";
import type { RegexReader } from "./regex-reader.ts";

/** What can be wrong with a character class. */
export type ClassFault = "class" | "range" | "escape" | "unicode";

/** A part of a class: a character, a class in the class, or what is wrong. */
type Item = Character | { readonly fault: ClassFault };

interface Character {
  /** NaN for a class, which has no place in a range. */
  readonly character: number;
  readonly isByte: boolean;
}

const innerClass: Character = { character: NaN, isByte: false };

/** Reads `[…]`, which can have classes in it; returns what is wrong with it. */
export function readClass(reader: RegexReader): ClassFault | undefined {
  let depth = 0;
  do {
    reader.skipVerbose();
    if (reader.atEnd) return "class";
    if (reader.skip("[")) {
      depth += 1;
      startClass(reader);
    } else if (reader.skip("]")) depth -= 1;
    else if (reader.take(/&&|--|~~/y) === undefined) {
      const fault = readRange(reader);
      if (fault !== undefined) return fault;
    }
  } while (depth > 0);
  return undefined;
}

/** What a class can start with: `^`, then any hyphens or one `]`, which mean themselves. */
function startClass(reader: RegexReader): void {
  reader.skipVerbose();
  reader.skip("^");
  reader.skipVerbose();
  if (reader.take(/-+/y) === undefined) reader.skip("]");
}

/** Reads a character, or two with a hyphen between them. */
function readRange(reader: RegexReader): ClassFault | undefined {
  const from = readItem(reader);
  if ("fault" in from) return from.fault;
  reader.skipVerbose();
  // A hyphen before the end of the class means itself, and two are an operator.
  if (reader.peek(/-(?!\s*\]|-)/y) === undefined) return faultOf(from, reader);
  reader.skip("-");
  reader.skipVerbose();
  if (reader.atEnd) return "class";
  const to = readItem(reader);
  if ("fault" in to) return to.fault;
  const isAscending = from.character <= to.character;
  if (!isAscending) return "range";
  return faultOf(from, reader) ?? faultOf(to, reader);
}

/** Without (?u), a class has single bytes. */
function faultOf(item: Character, reader: RegexReader): ClassFault | undefined {
  const needsUnicode = item.character > 0x7f && !item.isByte;
  return needsUnicode && !reader.isUnicode ? "unicode" : undefined;
}

function readItem(reader: RegexReader): Item {
  if (reader.peek(/\\/y) === undefined) {
    return { character: reader.take(/[^]/uy)?.codePointAt(0) ?? 0, isByte: false };
  }
  if (reader.take(/\\[dswDSW]/y) !== undefined) return innerClass;
  if (reader.peek(/\\p/iy) !== undefined) {
    const fault = readProperty(reader);
    return fault === undefined ? innerClass : { fault: fault === "unicode" ? "unicode" : "escape" };
  }
  return readEscaped(reader);
}

function readEscaped(reader: RegexReader): Item {
  // An escape of two digits is a byte, and bytes need no Unicode.
  const isByte = reader.peek(/\\x[^{]/y) !== undefined;
  if (reader.peek(/\\[xuU]/y) !== undefined) {
    const character = readCharacter(reader);
    return character === undefined ? { fault: "escape" } : { character, isByte };
  }
  const escape = reader.take(/\\(?:[aftnrv]|(?=\p{ASCII})[^0-9A-Za-z<>])/uy);
  if (escape === undefined) return { fault: "escape" };
  const sign = escape.charAt(1);
  return { character: (controls[sign] ?? sign).charCodeAt(0), isByte: false };
}

const controls: Readonly<Record<string, string>> = {
  a: "\x07",
  f: "\f",
  t: "\t",
  n: "\n",
  r: "\r",
  v: "\v",
};

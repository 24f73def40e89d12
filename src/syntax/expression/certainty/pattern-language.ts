import { TextReader } from "../read/text-reader.ts";
import { anyByte, byteRange, type Language, type Languages } from "./languages.ts";

/** The bytes that are compared in place of some others, in any case or not. */
type Change = (bytes: bigint, ignoresCase: boolean) => bigint;

/**
 * The texts that a regular expression matches somewhere. `undefined` for what is not decided:
 * anchors in groups, word boundaries, Unicode, and flags other than `(?i)` and `(?s)` at the start.
 */
export function patternLanguage(
  pattern: string,
  languages: Languages,
  change: Change,
): Language | undefined {
  if (/[^\0-\x7f]/.test(pattern)) return undefined;
  const flags = /^\(\?([is]+)\)/.exec(pattern);
  const reader = new TextReader(pattern.slice(flags?.[0].length ?? 0), 0);
  const ignoresCase = flags?.[1]?.includes("i") === true;
  const dot = flags?.[1]?.includes("s") === true ? anyByte : anyByte ^ (1n << 10n);
  const read = new PatternReader(reader, languages, (bytes) => change(bytes, ignoresCase), dot);
  return read.whole();
}

const space = [9, 10, 11, 12, 13, 32].reduce((bytes, code) => bytes | (1n << BigInt(code)), 0n);
const digits = byteRange(0x30, 0x39);
const wordBytes = digits | byteRange(0x41, 0x5a) | byteRange(0x61, 0x7a) | (1n << 95n);

const escapes: Readonly<Record<string, bigint>> = {
  d: digits,
  D: anyByte ^ digits,
  w: wordBytes,
  W: anyByte ^ wordBytes,
  s: space,
  S: anyByte ^ space,
  n: 1n << 10n,
  r: 1n << 13n,
  t: 1n << 9n,
};

/** A part that is not decided makes the whole undecided. */
type Read = Language | undefined;

/** More copies of a repeated part would take too long. */
const maxCopies = 100;

class PatternReader {
  readonly #reader: TextReader;
  readonly #languages: Languages;
  readonly #change: (bytes: bigint) => bigint;
  readonly #dot: bigint;

  constructor(
    reader: TextReader,
    languages: Languages,
    change: (bytes: bigint) => bigint,
    dot: bigint,
  ) {
    this.#reader = reader;
    this.#languages = languages;
    this.#change = change;
    this.#dot = dot;
  }

  /** Alternatives that can have an anchor at each end. */
  whole(): Read {
    const { all, empty } = this.#languages;
    const ways: Language[] = [];
    do {
      const before = this.#reader.take(/\^/y) === undefined ? all : empty;
      const way = this.#sequence();
      const after = this.#reader.take(/\$/y) === undefined ? all : empty;
      if (way === undefined) return undefined;
      ways.push(this.#languages.join(before, way, after));
    } while (this.#reader.skip("|"));
    return this.#reader.atEnd ? this.#languages.some(ways) : undefined;
  }

  #group(): Read {
    const ways: Language[] = [];
    do {
      const way = this.#sequence();
      if (way === undefined) return undefined;
      ways.push(way);
    } while (this.#reader.skip("|"));
    return this.#reader.skip(")") ? this.#languages.some(ways) : undefined;
  }

  #sequence(): Read {
    const parts: Language[] = [];
    while (!this.#reader.atEnd && this.#reader.peek(/[|)^$]/y) === undefined) {
      const item = this.#item();
      const part = item && this.#repeated(item);
      if (part === undefined) return undefined;
      parts.push(part);
    }
    return this.#languages.join(...parts);
  }

  #item(): Read {
    if (this.#reader.take(/\((?!\?)|\(\?:/y) !== undefined) return this.#group();
    const isClass = this.#reader.peek(/\[/y) !== undefined;
    const bytes = isClass ? this.#class() : this.#single();
    if (bytes === undefined) return undefined;
    return this.#languages.bytes(isClass ? bytes : this.#change(bytes));
  }

  /** The bytes of a character, an escape or a dot. */
  #single(): bigint | undefined {
    if (this.#reader.skip(".")) return this.#dot;
    const escape = this.#reader.match(/\\(?:x([0-9a-f]{2})|([dDwWsSnrt])|([^0-9a-z<>]))/iy);
    if (escape !== undefined) {
      const [, hex, name, sign] = escape;
      if (name !== undefined) return escapes[name];
      const code = hex === undefined ? sign?.charCodeAt(0) : parseInt(hex, 16);
      return code === undefined || code > 0x7f ? undefined : 1n << BigInt(code);
    }
    const plain = this.#reader.take(/[^\\()[\]{}*+?|^$]/y);
    return plain === undefined ? undefined : 1n << BigInt(plain.charCodeAt(0));
  }

  /** The bytes of a class, already changed. */
  #class(): bigint | undefined {
    const isNegated = this.#reader.take(/\[\^?/y) === "[^";
    let bytes = 0n;
    do {
      const from = this.#classMember();
      if (from === undefined) return undefined;
      const to = this.#reader.take(/-(?![\]-])/y) === undefined ? from : this.#classMember();
      const range = to === undefined ? undefined : rangeOf(from, to);
      if (range === undefined) return undefined;
      bytes |= range;
    } while (!this.#reader.skip("]"));
    const changed = this.#change(bytes);
    return isNegated ? anyByte ^ changed : changed;
  }

  #classMember(): bigint | undefined {
    if (this.#reader.peek(/\[|\]|&&|--|~~/y) !== undefined) return undefined;
    const sign = this.#reader.take(/[.()[{}*+?|^$]/y);
    return sign === undefined ? this.#single() : 1n << BigInt(sign.charCodeAt(0));
  }

  #repeated(item: Language): Read {
    const sign = this.#reader.take(/[*+?](?:\?)?/y);
    const counted = sign === undefined ? this.#counted(item) : undefined;
    if (this.#reader.peek(/[*+?{]/y) !== undefined) return undefined;
    if (sign === undefined) return counted;
    if (sign.startsWith("?")) return this.#languages.some([item, this.#languages.empty]);
    const many = this.#languages.repeat(item);
    return sign.startsWith("*") ? many : this.#languages.join(item, many);
  }

  #counted(item: Language): Read {
    const count = this.#reader.match(/\{(\d+)(,?)(\d*)\}\??/y);
    if (count === undefined) return item;
    const [, from = "", comma, to = ""] = count;
    const least = Number(from);
    const most = to === "" ? least : Number(to);
    if (most > maxCopies || most < least) return undefined;
    const needed = Array.from({ length: least }, () => item);
    const isOpen = comma !== "" && to === "";
    const optional = Array.from({ length: most - least }).reduce<Language>(
      (rest) => this.#languages.some([this.#languages.empty, this.#languages.join(item, rest)]),
      isOpen ? this.#languages.repeat(item) : this.#languages.empty,
    );
    return this.#languages.join(...needed, optional);
  }
}

/** The bytes between two; each byte of a set if both are the same set. */
function rangeOf(from: bigint, to: bigint): bigint | undefined {
  if (from === to) return from;
  const [first, last] = [from, to].map((bytes) => bytes.toString(2).length - 1);
  const isRange = from === 1n << BigInt(first ?? 0) && to === 1n << BigInt(last ?? 0);
  return isRange && from < to ? byteRange(first ?? 0, last ?? 0) : undefined;
}

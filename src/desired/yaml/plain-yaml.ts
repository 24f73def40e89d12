import { trimmed } from "../../syntax/trimmed.ts";
import { noParts, type Offsets, partSize } from "../location.ts";
import {
  afterSpaces,
  blockScalar,
  isWord,
  NotPlain,
  notPlain,
  plainScalar,
  plainValue,
} from "./plain-scalar.ts";
import type { YamlDocument } from "./yaml-reader.ts";

/** The only document of a text, and the offsets of its parts. */
export interface PlainYaml {
  readonly document: YamlDocument;
  readonly offsets: Offsets;
}

/**
 * Reads the part of YAML in which nearly all zone files are written, in a tenth of the time that the package `yaml` takes:
 * block maps and lists, flow collections on one line, plain and quoted scalars on one line, block scalars, comments.
 *
 * Returns `undefined` for every text that has anything else, or a mistake: then `yaml` decides what the text means. What it
 * returns is what `yaml` yields; a property compares them.
 */
export function readPlainYaml(text: string): PlainYaml | undefined {
  if (text.length > maxLength || unusual.test(text)) return undefined;
  try {
    return new PlainReader(text).read();
  } catch (error) {
    if (error instanceof NotPlain) return undefined;
    throw error;
  }
}

/** A longer text may have more tokens than are allowed: a character makes at most two. */
const maxLength = 1_400_000;

/** Tabs, carriage returns, control characters, and characters that end lines in other versions of YAML. */
// oxlint-disable-next-line no-control-regex -- to find them is the purpose
const unusual = /[\u0000-\u0009\u000b-\u001f\u007f-\u00a0\u2028\u2029\ufeff]/;

/** Fewer levels and entries than are allowed; with more, the limits are checked elsewhere. */
const maxDepth = 20;
const maxEntries = 20_000;

/** A key without quotes that is a text in every version of YAML, and the colon after it. */
const keyPattern = /([A-Za-z_$][\w.$/-]{0,127}):(?=[ \n]|$)/y;
const doubleQuoted = /"[^"\\\n]*(?:\\["\\/nt][^"\\\n]*)*"/y;
const singleQuoted = /'[^'\n]*(?:''[^'\n]*)*'/y;
const plainInFlow = /[A-Za-z0-9_/$][^,[\]{}\n:#"'\\]*(?::(?=\/)[^,[\]{}\n:#"'\\]*)*/y;
const hash = 35;

/** Reads one text from its beginning to its end. */
class PlainReader {
  readonly #text: string;
  readonly #offsets: number[] = [];
  /** The line that is read next: its indentation, or -1 after the last line; where its content begins, and its end. */
  #indent = 0;
  #at = 0;
  #end = -1;
  /** Where the value ended that was read last. */
  #after = 0;
  /** The record of the value that was read last. */
  #record = noParts;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  read(): PlainYaml {
    this.#nextLine();
    if (this.#indent === 0 && /^--- *$/.test(this.#line())) this.#nextLine();
    if (this.#indent < 0) notPlain();
    const value = this.#block(this.#indent);
    if (this.#indent >= 0) notPlain();
    return { document: { value, record: this.#record }, offsets: Uint32Array.from(this.#offsets) };
  }

  #line(): string {
    return this.#text.slice(this.#at, this.#end);
  }

  /** Goes to the next line that is neither empty nor a comment. */
  #nextLine(): void {
    const text = this.#text;
    while (this.#end < text.length) {
      const start = this.#end + 1;
      const at = afterSpaces(text, start);
      const newline = text.indexOf("\n", at);
      this.#end = newline < 0 ? text.length : newline;
      if (at < this.#end && text.charCodeAt(at) !== hash) {
        this.#indent = at - start;
        this.#at = at;
        return;
      }
    }
    this.#indent = -1;
  }

  #isDash(): boolean {
    return this.#text.startsWith("- ", this.#at);
  }

  /** A map or list whose keys or dashes stand in a column. */
  #block(column: number): unknown {
    this.#depth += 1;
    if (this.#depth > maxDepth) notPlain();
    const value = this.#isDash() ? this.#list(column) : this.#map(column);
    this.#depth -= 1;
    return value;
  }

  #map(column: number): unknown {
    const map: Record<string, unknown> = {};
    const parts: number[] = [];
    do {
      const offset = this.#at;
      const name = this.#key(map, offset);
      let at = afterSpaces(this.#text, this.#after);
      let value: unknown;
      if (at === this.#end || this.#isComment(at)) {
        this.#nextLine();
        const isInside = this.#indent > column || (this.#indent === column && this.#isDash());
        if (!isInside) notPlain();
        at = this.#at;
        value = this.#block(this.#indent);
      } else {
        value = this.#inLine(at, column);
      }
      if (this.#indent > column) notPlain();
      map[name] = value;
      parts.push(offset, at, this.#record);
    } while (this.#indent === column);
    this.#record = this.#keep(parts);
    return map;
  }

  #list(column: number): unknown {
    const list: unknown[] = [];
    const parts: number[] = [];
    do {
      const at = afterSpaces(this.#text, this.#at + 1);
      keyPattern.lastIndex = at;
      if (keyPattern.test(this.#text)) {
        this.#indent += at - this.#at;
        this.#at = at;
        list.push(this.#block(this.#indent));
      } else {
        list.push(this.#inLine(at, column));
      }
      if (this.#indent > column) notPlain();
      parts.push(at, at, this.#record);
    } while (this.#indent === column && this.#isDash());
    this.#record = this.#keep(parts);
    return trimmed(list);
  }

  #keep(parts: readonly number[]): number {
    if (parts.length > maxEntries * partSize) notPlain();
    const index = this.#offsets.length;
    for (const part of parts) this.#offsets.push(part);
    return index;
  }

  /** A key that the map does not have yet. */
  #key(map: object, at: number): string {
    keyPattern.lastIndex = at;
    const name = keyPattern.exec(this.#text)?.[1] ?? notPlain();
    if (isWord(name) || name === "__proto__" || Object.hasOwn(map, name)) {
      notPlain();
    }
    this.#after = keyPattern.lastIndex;
    return name;
  }

  /** A value that begins in the line of its key or dash. Goes to the line after it. */
  #inLine(at: number, column: number): unknown {
    const first = this.#text[at] ?? "";
    if (first === "|" || first === ">") return this.#lines(at, column);
    let value: unknown;
    if (`"'[{`.includes(first)) {
      value = this.#inFlow(at);
      const rest = afterSpaces(this.#text, this.#after);
      if (rest !== this.#end && !(rest > this.#after && this.#isComment(rest))) notPlain();
    } else {
      value = this.#plain(at);
    }
    this.#nextLine();
    return value;
  }

  /** A scalar without quotes that ends with its line or before a comment. */
  #plain(at: number): unknown {
    this.#record = noParts;
    return plainScalar(this.#text.slice(at, this.#end));
  }

  /** A block scalar. Goes to the line after it. */
  #lines(at: number, column: number): string {
    const { value, end } = blockScalar(this.#text, at, column);
    this.#end = end;
    this.#record = noParts;
    this.#nextLine();
    return value;
  }

  /** A quoted scalar or a flow collection, or inside of one also a scalar without quotes. */
  #inFlow(at: number): unknown {
    const first = this.#text[at];
    if (first === "[") return this.#flowList(at);
    if (first === "{") return this.#flowMap(at);
    this.#record = noParts;
    if (first === '"') {
      const written = this.#match(doubleQuoted, at);
      return written.includes("\\") ? JSON.parse(written) : written.slice(1, -1);
    }
    if (first === "'") return this.#match(singleQuoted, at).slice(1, -1).replaceAll("''", "'");
    return plainValue(this.#match(plainInFlow, at));
  }

  #match(pattern: RegExp, at: number): string {
    pattern.lastIndex = at;
    const [written = notPlain()] = pattern.exec(this.#text) ?? [];
    this.#after = pattern.lastIndex;
    return written;
  }

  #flowList(start: number): unknown {
    const list: unknown[] = [];
    const parts: number[] = [];
    for (const at of this.#flowItems(start, "]")) {
      list.push(this.#inFlow(at));
      parts.push(at, at, this.#record);
    }
    this.#record = this.#keep(parts);
    return trimmed(list);
  }

  #flowMap(start: number): unknown {
    const map: Record<string, unknown> = {};
    const parts: number[] = [];
    for (const offset of this.#flowItems(start, "}")) {
      const name = this.#key(map, offset);
      const at = afterSpaces(this.#text, this.#after);
      map[name] = this.#inFlow(at);
      parts.push(offset, at, this.#record);
    }
    this.#record = this.#keep(parts);
    return map;
  }

  /** Where the items of a flow collection begin. Each must have been read before the next one is asked for. */
  *#flowItems(start: number, close: string): Iterable<number> {
    this.#depth += 1;
    if (this.#depth > maxDepth) notPlain();
    let at = afterSpaces(this.#text, start + 1);
    let separator = this.#text[at] === close ? close : ",";
    this.#after = at + 1;
    while (separator === ",") {
      yield at;
      const after = afterSpaces(this.#text, this.#after);
      separator = this.#text[after] ?? "";
      if (separator !== "," && separator !== close) notPlain();
      this.#after = after + 1;
      at = afterSpaces(this.#text, this.#after);
    }
    this.#depth -= 1;
  }

  #isComment(at: number): boolean {
    return this.#text.charCodeAt(at) === hash;
  }
}

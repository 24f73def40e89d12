import { type ClassFault, readClass } from "./regex-class.ts";
import { type EscapeFault, readEscape } from "./regex-escape.ts";
import { RegexReader } from "./regex-reader.ts";

/** Why the engine refuses a regular expression. */
export type RegexFault =
  | ClassFault
  | EscapeFault
  | "look-around"
  | "group"
  | "group-kind"
  | "group-name"
  | "repetition"
  | "count"
  | "flag"
  | "depth"
  | "size";

/** The most groups in each other. */
const maxDepth = 250;

/** States of the compiled pattern beyond which it is refused; the engine limits its bytes. */
const maxStates = 250_000;

/** A group that is being read. */
interface OpenGroup {
  /** Flags that hold again after the group. */
  readonly isUnicode: boolean;
  readonly isVerbose: boolean;
  /** States of what stands before the group in its alternative. */
  readonly before: number;
}

/**
 * Why the engine refuses `pattern`: it has the dialect of Rust's `regex`, with Unicode off;
 * `undefined` if it does not.
 */
export function faultOfRegex(pattern: string): RegexFault | undefined {
  return new RegexCheck(pattern).fault();
}

class RegexCheck {
  readonly #reader: RegexReader;
  readonly #open: OpenGroup[] = [];
  readonly #names = new Set<string>();
  /** States of the last thing that can be repeated; `undefined` if there is none. */
  #last: number | undefined;
  /** States of the group so far. */
  #states = 0;

  constructor(pattern: string) {
    this.#reader = new RegexReader(pattern);
  }

  fault(): RegexFault | undefined {
    const reader = this.#reader;
    for (reader.skipVerbose(); !reader.atEnd; reader.skipVerbose()) {
      const fault = this.#step();
      if (fault !== undefined) return fault;
      if (this.#states > maxStates) return "size";
    }
    return this.#open.length > 0 ? "group" : undefined;
  }

  #step(): RegexFault | undefined {
    const reader = this.#reader;
    if (reader.skip("(")) return this.#openGroup();
    if (reader.skip(")")) return this.#closeGroup();
    if (reader.skip("|")) this.#last = undefined;
    else if (reader.peek(/[*+?]/y) !== undefined) return this.#repeat();
    else if (reader.peek(/\{/y) !== undefined) return this.#repeatCounted();
    else if (reader.peek(/\[/y) !== undefined) return this.#add(readClass(reader), 1);
    else if (reader.peek(/\\/y) !== undefined) return this.#add(readEscape(reader), 1);
    else this.#add(undefined, reader.take(/[^]/uy) === undefined ? 0 : 1);
    return undefined;
  }

  #add<Fault>(fault: Fault | undefined, states: number): Fault | undefined {
    this.#last = states;
    this.#states += states;
    return fault;
  }

  #openGroup(): RegexFault | undefined {
    const reader = this.#reader;
    const { isUnicode, isVerbose } = reader;
    if (this.#open.length >= maxDepth) return "depth";
    if (reader.peek(/\?<?[=!]/y) !== undefined) return "look-around";
    const name = reader.take(/\?P?</y) === undefined ? undefined : reader.take(/[^>]*>?/y);
    if (name !== undefined) {
      const fault = this.#nameGroup(name);
      if (fault !== undefined) return fault;
    } else if (reader.skip("?")) {
      const end = readFlags(reader);
      if (end === ")") {
        this.#last = undefined;
        return undefined;
      }
      if (end !== ":") return end;
    }
    this.#open.push({ isUnicode, isVerbose, before: this.#states });
    this.#states = 0;
    this.#last = undefined;
    return undefined;
  }

  #nameGroup(text: string): RegexFault | undefined {
    const name = /^([\p{L}_][\p{L}\p{N}_.[\]]*)>$/u.exec(text)?.[1];
    if (name === undefined || this.#names.has(name)) return "group-name";
    this.#names.add(name);
    return undefined;
  }

  #closeGroup(): RegexFault | undefined {
    const group = this.#open.pop();
    if (group === undefined) return "group";
    this.#reader.isUnicode = group.isUnicode;
    this.#reader.isVerbose = group.isVerbose;
    const inside = this.#states + 1;
    this.#states = group.before;
    return this.#add(undefined, inside);
  }

  #repeat(): RegexFault | undefined {
    if (this.#last === undefined) return "repetition";
    this.#reader.take(/[*+?]\??/y);
    return undefined;
  }

  #repeatCounted(): RegexFault | undefined {
    const { groups } = this.#reader.match(countPattern) ?? {};
    if (this.#last === undefined) return "repetition";
    if (groups === undefined) return "count";
    const from = Number(groups["least"]);
    const to = groups["most"] === undefined ? from : Number(groups["most"]);
    if (to >= 2 ** 32 || from > to) return "count";
    const times = Math.max(1, to);
    const states = this.#last * times;
    this.#states += states - this.#last;
    this.#last = states;
    return undefined;
  }
}

const countPattern = /\{\s*(?<least>\d+)\s*(?:,\s*(?:(?<most>\d+)\s*)?)?\}\??/y;

/** Reads flags up to the `)` or `:` after them; returns it, or what is wrong. */
function readFlags(reader: RegexReader): ")" | ":" | RegexFault {
  const flags = reader.takeAny(/[a-z-]*/iy);
  const end = reader.take(/[):]/y);
  if (flags === "" && end === ")") return "repetition";
  if (/[^imsUuRx-]/.test(flags)) return "group-kind";
  if (!areFlags(flags)) return "flag";
  if (end === undefined) return reader.atEnd ? "group" : "group-kind";
  const [on = ""] = flags.split("-");
  if (flags.includes("u")) reader.isUnicode = on.includes("u");
  if (flags.includes("x")) reader.isVerbose = on.includes("x");
  return end === ")" ? ")" : ":";
}

/** Whether each flag is there once, with at least one after a hyphen. */
function areFlags(text: string): boolean {
  const letters = text.replaceAll("-", "");
  return /^[^-]*(?:-[^-]+)?$/.test(text) && new Set(letters).size === letters.length;
}

import * as fc from "fast-check";

import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../src/syntax/json.ts";
import { type Dice, diceOf } from "./schema-documents.ts";

const odd = [
  "plain",
  "two words",
  "it's",
  'say "no"',
  `both ' and "`,
  "yes",
  "012",
  "~",
  "a: b",
  "# no comment",
  "a #b",
  "- dash",
  "{ brace",
  "a, b",
  "[x]",
  "tail ",
  " head",
  "",
  "two\nlines",
  "three\n\n  lines\n",
  "ends\n\n",
  "tab\there",
  "Größe 测试 🛡️",
  "a\u200db",
  "back\\slash",
  "%percent",
  "? question",
  "*.example",
  "&and",
  "!bang",
  "| pipe",
  "---",
  "x".repeat(150),
  "many words ".repeat(12).trim(),
  "__proto__",
  "https://a.example/b?c=d#e",
];

const comments = [
  "# a comment",
  "#",
  "#! bang",
  "# \"quoted\" and 'single': {x}",
  "# zonewarden-disable-next-line CSP_NO_SELF -- old",
  "# zonewarden-disable-next-line CSP_UNSAFE_INLINE",
  "# ünï 🛡️  ",
  "#\ttab",
];

/** A zone file that is valid, and written as nobody would write it. The same for the same seed. */
export function hostileFile(seed: number): string {
  const dice = diceOf(seed);
  const text = new StrangeWriter(dice).file();
  return dice(4) === 0 ? text.replaceAll("\n", "\r\n") : text;
}

export const hostileText: fc.Arbitrary<string> = fc.nat().map(hostileFile);

class StrangeWriter {
  readonly #dice: Dice;
  #anchors = 0;

  constructor(dice: Dice) {
    this.#dice = dice;
  }

  file(): string {
    const top = this.#is(4) ? `${this.#comment()}\n${this.#is(2) ? "\n" : ""}` : "";
    const marker = this.#is(6) ? `---${this.#is(3) ? ` ${this.#comment()}` : ""}\n` : "";
    const text = `${top}${marker}${this.#remarks(0)}${this.#blockMap(this.#content(), 0)}${this.#remarks(0)}`;
    const more = this.#is(8) ? `${this.#is(2) ? "...\n" : ""}---\nprofiles: {}\n` : "";
    return text + more;
  }

  #content(): Readonly<Record<string, Json>> {
    const zones = this.#list(3, (index) => this.#zone(`z${index}.example`));
    const profiles = Object.fromEntries(
      this.#list(2, (index) => [`p${index}`, { description: this.#odd(), ...this.#parts() }]),
    );
    return { zones, profiles, ...(this.#is(5) && { version: 1 }) };
  }

  #zone(name: string): Json {
    return {
      name,
      ...(this.#is(2) && { mode: this.#is(3) ? null : "observe" }),
      ...(this.#is(3) && { vars: { n: this.#dice(99), text: this.#odd() } }),
      ...this.#parts(),
    };
  }

  #parts(): Readonly<Record<string, Json>> {
    const items = this.#list(3, (index) => ({
      key: `k${index}`,
      action: "log",
      description: this.#odd(),
      expression: this.#is(2) ? "ssl" : `http.host eq "${"a".repeat(this.#dice(90))}"`,
      enabled: this.#is(2),
      value: this.#is(2)
        ? { "script-src": ["'self'", "cdn.example"], "img-src": ["*"] }
        : "script-src 'unsafe-inline' cdn.example",
    }));
    const rules = this.#list(3, (index) => ({
      key: `r${index}`,
      expression: 'http.request.uri.path eq "/a"',
      action: "block",
      ...(this.#is(3) && {
        response: { status_code: 403, content_type: "text/plain", content: this.#odd() || "x" },
      }),
    }));
    return {
      ...(this.#is(2) && { page_shield: { settings: { enabled: true }, policies: { items } } }),
      ...(this.#is(2) && { custom_rules: { rules } }),
    };
  }

  #list<T>(most: number, item: (index: number) => T): readonly T[] {
    return Array.from({ length: this.#dice(most + 1) }, (_, index) => item(index));
  }

  #is(oneIn: number): boolean {
    return this.#dice(oneIn) === 0;
  }

  #odd(): string {
    return odd[this.#dice(odd.length)] ?? "";
  }

  #comment(): string {
    return comments[this.#dice(comments.length)] ?? "#";
  }

  /** Comments and empty lines at any column. */
  #remarks(indent: number): string {
    let text = "";
    while (this.#is(4)) {
      const column = this.#is(3) ? this.#dice(indent + 4) : indent;
      text += this.#is(3) ? "\n" : `${" ".repeat(column)}${this.#comment()}\n`;
    }
    return text;
  }

  #end(): string {
    return `${this.#is(7) ? `   ${this.#comment()}` : this.#is(9) ? "  " : ""}\n`;
  }

  #blockMap(map: Readonly<Record<string, Json>>, indent: number): string {
    const entries = Object.entries(map).toSorted(() => this.#dice(3) - 1);
    const pad = " ".repeat(indent);
    return entries
      .map(([key, value]) => {
        const name = this.#key(key);
        const isExplicit = this.#is(40);
        const head = isExplicit ? `? ${name}\n${pad}:` : `${name}${this.#is(12) ? "  " : ""}:`;
        return `${this.#remarks(indent)}${pad}${head}${this.#after(value, indent, true)}`;
      })
      .join("");
  }

  #blockList(list: readonly Json[], indent: number): string {
    const pad = " ".repeat(indent);
    return list
      .map((value) => `${this.#remarks(indent)}${pad}-${this.#after(value, indent, false)}`)
      .join("");
  }

  /** What stands after a colon or dash, with the line end. */
  #after(value: Json, indent: number, isInMap: boolean): string {
    const anchor = this.#is(25) ? ` &a${(this.#anchors += 1)}` : "";
    const isLong = typeof value === "object" && value !== null && Object.keys(value).length > 0;
    if (isLong && !this.#is(4)) return this.#below(value, indent, isInMap, anchor);
    const own = this.#is(12)
      ? `${this.#end()}${this.#remarks(indent + 2)}${" ".repeat(indent + 2)}`
      : " ";
    return typeof value === "string" && this.#is(5)
      ? `${anchor}${own}${this.#block(value, indent)}`
      : `${anchor}${own}${this.#flow(value, indent + 2)}${this.#end()}`;
  }

  #below(
    value: readonly Json[] | JsonObject,
    indent: number,
    isInMap: boolean,
    anchor: string,
  ): string {
    const isList = isJsonList(value);
    const deeper = indent + (isInMap && isList && this.#is(4) ? 0 : 1 + this.#dice(4));
    const lines = isList ? this.#blockList(value, deeper) : this.#blockMap(value, deeper);
    const isBesideDash = !isInMap && anchor === "" && /^ *[^ #\n]/.test(lines) && this.#is(2);
    return isBesideDash
      ? " ".repeat(deeper - indent - 1) + lines.trimStart()
      : `${anchor}${this.#end()}${this.#remarks(deeper)}${lines}`;
  }

  #key(name: string): string {
    return [name, name, name, `"${name}"`, `'${name}'`][this.#dice(5)] ?? name;
  }

  #block(value: string, indent: number): string {
    const step = 1 + this.#dice(4);
    const style = this.#is(2) ? "|" : ">";
    const mustSay = /^[\n ]/.test(value) || this.#is(6);
    const chomp = ["", "-", "+"][this.#dice(3)] ?? "";
    const remark = this.#is(6) ? ` ${this.#comment()}` : "";
    const lines = value
      .replace(/\n$/, "")
      .split("\n")
      .map((line) => (line === "" ? "" : " ".repeat(indent + step) + line));
    return `${style}${mustSay ? step : ""}${chomp}${remark}\n${lines.join("\n")}\n`;
  }

  /** Between brackets, perhaps on several lines and with comments. */
  #flow(value: Json, indent: number): string {
    if (isJsonList(value)) {
      return `[${this.#gap(indent)}${value.map((item) => this.#flow(item, indent)).join(`,${this.#gap(indent)}`)}${this.#gap(indent)}]`;
    }
    if (isJsonObject(value)) {
      const parts = Object.entries(value).map(
        ([name, item]) => `${this.#key(name)}: ${this.#flow(item, indent)}`,
      );
      return `{${this.#gap(indent)}${parts.join(`${this.#is(9) ? this.#gap(indent) : ""},${this.#gap(indent)}`)}${this.#gap(indent)}}`;
    }
    if (value === null) return this.#is(2) ? "null" : "~";
    return typeof value === "string" ? this.#string(value, indent) : String(value);
  }

  #string(value: string, indent: number): string {
    const isPlain = /^[a-z][\w/.=? -]*[\w/]$/.test(value) && !/^(?:yes|null|true)$/.test(value);
    if (isPlain && !this.#is(3)) {
      const gap = (): string => (this.#is(6) ? `\n${" ".repeat(indent)}` : " ");
      return value.replaceAll(" ", gap);
    }
    if (/[\n\u200d]/.test(value) || this.#is(2)) return JSON.stringify(value);
    return `'${value.replaceAll("'", "''")}'`;
  }

  #gap(indent: number): string {
    if (this.#is(8)) return `\n${" ".repeat(indent)}`;
    if (this.#is(16)) return ` ${this.#comment()}\n${this.#remarks(indent)}${" ".repeat(indent)}`;
    return this.#is(2) ? " " : "";
  }
}

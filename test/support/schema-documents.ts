import { schemaOf } from "../../src/desired/schema-compiler.ts";
import {
  coerceObject,
  coerceObjects,
  coerceTexts,
  isJsonObject,
  type Json,
  type JsonObject,
} from "../../src/syntax/json.ts";

/** A number from 0 to `below`, exclusive. */
export type Dice = (below: number) => number;

/** The same numbers for the same seed (mulberry32). */
export function diceOf(seed: number): Dice {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

const root = schemaOf("zones");
const definitions = coerceObject(root["$defs"]);

/**
 * A document with keys and values that the schema of zone files knows, and a few that it does not: `null` anywhere, tags,
 * anchors, aliases and merge keys. Every second one is damaged. The same for the same seed.
 */
export function schemaDocument(seed: number): string {
  const dice = diceOf(seed);
  const writer = new DocumentWriter(dice);
  const text = writer.text(root);
  return dice(2) === 0 ? text : damaged(text, dice);
}

/** Few names, so that references are found and keys are repeated. */
const names = ["a", "b", "c", "owasp", "cloudflare", "upload", "script-src", "default-src"];

const oddTexts = [
  "",
  "'self'",
  'http.host eq "a.example"',
  'starts_with(http.request.uri.path, "/a") and not ssl',
  "script-src 'self'; img-src *",
  "${zone.name}",
  "$${zone.id} ${vars.a}",
  "${",
  "2026-02-30",
  "__proto__",
  "constructor",
  "A [zonewarden:a]",
  "\u{1F600}",
  "0123456789abcdef0123456789abcdef",
  "*.example",
  "yes",
  "~",
  "1e999",
];

/** Values that fit few places. */
const wrong = ["[]", "{}", "1", "true", "text", "[null]", "{ a: }", "{ toString: 1 }"];

const tags = ["!!str", "!!map", "!!seq", "!!omap", "!!set", "!!merge", "!!null", "!x", "!<a>", "!"];

class DocumentWriter {
  readonly #dice: Dice;
  readonly #anchors: string[] = [];

  constructor(dice: Dice) {
    this.#dice = dice;
  }

  text(schema: JsonObject): string {
    const parts = Object.entries(coerceObject(schema["properties"]))
      .filter(([name]) => name !== "$schema" && !this.#is(8))
      .map(([name, part]) => `${name}: ${this.#value(coerceObject(part), 0)}\n`);
    return this.#is(20) ? `---\n${parts.join("---\n")}` : parts.join("");
  }

  #is(oneIn: number): boolean {
    return this.#dice(oneIn) === 0;
  }

  #pick<T>(items: readonly T[], otherwise: T): T {
    return items[this.#dice(items.length)] ?? otherwise;
  }

  /** A value, sometimes with a tag or an anchor, or an alias in its place. */
  #value(schema: JsonObject, depth: number): string {
    if (this.#is(60) && this.#anchors.length > 0) return `*${this.#pick(this.#anchors, "n0")} `;
    const tag = this.#is(80) ? `${this.#pick(tags, "!")} ` : "";
    const anchor = this.#is(40) ? `n${this.#anchors.length}` : undefined;
    if (anchor === undefined) return tag + this.#plain(schema, depth);
    const value = this.#plain(schema, depth);
    this.#anchors.push(anchor);
    return `&${anchor} ${tag}${value}`;
  }

  #plain(written: JsonObject, depth: number): string {
    const schema = this.#resolved(written);
    if (this.#is(13)) return this.#is(4) ? this.#pick(wrong, "1") : "null";
    const { const: only, enum: values, anyOf, type } = schema;
    if (only !== undefined) return JSON.stringify(only);
    if (Array.isArray(values)) return JSON.stringify(this.#pick<Json>(values, null));
    if (Array.isArray(anyOf)) return this.#plain(this.#pick(coerceObjects(anyOf), {}), depth);
    const types = [type].flat().filter((name) => name !== "null");
    switch (this.#pick<unknown>(types, "string")) {
      case "object":
        return depth > 12 ? "{}" : this.#map(schema, depth);
      case "array":
        return depth > 12 ? "[]" : this.#list(schema, depth);
      case "boolean":
        return this.#pick(["true", "false"], "true");
      case "integer":
        return String(this.#dice(100));
      default:
        return this.#text(schema);
    }
  }

  #resolved(schema: JsonObject): JsonObject {
    const reference = schema["$ref"];
    if (typeof reference !== "string") return schema;
    return coerceObject(definitions[reference.replace("#/$defs/", "")]);
  }

  #map(schema: JsonObject, depth: number): string {
    const known = Object.entries(coerceObject(schema["properties"]));
    const required = coerceTexts(schema["required"]);
    const density = 1 + this.#dice(4);
    const entries = known
      .filter(([name]) => (required.includes(name) ? !this.#is(40) : this.#is(density)))
      .map(([name, part]) => `${name}: ${this.#value(coerceObject(part), depth + 1)}`);
    const others = schema["additionalProperties"];
    if (isJsonObject(others)) {
      for (let left = this.#dice(4); left > 0; left -= 1) {
        entries.push(`${this.#pick(names, "a")}: ${this.#value(others, depth + 1)}`);
      }
    }
    if (this.#is(60)) entries.push(`<<: ${this.#pick(["*n0", "{ a: 1 }", "null"], "1")} `);
    if (this.#is(60)) entries.push(`${this.#pick(["unknown", "__proto__", "? a"], "b")}: 1`);
    return `{ ${entries.join(", ")} }`;
  }

  #list(schema: JsonObject, depth: number): string {
    const item = coerceObject(schema["items"]);
    const items = Array.from({ length: this.#dice(4) }, () => this.#value(item, depth + 1));
    return `[ ${items.join(", ")} ]`;
  }

  #text(schema: JsonObject): string {
    const examples = Array.isArray(schema["examples"]) ? schema["examples"] : [];
    const text = this.#is(2)
      ? this.#pick(coerceTexts(examples), "a")
      : this.#pick(this.#is(3) ? oddTexts : names, "a");
    return this.#is(30) ? text : JSON.stringify(text);
  }
}

const pieces = [
  "null",
  "\n",
  "  ",
  ":",
  ",",
  "[",
  "]",
  "{",
  "}",
  "'",
  '"',
  "&a ",
  "*a ",
  "!!omap ",
];

/** A text with some of its pieces cut out, repeated or replaced. */
function damaged(text: string, dice: Dice): string {
  let result = text;
  for (let left = 1 + dice(3); left > 0; left -= 1) {
    const from = dice(result.length + 1);
    const to = from + dice(20);
    const middle = [
      "",
      pieces[dice(pieces.length)] ?? "",
      result.slice(from, to).repeat(1 + dice(3)),
    ][dice(3)];
    result = `${result.slice(0, from)}${middle ?? ""}${result.slice(to)}`;
  }
  return result;
}

import { expressionFields } from "../../src/syntax/expression/expression-fields.ts";
import { expressionFunctions } from "../../src/syntax/expression/expression-functions.ts";
import { documentedExpressions } from "../syntax/corpus/documented-expressions.ts";
import { edgeExpressions } from "../syntax/corpus/edge-expressions.ts";
import {
  addresses,
  integers,
  ipMembers,
  patterns,
  pieces,
  regexPieces,
  texts,
} from "./engine-words.ts";

/** Random choices of a seed (mulberry32). */
export class Choices {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** A whole number below `end`. */
  below(end: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * end);
  }

  isOnce(times: number): boolean {
    return this.below(times) === 0;
  }

  of<T>(values: readonly T[]): T {
    const value = values[this.below(values.length)];
    if (value === undefined) throw new Error("no choices");
    return value;
  }
}

const byType = Map.groupBy([...expressionFields], ([, type]) => type);

/** Expressions of which most are valid, and mutants of them of which few are; the same for one seed. */
export function engineExpressions(seed: number, count: number): readonly string[] {
  const choices = new Choices(seed);
  const known = [...documentedExpressions, ...edgeExpressions].flatMap(({ expressions }) =>
    expressions.map(([text]) => text),
  );
  return Array.from({ length: count }, () => {
    const text = choices.isOnce(4) ? choices.of(known) : new Writer(choices).expression(3);
    return choices.isOnce(2) ? text : mutant(choices, text).toWellFormed();
  });
}

/** Writes expressions by the grammar; a few of their types do not fit. */
class Writer {
  readonly #choices: Choices;

  constructor(choices: Choices) {
    this.#choices = choices;
  }

  expression(depth: number): string {
    const choices = this.#choices;
    const kind = depth === 0 ? 0 : choices.below(8);
    if (kind === 1) return `not ${this.expression(depth - 1)}`;
    if (kind === 2) return `(${this.expression(depth - 1)})`;
    if (kind === 3 || kind === 4) {
      const sign = choices.of([" and ", " or ", " xor ", "&&", " || ", " ^^ ", "and ", "\n or "]);
      return `${this.expression(depth - 1)}${sign}${this.expression(depth - 1)}`;
    }
    if (kind === 5) return this.quantified(depth - 1);
    return this.condition();
  }

  quantified(depth: number): string {
    const name = this.#choices.of(["any", "all"]);
    const one = (): string => this.elements();
    const joined = `${one()} ${this.#choices.of(["and", "or"])} ${one()}`;
    const inside = [one(), one(), `not ${one()}`, `(${joined})`, joined, `(${one()})`];
    return depth > 0 && this.#choices.isOnce(6)
      ? `${name}(${this.expression(depth)})`
      : `${name}(${this.#choices.of(inside)})`;
  }

  elements(): string {
    const list = this.#choices.of([
      "http.request.headers.names[*]",
      'http.request.headers["accept"][*]',
      "http.request.headers[*][*]",
      "lower(http.request.headers.names[*])[*]",
      'split(http.host, ".", 3)[*]',
      "http.request.uri.args.values[*]",
      "http.request.body.multipart.names[*][0]",
    ]);
    if (this.#choices.isOnce(6)) return `starts_with(${list}, ${this.#choices.of(texts)})`;
    return `${list} ${this.textOperator()}`;
  }

  condition(): string {
    const choices = this.#choices;
    const type = choices.of(["String", "String", "String", "Integer", "IP", "Boolean"]);
    const left = this.value(type, 2);
    // A type that does not fit, now and then.
    const other = choices.isOnce(12) ? choices.of(["String", "Integer", "IP", "Boolean"]) : type;
    if (other === "Boolean") return left;
    if (other === "String") return `${left} ${this.textOperator()}`;
    return `${left} ${other === "IP" ? this.addressOperator() : this.numberOperator()}`;
  }

  textOperator(): string {
    const choices = this.#choices;
    const text = choices.of(texts);
    const orField = choices.isOnce(4) ? this.value("String", 1) : text;
    return choices.of([
      `eq ${orField}`,
      `== ${text}`,
      `ne ${orField}`,
      `contains ${text}`,
      `matches ${this.pattern()}`,
      `~ ${choices.of(patterns)}`,
      `wildcard ${text}`,
      `strict wildcard ${text}`,
      `in ${this.set(texts)}`,
      `lt ${text}`,
      "in $hosts",
      `ge ${orField}`,
    ]);
  }

  pattern(): string {
    const choices = this.#choices;
    const parts = Array.from({ length: choices.below(6) }, () => choices.of(regexPieces));
    const text = parts.join("");
    return choices.of([`"${text}"`, `r"${text}"`, `r#"${text}"#`]);
  }

  numberOperator(): string {
    const choices = this.#choices;
    const members = [...integers, "1..5", "-5..-1", "80..443", "9..1"];
    const operator = choices.of([
      "eq",
      "ne",
      "lt",
      "le",
      "gt",
      "ge",
      "<",
      ">=",
      "&",
      "bitwise_and",
    ]);
    if (choices.isOnce(4)) return `in ${this.set(members)}`;
    const value = choices.isOnce(4) ? this.value("Integer", 1) : choices.of(integers);
    return `${operator} ${value}`;
  }

  addressOperator(): string {
    const choices = this.#choices;
    if (choices.isOnce(2)) return `in ${choices.isOnce(5) ? "$office" : this.set(ipMembers)}`;
    const value = choices.isOnce(4) ? this.value("IP", 1) : choices.of(addresses);
    return `${choices.of(["eq", "ne", "lt", "gt", "=="])} ${value}`;
  }

  set(members: readonly string[]): string {
    const list = Array.from({ length: this.#choices.below(4) }, () => this.#choices.of(members));
    return `{${list.join(" ")}}`;
  }

  /** A field or a call of `type`. */
  value(type: string, depth: number): string {
    const choices = this.#choices;
    if (depth === 0 || !choices.isOnce(3)) return this.field(type);
    const calls = [...expressionFunctions].filter(([name, { signature }]) => {
      const fits = signature.result === type || signature.result === "same";
      return fits && name !== "any" && name !== "all";
    });
    const [name, facts] = choices.of(calls);
    const { signature } =
      choices.isOnce(8) && facts.documented[0] !== undefined
        ? { signature: facts.documented[0] }
        : facts;
    const same = type;
    const given = signature.parameters
      .filter(({ isOptional }) => !isOptional || choices.isOnce(2))
      .map(({ kind, types }) => {
        const chosen = choices.of(types);
        const wanted =
          chosen === "same" || name === "coalesce" || name === "concat" ? same : chosen;
        const isField = kind === "field" || (kind === "any" && choices.isOnce(2));
        const really = choices.isOnce(15) ? !isField : isField;
        const actual = choices.isOnce(15) ? choices.of(["String", "Integer", "IP"]) : wanted;
        return really ? this.value(actual, depth - 1) : this.constant(actual);
      });
    if (choices.isOnce(20)) given.pop();
    if (choices.isOnce(20)) given.push(this.constant("String"));
    return `${name}(${given.join(choices.of([", ", ","]))})`;
  }

  constant(type: string): string {
    if (type === "Integer") return this.#choices.of(integers);
    return type === "IP" ? this.#choices.of(addresses) : this.#choices.of(texts);
  }

  field(type: string): string {
    const choices = this.#choices;
    if (type === "String" && choices.isOnce(6)) {
      return choices.of([
        'http.request.headers["host"][0]',
        "http.request.headers.names[1]",
        'http.request.uri.args["q"][0]',
        "http.request.body.multipart.names[0][1]",
        'http.request.headers["host"]',
        "http.request.headers[0]",
        "http.host[0]",
      ]);
    }
    const [name] = choices.of(byType.get(type) ?? byType.get("String") ?? []);
    return name;
  }
}

/** The text with one to three changes: of characters, or of whole words. */
function mutant(choices: Choices, text: string): string {
  let changed = text;
  for (let left = 1 + choices.below(3); left > 0; left -= 1) {
    changed = changedOnce(choices, changed);
  }
  return changed;
}

function changedOnce(choices: Choices, text: string): string {
  const at = choices.below(text.length + 1);
  const piece = choices.of(pieces);
  const words = text.match(/[\w.]+|"[^"]*"|\s+|[^\w\s"]|"/g) ?? [];
  const index = choices.below(words.length);
  switch (choices.below(7)) {
    case 0:
      return text.slice(0, at) + text.slice(at + 1);
    case 1:
      return (
        text.slice(0, at) + choices.of(Array.from(' "(){}[]*.,-\\/:09azAZé$#&|')) + text.slice(at)
      );
    case 2:
      return words.toSpliced(index, 1).join("");
    case 3:
      return words.toSpliced(index, 0, words[choices.below(words.length)] ?? "").join("");
    case 4:
      return words.toSpliced(index, 1, piece).join("");
    case 5:
      return words.toSpliced(index, 0, piece).join("");
    default:
      return text.slice(0, at) + text.slice(at, at + 1).toUpperCase() + text.slice(at + 1);
  }
}

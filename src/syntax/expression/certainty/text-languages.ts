import { fits } from "../../glob.ts";
import type { TextValue } from "../expression-tree.ts";
import { bytesOf } from "../read/read-string-literal.ts";
import { asItIs, type ByteChange, lowerChange, type Preimage } from "./byte-change.ts";
import type { TextCondition } from "./known-texts.ts";
import { byteRange, capitals, type Language, type Languages, smallLetters } from "./languages.ts";
import { patternLanguage } from "./pattern-language.ts";

const inAnyCase: Preimage = (bytes) =>
  bytes | ((bytes & smallLetters) >> 32n) | ((bytes & capitals) << 32n);

/**
 * The texts that fulfil conditions, where they are compared after a function that changes each byte
 * by itself.
 */
export class TextLanguages {
  readonly #languages: Languages;
  readonly #change: ByteChange;
  readonly #preimage: Preimage;

  constructor(languages: Languages, change: ByteChange = asItIs) {
    this.#languages = languages;
    this.#change = change;
    this.#preimage = change.preimage;
  }

  /** Those for values that are compared after a change. */
  after(change: ByteChange): TextLanguages {
    return change === this.#change ? this : new TextLanguages(this.#languages, change);
  }

  /**
   * That a comparison of a value holds: with one of `texts`, which for other operators than `in` is
   * the only one. `undefined` if that is not decided.
   */
  condition(
    operator: string,
    texts: readonly Pick<TextValue, "text">[],
  ): TextCondition | undefined {
    const [first] = texts;
    if (operator === "in" || first === undefined) return this.#equalTo(texts);
    switch (operator) {
      case "eq":
        return this.#equalTo([first]);
      case "ne":
        return this.not(this.#equalTo([first]));
      case "wildcard":
      case "strict wildcard":
        return this.#globCondition(first.text, operator === "wildcard");
      default:
        return this.#partCondition(operator, first);
    }
  }

  #equalTo(texts: readonly Pick<TextValue, "text">[]): TextCondition {
    const { apply } = this.#change;
    const examples = texts.map(({ text }) => byteString(text));
    const values = new Set(examples);
    return {
      language: () => this.oneOf(texts.map(({ text }) => text)),
      test: (text) => values.has(apply(text)),
      examples,
      hasOnlyExamples: this.#change === asItIs,
    };
  }

  #partCondition(operator: string, value: Pick<TextValue, "text">): TextCondition | undefined {
    const isPart = partTests[operator];
    if (isPart === undefined) {
      const language = this.where(operator, value);
      return language && { language: () => language };
    }
    const { apply } = this.#change;
    const part = byteString(value.text);
    return {
      language: () => this.where(operator, value) ?? this.#languages.all,
      test: (text) => isPart(apply(text), part),
      examples: [part, `${part}a`, `/${part}`, `a${part}`],
      start: operator === "starts_with" ? part : undefined,
      end: operator === "ends_with" ? part : undefined,
    };
  }

  #globCondition(pattern: string, ignoresCase: boolean): TextCondition | undefined {
    const literals = literalsOf(pattern, ignoresCase);
    if (literals === undefined) return undefined;
    const parts = literals.map(byteString);
    const small = parts.map(inSmallLetters);
    const { apply } = this.#change;
    return {
      language: () => this.#glob(literals, ignoresCase),
      test: ignoresCase
        ? (text) => fits(small, inSmallLetters(apply(text)))
        : (text) => fits(parts, apply(text)),
      examples: [parts.join("a"), parts.join("")],
      start: parts[0],
      end: parts.at(-1),
    };
  }

  /** That a condition fails. */
  not({ language, test }: TextCondition): TextCondition {
    return {
      language: () => this.#languages.not(language()),
      test: test && ((text) => !test(text)),
    };
  }

  /** That a pattern of `patternOfField` matches: JavaScript reads those as the service does. */
  fieldCondition(pattern: string): TextCondition {
    return {
      language: () => this.where("matches", { text: pattern }) ?? this.#languages.all,
      test: testOf(pattern),
    };
  }

  /** The texts for which `operator` holds with `text`; `undefined` if that is not decided. */
  where(operator: string, { text }: Pick<TextValue, "text">): Language | undefined {
    const opposite = opposites[operator];
    if (opposite !== undefined) {
      const texts = this.where(opposite, { text });
      return texts && this.#languages.not(texts);
    }
    const { all } = this.#languages;
    switch (operator) {
      case "contains":
        return this.#languages.join(all, this.oneOf([text]), all);
      case "starts_with":
        return this.#languages.join(this.oneOf([text]), all);
      case "ends_with":
        return this.#languages.join(all, this.oneOf([text]));
      case "lt":
      case "le":
        return this.#before(text, operator === "le");
      case "matches":
        return patternLanguage(text, this.#languages, (bytes, ignoresCase) =>
          this.#preimage(ignoresCase ? inAnyCase(bytes) : bytes),
        );
      default:
        return undefined;
    }
  }

  /** The texts that are equal to one of `texts`. */
  oneOf(texts: readonly string[]): Language {
    return this.#oneOf(texts.map(bytesOf), 0);
  }

  /** The texts of at least `length` bytes. */
  atLeast(length: number): Language {
    const { any, all } = this.#languages;
    return this.#languages.join(...Array.from({ length }, () => any), all);
  }

  /** One part of the result for all texts that start alike: fewer parts are faster. */
  #oneOf(texts: readonly (readonly number[])[], start: number): Language {
    const [first] = texts;
    if (first !== undefined && texts.length === 1) return this.#literal(first.slice(start));
    const ways = [...Map.groupBy(texts, (text) => text[start])].map(([byte, alike]) =>
      byte === undefined
        ? this.#languages.empty
        : this.#languages.join(this.#byte(byte), this.#oneOf(alike, start + 1)),
    );
    return this.#languages.some(ways);
  }

  #literal(bytes: readonly number[]): Language {
    return this.#languages.join(...bytes.map((byte) => this.#byte(byte)));
  }

  #byte(byte: number, changed: Preimage = asItIs.preimage): Language {
    return this.#languages.bytes(this.#preimage(changed(1n << BigInt(byte))));
  }

  /** The texts that have the literals of a pattern in their order, the first and last at the ends. */
  #glob(literals: readonly string[], ignoresCase: boolean): Language {
    const changed = ignoresCase ? inAnyCase : asItIs.preimage;
    return this.#languages.join(
      ...literals.flatMap((literal, index) => [
        ...(index === 0 ? [] : [this.#languages.all]),
        ...bytesOf(literal).map((byte) => this.#byte(byte, changed)),
      ]),
    );
  }

  /** The texts that are before `text` in the order of their bytes. */
  #before(text: string, included: boolean): Language {
    const { empty, none, all } = this.#languages;
    return bytesOf(text).reduceRight<Language>(
      (rest, byte) =>
        this.#languages.some([
          empty,
          this.#languages.join(this.#languages.bytes(this.#preimage(byteRange(0, byte - 1))), all),
          this.#languages.join(this.#byte(byte), rest),
        ]),
      included ? empty : none,
    );
  }
}

const opposites: Readonly<Record<string, string>> = { gt: "le", ge: "lt" };

/** By the name of a function or an operator. */
const partTests: Readonly<Record<string, (value: string, part: string) => boolean>> = {
  contains: (value, part) => value.includes(part),
  starts_with: (value, part) => value.startsWith(part),
  ends_with: (value, part) => value.endsWith(part),
};

/** The texts between the stars of a wildcard pattern; `undefined` if it is not decided. */
function literalsOf(pattern: string, ignoresCase: boolean): readonly string[] | undefined {
  // Whether letters beyond ASCII have a case here is not documented.
  if (ignoresCase && !/^[\0-\x7f]*$/.test(pattern)) return undefined;
  const parts = pattern.match(/\\[\\*]|[^\\]/gsu) ?? [];
  if (parts.join("") !== pattern) return undefined;
  const literals = [""];
  for (const part of parts) {
    if (part === "*") literals.push("");
    else literals.push(`${literals.pop() ?? ""}${part.replace(/^\\(?=.)/s, "")}`);
  }
  return literals;
}

function inSmallLetters(text: string): string {
  return lowerChange.apply(text);
}

/** The bytes of a text, one character each. */
function byteString(text: string): string {
  return /^[\0-\x7f]*$/.test(text) ? text : String.fromCharCode(...bytesOf(text));
}

/** The first ones are those of the fields; those of zones come and go. */
const fieldTests = new Map<string, (text: string) => boolean>();

const maxFieldTests = 100;

function testOf(pattern: string): ((text: string) => boolean) | undefined {
  const known = fieldTests.get(pattern);
  if (known !== undefined) return known;
  // Its language is not decided.
  if (/[^\0-\x7f]/.test(pattern)) return undefined;
  const expression = new RegExp(pattern);
  const test = (text: string): boolean => expression.test(text);
  if (fieldTests.size < maxFieldTests) fieldTests.set(pattern, test);
  return test;
}

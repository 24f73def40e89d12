import type { TextValue } from "../expression-tree.ts";
import { bytesOf } from "../read/read-string-literal.ts";
import { asItIs, type ByteChange, type Preimage } from "./byte-change.ts";
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
    return new TextLanguages(this.#languages, change);
  }

  /**
   * That a comparison of a value holds: with one of `texts` for `in`, else with the first.
   * `undefined` if that is not decided.
   */
  condition(
    operator: string,
    texts: readonly Pick<TextValue, "text">[],
  ): TextCondition | undefined {
    const { apply } = this.#change;
    if (operator === "in" || operator === "eq") {
      const examples = texts.map(({ text }) => byteString(text));
      const values = new Set(examples);
      return {
        language: () => this.oneOf(texts.map(({ text }) => text)),
        test: (text) => values.has(apply(text)),
        examples,
        hasOnlyExamples: this.#change === asItIs,
      };
    }
    if (operator === "ne") {
      const equal = this.condition("eq", texts);
      return equal && this.not(equal);
    }
    const [first] = texts;
    if (first === undefined) return undefined;
    const isPart = partTests[operator];
    if (isPart === undefined) {
      const language = this.where(operator, first);
      return language && { language: () => language };
    }
    const part = byteString(first.text);
    return {
      language: () => this.where(operator, first) ?? this.#languages.all,
      test: (text) => isPart(apply(text), part),
      examples: [part, `${part}a`, `/${part}`, `a${part}`],
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
      case "eq":
        return this.oneOf([text]);
      case "contains":
        return this.#languages.join(all, this.oneOf([text]), all);
      case "starts_with":
        return this.#languages.join(this.oneOf([text]), all);
      case "ends_with":
        return this.#languages.join(all, this.oneOf([text]));
      case "wildcard":
      case "strict wildcard":
        return this.#glob(text, operator === "wildcard");
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

  #glob(pattern: string, ignoresCase: boolean): Language | undefined {
    // Whether letters beyond ASCII have a case here is not documented.
    if (ignoresCase && !/^[\0-\x7f]*$/.test(pattern)) return undefined;
    const changed = ignoresCase ? inAnyCase : asItIs.preimage;
    const parts = pattern.match(/\\[\\*]|[^\\]/gsu) ?? [];
    if (parts.join("") !== pattern) return undefined;
    return this.#languages.join(
      ...parts.flatMap((part) =>
        part === "*"
          ? [this.#languages.all]
          : bytesOf(part.replace(/^\\(?=.)/s, "")).map((byte) => this.#byte(byte, changed)),
      ),
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

const opposites: Readonly<Record<string, string>> = { ne: "eq", gt: "le", ge: "lt" };

/** By the name of a function or an operator. */
const partTests: Readonly<Record<string, (value: string, part: string) => boolean>> = {
  contains: (value, part) => value.includes(part),
  starts_with: (value, part) => value.startsWith(part),
  ends_with: (value, part) => value.endsWith(part),
};

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

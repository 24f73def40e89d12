import type { TextValue } from "../expression-tree.ts";
import { bytesOf } from "../read/read-string-literal.ts";
import { byteRange, capitals, type Language, type Languages, smallLetters } from "./languages.ts";
import { patternLanguage } from "./pattern-language.ts";

/** The bytes for which a function gives one of some bytes. */
export type Preimage = (bytes: bigint) => bigint;

/** What is compared as it is. */
export const asItIs: Preimage = (bytes) => bytes;

/** For which bytes `lower` gives one of `bytes`: it changes ASCII only. */
export const lowerPreimage: Preimage = (bytes) =>
  (bytes & ~capitals) | ((bytes & smallLetters) >> 32n);

/** For which bytes `upper` gives one of `bytes`. */
export const upperPreimage: Preimage = (bytes) =>
  (bytes & ~smallLetters) | ((bytes & capitals) << 32n);

const inAnyCase: Preimage = (bytes) =>
  bytes | ((bytes & smallLetters) >> 32n) | ((bytes & capitals) << 32n);

/**
 * The texts that fulfil conditions, where they are compared after a function that changes each byte
 * by itself.
 */
export class TextLanguages {
  readonly #languages: Languages;
  readonly #preimage: Preimage;

  constructor(languages: Languages, preimage: Preimage = asItIs) {
    this.#languages = languages;
    this.#preimage = preimage;
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

  #byte(byte: number, changed: Preimage = asItIs): Language {
    return this.#languages.bytes(this.#preimage(changed(1n << BigInt(byte))));
  }

  #glob(pattern: string, ignoresCase: boolean): Language | undefined {
    // Whether letters beyond ASCII have a case here is not documented.
    if (ignoresCase && !/^[\0-\x7f]*$/.test(pattern)) return undefined;
    const changed = ignoresCase ? inAnyCase : asItIs;
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

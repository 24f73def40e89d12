import { aliasOf, expressionFields, isResponseField } from "../expression-fields.ts";
import {
  type Argument,
  type CallOperand,
  type Comparison,
  comparedValues,
  type Operand,
} from "../expression-tree.ts";
import { everyAddress, networkIn } from "../ip-address.ts";
import { common, complement, everyInteger, type NumberSet, numbersOf } from "../number-sets.ts";
import { isOperand, typeOfOperand } from "../operand-type.ts";
import { printOperand } from "../print-expression.ts";
import { byteText, bytesOf } from "../read/read-string-literal.ts";
import { asItIs, type ByteChange, inTurn, lowerChange, upperChange } from "./byte-change.ts";
import { lowerCaseFields, numbersOfField, patternOfField } from "./field-facts.ts";
import { KnownTexts, type TextCondition } from "./known-texts.ts";
import type { Language, Languages } from "./languages.ts";
import { type Slice, sliced, sliceOf, textsWithSlice } from "./slice.ts";
import type { TextLanguages } from "./text-languages.ts";

interface KnownValue {
  /**
   * Whether there is certainly a value: an entry of a list or a map can be missing, and a field of
   * the response.
   */
  readonly isPresent: boolean;
  /** What its text fulfils. */
  readonly texts: KnownTexts;
  /** Every number or address that it can be. */
  readonly numbers: NumberSet;
}

/** What conditions say of the values of their operands. */
export class KnownValues {
  readonly #languages: Languages;
  readonly #texts: TextLanguages;
  readonly #zone: string | undefined;
  readonly #values: Map<string, KnownValue>;

  /** @param zone the zone whose requests are meant; without it, those of any zone */
  constructor(
    languages: Languages,
    texts: TextLanguages,
    zone: string | undefined,
    values: ReadonlyMap<string, KnownValue> = new Map(),
  ) {
    this.#languages = languages;
    this.#texts = texts;
    this.#zone = zone;
    this.#values = new Map(values);
  }

  copy(): KnownValues {
    return new KnownValues(this.#languages, this.#texts, this.#zone, this.#values);
  }

  /** Whether every operand can have a value. */
  arePossible(): boolean {
    return this.#values
      .values()
      .every(
        ({ isPresent, texts, numbers }) => !isPresent || (numbers.length > 0 && !texts.isNone),
      );
  }

  /** A text that the value of a field can be, of those that match a pattern: `usual` if possible. */
  textOf(field: string, pattern: string, usual: string): string | undefined {
    const texts = this.#texts;
    const possible = this.#languages.every([
      (this.#values.get(aliasOf(field))?.texts ?? this.#textsOfField(field)).language,
      texts.where("matches", { text: pattern }) ?? this.#languages.none,
    ]);
    if (this.#languages.has(possible, bytesOf(usual))) return usual;
    return this.#languages.exampleOf(possible)?.map(byteText).join("");
  }

  /** A text that the value of a field certainly can be; `undefined` if none was needed or found. */
  exampleOf(field: string): string | undefined {
    return this.#values.get(field)?.texts.example;
  }

  /** A number or an address that the value of a field can be: one from 0 if possible. */
  numberOf(field: string): bigint | undefined {
    const numbers = this.#values.get(aliasOf(field))?.numbers ?? [[0n, 0n] as const];
    const [first, last] = numbers.find(([, end]) => end >= 0n) ?? numbers.at(-1) ?? [];
    if (first === undefined || last === undefined || first >= 0n) return first;
    return last < 0n ? last : 0n;
  }

  /** Notes that a comparison holds or fails; returns whether it can. */
  compare(comparison: Comparison, holds: boolean): boolean {
    const { left, operator, right } = comparison;
    // A comparison with a value that is missing fails, except ne.
    const isPresent = holds && operator !== "ne";
    if (isOperand(right)) {
      const outcome = isSame(left, right) ? outcomeWithItself[operator] : undefined;
      return outcome === undefined || outcome === holds;
    }
    const type = typeOfOperand(left);
    if (type === "String") this.#compareTexts(comparison, holds, isPresent);
    if (type !== "Integer" && type !== "IP") return true;
    if (operator === "bitwise_and") {
      return !holds || right.kind !== "integer" || right.value !== 0n;
    }
    const numbers = numbersOf(comparison);
    if (numbers !== undefined) this.#restrictNumbers(left, holds, isPresent, numbers);
    return true;
  }

  /** Notes that a call holds or fails; returns whether it can. */
  call({ name, arguments: [subject, text] }: CallOperand, holds: boolean): boolean {
    if (subject === undefined || text === undefined || !isOperand(subject)) return true;
    if (name === "ip_in_range" && text.kind === "text") {
      const network = networkIn(text.text);
      if (network !== undefined) this.#restrictNumbers(subject, holds, holds, [network]);
      return true;
    }
    if (!["starts_with", "ends_with", "contains"].includes(name)) return true;
    if (isOperand(text)) return holds || !isSame(subject, text);
    if (text.kind !== "text") return true;
    this.#restrictTexts(subject, holds, holds, (change) =>
      this.#texts.after(change).condition(name, [text]),
    );
    return true;
  }

  #compareTexts(comparison: Comparison, holds: boolean, isPresent: boolean): void {
    const { left, operator } = comparison;
    const values = comparedValues(comparison);
    const texts = values.filter((value) => value.kind === "text");
    if (texts.length < values.length) return;
    this.#restrictTexts(left, holds, isPresent, (change) =>
      this.#texts.after(change).condition(operator, texts),
    );
  }

  #restrictTexts(
    operand: Operand,
    holds: boolean,
    isPresent: boolean,
    conditionFor: (change: ByteChange) => TextCondition | undefined,
  ): void {
    const { inner, change, slices } = unwrapped(operand);
    const condition = conditionFor(change);
    if (condition === undefined) return;
    const allowed = slices.reduce(
      (part, slice) => this.#ofSlice(slice, part),
      holds ? condition : this.#texts.not(condition),
    );
    this.#note(inner, isPresent, ({ texts, numbers }) => ({
      texts: texts.with(allowed),
      numbers,
    }));
  }

  /** That a part of a text fulfils a condition. */
  #ofSlice(slice: Slice, { language, test, examples }: TextCondition): TextCondition {
    return {
      language: () => textsWithSlice(slice, language(), this.#languages),
      test: test && ((text) => test(sliced(text, slice))),
      ...(examples && { examples }),
    };
  }

  #restrictNumbers(operand: Operand, holds: boolean, isPresent: boolean, numbers: NumberSet): void {
    const isAddress = typeOfOperand(operand) === "IP";
    const allowed = holds ? numbers : complement(numbers, isAddress ? everyAddress : everyInteger);
    const [text] = operand.kind === "call" && operand.name === "len" ? operand.arguments : [];
    if (text !== undefined && isOperand(text) && typeOfOperand(text) === "String") {
      this.#restrictTexts(text, true, isPresent, (change) => {
        const language = this.#ofLengths(allowed, this.#texts.after(change));
        return language && { language: () => language };
      });
    }
    this.#note(operand, isPresent, ({ texts, numbers: known }) => ({
      texts,
      numbers: common(known, allowed),
    }));
  }

  /**
   * The texts of some lengths; `undefined` if they are too long to decide more than their length.
   */
  #ofLengths(lengths: NumberSet, texts: TextLanguages): Language | undefined {
    const isShort = lengths.every(
      ([first, last]) => first <= maxLength && (last < maxLength || last === everyInteger[1]),
    );
    if (!isShort) return undefined;
    return this.#languages.some(
      lengths.map(([first, last]) => {
        const long = texts.atLeast(Math.max(0, Number(first)));
        if (last < 0n) return this.#languages.none;
        if (last === everyInteger[1]) return long;
        return this.#languages.every([long, this.#languages.not(texts.atLeast(Number(last) + 1))]);
      }),
    );
  }

  #note(
    operand: Operand,
    isPresent: boolean,
    change: (known: KnownValue) => Pick<KnownValue, "texts" | "numbers">,
  ): void {
    const name = nameOf(operand);
    const known = this.#values.get(name) ?? {
      isPresent: isAlwaysPresent(operand),
      texts: this.#textsOf(operand),
      numbers: numbersOfOperand(operand),
    };
    this.#values.set(name, { isPresent: known.isPresent || isPresent, ...change(known) });
  }

  #textsOf(operand: Operand): KnownTexts {
    if (operand.kind === "field" && operand.indexes.length === 0) {
      return this.#textsOfField(operand.name);
    }
    const language = this.#languageOf(operand);
    const any = new KnownTexts(this.#languages);
    return language === this.#languages.all ? any : any.with({ language: () => language });
  }

  #languageOf(operand: Argument): Language {
    if (operand.kind === "text") return this.#texts.oneOf([operand.text]);
    if (!isOperand(operand) || operand.indexes.length > 0) return this.#languages.all;
    if (operand.kind === "field") return this.#textsOfField(operand.name).language;
    return operand.name === "concat" && operand.arguments.length > 1
      ? this.#languages.join(...operand.arguments.map((each) => this.#languageOf(each)))
      : this.#languages.all;
  }

  #textsOfField(field: string): KnownTexts {
    const any = new KnownTexts(this.#languages);
    const pattern = patternOfField(field, this.#zone);
    return pattern === undefined ? any : any.with(this.#texts.fieldCondition(pattern));
  }
}

/** Longer texts are counted as numbers only. */
const maxLength = 300n;

/** What the comparison of a value with itself gives. */
const outcomeWithItself: Partial<Record<Comparison["operator"], boolean>> = {
  eq: true,
  ne: false,
  lt: false,
  le: true,
  gt: false,
  ge: true,
};

/**
 * The name under which the value of an operand is known: old names of a field have the same value.
 */
function nameOf(operand: Operand): string {
  return aliasOf(printOperand(operand));
}

/** Whether two operands certainly have one value. */
function isSame(a: Operand, b: Operand): boolean {
  return isAlwaysPresent(a) && nameOf(unfolded(a)) === nameOf(unfolded(b));
}

/** Without a `lower` that changes nothing. */
function unfolded(operand: Operand): Operand {
  if (operand.kind !== "call" || operand.name !== "lower") return operand;
  const [inner] = operand.arguments;
  return inner?.kind === "field" && lowerCaseFields.has(inner.name) ? inner : operand;
}

/** An operand below functions that are undone for a condition on their result. */
interface Unwrapped {
  readonly inner: Operand;
  /** What `lower` and `upper` do to its bytes. */
  readonly change: ByteChange;
  /** What `substring` takes of it, the last one first: bytes change by themselves, so that the order of both is free. */
  readonly slices: readonly Slice[];
}

function unwrapped(operand: Operand): Unwrapped {
  const nothing = { inner: operand, change: asItIs, slices: [] };
  const isWhole = operand.indexes.every(({ kind }) => kind === "each");
  if (operand.kind !== "call" || !isWhole) return nothing;
  const own =
    operand.name === "lower" ? lowerChange : operand.name === "upper" ? upperChange : undefined;
  const slice = sliceOf(operand);
  const [argument, ...more] = operand.arguments;
  const isUndone = slice !== undefined || (own !== undefined && more.length === 0);
  if (!isUndone || argument === undefined || !isOperand(argument)) return nothing;
  const { inner, change, slices } = unwrapped(argument);
  return slice === undefined
    ? { inner, change: own === undefined ? change : inTurn(change, own), slices }
    : { inner, change, slices: [slice, ...slices] };
}

function numbersOfOperand(operand: Operand): NumberSet {
  const isAddress = typeOfOperand(operand) === "IP";
  if (operand.kind === "call" || operand.indexes.length > 0) {
    const least = operand.kind === "call" && operand.name === "len" ? 0n : everyInteger[0];
    return [isAddress ? everyAddress : [least, everyInteger[1]]];
  }
  return numbersOfField(operand.name) ?? [isAddress ? everyAddress : everyInteger];
}

/** Functions that have a value for each value of their arguments. */
const totalFunctions = new Set([
  "lower",
  "upper",
  "len",
  "concat",
  "substring",
  "to_string",
  "url_decode",
]);

/** Whether an operand has a value in every request; one for each element, in each element. */
function isAlwaysPresent(operand: Operand): boolean {
  const last = operand.indexes.at(-1);
  if (last !== undefined) return last.kind === "each";
  if (operand.kind === "field") {
    return expressionFields.has(operand.name) && !isResponseField(operand.name);
  }
  return (
    totalFunctions.has(operand.name) &&
    operand.arguments.every((each) => !isOperand(each) || isAlwaysPresent(each))
  );
}

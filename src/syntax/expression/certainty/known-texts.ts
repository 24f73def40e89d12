import type { Language, Languages } from "./languages.ts";

/** What one condition says of a text. Each character of a text is one byte. */
export interface TextCondition {
  /** Every text that fulfils it. */
  readonly language: () => Language;
  /** Whether a text fulfils it; without this, only the language tells. */
  readonly test?: ((text: string) => boolean) | undefined;
  /** Some texts that are likely to fulfil it. */
  readonly examples?: readonly string[];
  /** Whether no other text than its examples fulfils it. */
  readonly hasOnlyExamples?: boolean;
  /** How each text that fulfils it starts, perhaps with other capitals. */
  readonly start?: string | undefined;
  /** How it ends, likewise. */
  readonly end?: string | undefined;
}

/**
 * Conditions that one text must fulfil. An example decides most of them, which costs far less than
 * their languages and gives the same answer.
 */
export class KnownTexts {
  readonly #languages: Languages;
  readonly #conditions: readonly TextCondition[];
  #language: Language | undefined;
  #isTried = false;
  #examples: readonly string[] | undefined;

  constructor(languages: Languages, conditions: readonly TextCondition[] = []) {
    this.#languages = languages;
    this.#conditions = conditions;
  }

  with(condition: TextCondition): KnownTexts {
    return new KnownTexts(this.#languages, [...this.#conditions, condition]);
  }

  /** Every text that fulfils all conditions. */
  get language(): Language {
    this.#language ??= this.#languages.every(this.#conditions.map(({ language }) => language()));
    return this.#language;
  }

  /** A text that certainly fulfils all conditions, if one of the examples does. */
  get example(): string | undefined {
    return this.#decided()?.[0];
  }

  /** Whether certainly no text fulfils all conditions. */
  get isNone(): boolean {
    const examples = this.#decided();
    return examples === undefined ? this.#languages.isNone(this.language) : examples.length === 0;
  }

  #decided(): readonly string[] | undefined {
    if (!this.#isTried) this.#examples = examplesFor(this.#conditions);
    this.#isTried = true;
    return this.#examples;
  }
}

/**
 * One example that fulfils all conditions; empty if certainly no text does, and `undefined` if the
 * examples do not tell.
 */
function examplesFor(conditions: readonly TextCondition[]): readonly string[] | undefined {
  const only = conditions.find(({ hasOnlyExamples }) => hasOnlyExamples);
  const candidates = only?.examples ?? [
    ...conditions.flatMap(({ examples = [] }) => examples.slice(0, maxExamples)),
    ...anyTexts,
  ];
  const tests = conditions.flatMap(({ test }) => test ?? []);
  const found = candidates.find((text) => tests.every((test) => test(text)));
  if (found === undefined) return only === undefined && canMeet(conditions) ? undefined : [];
  return tests.length === conditions.length ? [found] : undefined;
}

/** Whether a text can start and end as all conditions say: each start is a part of a longer one. */
function canMeet(conditions: readonly TextCondition[]): boolean {
  const starts = conditions.map(({ start = "" }) => start.toLowerCase());
  const ends = conditions.map(({ end = "" }) => end.toLowerCase());
  const [longestStart, longestEnd] = [longestOf(starts), longestOf(ends)];
  return (
    starts.every((start) => longestStart.startsWith(start)) &&
    ends.every((end) => longestEnd.endsWith(end))
  );
}

function longestOf(texts: readonly string[]): string {
  return texts.reduce((longest, text) => (text.length > longest.length ? text : longest), "");
}

/** More would often all fail alike. */
const maxExamples = 4;

/** Values that fields have. */
const anyTexts = ["/", "a", "A", ""];

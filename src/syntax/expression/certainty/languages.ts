/**
 * A set of texts, each a sequence of bytes. Equal sets of one {@link Languages} are the same object
 * if that is known.
 */
export interface Language {
  readonly id: number;
  readonly shape: Shape;
  /** Whether the empty text is in it. */
  readonly hasEmpty: boolean;
}

type Shape =
  | { readonly kind: "byte"; readonly bytes: bigint }
  | { readonly kind: "empty" }
  | { readonly kind: "join"; readonly first: Language; readonly rest: Language }
  | { readonly kind: "repeat" | "not"; readonly item: Language }
  | { readonly kind: "some" | "every"; readonly items: readonly Language[] };

/** All 256 bytes: a set of bytes is a number with one bit for each of them. */
export const anyByte: bigint = (1n << 256n) - 1n;

/** The bytes from the first to the last, both included. */
export function byteRange(first: number, last: number): bigint {
  return last < first ? 0n : ((1n << BigInt(last - first + 1)) - 1n) << BigInt(first);
}

export const capitals: bigint = byteRange(0x41, 0x5a);
export const smallLetters: bigint = byteRange(0x61, 0x7a);

/** Steps that may be spent on the languages of one expression: more would take too long. */
const maxSteps = 20_000;

/**
 * Makes languages and decides whether one has no texts: with the derivatives of Brzozowski (1964),
 * since these need no automaton for `and` and `not`.
 */
export class Languages {
  /** No text. */
  readonly none: Language;
  /** The empty text only. */
  readonly empty: Language;
  /** Every text. */
  readonly all: Language;
  /** Every single byte. */
  readonly any: Language;
  readonly #known = new Map<string, Language>();
  readonly #classes = new Map<Language, readonly bigint[]>();
  readonly #withoutTexts = new Map<Language, boolean>();
  #steps = 0;

  constructor() {
    this.none = this.#made("none", { kind: "byte", bytes: 0n }, false);
    this.empty = this.#made("empty", { kind: "empty" }, true);
    this.any = this.#made("any", { kind: "byte", bytes: anyByte }, false);
    this.all = this.#made("all", { kind: "repeat", item: this.any }, true);
  }

  /** Whether so many steps were spent that a language counts as having texts. */
  get gaveUp(): boolean {
    return this.#steps > maxSteps;
  }

  /** The texts of one byte out of a set. */
  bytes(bytes: bigint): Language {
    if (bytes === anyByte) return this.any;
    return bytes === 0n
      ? this.none
      : this.#made(`b${bytes.toString(32)}`, { kind: "byte", bytes }, false);
  }

  /** A text of each part in turn. */
  join(...parts: readonly Language[]): Language {
    return parts.reduceRight((rest, first) => this.#joined(first, rest), this.empty);
  }

  /** Any number of texts of `item` in turn, or none. */
  repeat(item: Language): Language {
    if (item === this.none || item === this.empty) return this.empty;
    if (item.shape.kind === "repeat") return item;
    return item === this.any ? this.all : this.#made(`r${item.id}`, { kind: "repeat", item }, true);
  }

  /** The texts that are not in `item`. */
  not(item: Language): Language {
    if (item.shape.kind === "not") return item.shape.item;
    if (item === this.none) return this.all;
    return item === this.all
      ? this.none
      : this.#made(`n${item.id}`, { kind: "not", item }, !item.hasEmpty);
  }

  /** The texts that are in at least one. */
  some(items: readonly Language[]): Language {
    return this.#combined("some", items, this.none, this.all);
  }

  /** The texts that are in all of them. */
  every(items: readonly Language[]): Language {
    return this.#combined("every", items, this.all, this.none);
  }

  /** Whether there is certainly no text in it. */
  isNone(language: Language): boolean {
    const known = this.#withoutTexts.get(language);
    if (known !== undefined) return known;
    const seen = new Set([language]);
    const open = [language];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const found = next.hasEmpty ? false : this.#withoutTexts.get(next);
      if (found === true) continue;
      if (found === false || this.gaveUp) {
        this.#withoutTexts.set(language, false);
        return false;
      }
      for (const bytes of this.#classesOf(next)) {
        const after = this.#after(next, bytes);
        if (after === this.none || seen.has(after)) continue;
        seen.add(after);
        open.push(after);
      }
    }
    for (const each of seen) this.#withoutTexts.set(each, true);
    return true;
  }

  /** Whether a text, as bytes, is in a language. */
  has(language: Language, text: readonly number[]): boolean {
    return text.reduce((rest, byte) => this.#after(rest, 1n << BigInt(byte)), language).hasEmpty;
  }

  /** The bytes of one of the shortest texts of a language; `undefined` if none is found. */
  exampleOf(language: Language): readonly number[] | undefined {
    const open: { readonly language: Language; readonly bytes: readonly number[] }[] = [
      { language, bytes: [] },
    ];
    const seen = new Set([language]);
    const most = this.#steps + maxSteps;
    for (const { language: next, bytes } of open) {
      if (next.hasEmpty) return bytes;
      if (this.#steps > most) return undefined;
      for (const some of this.#classesOf(next)) {
        const after = this.#after(next, some);
        if (after === this.none || seen.has(after)) continue;
        seen.add(after);
        open.push({ language: after, bytes: [...bytes, firstOf(some)] });
      }
    }
    return undefined;
  }

  #made(key: string, shape: Shape, hasEmpty: boolean): Language {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const made = { id: this.#known.size, shape, hasEmpty };
    this.#known.set(key, made);
    return made;
  }

  #joined(first: Language, rest: Language): Language {
    if (first === this.none || rest === this.none) return this.none;
    if (first === this.empty) return rest;
    if (rest === this.empty || (first === this.all && rest === this.all)) return first;
    if (first.shape.kind === "join") {
      return this.#joined(first.shape.first, this.#joined(first.shape.rest, rest));
    }
    const hasEmpty = first.hasEmpty && rest.hasEmpty;
    return this.#made(`j${first.id},${rest.id}`, { kind: "join", first, rest }, hasEmpty);
  }

  #combined(
    kind: "some" | "every",
    items: readonly Language[],
    neutral: Language,
    final: Language,
  ): Language {
    const flat = items.flatMap((item) => (item.shape.kind === kind ? item.shape.items : [item]));
    const own = new Set(flat);
    own.delete(neutral);
    if (own.has(final)) return final;
    const [only, ...more] = own;
    if (only === undefined) return neutral;
    if (more.length === 0) return only;
    const sorted = [...own].toSorted((a, b) => a.id - b.id);
    const hasEmpty = sorted[kind === "some" ? "some" : "every"]((item) => item.hasEmpty);
    const key = `${kind}${sorted.map(({ id }) => id).join(",")}`;
    return this.#made(key, { kind, items: sorted }, hasEmpty);
  }

  /** What may follow in a text of the language after one of `bytes`, which all lead to the same. */
  #after(language: Language, bytes: bigint): Language {
    this.#steps += 1;
    const { shape } = language;
    switch (shape.kind) {
      case "byte":
        return (shape.bytes & bytes) === 0n ? this.none : this.empty;
      case "empty":
        return this.none;
      case "join": {
        const after = this.#joined(this.#after(shape.first, bytes), shape.rest);
        return shape.first.hasEmpty ? this.some([after, this.#after(shape.rest, bytes)]) : after;
      }
      case "repeat":
        return language === this.all
          ? language
          : this.#joined(this.#after(shape.item, bytes), language);
      case "not":
        return this.not(this.#after(shape.item, bytes));
      case "some":
      case "every":
        return this[shape.kind](shape.items.map((item) => this.#after(item, bytes)));
    }
  }

  /** Sets that together are all bytes, each of bytes that lead to the same. */
  #classesOf(language: Language): readonly bigint[] {
    const known = this.#classes.get(language);
    if (known !== undefined) return known;
    const classes = this.#freshClassesOf(language.shape);
    this.#classes.set(language, classes);
    return classes;
  }

  #freshClassesOf(shape: Shape): readonly bigint[] {
    switch (shape.kind) {
      case "byte":
        return [shape.bytes, anyByte ^ shape.bytes].filter((bytes) => bytes !== 0n);
      case "empty":
        return [anyByte];
      case "join":
        return shape.first.hasEmpty
          ? this.#refined([shape.first, shape.rest])
          : this.#classesOf(shape.first);
      case "repeat":
      case "not":
        return this.#classesOf(shape.item);
      case "some":
      case "every":
        return this.#refined(shape.items);
    }
  }

  #refined(languages: readonly Language[]): readonly bigint[] {
    return languages.reduce<readonly bigint[]>(
      (classes, language) => {
        const others = this.#classesOf(language);
        if (others.length === 1) return classes;
        this.#steps += classes.length;
        return classes.flatMap((bytes) =>
          others.map((other) => bytes & other).filter((common) => common !== 0n),
        );
      },
      [anyByte],
    );
  }
}

/** The first letter among some bytes, else the first byte. */
function firstOf(bytes: bigint): number {
  const some = bytes & smallLetters || bytes & capitals || bytes;
  return (some & -some).toString(2).length - 1;
}

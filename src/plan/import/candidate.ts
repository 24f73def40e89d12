import type { Kind } from "../../zone/resource.ts";

/** A live thing that could be declared. */
export interface Candidate<T> {
  readonly id: string;
  readonly title: string;
  /** Ways to declare it that mean the same, the most readable first. */
  readonly ways: readonly T[];
  /** Names of the fields that it carries and that we do not know. */
  readonly unknown: readonly string[];
}

/** A live thing that is not declared, or not all of it, and why. */
export interface LeftOut {
  readonly kind: Kind;
  readonly id: string;
  readonly title: string;
  readonly why: string;
}

/** What could be declared of a kind, and what cannot be from the outset. */
export interface Candidates<T> {
  readonly candidates: readonly Candidate<T>[];
  readonly leftOut: readonly LeftOut[];
}

/** Parts live things into what could be declared and what cannot. */
export function candidatesOf<L, T>(
  kind: Kind,
  live: readonly L[],
  read: (each: L) => Candidate<T> | Omit<LeftOut, "kind">,
): Candidates<T> {
  const candidates: Candidate<T>[] = [];
  const leftOut: LeftOut[] = [];
  for (const each of live.map(read)) {
    if ("why" in each) leftOut.push({ kind, ...each });
    else candidates.push(each);
  }
  return { candidates, leftOut };
}

/** Gives things keys that are unique within their zone; those of marked things are reserved from the beginning. */
export class Keys {
  readonly #reserved: ReadonlySet<string>;
  readonly #given = new Set<string>();

  constructor(reserved: Iterable<string>) {
    this.#reserved = new Set(reserved);
  }

  /** The key of a mark; `undefined` where something has it already. */
  claim(key: string): string | undefined {
    if (this.#given.has(key)) return undefined;
    this.#given.add(key);
    return key;
  }

  /** A new key, made of the first of `words` that holds a letter or digit, else of `otherwise`. */
  keyFor(words: readonly string[], otherwise: string): string {
    const base = words.map(slug).find((each) => each !== "") ?? otherwise;
    for (let count = 1; ; count += 1) {
      const key = count === 1 ? base : `${base}-${count}`;
      if (!this.#reserved.has(key) && this.claim(key) !== undefined) return key;
    }
  }
}

/** Longer keys are allowed, but nobody likes to read them. */
const longestSlug = 40;

/** Words as a key: `Scripts of the Café` becomes `scripts-of-the-cafe`. */
function slug(text: string): string {
  const words = text
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "");
  if (words.length <= longestSlug) return words;
  const cut = words.slice(0, longestSlug + 1).lastIndexOf("-");
  return words.slice(0, cut > 0 ? cut : longestSlug);
}

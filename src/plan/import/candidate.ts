import type { Kind } from "../../zone/resource.ts";
import type { Unmanaged } from "../write-order.ts";

/** A live resource that can be declared. */
export interface Importable<T> {
  readonly id: string;
  readonly title: string;
  /** Equivalent declarations, the most readable first. */
  readonly options: readonly T[];
  /** Names of its fields that zonewarden does not know. */
  readonly unknown: readonly string[];
}

/** A live resource and its declaration. */
export interface Choice<T> {
  readonly candidate: Importable<T>;
  readonly item: T;
}

/** A live resource that the declaration omits, in whole or in part, and why. */
export interface LeftOut extends Unmanaged {
  readonly reason: string;
  /** Whether it is left out only because of another one. */
  readonly isFollowUp?: boolean;
}

/** The live resources of a kind: those that can be declared, and those that cannot. */
export interface Candidates<T> {
  readonly candidates: readonly Importable<T>[];
  readonly leftOut: readonly LeftOut[];
}

/** What is declared of a kind, and what is not. */
export interface DeclaredKind<T> {
  readonly choices: readonly Choice<T>[];
  readonly leftOut: readonly LeftOut[];
}

/** Splits live resources into candidates and the rest. */
export function candidatesOf<L, T>(
  kind: Kind,
  live: readonly L[],
  read: (each: L) => Importable<T> | Omit<LeftOut, "kind">,
): Candidates<T> {
  const candidates: Importable<T>[] = [];
  const leftOut: LeftOut[] = [];
  for (const each of live.map(read)) {
    if ("reason" in each) leftOut.push({ kind, ...each });
    else candidates.push(each);
  }
  return { candidates, leftOut };
}

/** Generates keys that are unique within a zone; the keys of marked resources are reserved. */
export class Keys {
  readonly #reserved: ReadonlySet<string>;
  readonly #zone: string;
  readonly #given = new Set<string>();

  constructor(reserved: Iterable<string>, zone: string) {
    this.#reserved = new Set(reserved);
    this.#zone = zone;
  }

  /** The key of a mark; `undefined` if it is taken. */
  claim(key: string): string | undefined {
    if (this.#given.has(key)) return undefined;
    this.#given.add(key);
    return key;
  }

  /**
   * A new key from the first of `texts` that holds a letter or digit, else from `fallback`. Without
   * the name of the zone, so that equal resources of several zones have the same key.
   */
  keyFor(texts: readonly string[], fallback: string): string {
    const words = texts.map((text) => slug(text.replaceAll(this.#zone, " ")));
    const base = words.find((each) => each !== "") ?? fallback;
    for (let count = 1; ; count += 1) {
      const key = count === 1 ? base : `${base}-${count}`;
      if (!this.#reserved.has(key) && this.claim(key) !== undefined) return key;
    }
  }
}

/** The length limit of generated keys. Declared keys may be longer. */
const longestSlug = 40;

/** A text as a key: `Scripts of the Café` becomes `scripts-of-the-cafe`. */
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

/** A mutant that no test can or should notice. */
export interface EquivalentMutant {
  readonly file: string;
  /** The change, as `npm run mutate` prints it. */
  readonly how: string;
  /** The line of the change without its indentation, where the file has the same change in several lines. */
  readonly line?: string;
  /** Why the program does the same for everyone who uses it. */
  readonly why: string;
}

/**
 * Survivors that were looked at. They count as survivors; `npm run mutate` does not list them again. A test fails if one is
 * not a mutant of its file any more.
 */
export const equivalentMutants: readonly EquivalentMutant[] = [];

type Entry = readonly [name: string, value: unknown];

/** Compares texts by character code, independent of the locale. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Compares values by a text, independent of the locale. */
export function byText<T>(textOf: (each: T) => string): (a: T, b: T) => number {
  return (a, b) => compareText(textOf(a), textOf(b));
}

/** Compares entries of a record by name. */
export const byEntryName: (a: Entry, b: Entry) => number = byText(([name]) => name);

/**
 * `text` with A to Z in lower case: hosts, schemes and keywords are case-insensitive for ASCII
 * only.
 */
export function asciiLower(text: string): string {
  return /[A-Z]/.test(text) ? text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase()) : text;
}

/** The names in a text, separated by white space. */
export function namesIn(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}

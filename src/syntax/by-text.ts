type Entry = readonly [name: string, value: unknown];

/** Compares texts by their characters' codes, the same on every machine. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Orders things by a text, the same on every machine. */
export function byText<T>(textOf: (each: T) => string): (a: T, b: T) => number {
  return (a, b) => compareText(textOf(a), textOf(b));
}

/** Orders entries of a record by their names. */
export const byEntryName: (a: Entry, b: Entry) => number = byText(([name]) => name);

/** `text` with A to Z folded to small letters; hosts, schemes and keywords know no other case. */
export function asciiLower(text: string): string {
  return text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

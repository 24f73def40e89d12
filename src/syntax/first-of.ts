/** The first of several texts, and how many more there are: `a, b and 3 more`. */
export function firstOf(texts: readonly string[], most: number): string {
  const shown = texts.slice(0, most).join(", ");
  return texts.length > most ? `${shown} and ${texts.length - most} more` : shown;
}

/** All of several texts, as a sentence lists them: `a, b and c`. */
export function allOf(texts: readonly string[]): string {
  const last = texts.at(-1) ?? "";
  return texts.length < 2 ? last : `${texts.slice(0, -1).join(", ")} and ${last}`;
}

/** The first of several texts, and how many more there are: `a, b and 3 more`. */
export function firstOf(texts: readonly string[], most: number): string {
  const shown = texts.slice(0, most).join(", ");
  return texts.length > most ? `${shown} and ${texts.length - most} more` : shown;
}

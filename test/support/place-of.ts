/** Line and column of `part` in `whole`, which is in a text: `3:14`. */
export function placeOf(text: string, whole: string, part: string): string {
  const before = text.slice(0, text.indexOf(part, text.indexOf(whole))).split("\n");
  return `${before.length}:${(before.at(-1)?.length ?? 0) + 1}`;
}

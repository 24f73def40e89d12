/** Tells whether a text fits a pattern; without a pattern every text does. `*` stands for any run of characters. */
export function matcherOf(pattern: string | undefined): (text: string) => boolean {
  if (pattern === undefined) return () => true;
  const parts = pattern.toLowerCase().split("*");
  return (text) => fits(parts, text.toLowerCase());
}

/**
 * Looks for the parts one after the other, each as early as possible; the last one must be the end. Unlike a
 * regular expression this never goes back, so no pattern is slow.
 */
function fits(parts: readonly string[], text: string): boolean {
  const [first = "", ...rest] = parts;
  const last = rest.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  let from = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, from);
    if (found === -1) return false;
    from = found + part.length;
  }
  return text.length - last.length >= from && text.endsWith(last);
}

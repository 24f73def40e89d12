/** Whether `pattern`, in which `*` matches any run of characters, matches the whole of `text`. */
export function matchesGlob(pattern: string, text: string): boolean {
  return fits(pattern.split("*"), text);
}

/** The same ignoring case, prepared for many texts. */
export function globIgnoringCase(pattern: string): (text: string) => boolean {
  const pieces = pattern.toLowerCase().split("*");
  return (text) => fits(pieces, text.toLowerCase());
}

/**
 * Whether a text is made of the pieces in order, with anything between them. Finds each as early as
 * possible: unlike a regular expression this never backtracks.
 */
export function fits([head = "", ...rest]: readonly string[], text: string): boolean {
  const tail = rest.pop();
  if (tail === undefined) return text === head;
  if (!text.startsWith(head) || !text.endsWith(tail)) return false;
  let position = head.length;
  for (const piece of rest) {
    const found = text.indexOf(piece, position);
    if (found < 0) return false;
    position = found + piece.length;
  }
  return position + tail.length <= text.length;
}

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
 * Finds the pieces in order, each as early as possible. Unlike a regular expression this never
 * backtracks.
 */
function fits([head = "", ...rest]: readonly string[], text: string): boolean {
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

/** Whether some text matches both patterns; for very long ones the result can be a wrong `true`. */
export function globsMeet(a: string, b: string): boolean {
  if (!a.includes("*")) return matchesGlob(b, a);
  if (!b.includes("*")) return matchesGlob(a, b);
  if (a.length * b.length > 65_536) return true;
  // meets[j]: whether some text matches the rest of `a` after row i and the rest of `b` from j on.
  let meets = Array.from({ length: b.length + 1 }, (_, j) => /^\**$/.test(b.slice(j)));
  for (let i = a.length - 1; i >= 0; i -= 1) {
    const below = meets;
    meets = Array.from({ length: b.length + 1 }, () => false);
    for (let j = b.length; j >= 0; j -= 1) {
      // A star matches nothing (it is skipped) or what the other pattern has here (that is
      // skipped).
      const hasStar = a[i] === "*" || b[j] === "*";
      const rests = hasStar ? [below[j], meets[j + 1]] : [a[i] === b[j] && below[j + 1]];
      meets[j] = rests.includes(true);
    }
  }
  return meets[0] ?? false;
}

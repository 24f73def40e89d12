/**
 * The offset in a file of a character of a scalar's value, where the scalar stands at `start`: exact where the
 * value up to there stands in the file as it is (on one line, without escapes), else where the scalar begins.
 */
export function offsetInScalar(text: string, start: number, value: string, offset: number): number {
  const written = value.slice(0, offset + 1);
  if (written.includes("\n")) return start;
  const places = [start, start + 1, blockStart(text, start)];
  const begin = places.find((at) => text.startsWith(written, at));
  return begin === undefined ? start : begin + offset;
}

/** Where the first line of a block scalar begins, behind its header and indentation. */
function blockStart(text: string, start: number): number {
  const header = /[|>][^\n]*\n\s*/y;
  header.lastIndex = start;
  return header.test(text) ? header.lastIndex : start;
}

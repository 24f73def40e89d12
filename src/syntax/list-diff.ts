import { diff, type DiffEntry } from "node:util";

/**
 * The entries of two lists in one order, with the side that has them: 1 is only before, -1 only after, 0 on both sides.
 *
 * @param most of longer lists together there is no difference: the comparison is quadratic and blocks the process
 * @returns `undefined` if the lists are too long, or one of them is empty, which the library does not compare
 */
export function listDiff(
  before: readonly string[],
  after: readonly string[],
  most: number,
): readonly DiffEntry[] | undefined {
  const isEmpty = before.length === 0 || after.length === 0;
  return isEmpty || before.length + after.length > most ? undefined : diff(before, after);
}

/** Adds one to the count of each name. `counts` has every possible name. */
export function addCounts<T extends string>(
  counts: Readonly<Record<T, number>>,
  names: Iterable<T>,
): Readonly<Record<T, number>> {
  const sums: Record<T, number> = { ...counts };
  for (const name of names) sums[name] += 1;
  return sums;
}

/**
 * A copy of a list that grew, without its spare capacity of up to 16 items. For short lists of
 * which many are kept.
 */
export function trimmed<T>(list: readonly T[]): readonly T[] {
  return list.slice();
}

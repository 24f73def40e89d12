/** The items that have the name of an earlier one, each with the first of that name. */
export function twins<T>(
  items: readonly T[],
  nameOf: (item: T) => string | undefined,
): readonly (readonly [item: T, first: T])[] {
  const named = new Map<string, T>();
  return items.flatMap((item) => {
    const name = nameOf(item);
    if (name === undefined) return [];
    const first = named.get(name);
    if (first !== undefined) return [[item, first] as const];
    named.set(name, item);
    return [];
  });
}

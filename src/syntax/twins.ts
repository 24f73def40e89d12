/** The items that have the name of an earlier one, each with the first of that name. */
export function twins<T>(
  items: readonly T[],
  nameOf: (item: T) => string | undefined,
): readonly (readonly [item: T, first: T])[] {
  const named = new Map<string | undefined, T>();
  return items.flatMap((item) => {
    const name = nameOf(item);
    const first = named.get(name);
    if (first !== undefined) return [[item, first] as const];
    if (name !== undefined) named.set(name, item);
    return [];
  });
}

/** Keeps the newest results under their keys; where there are `most`, all are dropped. */
export function remembered<T>(most: number): (key: string, make: () => T) => T {
  const known = new Map<string, T>();
  return (key, make) => {
    const found = known.get(key);
    if (found !== undefined) return found;
    const made = make();
    if (known.size >= most) known.clear();
    known.set(key, made);
    return made;
  };
}

/** The function, which computes its result for each object once: whoever shares the object shares the result. */
export function memoized<K extends object, T extends object | string>(
  compute: (key: K) => T,
): (key: K) => T {
  const known = new WeakMap<K, T>();
  return (key) => {
    const found = known.get(key);
    if (found !== undefined) return found;
    const result = compute(key);
    known.set(key, result);
    return result;
  };
}

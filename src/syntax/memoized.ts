/** The function, which computes its result for each object once: whoever shares the object shares the result. */
export function memoized<K extends object, T extends object | string>(
  compute: (key: K) => T,
): (key: K) => T {
  const known = new WeakMap<K, T>();
  return (key) => {
    const result = known.get(key) ?? compute(key);
    known.set(key, result);
    return result;
  };
}

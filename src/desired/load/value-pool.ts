/** A map or list with a longer key is not shared: equal ones are rare, and keys take memory too. */
const maxKeyLength = 2_000;

/**
 * Makes equal maps and lists of all files the same object: thousands of zones with the same rules
 * then share them in memory, and what is derived from them is derived once.
 *
 * What holds a new object is new itself, so it gets no key. It gets one when its parts come again:
 * a value is shared after it has come as often as it has levels.
 */
export class ValuePool {
  readonly #objects = new Map<string, object>();
  readonly #numbers = new Map<object, number>();

  /**
   * The value, in which the pool's objects replace equal ones. It changes `value`, which must be
   * plain data.
   */
  share(value: unknown): unknown {
    return isObject(value) ? this.#shareObject(value) : value;
  }

  #shareObject(object: object): object {
    // An alias repeats an object.
    if (this.#numbers.has(object)) return object;
    const key = this.#shareParts(object) ? this.#keyOf(object) : undefined;
    const known = key === undefined ? undefined : this.#objects.get(key);
    if (known !== undefined) return known;
    this.#numbers.set(object, this.#numbers.size);
    if (key !== undefined) this.#objects.set(key, object);
    return object;
  }

  /** Shares the parts of an object. Returns whether the pool knew all that are objects. */
  #shareParts(object: object): boolean {
    let areKnown = true;
    for (const name of Object.keys(object)) {
      const part: unknown = Reflect.get(object, name);
      if (!isObject(part)) continue;
      const count = this.#numbers.size;
      const shared = this.#shareObject(part);
      if (shared !== part) Reflect.set(object, name, shared);
      if (this.#numbers.size > count) areKnown = false;
    }
    return areKnown;
  }

  /**
   * A text that only equal objects have; `undefined` if it is too long. The lengths say where texts
   * end.
   */
  #keyOf(object: object): string | undefined {
    let key = Array.isArray(object) ? "[" : "{";
    for (const name of Object.keys(object)) {
      const value: unknown = Reflect.get(object, name);
      key += `${name.length}:${name}`;
      if (typeof value === "string") key += `"${value.length}:${value}`;
      // An object stands for all that are equal to it, so that its number is enough.
      else key += isObject(value) ? `#${this.#numbers.get(value)};` : `${String(value)};`;
      if (key.length > maxKeyLength) return undefined;
    }
    return key;
  }
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

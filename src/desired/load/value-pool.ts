/** A map or list with a longer key is not shared: equal ones are rare, and keys take memory too. */
const maxKeyLength = 2_000;

/**
 * Makes equal maps and lists of all files the same object: thousands of zones with the same rules then share them in
 * memory, and what is derived from them is derived once.
 */
export class ValuePool {
  readonly #objects = new Map<string, object>();
  readonly #numbers = new Map<object, number>();

  /** The value, in which the pool's objects replace equal ones. It changes `value`, which must be plain data. */
  share(value: unknown): unknown {
    return typeof value === "object" && value !== null ? this.#shareObject(value) : value;
  }

  #shareObject(object: object): object {
    // An alias repeats an object.
    if (this.#numbers.has(object)) return object;
    const key = this.#shareParts(object);
    const known = this.#objects.get(key);
    if (known !== undefined) return known;
    this.#numbers.set(object, this.#numbers.size);
    if (key.length <= maxKeyLength) this.#objects.set(key, object);
    return object;
  }

  /** Shares the parts of an object. Returns a text that only equal objects have, or one that is too long for a key. */
  #shareParts(object: object): string {
    let key = Array.isArray(object) ? "[" : "{";
    for (const name of Object.keys(object)) {
      const part: unknown = Reflect.get(object, name);
      const shared = this.share(part);
      if (shared !== part) Reflect.set(object, name, shared);
      // The lengths say where texts end.
      if (key.length <= maxKeyLength) key += `${name.length}:${name}${this.#keyOf(shared)}`;
    }
    return key;
  }

  /** An object stands for all that are equal to it, so that its number is enough. */
  #keyOf(value: unknown): string {
    if (typeof value === "string") return `"${value.length}:${value}`;
    if (typeof value === "object" && value !== null) return `#${this.#numbers.get(value)};`;
    return `${String(value)};`;
  }
}

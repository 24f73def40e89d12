/** Things of which the first in their order is at hand; adding and taking cost the logarithm of their number. */
export class Heap<T> {
  readonly #isBefore: (a: T, b: T) => boolean;
  /** A tree in a list: below the thing at `i` stand those at `2i + 1` and `2i + 2`, neither of them before it. */
  #tree: T[] = [];

  constructor(isBefore: (a: T, b: T) => boolean) {
    this.#isBefore = isBefore;
  }

  get size(): number {
    return this.#tree.length;
  }

  /** The first in the order; `undefined` where there is none. */
  get first(): T | undefined {
    return this.#tree[0];
  }

  add(added: T): void {
    let at = this.#tree.push(added) - 1;
    while (at > 0) {
      const above = (at - 1) >>> 1;
      const other = this.#tree[above];
      if (other === undefined || !this.#isBefore(added, other)) break;
      this.#tree[at] = other;
      at = above;
    }
    this.#tree[at] = added;
  }

  /** Takes the first away. */
  removeFirst(): void {
    const last = this.#tree.pop();
    if (last === undefined || this.#tree.length === 0) return;
    let at = 0;
    for (let below = this.#firstBelow(at); below !== undefined; below = this.#firstBelow(at)) {
      const other = this.#tree[below];
      if (other === undefined || !this.#isBefore(other, last)) break;
      this.#tree[at] = other;
      at = below;
    }
    this.#tree[at] = last;
  }

  /** Keeps only what is asked for. */
  keepOnly(isWanted: (thing: T) => boolean): void {
    const kept = this.#tree.filter(isWanted);
    this.#tree = [];
    for (const thing of kept) this.add(thing);
  }

  #firstBelow(at: number): number | undefined {
    const left = 2 * at + 1;
    const a = this.#tree[left];
    const b = this.#tree[left + 1];
    if (a === undefined) return undefined;
    return b !== undefined && this.#isBefore(b, a) ? left + 1 : left;
  }
}

import type { OpenResult, StateStore, StoreStatus } from "./state-store.ts";

/** A store that ends with the process: where no store is set. */
export class MemoryStore implements StateStore {
  readonly opened: OpenResult = { result: "empty" };
  readonly status: StoreStatus = { status: "none" };
  readonly #entries = new Map<string, string>();

  get(key: string): string | undefined {
    return this.#entries.get(key);
  }

  keys(prefix: string): readonly string[] {
    return [...this.#entries.keys()].filter((key) => key.startsWith(prefix));
  }

  set(key: string, text: string | undefined): void {
    if (text === undefined) this.#entries.delete(key);
    else this.#entries.set(key, text);
  }

  flush(): Promise<boolean> {
    return Promise.resolve(false);
  }

  isHeld(): Promise<boolean> {
    return Promise.resolve(true);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve();
  }
}

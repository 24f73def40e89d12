/** One request that the emulator saw. */
export interface JournalEntry {
  readonly number: number;
  readonly at: string;
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** Status of the answer; 0 where the connection was cut instead. */
  readonly status: number;
  /** Name of the credential, "" where there was none that is known. */
  readonly credential: string;
  readonly ray: string;
}

const mostEntries = 10_000;

/** Remembers the newest requests to the service. */
export class Journal {
  #entries: JournalEntry[] = [];
  #number = 0;

  record(entry: Omit<JournalEntry, "number">): void {
    this.#number += 1;
    this.#entries.push({ number: this.#number, ...entry });
    if (this.#entries.length >= 2 * mostEntries) this.#entries = this.#entries.slice(-mostEntries);
  }

  /** Oldest first. */
  entries(): readonly JournalEntry[] {
    return this.#entries.slice(-mostEntries);
  }

  clear(): void {
    this.#entries = [];
  }
}

import type { HistoryBatch } from "../../src/history/file/history-store.ts";
import type { KeyChange } from "../../src/memory/batched-store.ts";
import type {
  LeaderTables,
  BatchResult,
  MeasurementBatch,
  OpenedTables,
  StoredTerm,
  StoredHead,
  TermBatch,
} from "../../src/memory/database.ts";
import { byEntryName } from "../../src/syntax/by-text.ts";

/** So few that a reader has to ask more than once. */
const recordsOfPage = 2;

interface Line extends StoredHead {
  readonly text: string;
}

function isSame(last: StoredHead, { n, hash }: StoredHead): boolean {
  return last.n === n && last.hash === hash;
}

/** The tables of a database in memory: batches and terms as the database judges them, which the laws of both compare. */
export class MemoryTables implements LeaderTables {
  term = 0;
  lines: readonly Line[] = [];
  entries: ReadonlyMap<string, string> = new Map();

  createMissing(): Promise<boolean> {
    return Promise.resolve(false);
  }

  check(): Promise<void> {
    return Promise.resolve();
  }

  storeId(): Promise<string> {
    return Promise.resolve("in memory");
  }

  begin(
    _identity: unknown,
    after: number,
    unstored: readonly KeyChange[] = [],
  ): Promise<OpenedTables> {
    const termBefore = this.term;
    if (termBefore === after) this.#put(unstored);
    this.term = Math.max(this.term, after) + 1;
    const { term, entries } = this;
    const head = this.#head;
    return Promise.resolve({
      term,
      termBefore,
      isWhole: true,
      entries: new Map(entries),
      head,
      canDrop: true,
    });
  }

  reached(): Promise<StoredTerm> {
    return Promise.resolve({ term: this.term, head: this.#head });
  }

  store({ term, changes, head, history }: TermBatch): Promise<BatchResult> {
    if (term !== this.term) return Promise.resolve("term_over");
    const isNew = isSame(this.#head, head);
    const isStored = isSame(this.#head, history?.lines.head ?? head);
    if (!isNew && !isStored) return Promise.resolve("other_head");
    this.#put(changes);
    if (history !== undefined && isNew) this.#add(history);
    return Promise.resolve("stored");
  }

  #put(changes: readonly KeyChange[]): void {
    const removed = new Set(changes.filter(([, text]) => text === null).map(([key]) => key));
    const set = changes.flatMap(([key, text]) => (text === null ? [] : [[key, text] as const]));
    this.entries = new Map([...this.entries, ...set].filter(([key]) => !removed.has(key)));
  }

  #add({ lines, drop }: HistoryBatch): void {
    const added = lines.lines.map(({ text, head: { n, hash } }) => ({ n, hash, text }));
    this.lines = [...this.lines.slice(drop?.lines ?? 0), ...added];
  }

  readonly #records = new Map<string, ReadonlyMap<string, string>>();

  storeMeasurements({
    term,
    day,
    records,
    dropBefore = "",
  }: MeasurementBatch): Promise<"stored" | "term_over"> {
    if (term !== this.term) return Promise.resolve("term_over");
    for (const each of this.#records.keys()) if (each < dropBefore) this.#records.delete(each);
    const all = new Map([...(this.#records.get(day) ?? []), ...records]);
    if (all.size > 0) this.#records.set(day, all);
    return Promise.resolve("stored");
  }

  measurement(day: string, zone: string): Promise<string | undefined> {
    return Promise.resolve(this.#records.get(day)?.get(zone));
  }

  measurements(day: string, after: string): Promise<ReadonlyMap<string, string>> {
    const others = [...(this.#records.get(day) ?? [])].filter(([zone]) => zone > after);
    return Promise.resolve(new Map(others.toSorted(byEntryName).slice(0, recordsOfPage)));
  }

  measuredDays(): Promise<readonly string[]> {
    return Promise.resolve([...this.#records.keys()].toSorted());
  }

  historyBytes(): Promise<number> {
    return Promise.resolve(Buffer.byteLength(this.#text));
  }

  async *historyLines(): AsyncGenerator<Uint8Array> {
    await Promise.resolve();
    if (this.lines.length > 0) yield Buffer.from(this.#text);
  }

  get #text(): string {
    return this.lines.map(({ text }) => text).join("");
  }

  get #head(): StoredHead {
    const { n, hash } = this.lines.at(-1) ?? { n: 0, hash: "" };
    return { n, hash };
  }
}

import type { LeaderTables } from "../../src/memory/postgres/postgres-store.ts";
import type {
  BatchResult,
  OpenedTables,
  StoredHead,
  TermBatch,
} from "../../src/memory/postgres/tables.ts";

interface Line extends StoredHead {
  readonly text: string;
}

/** The tables of a database in memory: batches and terms as the database judges them, which the laws of both compare. */
export class MemoryTables implements LeaderTables {
  term = 0;
  lines: readonly Line[] = [];
  entries: ReadonlyMap<string, string> = new Map();

  check(): Promise<void> {
    return Promise.resolve();
  }

  begin(_identity: unknown, after: number): Promise<OpenedTables> {
    const termBefore = this.term;
    this.term = Math.max(this.term, after) + 1;
    const { term, entries } = this;
    const head = this.#head;
    return Promise.resolve({
      term,
      termBefore,
      entries: new Map(entries),
      head,
      canDrop: true,
    });
  }

  store({ term, changes, head, history }: TermBatch): Promise<BatchResult> {
    if (term !== this.term) return Promise.resolve("term_over");
    const [start, end] = [history?.lines.start ?? head, history?.lines.head ?? head];
    const last = this.#head;
    const isNew = last.n === start.n && (start.hash === "" || last.hash === start.hash);
    if (!isNew && !(last.n === end.n && last.hash === end.hash)) {
      return Promise.resolve("other_head");
    }
    const next = new Map(this.entries);
    for (const [key, text] of changes) {
      if (text === null) next.delete(key);
      else next.set(key, text);
    }
    this.entries = next;
    if (history !== undefined && isNew) {
      const added = history.lines.lines.map(({ text, head: { n, hash } }) => ({ n, hash, text }));
      this.lines = [...this.lines.slice(history.drop?.lines ?? 0), ...added];
    }
    return Promise.resolve("stored");
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

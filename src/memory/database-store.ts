import type { ChainHead } from "../history/chain/history-chain.ts";
import type { HistoryBatch, HistoryStore } from "../history/file/history-store.ts";
import type { MeasurementReader, MeasurementStore } from "../measure/measurement-store.ts";
import { zoneName } from "../zone/zone.ts";
import {
  type BatchPorts,
  BatchedStore,
  type KeyChange,
  type StateMedium,
} from "./batched-store.ts";
import {
  type BatchResult,
  brokenState,
  type LeaderTables,
  type MeasurementBatch,
  type OpenedTables,
  type StoredTerm,
  type StoredHead,
} from "./database.ts";
import type { KeptStore } from "./kept-store.ts";
import type { OpenResult, StoreIdentity } from "./state-store.ts";

/** What a store in a database needs from outside. */
export interface DatabaseStorePorts extends BatchPorts {
  /** The term of this leader is over: it must write nothing more, anywhere. */
  readonly onLost: (result: Exclude<BatchResult, "stored">) => void;
}

/** Records of measurements that are stored at once: about a megabyte. */
const recordsOfBatch = 500;

/** How long changes are gathered before they are written. */
const gatherMs = 100;

/** What a process remembers of its last term, or has seen of a later one. */
export interface LastTerm extends StoredTerm {
  /** Changes of the state that could not be stored. */
  readonly unstored: readonly KeyChange[];
}

/** What a process knows after it has read again how far a store has come in which others work. */
export function lastSeen(last: LastTerm | undefined, now: StoredTerm): LastTerm {
  if (last !== undefined && hasLost(last, now)) return last;
  return { ...now, unstored: now.term === last?.term ? last.unstored : [] };
}

/** Whether a database lost what there was: it was restored. */
function hasLost(before: StoredTerm, now: StoredTerm): boolean {
  return now.term < before.term || now.head.n < before.head.n;
}

/** The store of a term. */
export interface TermStore extends KeptStore {
  /** The term as it is known now. */
  readonly last: LastTerm;
  readonly measurements: MeasurementStore;
}

/**
 * Begins the term of a leader in a database. Rejects if the database cannot be used now: what is not known must not be taken
 * for empty. What the last term of this process could not store is stored now, unless another process led in between: it has
 * read all zones since, and knows more.
 *
 * @param place for messages.
 * @param last of this process; `undefined`: this is its first term.
 */
export async function openDatabaseStore(
  place: string,
  tables: LeaderTables,
  identity: StoreIdentity,
  last: LastTerm | undefined,
  ports: DatabaseStorePorts,
): Promise<TermStore> {
  // In one transaction: if the answer is lost, the next try finds them stored, or the term not begun.
  const opened = await tables.begin(identity, last?.term ?? 0, last?.unstored);
  return new DatabaseStore(place, tables, opened, last, ports);
}

function openedState(entries: number, isWhole: boolean): OpenResult {
  if (entries > 0) return { result: "loaded", entries };
  return isWhole ? { result: "empty" } : { result: "lost", reason: "damaged", detail: brokenState };
}

/** What one statement stores: changes of the state, lines of the history, or both. */
interface Part {
  readonly changes: readonly KeyChange[];
  readonly history: HistoryBatch | undefined;
}

/** State and history in the tables of one term. What is to be stored in one turn of the event loop goes in one round trip. */
class DatabaseStore implements TermStore {
  readonly state: BatchedStore;
  readonly history: HistoryStore;
  readonly measurements: MeasurementStore;
  readonly isRestored: boolean;
  #settles = false;
  readonly #tables: LeaderTables;
  readonly #term: number;
  readonly #ports: DatabaseStorePorts;
  #head: StoredHead;
  #next: { parts: Part[]; readonly sent: Promise<void> } | undefined;
  #sending: Promise<void> = Promise.resolve();
  #unconfirmed: HistoryBatch | undefined;
  /** Why the term is over. */
  #lost: Exclude<BatchResult, "stored"> | undefined;

  constructor(
    place: string,
    tables: LeaderTables,
    { term, termBefore, isWhole, entries, head, canDrop }: OpenedTables,
    last: LastTerm | undefined,
    ports: DatabaseStorePorts,
  ) {
    this.isRestored = !isWhole || (last !== undefined && hasLost(last, { term: termBefore, head }));
    this.#tables = tables;
    this.#term = term;
    this.#head = head;
    this.#ports = ports;
    const opened = openedState(entries.size, isWhole);
    this.state = new BatchedStore(this.#medium(), { opened, entries }, gatherMs, ports);
    this.history = {
      place,
      canDrop,
      lastN: head.n,
      size: () => tables.historyBytes(),
      read: () => tables.historyLines(),
      // A transaction leaves no part of a line.
      truncate: () => Promise.resolve(),
      add: (history) => {
        // What was set together with the line goes with it.
        void this.state.flush();
        return this.#send({ changes: [], history });
      },
    };
    this.measurements = {
      ...measurementTable(tables),
      write: measurementWriter((batch) => this.#storeMeasurements(batch)),
      dropBefore: (first) =>
        this.#storeMeasurements({ day: first, records: new Map(), dropBefore: first }),
    };
  }

  settleLoss(): void {
    this.#settles = true;
  }

  async #storeMeasurements(batch: Omit<MeasurementBatch, "term">): Promise<void> {
    if (this.#lost !== undefined) throw new TermOver(this.#lost);
    const result = await this.#tables.storeMeasurements({ term: this.#term, ...batch });
    if (result !== "stored") this.#lose(result);
  }

  /** Ends the term. */
  #lose(result: Exclude<BatchResult, "stored">): never {
    this.#lost = result;
    this.#ports.onLost(result);
    throw new TermOver(result);
  }

  get last(): LastTerm {
    return { term: this.#term, head: this.#head, unstored: this.state.unstored };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.state[Symbol.asyncDispose]();
  }

  #medium(): StateMedium {
    return {
      store: async (changes) => {
        await this.#send({ changes, history: undefined });
        return gatherMs;
      },
      isHeld: () => Promise.resolve(this.#lost === undefined),
      [Symbol.asyncDispose]: () => this.#sending,
    };
  }

  #send(part: Part): Promise<void> {
    if (this.#next === undefined) {
      const parts: Part[] = [];
      const sent = this.#sending.then(untilNextTurn).then(() => {
        this.#next = undefined;
        return this.#store(parts);
      });
      this.#next = { parts, sent };
      this.#sending = sent.catch(() => undefined);
    }
    this.#next.parts.push(part);
    return this.#next.sent;
  }

  async #store(parts: readonly Part[]): Promise<void> {
    if (this.#lost !== undefined) throw new TermOver(this.#lost);
    const head = this.#head;
    // Lines whose answer was lost may be stored: until it is known, they go with whatever is stored.
    const sent = parts.find((part) => part.history !== undefined)?.history ?? this.#unconfirmed;
    // What is confirmed, with other changes or alone, is not stored once more.
    const history = sent?.lines.head.hash === head.hash ? undefined : sent;
    this.#unconfirmed = history;
    // Of two values of one key, the later one counts.
    const changes = [...new Map(parts.flatMap((part) => part.changes))];
    const settles = this.#settles;
    const batch = { term: this.#term, changes, head, history, settles };
    const result = await this.#tables.store(batch);
    if (result !== "stored") this.#lose(result);
    if (settles) this.#settles = false;
    if (history !== undefined) this.#head = headOf(history.lines.head);
  }
}

/** Writes records of a day in a database some at a time, with what stores one batch of them. */
export function measurementWriter(
  store: (batch: Omit<MeasurementBatch, "term">) => Promise<void>,
): MeasurementStore["write"] {
  return async (day, records) => {
    const all = [...records];
    for (let start = 0; start < all.length; start += recordsOfBatch) {
      await store({ day, records: new Map(all.slice(start, start + recordsOfBatch)) });
    }
  };
}

/** Reads the measurements in a database. */
export function measurementTable(
  tables: Pick<LeaderTables, "measurement" | "measurements" | "measuredDays">,
): MeasurementReader {
  return {
    days: () => tables.measuredDays(),
    read: (day, zone) => tables.measurement(day, zone),
    readAll: async function* readAll(day) {
      let last = "";
      for (;;) {
        const page = await tables.measurements(day, last);
        if (page.size === 0) return;
        for (const [name, text] of page) {
          const zone = zoneName(name);
          if (zone !== undefined) yield [zone, text];
          last = name;
        }
      }
    },
  };
}

/** The term of a leader is over. */
export class TermOver extends Error {
  override readonly name = "TermOver";

  constructor(result: Exclude<BatchResult, "stored">) {
    super(
      result === "term_over"
        ? "another process has begun to work with this database, or the database was restored"
        : "the history in the database does not end with the last line of this process: the database lost transactions, or somebody wrote into it",
    );
  }
}

function headOf({ n, hash }: ChainHead): StoredHead {
  return { n, hash };
}

function untilNextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

import type { LeaseStore } from "../cluster/lease.ts";
import type { ChainHead } from "../history/chain/history-chain.ts";
import type { HistoryBatch } from "../history/file/history-store.ts";
import type { KeyChange } from "./batched-store.ts";
import type { StoreIdentity } from "./state-store.ts";

/** Why a database cannot be used now, with what a person can do. The message has no secret. */
export class DatabaseError extends Error {
  override readonly name = "DatabaseError";
  /** SQLSTATE, or the code of the network error; "" if there is none. */
  readonly code: string;

  constructor(message: string, code = "", cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

/** SQLSTATE of a statement for which the role has no right. */
export const noRight = "42501";

/** The last line of the history that a database has: its number and hash; number 0 for none. */
export type StoredHead = Pick<ChainHead, "n" | "hash">;

/** How far a store has come. A database that was restored says less than before. */
export interface StoredTerm {
  readonly term: number;
  readonly head: StoredHead;
}

/** What a leader reads at the start of its term. */
export interface OpenedTables {
  /** Counts the terms of all leaders. Each batch carries it. */
  readonly term: number;
  /** The term before, as the database knew it. */
  readonly termBefore: number;
  /** `false`: the state was emptied or restored without the other tables, or they without it. */
  readonly isWhole: boolean;
  readonly entries: Map<string, string>;
  readonly head: StoredHead;
  /** Whether this role may drop the oldest lines. */
  readonly canDrop: boolean;
}

/** What a leader stores at once. */
export interface TermBatch {
  readonly term: number;
  readonly changes: readonly KeyChange[];
  /** The last line before this batch, as the database numbers it. */
  readonly head: StoredHead;
  readonly history: HistoryBatch | undefined;
  /** Whether it stores what follows from a loss of the state: nothing is lost for the next leader. Left out: it does not. */
  readonly settles?: boolean;
}

/** Records of measurements that a leader stores at once. */
export interface MeasurementBatch {
  readonly term: number;
  /** `2026-11-26` */
  readonly day: string;
  /** By zone. */
  readonly records: ReadonlyMap<string, string>;
  /** Left out: no record is dropped. */
  readonly dropBefore?: string;
}

/** What became of a batch; if it is not stored, nothing of it is. */
export type BatchResult =
  | "stored"
  /** A later leader has begun its term, or the database has forgotten this one. */
  | "term_over"
  /** The history does not end as this leader left it: the database lost transactions, or somebody wrote into it. */
  | "other_head";

/** Whose tables they are while `store copy` writes into them: nobody's, so that nobody takes a part for a store. */
export const unfinishedCopy: StoreIdentity = { owner: "", service: "an unfinished copy" };

/** Why a state is not to be used by a command. The next leader makes a new beginning with it. */
export const brokenState =
  "the table of the state was emptied or restored without the other tables, or they without it: restart the daemon, which then uses no release in limits.accept";

/** The tables of an installation, for its leader. Everything rejects if the database cannot be used now. */
export interface LeaderTables {
  /**
   * Begins the term of a leader, which ends that of every earlier one, and reads the state.
   *
   * @param after a term that the new one must come after, in a database that was restored too.
   * @param unstored changes that are stored with it, if `after` was the last term until now.
   */
  begin(
    identity: StoreIdentity,
    after: number,
    unstored?: readonly KeyChange[],
  ): Promise<OpenedTables>;
  /** How far the store has come, for a process that waits. */
  reached(): Promise<StoredTerm>;
  /** Stores a batch: all of it or nothing. A batch that is stored already is not stored twice. */
  store(batch: TermBatch): Promise<BatchResult>;
  /** Bytes of all lines of the history, with their line feeds. */
  historyBytes(): Promise<number>;
  /** The lines of the history with their line feeds, oldest first, in pieces. */
  historyLines(): AsyncIterable<Uint8Array>;
  /** Stores records of measurements, and drops those before `dropBefore`; as long as the term goes on. */
  storeMeasurements(batch: MeasurementBatch): Promise<Exclude<BatchResult, "other_head">>;
  /** The record of measurements of a zone and day; `undefined`: there is none. */
  measurement(day: string, zone: string): Promise<string | undefined>;
  /** Records of measurements of a day by zone, in the order of the zones: of the first ones after a zone; none at the end. */
  measurements(day: string, after: string): Promise<ReadonlyMap<string, string>>;
  /** The days that have measurements, oldest first. */
  measuredDays(): Promise<readonly string[]>;
}

/** The tables of an installation. Everything rejects with a {@link DatabaseError} if the database cannot be used now. */
export interface DatabaseTables extends LeaderTables {
  /** The version that this program knows. */
  readonly version: number;
  /**
   * Creates the tables, or brings them to this program's version; several processes may do it at once.
   *
   * @throws {DatabaseError} if they are of a newer one.
   */
  migrate(): Promise<{ readonly from: number; readonly to: number }>;
  /**
   * Creates the tables if there are none; tables of an older version are never changed. Resolves with whether it created
   * them.
   */
  createMissing(): Promise<boolean>;
  /**
   * @param use `lead`: also whether this role may write what a leader writes.
   * @throws {DatabaseError} if the tables belong to another owner or service, or are not of this program's version.
   */
  check(identity: StoreIdentity, use?: "read" | "lead"): Promise<void>;
  /** What tells these tables from all others, also after a restore. */
  storeId(): Promise<string>;
  /**
   * What the state says now.
   *
   * @throws {DatabaseError} if it is not of the same moment as the other tables.
   */
  entries(): Promise<Map<string, string>>;
  /**
   * The last entry of each zone among the newest lines of the history, oldest first, and what follows a key in the state,
   * without a lock that a leader could wait for.
   *
   * @param keys of the names, and of the names whose values are read too
   */
  lastEntries(keys: { readonly names: string; readonly values: string }): Promise<{
    readonly lines: readonly string[];
    readonly names: readonly string[];
    readonly values: ReadonlyMap<string, string>;
  }>;
}

/** The database of an installation, for its leader. */
export interface LeaderDatabase {
  /** For messages. */
  readonly place: string;
  readonly tables: LeaderTables & Pick<DatabaseTables, "createMissing" | "check" | "storeId">;
}

/** The database of a configuration. Nothing is sent before it is needed. */
export interface Database extends LeaderDatabase, AsyncDisposable {
  readonly tables: DatabaseTables;
  /** The Lease in the database, on a connection of its own: a renewal must not wait for a long read. */
  readonly leases: LeaseStore;
}

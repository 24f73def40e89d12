import type { NewLines } from "../chain/history-chain.ts";

/** What is added to a history, as a whole or not at all. */
export interface HistoryBatch {
  readonly lines: NewLines;
  /** How many of the oldest lines go with it, and how many bytes these are. */
  readonly drop?: { readonly lines: number; readonly bytes: number };
}

/** Where the lines of a history are kept: a file, or a table of a database. */
export interface HistoryStore {
  /** Where that is, for messages. */
  readonly place: string;
  /** Whether this process may drop the oldest lines. */
  readonly canDrop: boolean;
  /** The next line has a higher number than this one, whatever the last line says of itself: a database orders by it. */
  readonly lastN?: number;
  /** Bytes of all lines; 0 if there are none. Rejects if the place cannot be used. */
  size(): Promise<number>;
  /** All lines with their line feeds, oldest first, in pieces. */
  read(): AsyncIterable<Uint8Array>;
  /** Removes what follows the first `size` bytes: what a crash left of a last line. */
  truncate(size: number): Promise<void>;
  /** Resolves when the batch outlives a crash. After a failure, the same batch is added again: it is never stored twice. */
  add(batch: HistoryBatch): Promise<void>;
}

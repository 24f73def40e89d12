import type { JournalEntry } from "./journal.ts";
import type { Seed } from "./seed.ts";

/** How answers are written: as the published schema has them, or as the specification page shows them. */
export const dialects = ["published", "specification"] as const;

/** One of {@link dialects}. */
export type Dialect = (typeof dialects)[number];

/** What an emulator needs to run; port 0 takes any free port. */
export interface EmulatorOptions {
  readonly listen: { readonly host: string; readonly port: number };
  readonly seed: Seed;
  /** File in which the state outlives the process; `undefined`: nothing outlives it. */
  readonly statePath: string | undefined;
  readonly dialect: Dialect;
  readonly clock: { now(): Date };
  /** From 0 up to 1, for request ids. */
  readonly random: () => number;
  /** Waits on behalf of the latency fault; an abort ends the wait. */
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

/** A running emulator. */
export interface Emulator extends AsyncDisposable {
  /** Origin, without a slash at its end. */
  readonly url: string;
  /** Origin and base path of the service. */
  readonly baseUrl: string;
  /** The requests to the service seen so far, oldest first; the newest 10,000 are kept. */
  journal(): readonly JournalEntry[];
  /** Goes back to the seed and forgets faults, journal, quotas and a changed clock. */
  reset(): void;
}

/** Starts the whole service inside this process. */
export declare function startEmulator(options: EmulatorOptions): Promise<Emulator>;

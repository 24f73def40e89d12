import type { EmulatedZone } from "../../../src/emulator/state.ts";
import type { DeclaredContent } from "../declared.ts";
import type { Effect, HeardReport, Ledger, SentRequest } from "../ledger.ts";
import type { ProcessFiles } from "../world/process-files.ts";
import type { SimulatedFiles } from "../world/simulated-files.ts";
import type { SimulatedProcess } from "../world/simulated-process.ts";

/** What an invariant is judged by: the truth, as nobody in the simulation sees it. */
export interface Truth {
  readonly ledger: Ledger;
  /** Milliseconds since the beginning. */
  readonly now: number;
  readonly wall: Date;
  readonly zones: readonly EmulatedZone[];
  readonly zone: (name: string) => EmulatedZone;
  /** The mode, and since when. */
  readonly mode: { readonly name: "enforce" | "observe"; readonly since: number };
  /** Minutes of the day in which nothing is written, and since when that is configured. */
  readonly freeze:
    | { readonly from: number; readonly to: number; readonly since: number }
    | undefined;
  /** The zones of each wave; empty where changes reach all zones at once. */
  readonly waves: readonly (readonly string[])[];
  /** Zones that a person let go. */
  readonly promoted: ReadonlySet<string>;
  /** Zones that waited when a person paused or aborted the rollout of what is declared now, and whose store says so. */
  readonly halted: ReadonlyMap<string, ProcessFiles>;
  /** The process that is there at the end. */
  readonly main: SimulatedProcess;
  /** Whether any process lost its state, or a part of it. */
  readonly isStateLost: boolean;
  readonly files: Pick<SimulatedFiles, "areSpoilt">;
  /** Lines of the log. */
  readonly internalErrors: readonly string[];
  readonly timersOf: (process: SimulatedProcess) => number;
}

/** Something that always holds. Each hook gives what is wrong, or `undefined`. */
export interface Invariant {
  readonly name: string;
  readonly sentence: string;
  /** Before a request is sent. */
  readonly onSend?: (request: SentRequest, truth: Truth) => string | undefined;
  /** After a request stored something. */
  readonly onEffect?: (effect: Effect, truth: Truth) => string | undefined;
  /** After a run was reported. */
  readonly onReport?: (heard: HeardReport, truth: Truth) => string | undefined;
  /** At the end of a sweep, which began at a moment. */
  readonly atSweepEnd?: (began: number, truth: Truth) => string | undefined;
  /** When nothing disturbs any more and the zones are as declared. */
  readonly atRest?: (truth: Truth) => string | undefined;
  /** After a process that was told to stop has ended. */
  readonly atStop?: (process: SimulatedProcess, truth: Truth) => string | undefined;
}

/** An invariant that did not hold. */
export class Violation extends Error {
  override readonly name = "Violation";
  readonly invariant: string;

  constructor(invariant: string, what: string) {
    super(`${invariant}: ${what}`);
    this.invariant = invariant;
  }
}

/**
 * What was declared of a zone since then, as far as a process can know. One that lost the last line of its state, and
 * cannot read the files, goes on with an older revision; so does a zone that waits for its wave.
 */
export function declaredTo(
  { ledger, isStateLost, files, waves }: Truth,
  zone: string,
  since: number,
): readonly (DeclaredContent | undefined)[] {
  const isOlder = waves.length > 0 || (isStateLost && files.areSpoilt);
  return ledger.declaredSince(zone, isOlder ? 0 : since);
}

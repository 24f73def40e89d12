import type { JsonObject } from "../../syntax/json.ts";
import type { HistoryBatch } from "./history-store.ts";

/** A line that is not written yet. */
export interface WaitingLine {
  readonly json: JsonObject;
  readonly isSigned: boolean;
  /** Called after the first attempt to write it. */
  readonly attempted: () => void;
}

/** A batch, and the lines that it took from those that wait. */
export interface SentBatch extends HistoryBatch {
  readonly sent: readonly WaitingLine[];
}

/** Lines that wait while writing fails; the oldest are dropped beyond it. */
const maxWaiting = 10_000;

/** The lines of a process that are not known to be stored. They outlive a term: the next one of the process stores them. */
export class UnstoredLines {
  /** What was sent and not confirmed: it may be stored already, so it is sent again as it is. */
  unconfirmed: SentBatch | undefined;
  #waiting: WaitingLine[] = [];
  #lost = 0;

  /** Oldest first. */
  get all(): readonly WaitingLine[] {
    return [...(this.unconfirmed?.sent ?? []), ...this.#waiting];
  }

  /** Whether lines wait that were never sent. */
  get areWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  add(line: WaitingLine): void {
    this.#waiting.push(line);
    if (this.#waiting.length <= maxWaiting) return;
    this.#waiting.shift()?.attempted();
    this.#lost += 1;
  }

  /** Takes the lines that wait, to send them. */
  take(): readonly WaitingLine[] {
    const taken = this.#waiting;
    this.#waiting = [];
    return taken;
  }

  /** How many lines were dropped since this was last asked. */
  takeLost(): number {
    const lost = this.#lost;
    this.#lost = 0;
    return lost;
  }

  /** Ends the doubt about what was not confirmed: what is not stored waits again, and continues another last line. */
  settle(isStored: boolean): void {
    if (!isStored) this.#waiting = [...this.all];
    this.unconfirmed = undefined;
  }
}

import { dayMs } from "../../syntax/time-units.ts";
import type { Clock } from "../../zone/ports.ts";
import { every } from "../../zone/signals.ts";
import type { ChainHead } from "../chain/history-chain.ts";
import type { OpenedHistory } from "./history-log.ts";

/** Where the heads of the history go. */
export interface HeadPorts {
  /** `when`: at the start, daily, at the stop, or after lines were dropped. */
  readonly log: (head: ChainHead, when: string) => void;
  readonly notify: (head: ChainHead, at: Date) => void;
  readonly clock: Clock;
  /** Whether a key signs the lines that record a head. */
  readonly isSigned: boolean;
}

const checkMs = 3_600_000;

/**
 * Sends the head of the history out of the reach of whoever may write the file: to the log at the start, once a day, where
 * lines are dropped and at the stop; to the notifications once a day.
 */
export class HistoryHeads {
  readonly #ports: HeadPorts;
  #dailyAt: Date | undefined;
  readonly #checks = new DisposableStack();

  constructor(ports: HeadPorts) {
    this.#ports = ports;
  }

  /** Logs the head after the program has dropped lines. */
  readonly dropped = (head: ChainHead): void => this.#log(head, "oldest entries dropped");

  /** Logs the head of the file, and from now on once a day. */
  start(file: OpenedHistory["log"]): void {
    const { clock } = this.#ports;
    this.#dailyAt = file.dailyHeadAt;
    this.#log(file.head, "start");
    this.#checks.use(every(checkMs, () => void this.#daily(file), clock));
  }

  /** Closes the file: records the head in it, signed, if there is a key, and logs the last head. */
  async stop(file: OpenedHistory["log"]): Promise<void> {
    this.#checks.dispose();
    // Lines that are being written are news of the head, too.
    await file.settled();
    if (this.#ports.isSigned && file.hasNewLines) void file.recordHead("stop");
    await file[Symbol.asyncDispose]();
    this.#log(file.head, "stop");
  }

  /** A line of the file records it, so that a restart does not repeat it. */
  async #daily(file: OpenedHistory["log"]): Promise<void> {
    const { clock, notify } = this.#ports;
    const now = clock.now();
    const ageMs = Number(now) - Number(this.#dailyAt ?? 0);
    // A clock that was set back must not end the daily heads.
    if (file.head === undefined || (ageMs >= 0 && ageMs < dayMs)) return;
    this.#dailyAt = now;
    const isNews = file.hasNewLines;
    if (isNews) await file.recordHead("daily");
    this.#log(file.head, "daily");
    if (isNews) notify(file.head, now);
  }

  #log(head: ChainHead | undefined, when: string): void {
    if (head !== undefined) this.#ports.log(head, when);
  }
}

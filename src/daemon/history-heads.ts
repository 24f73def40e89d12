import type { KeyObject } from "node:crypto";

import type { HistoryConfig } from "../desired/config/config.ts";
import { every } from "../host/clock.ts";
import type { Host } from "../host/host.ts";
import { readText } from "../host/named-files.ts";
import { signingKeyOf } from "../host/signing-keys.ts";
import { type Notification, notificationOfHead } from "../notify/notification.ts";
import type { ChainHead } from "../telemetry/history/history-chain.ts";
import type { OpenedHistory } from "../telemetry/history/history-file.ts";
import type { Logger } from "../telemetry/log/log.ts";
import type { Clock } from "../zone/ports.ts";

type HistoryFile = OpenedHistory["file"];

/** Where the heads of the history go. */
export interface HeadPorts {
  readonly logger: Logger;
  readonly notify: (notification: Notification) => void;
  readonly clock: Clock;
  /** Whether a key signs the lines that record a head. */
  readonly isSigned: boolean;
}

const dayMs = 86_400_000;
const checkMs = 3_600_000;

/**
 * Sends the head of the history out of the reach of whoever may write the file: to the log at the start, once a day, where
 * lines are dropped and at the stop; to the notifications once a day.
 */
export class HistoryHeads {
  readonly #path: string;
  readonly #ports: HeadPorts;
  #dailyAt: Date | undefined;
  #checks: Disposable | undefined;

  /** `path`: of the history file. */
  constructor(path: string, ports: HeadPorts) {
    this.#path = path;
    this.#ports = ports;
  }

  /** Logs the head after the program has dropped lines. */
  readonly dropped = (head: ChainHead): void => this.#log(head, "oldest entries dropped");

  /** Logs the head of the file, and from now on once a day. */
  start(file: HistoryFile): void {
    const { clock } = this.#ports;
    this.#dailyAt = file.dailyHeadAt;
    this.#log(file.head, "start");
    this.#checks = every(checkMs, () => void this.#daily(file), clock);
  }

  /** Records the head in the file, signed, where there is a key. */
  async stop(file: HistoryFile | undefined): Promise<void> {
    this.#checks?.[Symbol.dispose]();
    const isRecorded = this.#ports.isSigned && file?.head !== undefined && file.hasNewLines;
    if (isRecorded) await file.recordHead("stop");
  }

  /** Logs the last head, when nothing more is written. */
  stopped(file: HistoryFile | undefined): void {
    this.#log(file?.head, "stop");
  }

  /** A line of the file records it, so that a restart does not repeat it. */
  async #daily(file: HistoryFile): Promise<void> {
    const { clock, notify } = this.#ports;
    const now = clock.now();
    const ageMs = this.#dailyAt === undefined ? dayMs : Number(now) - Number(this.#dailyAt);
    // A clock that was set back must not end the daily heads.
    if (file.head === undefined || (ageMs >= 0 && ageMs < dayMs)) return;
    this.#dailyAt = now;
    const isNews = file.hasNewLines;
    if (isNews) await file.recordHead("daily");
    this.#log(file.head, "daily");
    if (isNews) notify(notificationOfHead(file.head, now));
  }

  #log(head: ChainHead | undefined, when: string): void {
    if (head === undefined) return;
    const { chain, n, hash } = head;
    this.#ports.logger.info({ path: this.#path, when, head: hash, line: n, chain }, "history head");
  }
}

/** The key that signs the history. If it cannot be read, the log says why, and the history is not signed: runs go on. */
export async function readSignKey(
  { signKey }: HistoryConfig,
  logger: Logger,
  host: Pick<Host, "namedFiles" | "directory">,
): Promise<KeyObject | undefined> {
  if (signKey === undefined) return undefined;
  const { text, why: unreadable } = await readText(signKey, host);
  const { key, why } =
    text === undefined ? { key: undefined, why: unreadable } : signingKeyOf(text);
  if (key === undefined) {
    logger.error({ path: signKey, error: why }, "history is not signed: its key cannot be used");
  }
  return key;
}

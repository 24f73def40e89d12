import { globIgnoringCase } from "../syntax/glob.ts";
import { type Message, messageOf, type SinkType, type Posted } from "./message.ts";
import type { Notification, NotificationSeverity } from "./notification.ts";

/** Where notices go, and which. */
export interface Sink {
  readonly name: string;
  readonly type: SinkType;
  /** Patterns of zone names; notices about the files go to every sink. */
  readonly zones: readonly string[];
  /** `error`: only what wants somebody to act, and that it is over. */
  readonly severity: NotificationSeverity;
  /** Addresses and secrets are read anew for each message: they are exchanged while the program runs. */
  readonly url: () => Promise<string>;
  /** "" where nothing is signed. */
  readonly secret: () => Promise<string>;
}

/** What sending needs from outside, and who hears of it. */
export interface OutboxPorts {
  /** Sends once; rejects where there was no answer. */
  readonly post: (url: string, message: Message, signal: AbortSignal) => Promise<Posted>;
  readonly clock: { now(): Date; sleep(ms: number, signal: AbortSignal): Promise<void> };
  /** From 0 up to 1. */
  readonly random: () => number;
  /** Name of this process. */
  readonly instance: string;
  readonly sent: (sink: string, result: "done" | "error") => void;
  /** A message is given up, in words without its address: that can be a secret. */
  readonly failed: (sink: string, notice: Notification, why: string) => void;
}

/** Messages that wait; beyond them the oldest are given up. */
const longestQueue = 100;
/** The same words about a zone are not repeated within this time, however a zone may flutter. */
const quietMs = 5 * 60_000;
/** A whole fleet that drifts is told by so many messages in that time, and the last says how many were left out. */
const mostSent = 30;
const tries = 4;

/** Sends notices to one sink, one after the other. Whoever adds one never waits. */
export class Outbox {
  readonly #sink: Sink;
  readonly #ports: OutboxPorts;
  readonly #stop = new AbortController();
  readonly #told = new Map<string, number>();
  /** Zones of which an error was told, and not yet that it is over; "" for the files. */
  readonly #open = new Set<string>();
  #queue: Notification[] = [];
  #work: Promise<void> | undefined;
  #sentAt: readonly number[] = [];
  #leftOut = 0;

  constructor(sink: Sink, ports: OutboxPorts) {
    this.#sink = sink;
    this.#ports = ports;
  }

  /** Takes a notice that this sink wants. */
  add(notice: Notification): void {
    if (!this.#isWanted(notice) || this.#isRepeated(notice)) return;
    if (notice.severity === "error") this.#open.add(notice.zone);
    else if (notice.isOver) this.#open.delete(notice.zone);
    this.#queue.push(notice);
    const dropped = this.#queue.length > longestQueue ? this.#queue.shift() : undefined;
    if (dropped !== undefined) this.#giveUp(dropped, "too many messages are waiting");
    this.#start();
  }

  /** Gives what is under way so many milliseconds to end. */
  async close(ms: number): Promise<void> {
    const { clock } = this.#ports;
    const waited = new AbortController();
    const end = clock.sleep(ms, waited.signal).catch(() => undefined);
    await Promise.race([this.#work, end]);
    waited.abort();
    this.#stop.abort();
    await this.#work;
  }

  #start(): void {
    this.#work ??= this.#sendAll().finally(() => {
      this.#work = undefined;
      if (this.#queue.length > 0 && !this.#stop.signal.aborted) this.#start();
    });
  }

  async #sendAll(): Promise<void> {
    for (let notice = this.#queue.shift(); notice !== undefined; notice = this.#queue.shift()) {
      if (this.#stop.signal.aborted) this.#giveUp(notice, "the program ends");
      else if (this.#isTooMany()) this.#leftOut += 1;
      else await this.#send(this.#withLeftOut(notice));
    }
  }

  async #send(notice: Notification): Promise<void> {
    const { signal } = this.#stop;
    for (let attempt = 1; ; attempt += 1) {
      const why = await this.#try(notice);
      if (why === undefined) {
        this.#ports.sent(this.#sink.name, "done");
        return;
      }
      if (!why.isTransient || attempt === tries || signal.aborted) {
        this.#giveUp(notice, why.words);
        return;
      }
      const pause = 1_000 * 4 ** (attempt - 1) * (0.5 + this.#ports.random() / 2);
      await this.#ports.clock.sleep(pause, signal).catch(() => undefined);
    }
  }

  /** Sends once; `undefined` where it arrived. */
  async #try(notice: Notification): Promise<Undelivered | undefined> {
    const { post, instance } = this.#ports;
    const { type, url, secret } = this.#sink;
    let prepared: { readonly url: string; readonly message: Message };
    try {
      prepared = {
        url: await url(),
        message: messageOf(type, notice, instance, await secret()),
      };
    } catch (error) {
      return {
        words: `its address or secret cannot be read: ${wordsOf(error)}`,
        isTransient: true,
      };
    }
    try {
      const { status } = await post(prepared.url, prepared.message, this.#stop.signal);
      return judged(status, type);
    } catch (error) {
      return { words: `no answer: ${codeOf(error)}`, isTransient: true };
    }
  }

  #giveUp(notice: Notification, why: string): void {
    this.#ports.sent(this.#sink.name, "error");
    this.#ports.failed(this.#sink.name, notice, why);
  }

  #isWanted({ zone, severity, isOver }: Notification): boolean {
    const isEnd = isOver && this.#open.has(zone);
    if (this.#sink.severity === "error" && severity !== "error" && !isEnd) return false;
    return zone === "" || this.#sink.zones.some((pattern) => globIgnoringCase(pattern)(zone));
  }

  #isRepeated({ zone, reason, message }: Notification): boolean {
    const now = Number(this.#ports.clock.now());
    for (const [known, at] of this.#told) {
      if (now - at >= quietMs) this.#told.delete(known);
    }
    const key = JSON.stringify([zone, reason, message]);
    if (this.#told.has(key)) return true;
    this.#told.set(key, now);
    return false;
  }

  #isTooMany(): boolean {
    const now = Number(this.#ports.clock.now());
    this.#sentAt = this.#sentAt.filter((at) => now - at < quietMs);
    if (this.#sentAt.length >= mostSent) return true;
    this.#sentAt = [...this.#sentAt, now];
    return false;
  }

  #withLeftOut(notice: Notification): Notification {
    const leftOut = this.#leftOut;
    this.#leftOut = 0;
    if (leftOut === 0) return notice;
    return {
      ...notice,
      message: `${notice.message} (${leftOut} notices before this were left out)`,
    };
  }
}

interface Undelivered {
  readonly words: string;
  readonly isTransient: boolean;
}

/** Flux's own receiver says 429 for what it has already: that is no reason to come again. */
function judged(status: number, type: SinkType): Undelivered | undefined {
  if (status >= 200 && status < 300) return undefined;
  if (status === 429 && type === "webhook") return undefined;
  const isTransient = status === 408 || status === 429 || status >= 500;
  return { words: `answered ${status}`, isTransient };
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The code alone: messages of the network name addresses. */
function codeOf(error: unknown): string {
  if (error instanceof Error && "code" in error) return String(error.code);
  return error instanceof Error ? error.name : "unknown";
}

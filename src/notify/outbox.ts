import { errorCode, errorText } from "../syntax/error-code.ts";
import { globIgnoringCase } from "../syntax/glob.ts";
import type { ActorStyle } from "../zone/audit-entry.ts";
import type { LabelSelector } from "../zone/label-selector.ts";
import { type Message, messageOf, type Post, type Sender, type SinkType } from "./message.ts";
import { type Notification, type NotificationSeverity, together } from "./notification.ts";

/** A receiver of notifications. */
export interface Sink {
  readonly name: string;
  readonly type: SinkType;
  /** Globs of zone names; notifications about revisions go to every sink. */
  readonly zones: readonly string[];
  /** Which labels the zones have; `undefined`: any. */
  readonly labels: LabelSelector | undefined;
  /** `error`: only errors, and the notifications that resolve them. */
  readonly severity: NotificationSeverity;
  /** How people are written. */
  readonly actors: ActorStyle;
  /** Read for each message, as is the secret: both can be rotated while the program runs. */
  readonly url: () => Promise<string>;
  /** "" if messages are not signed. */
  readonly secret: () => Promise<string>;
}

/** What sending needs, and its callbacks. */
export interface OutboxPorts {
  /** Sends once, and returns the status of the answer; rejects if there is none. */
  readonly post: Post;
  readonly clock: { now(): Date; sleep(ms: number, signal: AbortSignal): Promise<void> };
  /** From 0 up to 1. */
  readonly random: () => number;
  readonly sender: Sender;
  readonly sent: (sink: string, result: "done" | "error") => void;
  /** A notification is dropped; `why` does not name the URL, which can be a secret. */
  readonly failed: (sink: string, notification: Notification, why: string) => void;
}

/** Notifications that wait; the oldest are dropped beyond it. */
const maxQueueLength = 100;
/** The same notification is sent once in this time. */
const windowMs = 5 * 60_000;
/** As many notifications in that time may say the same of different zones; those of more are gathered. */
const mostAlone = 3;
/** How long notifications are gathered, from the first one. */
const gatherMs = 60_000;
/** Notifications sent to a sink in that time; the next one after it tells how many were left out. */
const maxSent = 30;
const maxAttempts = 4;

/** Sends notifications to one sink, one after the other. Adding one never waits. */
export class Outbox {
  readonly #sink: Sink;
  readonly #ports: OutboxPorts;
  readonly #stop = new AbortController();
  readonly #seenAt = new Map<string, number>();
  /** When something was said of single zones, by what was said. */
  readonly #saidAt = new Map<string, readonly number[]>();
  /** What waits to be said of several zones at once, by what is said. */
  readonly #gathered = new Map<string, Notification[]>();
  /** Zones with an error that is not resolved yet; "" for the revision. */
  readonly #unresolved = new Set<string>();
  #queue: Notification[] = [];
  #work: Promise<void> | undefined;
  #sentAt: readonly number[] = [];
  #leftOut = 0;

  constructor(sink: Sink, ports: OutboxPorts) {
    this.#sink = sink;
    this.#ports = ports;
  }

  /** Queues a notification, unless the sink filters it or it was sent a moment ago. */
  add(notification: Notification): void {
    if (!this.#matches(notification) || this.#isRepeated(notification)) return;
    if (notification.severity === "error") this.#unresolved.add(notification.zone);
    else if (notification.isResolved === true) this.#unresolved.delete(notification.zone);
    if (!this.#gathers(notification)) this.#enqueue(notification);
  }

  #enqueue(notification: Notification): void {
    this.#queue.push(notification);
    const dropped = this.#queue.length > maxQueueLength ? this.#queue.shift() : undefined;
    if (dropped !== undefined) this.#drop(dropped, "the queue is full");
    this.#start();
  }

  /** Gathers a notification, if it says of a zone what was said of others a moment ago; returns whether it does. */
  #gathers(notification: Notification): boolean {
    const { zone, reason, severity, message, statement = message, revision } = notification;
    if (zone === "") return false;
    const { clock } = this.#ports;
    const key = JSON.stringify([reason, severity, statement, revision]);
    // What was said of the zone before comes before it.
    for (const [other, waiting] of this.#gathered) {
      if (other !== key && waiting.some((each) => each.zone === zone)) this.#release(other);
    }
    const waiting = this.#gathered.get(key);
    if (waiting !== undefined) {
      waiting.push(notification);
      return true;
    }
    const now = Number(clock.now());
    for (const [known, moments] of this.#saidAt) {
      if (moments.every((at) => now - at >= windowMs)) this.#saidAt.delete(known);
    }
    const said = (this.#saidAt.get(key) ?? []).filter((at) => now - at < windowMs);
    if (said.length < mostAlone) {
      this.#saidAt.set(key, [...said, now]);
      return false;
    }
    this.#gathered.set(key, [notification]);
    void clock.sleep(gatherMs, this.#stop.signal).then(
      () => this.#release(key),
      () => undefined,
    );
    return true;
  }

  #release(key: string): void {
    const [first, ...others] = this.#gathered.get(key) ?? [];
    this.#gathered.delete(key);
    if (first !== undefined) this.#enqueue(together(first, others));
  }

  /** Waits up to `ms` milliseconds for the queue, then stops. */
  async close(ms: number): Promise<void> {
    const { clock } = this.#ports;
    for (const key of this.#gathered.keys()) this.#release(key);
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
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      if (this.#stop.signal.aborted) this.#drop(next, "the program is stopping");
      else if (this.#isLimited()) this.#leftOut += 1;
      else await this.#send(this.#withLeftOutCount(next));
    }
  }

  async #send(notification: Notification): Promise<void> {
    const { signal } = this.#stop;
    for (let attempt = 1; ; attempt += 1) {
      const why = await this.#try(notification);
      if (why === undefined) {
        this.#ports.sent(this.#sink.name, "done");
        return;
      }
      if (!why.isTransient || attempt === maxAttempts || signal.aborted) {
        this.#drop(notification, why.text);
        return;
      }
      const pause = 1_000 * 4 ** (attempt - 1) * (0.5 + this.#ports.random() / 2);
      await this.#ports.clock.sleep(pause, signal).catch(() => undefined);
    }
  }

  /** Sends once; `undefined` if the sink accepted it. */
  async #try(notification: Notification): Promise<Rejection | undefined> {
    const { post, sender } = this.#ports;
    const { type, url, secret } = this.#sink;
    let target: string;
    let message: Message;
    try {
      target = await url();
      message = messageOf(this.#sink, notification, sender, await secret());
    } catch (error) {
      const why = errorText(error);
      return { text: `its URL or secret cannot be read: ${why}`, isTransient: true };
    }
    try {
      return rejectionOf(await post(target, message, this.#stop.signal), type);
    } catch (error) {
      return { text: `no answer: ${codeOf(error)}`, isTransient: true };
    }
  }

  #drop(notification: Notification, why: string): void {
    this.#ports.sent(this.#sink.name, "error");
    this.#ports.failed(this.#sink.name, notification, why);
  }

  #matches({ zone, labels = {}, severity, isResolved = false }: Notification): boolean {
    // Who was told of an error is told of its end, whatever labels the zone has by then.
    if (isResolved && this.#unresolved.has(zone)) return true;
    if (this.#sink.severity === "error" && severity !== "error") return false;
    if (zone === "") return true;
    const isNamed = this.#sink.zones.some((pattern) => globIgnoringCase(pattern)(zone));
    return isNamed && this.#sink.labels?.(labels) !== false;
  }

  #isRepeated({ zone, reason, message }: Notification): boolean {
    const now = Number(this.#ports.clock.now());
    for (const [known, at] of this.#seenAt) {
      if (now - at >= windowMs) this.#seenAt.delete(known);
    }
    const key = JSON.stringify([zone, reason, message]);
    if (this.#seenAt.has(key)) return true;
    this.#seenAt.set(key, now);
    return false;
  }

  #isLimited(): boolean {
    const now = Number(this.#ports.clock.now());
    this.#sentAt = this.#sentAt.filter((at) => now - at < windowMs);
    if (this.#sentAt.length >= maxSent) return true;
    this.#sentAt = [...this.#sentAt, now];
    return false;
  }

  #withLeftOutCount(notification: Notification): Notification {
    const leftOut = this.#leftOut;
    this.#leftOut = 0;
    if (leftOut === 0) return notification;
    const message = `${notification.message} (${leftOut} earlier notifications were left out)`;
    return { ...notification, message };
  }
}

interface Rejection {
  readonly text: string;
  readonly isTransient: boolean;
}

/** Flux's receiver answers 429 for a repeated event: it is not sent again. */
function rejectionOf(status: number, type: SinkType): Rejection | undefined {
  if (status >= 200 && status < 300) return undefined;
  if (status === 429 && type === "webhook") return undefined;
  const isTransient = status === 408 || status === 429 || status >= 500;
  return { text: `answered ${status}`, isTransient };
}

/** Only the code: messages of network errors contain URLs. */
function codeOf(error: unknown): string {
  return errorCode(error) || (error instanceof Error ? error.name : "unknown");
}

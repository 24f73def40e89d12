import type { AskAnalytics, Clock } from "../zone/ports.ts";
import { ServiceError } from "../zone/service-error.ts";
import type { Zone } from "../zone/zone.ts";
import type { CountedZone } from "./counted-zone.ts";
import type { HoursRead } from "./day-record.ts";
import { completeAt } from "./hours.ts";
import { zonesOfQuery } from "./measure-query.ts";
import type { MeasuredDataset } from "./measurement.ts";
import { type CountRequest, readCounts, readLimits } from "./read-counts.ts";
import type { ServiceTime } from "./service-time.ts";

export interface QueryPorts {
  readonly ask: AskAnalytics;
  readonly credentialOf: (zone: Zone) => string;
  readonly clock: Clock;
}

/** A time of a dataset of a zone that is to be read. */
export interface CountTask extends CountRequest {
  readonly zone: CountedZone;
  readonly dataset: MeasuredDataset;
}

/** Queries of a credential in a row that fail, after which a round asks no more with it. */
const maxFailures = 3;

/** Queries one after another about many zones, and what went wrong in them. */
export class QueryRound {
  readonly stop: AbortSignal;
  readonly #ports: QueryPorts;
  readonly #time: ServiceTime;
  /** Failures in a row, by credential; `Infinity`: nothing more is asked. */
  readonly #failures = new Map<string, number>();
  #failure = "";
  #retryAfterMs = 0;

  constructor(ports: QueryPorts, time: ServiceTime, stop: AbortSignal) {
    this.#ports = ports;
    this.#time = time;
    this.stop = stop;
  }

  /** The first failure; "" if there is none. */
  get failure(): string {
    return this.#failure;
  }

  /** Milliseconds that the service asks to wait. */
  get retryAfterMs(): number {
    return this.#retryAfterMs;
  }

  fail(why: string): void {
    if (this.#failure === "") this.#failure = why;
  }

  /** Reads what the plans of zones let one read, where that is not known, or is a day old. */
  async readLimits(zones: readonly CountedZone[]): Promise<void> {
    const at = this.#ports.clock.monotonicMs();
    const due = zones.filter((zone) => zone.isLimitsReadDue(at));
    await inBatches(
      due,
      (zone) => this.#credentialOf(zone),
      (batch) =>
        this.#asking(this.#credentialOf(batch[0]), batch, async () => {
          const asked = batch.map(({ zone }) => zone);
          const found = await readLimits(this.#ask, asked, this.stop);
          for (const zone of batch) {
            const read = found.get(zone.zone.id);
            if (read !== undefined) zone.noteLimits(read, at);
            if (read?.result === "failed") this.fail(read.why);
          }
        }),
    );
  }

  /**
   * Reads counts; what the service refuses is remembered.
   *
   * @param put takes what was read, or not, by the clock of the service of a time that is over.
   * @param otherForm what to read instead of what was refused: a dataset of events that a plan does not include may be there in
   * another form.
   * @param next called after each query.
   * @returns whether all was read, or refused.
   */
  async readCounts(
    tasks: readonly CountTask[],
    put: (task: CountTask, read: HoursRead) => void,
    otherForm: (refused: CountTask) => readonly CountTask[],
    next: () => Promise<void> = async () => undefined,
  ): Promise<boolean> {
    let isWhole = true;
    for (let due = tasks; due.length > 0;) {
      const read = await this.#readForm(due, put, next);
      isWhole &&= read.isWhole;
      due = read.refused.flatMap(otherForm);
    }
    return isWhole;
  }

  /** Reads counts in the form that is known now. */
  async #readForm(
    tasks: readonly CountTask[],
    put: (task: CountTask, read: HoursRead) => void,
    next: () => Promise<void>,
  ): Promise<{ readonly isWhole: boolean; readonly refused: readonly CountTask[] }> {
    let isWhole = true;
    const refused: CountTask[] = [];
    await inBatches(
      tasks,
      ({ zone, source, unit, range, pageSize }) =>
        [this.#credentialOf(zone), source, unit.ms, range.from, range.to, pageSize].join(" "),
      async (batch) => {
        const [{ unit, range }] = batch;
        const zones = batch.map(({ zone }) => zone);
        const isAnswered = await this.#asking(
          this.#credentialOf(batch[0].zone),
          zones,
          async () => {
            const asked = zones.map(({ zone }) => zone);
            const found = await readCounts(this.#ask, asked, batch[0], this.stop);
            // By the clock here it was over; by that of the service it has to be too.
            if (completeAt(this.#time.now(), unit) < range.to) {
              this.fail("what is to be read is not over by the clock of the service");
              isWhole = false;
              return;
            }
            for (const task of batch) {
              const read = found.get(task.zone.zone.id);
              if (read === undefined) continue;
              put(task, read);
              if (read.result === "refused") {
                task.zone.noteRefused(task.source, read, this.#ports.clock.monotonicMs());
                refused.push(task);
              } else if (read.result === "failed") {
                this.fail(read.why);
                isWhole = false;
              }
            }
          },
        );
        isWhole &&= isAnswered;
        await next();
      },
    );
    return { isWhole, refused };
  }

  readonly #ask: AskAnalytics = async (...args) => {
    const reply = await this.#ports.ask(...args);
    if (reply.at !== undefined) this.#time.note(reply.at);
    return reply;
  };

  #credentialOf(zone: CountedZone): string {
    return this.#ports.credentialOf(zone.zone);
  }

  /** Asks the service about zones of a credential; resolves with whether it answered. Throws no `ServiceError`. */
  async #asking(
    credential: string,
    zones: readonly CountedZone[],
    work: () => Promise<void>,
  ): Promise<boolean> {
    const failures = this.#failures.get(credential) ?? 0;
    if (failures >= maxFailures) return false;
    try {
      await work();
      this.#failures.set(credential, 0);
      return true;
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const { code, message, retryAfterMs } = error;
      if (code === "API_FORBIDDEN" || code === "API_UNAUTHORIZED") {
        for (const zone of zones) zone.noteDenied(message, this.#ports.clock.monotonicMs());
        return true;
      }
      const isOver = ["API_RATE_LIMITED", "API_BUDGET", "API_UNREACHABLE"].includes(code);
      this.#failures.set(credential, isOver ? Infinity : failures + 1);
      this.#retryAfterMs = Math.max(this.#retryAfterMs, retryAfterMs);
      this.fail(message);
      return false;
    }
  }
}

/** Works through items that one query can have, those with the same text together. */
async function inBatches<T>(
  items: readonly T[],
  textOf: (item: T) => string,
  work: (batch: readonly [T, ...T[]]) => Promise<unknown>,
): Promise<void> {
  for (const group of Map.groupBy(items, textOf).values()) {
    for (let start = 0; start < group.length; start += zonesOfQuery) {
      const [first, ...others] = group.slice(start, start + zonesOfQuery);
      if (first !== undefined) await work([first, ...others]);
    }
  }
}

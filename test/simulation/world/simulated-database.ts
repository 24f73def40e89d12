import { Election } from "../../../src/cluster/election.ts";
import type { LeaseStore } from "../../../src/cluster/lease.ts";
import type { SharedStore } from "../../../src/daemon/wiring.ts";
import type { Config } from "../../../src/desired/config/config.ts";
import type { Host } from "../../../src/host/host.ts";
import type { LeaderDatabase, BatchResult, TermBatch } from "../../../src/memory/database.ts";
import { identityOf } from "../../../src/memory/state-store.ts";
import { MemoryTables } from "../../support/memory-tables.ts";
import { SimulatedLease } from "../../support/simulated-cluster.ts";
import type { DatabaseEvent } from "../disturbances.ts";
import { type Life, whileAlive } from "./process-files.ts";
import type { SimulatedTime } from "./simulated-time.ts";

/** As the Lease in a row of a database. */
const leaseDurationMs = 15_000;

/** Shorter than the time after which a holder that cannot renew stops writing. */
const restartMs = 5_000;
/** Longer than any Lease. */
const outageMs = 90_000;
const restoredBatches = 3;
/** Batches that can be lost. */
const keptBatches = 8;

/** A database that several processes share, with the Lease beside its tables. */
export class SimulatedDatabase {
  readonly lease: SimulatedLease;
  readonly #tables = new MemoryTables();
  readonly #time: SimulatedTime;
  readonly #before: Pick<MemoryTables, "term" | "lines" | "entries">[] = [];
  #nextBatch: "batch_lost" | "batch_unconfirmed" | undefined;
  #downUntil = -Infinity;
  #leader: Life | undefined;
  /** Whether a batch of this term was not stored, or not confirmed. */
  #hasFailed = false;
  #hasLost = false;

  constructor(time: SimulatedTime) {
    this.#time = time;
    this.lease = new SimulatedLease({ monotonicMs: () => time.elapsed });
    // A Lease that nobody ever held may be one that was removed: the first process would wait.
    this.lease.giveBack();
  }

  /** The process that began a term last. */
  get leader(): Life | undefined {
    return this.#leader;
  }

  /** Whether the process of a term ended in which a batch failed: what it kept in memory may be gone. */
  get hasLost(): boolean {
    return this.#hasLost;
  }

  disturb(event: DatabaseEvent): void {
    switch (event) {
      case "batch_lost":
      case "batch_unconfirmed":
        this.#nextBatch = event;
        return;
      case "database_restarts":
        this.#stopFor(restartMs);
        return;
      case "database_down":
        this.#stopFor(outageMs);
        return;
      case "database_restored":
        this.restore(restoredBatches);
        return;
      case "lease_removed":
        this.lease.remove();
        return;
      case "lease_replaced":
        this.lease.setHolder("somebody");
    }
  }

  /** Nothing disturbs any more. */
  heal(): void {
    this.#nextBatch = undefined;
    this.#downUntil = -Infinity;
  }

  /** Goes back to what it was so many batches ago; the Lease stays. */
  restore(batches: number): void {
    const [oldest] = this.#before.splice(-batches);
    Object.assign(this.#tables, oldest);
  }

  /** The database as one process uses it: after its end nothing of it is answered any more. */
  sharedBy(life: Life & { readonly pid: number }, config: Config, host: Host): SharedStore {
    const { clock, sinceBootMs, random } = host;
    const options = {
      ...identityOf(config),
      lease: "lease",
      leaseDurationMs,
      identity: `process ${life.pid}`,
      page: "",
    };
    // As timers of Node: a part of a millisecond may be too short for the time to go on at all.
    const alarm: typeof clock.alarm = (ms, ring) => clock.alarm(Math.ceil(ms), ring);
    const leaseClock = { ...clock, alarm, sinceBootMs };
    const ports = { leases: this.#leasesFor(life), clock: leaseClock, random };
    const database = { place: "the database", tables: this.#tablesFor(life) };
    return { database, election: new Election(options, ports) };
  }

  #stopFor(ms: number): void {
    this.#downUntil = Math.max(this.#downUntil, this.#time.elapsed + ms);
  }

  #leasesFor(life: Life): LeaseStore {
    const { lease } = this;
    return {
      read: () => this.#answer(life, () => lease.current),
      create: (claim) => this.#answer(life, () => lease.create(claim)),
      update: (known, claim) => this.#answer(life, () => lease.update(known, claim)),
    };
  }

  #tablesFor(life: Life): LeaderDatabase["tables"] {
    const tables = this.#tables;
    return {
      createMissing: () => this.#answer(life, () => tables.createMissing()),
      check: () => this.#answer(life, () => tables.check()),
      storeId: () => this.#answer(life, () => tables.storeId()),
      begin: (...args) =>
        this.#answer(life, () => {
          this.#keep();
          this.#hasLost ||= this.#hasFailed && this.#leader !== life;
          if (this.#leader !== life) this.#hasFailed = false;
          this.#leader = life;
          return tables.begin(...args);
        }),
      reached: () => this.#answer(life, () => tables.reached()),
      store: async (batch) => {
        try {
          return await this.#answer(life, () => this.#store(batch));
        } catch (error) {
          this.#hasFailed = true;
          throw error;
        }
      },
      storeMeasurements: (batch) => this.#answer(life, () => tables.storeMeasurements(batch)),
      measurement: (...args) => this.#answer(life, () => tables.measurement(...args)),
      measurements: (...args) => this.#answer(life, () => tables.measurements(...args)),
      measuredDays: () => this.#answer(life, () => tables.measuredDays()),
      historyBytes: () => this.#answer(life, () => tables.historyBytes()),
      historyLines: () => this.#lines(life),
    };
  }

  async *#lines(life: Life): AsyncGenerator<Uint8Array> {
    await this.#answer(life, () => undefined);
    yield* this.#tables.historyLines();
  }

  async #store(batch: TermBatch): Promise<BatchResult> {
    const fault = this.#nextBatch;
    this.#nextBatch = undefined;
    if (fault === "batch_lost") throw noAnswer();
    this.#keep();
    const result = await this.#tables.store(batch);
    if (fault === "batch_unconfirmed") throw noAnswer();
    return result;
  }

  /** Keeps what a restore goes back to. */
  #keep(): void {
    const { term, lines, entries } = this.#tables;
    this.#before.push({ term, lines, entries });
    if (this.#before.length > keptBatches) this.#before.shift();
  }

  #answer<T>(life: Life, act: () => T | Promise<T>): Promise<T> {
    return whileAlive(life, async () => {
      await Promise.resolve();
      if (this.#time.elapsed < this.#downUntil) throw noAnswer();
      return act();
    });
  }
}

function noAnswer(): Error {
  return new Error("the database does not answer");
}

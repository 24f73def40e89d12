import { Election, type ElectionObserver } from "../../src/cluster/election.ts";
import { type HeldLease, type LeaseClock, leaseTiming } from "../../src/cluster/held-lease.ts";
import type { Claim, ClaimResult, Lease, LeaseStore } from "../../src/cluster/lease.ts";
import type { SimulatedClock } from "./clock.ts";

const leaseDurationMs = 15_000;
const [owner, service] = ["us", "https://service.example"];

export const timing = leaseTiming(leaseDurationMs);

/** What a holder writes into its Lease. */
export function claimOf(more: Partial<Claim> = {}): Claim {
  return {
    holder: "a",
    durationMs: leaseDurationMs,
    transitions: 3,
    installation: `${owner} at ${service}`,
    releasedBy: "",
    page: "",
    acquiredAt: undefined,
    now: new Date("2026-11-22T12:00:00.123Z"),
    ...more,
  };
}

/** Without anybody who is told. */
export const silent: ElectionObserver = {
  failed: () => undefined,
  recovered: () => undefined,
  leads: () => undefined,
  foreign: () => undefined,
};

/** The one Lease of a simulated cluster, and who took it when. */
export class SimulatedLease {
  /** Whether somebody else always writes it first. */
  isContended = false;
  readonly taken: { readonly holder: string; readonly at: number }[] = [];
  readonly #clock: Pick<LeaseClock, "monotonicMs">;
  #lease: Lease | undefined;
  #version = 0;

  constructor(clock: Pick<LeaseClock, "monotonicMs">) {
    this.#clock = clock;
  }

  get current(): Lease | undefined {
    return this.#lease;
  }

  remove(): void {
    this.#lease = undefined;
  }

  /** Makes it one that its last holder gave back: the next one need not wait. */
  giveBack(): void {
    this.#lease = {
      holder: "",
      releasedBy: "the last one",
      durationMs: 1_000,
      transitions: 0,
      installation: `${owner} at ${service}`,
      page: "",
      version: this.#next(),
      object: {},
    };
  }

  /** Sets the holder, as somebody does who wants another process to work. */
  setHolder(holder: string): void {
    if (this.#lease !== undefined) this.#lease = { ...this.#lease, holder, version: this.#next() };
  }

  /** Sets whose holder it is. */
  setInstallation(installation: string): void {
    if (this.#lease === undefined) return;
    this.#lease = { ...this.#lease, installation, version: this.#next() };
  }

  /** Removes all annotations, as somebody does who edits it. */
  strip(): void {
    if (this.#lease === undefined) return;
    this.#lease = { ...this.#lease, releasedBy: "", page: "", version: this.#next() };
  }

  /** Sets where the holder shows its page, as somebody does who writes what they like. */
  setPage(page: string): void {
    if (this.#lease !== undefined) this.#lease = { ...this.#lease, page, version: this.#next() };
  }

  /** Changes the version, as somebody does who adds a label. */
  touch(): void {
    if (this.#lease !== undefined) this.#lease = { ...this.#lease, version: this.#next() };
  }

  /** Takes its duration away, which the API server does not demand. */
  forgetDuration(): void {
    if (this.#lease === undefined) return;
    this.#lease = { ...this.#lease, durationMs: undefined, version: this.#next() };
  }

  create(claim: Claim): ClaimResult {
    return this.#lease === undefined ? this.#write(claim) : { result: "conflict" };
  }

  update(known: Lease, claim: Claim): ClaimResult {
    const isFirst = this.#lease?.version === known.version && !this.isContended;
    return isFirst ? this.#write(claim) : { result: "conflict" };
  }

  #write(claim: Claim): ClaimResult {
    const { holder, durationMs, transitions, installation, page, releasedBy } = claim;
    if (holder !== "" && holder !== this.#lease?.holder) {
      this.taken.push({ holder, at: this.#clock.monotonicMs() });
    }
    const version = this.#next();
    const spec = { holder, durationMs, transitions, installation, page, releasedBy };
    const lease = { ...spec, version, object: {} };
    this.#lease = lease;
    return { result: "written", lease };
  }

  #next(): string {
    this.#version += 1;
    return String(this.#version);
  }
}

let machines = 0;

/** The two clocks of a machine that nobody sets. */
export type MachineClock = "monotonic" | "boot";

/**
 * A machine of the simulation: while it is paused nothing of it runs, and then everything at once that became due. While it
 * is suspended, one of its clocks stands still too. Its connection to the API server can be cut in one direction or in both.
 */
export class SimulatedMachine {
  readonly clock: LeaseClock;
  /** What becomes of its requests. */
  network: "ok" | "cut" | "answers-lost" = "ok";
  /** A Lease of which no request is answered, whatever becomes of the others. */
  hidden: SimulatedLease | undefined;
  isPaused = false;
  readonly #shared: SimulatedClock;
  readonly #random: () => number;
  readonly #nth = (machines += 1);
  readonly #stoodStillMs = { monotonic: 0, boot: 0 };
  #suspended: { readonly clock: MachineClock; readonly at: number } | undefined;
  #waiting: (() => void)[] = [];

  constructor(shared: SimulatedClock, random: () => number) {
    this.#shared = shared;
    this.#random = random;
    const inTime = (ms: number, ring: () => void): (() => void) =>
      shared.alarm(ms, () => this.#ring(ring));
    this.clock = {
      now: () => new Date(shared.now().getTime() + this.#skewMs),
      monotonicMs: () => this.#read("monotonic"),
      sinceBootMs: () => this.#read("boot"),
      alarm: inTime,
      sleep: async (ms, signal) => {
        signal.throwIfAborted();
        const { promise, resolve, reject } = Promise.withResolvers<void>();
        const cancel = inTime(ms, resolve);
        const abort = (): void => {
          cancel();
          reject(new Error("aborted"));
        };
        signal.addEventListener("abort", abort, { once: true });
        await promise.finally(() => signal.removeEventListener("abort", abort));
      },
    };
  }

  /** The clock of a machine is off by minutes, and somebody sets it again and again. */
  get #skewMs(): number {
    const minutes = (this.#nth % 5) - 2;
    const isBack = Math.floor(this.#shared.monotonicMs() / 7_000) % 2 === 1;
    return (isBack ? -1 : 1) * minutes * 60_000;
  }

  /** Pauses it with one of its clocks: operating systems differ in which one counts the time of a suspension. */
  suspend(clock: MachineClock): void {
    this.isPaused = true;
    this.#suspended ??= { clock, at: this.#shared.monotonicMs() };
  }

  #read(clock: MachineClock): number {
    const { clock: still, at } = this.#suspended ?? {};
    const now = this.#shared.monotonicMs();
    return (still === clock && at !== undefined ? at : now) - this.#stoodStillMs[clock];
  }

  resume(): void {
    if (this.#suspended !== undefined) {
      const { clock, at } = this.#suspended;
      this.#stoodStillMs[clock] += this.#shared.monotonicMs() - at;
      this.#suspended = undefined;
    }
    this.isPaused = false;
    const due = this.#waiting;
    this.#waiting = [];
    // One after the other, as an event loop does it: what the first begins happens before the second is noticed.
    for (const ring of due) this.#shared.alarm(0, () => this.#ring(ring));
  }

  #ring(ring: () => void): void {
    if (this.isPaused) this.#waiting.push(ring);
    else ring();
  }

  /** A Lease as this machine reaches it. */
  storeOf(lease: SimulatedLease): LeaseStore {
    const never = new AbortController().signal;
    const random = this.#random;
    /** A request takes time to arrive and to be answered; without an answer it fails at its timeout. */
    const exchange = async <T>(timeoutMs: number, act: () => T): Promise<T> => {
      const [there, back] = [random() * 300, random() * 300];
      await this.clock.sleep(there, never);
      const lost = this.hidden === lease ? "cut" : this.network;
      if (lost === "cut") {
        await this.clock.sleep(timeoutMs, never);
        throw new Error("no answer");
      }
      // The server acts at its own time, whether the process runs or not.
      const result = act();
      await this.clock.sleep(lost === "ok" ? back : timeoutMs, never);
      if (lost !== "ok") throw new Error("the answer was lost");
      return result;
    };
    return {
      read: (timeoutMs) => exchange(timeoutMs, () => lease.current),
      create: (claim, timeoutMs) => exchange(timeoutMs, () => lease.create(claim)),
      update: (known, claim, timeoutMs) => exchange(timeoutMs, () => lease.update(known, claim)),
    };
  }

  get monotonicMs(): number {
    return this.#shared.monotonicMs();
  }
}

/** A process of the simulation that stands for one Lease. */
export class SimulatedProcess extends SimulatedMachine {
  readonly election: Election;
  /** The id of its store. */
  storeId = "";
  readonly #observer: ElectionObserver;

  constructor(
    identity: string,
    shared: SimulatedClock,
    lease: SimulatedLease,
    random: () => number,
    observer: ElectionObserver = silent,
  ) {
    super(shared, random);
    this.#observer = observer;
    const { clock } = this;
    const options = { lease: "lease", leaseDurationMs, identity, page: "", owner, service };
    this.election = new Election(options, { leases: this.storeOf(lease), clock, random });
  }

  /** Stands for the Lease until it holds it. */
  acquire(stop: AbortSignal): Promise<HeldLease> {
    return this.election.acquire(this.storeId, this.#observer, stop);
  }
}

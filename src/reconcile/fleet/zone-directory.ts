import { failureOf } from "../../state/failure.ts";
import type { Failure } from "../../state/run-report.ts";
import type { Clock } from "../../zone/ports.ts";
import { ServiceError } from "../../zone/service-error.ts";
import type { KnownZones } from "../../zone/zone.ts";
import { BackOff } from "../run/back-off.ts";
import { joinSignals } from "../signals.ts";
import type { Listing } from "./desired-fleet.ts";
import { joinListings } from "./desired-fleet.ts";

/** What asking for the zones needs from outside, and whom it tells. */
export interface DirectoryPorts {
  readonly listZones: (signal: AbortSignal) => Promise<Listing>;
  readonly clock: Clock;
  /** From 0 up to 1. */
  readonly random: () => number;
  /** The zone listing failed; the next try is in so many milliseconds. */
  readonly unlisted: (failure: Failure, retryMs: number) => void;
  readonly bug: (error: unknown, zone: string) => void;
}

/**
 * The zones that the service shows. Asking takes its time, minutes where the service is in trouble: nobody waits for
 * it, and what was known before stays known.
 */
export class ZoneDirectory {
  readonly #ports: DirectoryPorts;
  readonly #answered: () => void;
  #known: KnownZones | undefined;
  #failure: Failure | undefined;
  readonly #failures: BackOff<"listing">;
  #asking = false;
  #hasNews = false;
  /** Moments of the clock's uptime: when the service allows the next try, and when that is to be. */
  #allowedAt = -Infinity;
  #retryAt = -Infinity;
  /** Ends the wait before the next try. */
  #wait = new AbortController();

  /** @param answered is called after each try, whatever it came to, and where there is none for now. */
  constructor(ports: DirectoryPorts, answered: () => void) {
    this.#ports = ports;
    this.#failures = new BackOff(ports.random);
    this.#answered = answered;
  }

  /** As listed last; `undefined` before the first listing. */
  get known(): KnownZones | undefined {
    return this.#known;
  }

  /** What the last try failed with. */
  get failure(): Failure | undefined {
    return this.#failure;
  }

  /** Whether the service is being asked at this moment. */
  get isAsking(): boolean {
    return this.#asking;
  }

  /** Whether an answer has not been taken in yet. */
  get hasNews(): boolean {
    return this.#hasNews;
  }

  /** Takes the news in, and says whether there were any. */
  takeNews(): boolean {
    const hasNews = this.#hasNews;
    this.#hasNews = false;
    return hasNews;
  }

  /**
   * Asks the service, and again after a wait until it answers; joins a try that is under way. In the wait after a failure
   * what is known is the answer: who `insists` has the service asked again as soon as it allows, nobody else sooner.
   */
  ask(insists: boolean, stop: AbortSignal): void {
    if (this.#asking) return;
    if (insists) this.#retryAt = Math.min(this.#retryAt, this.#allowedAt);
    if (this.#waitMs() <= 0) {
      this.#askNow(stop);
      return;
    }
    if (insists) void this.#askAfterWait(stop);
    this.#answer();
  }

  #askNow(stop: AbortSignal): void {
    this.#wait.abort();
    this.#asking = true;
    void this.#try(stop);
  }

  #waitMs(): number {
    return this.#retryAt - this.#ports.clock.uptime();
  }

  #answer(): void {
    this.#hasNews = true;
    this.#answered();
  }

  /** Instead of a wait that is under way. */
  async #askAfterWait(stop: AbortSignal): Promise<void> {
    this.#wait.abort();
    const wait = new AbortController();
    this.#wait = wait;
    using either = joinSignals(stop, wait.signal);
    if (await this.#slept(this.#waitMs(), either.signal)) this.#askNow(stop);
  }

  async #try(stop: AbortSignal): Promise<void> {
    await this.#list(stop);
    this.#asking = false;
    if (stop.aborted) return;
    this.#answer();
    if (this.#failure !== undefined) await this.#askAfterWait(stop);
  }

  async #list(stop: AbortSignal): Promise<void> {
    try {
      const listing = await this.#ports.listZones(stop);
      this.#known = joinListings(this.#known, listing);
      const [first, ...others] = listing.failed.map(failureOfCredential);
      if (first === undefined) this.#succeed();
      else this.#fail([first, ...others]);
    } catch (error) {
      if (stop.aborted) return;
      if (!(error instanceof ServiceError)) this.#ports.bug(error, "");
      this.#fail([failureOf(error)]);
    }
  }

  #succeed(): void {
    this.#failure = undefined;
    this.#failures.forget("listing");
    this.#allowedAt = -Infinity;
    this.#retryAt = -Infinity;
  }

  #fail(failures: readonly [Failure, ...Failure[]]): void {
    [this.#failure] = failures;
    const asked = Math.max(...failures.map(({ retryAfterMs }) => retryAfterMs));
    const retryMs = this.#failures.add("listing", asked);
    const now = this.#ports.clock.uptime();
    this.#allowedAt = now + asked;
    this.#retryAt = now + retryMs;
    for (const failure of failures) this.#ports.unlisted(failure, retryMs);
  }

  async #slept(ms: number, signal: AbortSignal): Promise<boolean> {
    try {
      await this.#ports.clock.sleep(ms, signal);
    } catch {
      // It ended early: that is asked for next, for it may also have ended and been ended in one turn.
    }
    return !signal.aborted;
  }
}

function failureOfCredential({ credential, error }: Listing["failed"][number]): Failure {
  const failure = failureOf(error);
  return { ...failure, message: `credential ${credential}: ${failure.message}` };
}

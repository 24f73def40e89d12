import { type Failure, failureOf } from "../../state/run-report.ts";
import type { Clock } from "../../zone/ports.ts";
import { ServiceError } from "../../zone/service-error.ts";
import { joinSignals } from "../../zone/signals.ts";
import type { KnownZones, ZoneListing } from "../../zone/zone.ts";
import { BackOff } from "../run/next-run.ts";
import { joinListings } from "./desired-fleet.ts";

export interface DirectoryPorts {
  readonly listZones: (signal: AbortSignal) => Promise<ZoneListing>;
  readonly clock: Clock;
  /** From 0 up to 1. */
  readonly random: () => number;
  /** The zone listing failed; the next attempt follows after `retryMs`. */
  readonly unlisted: (failure: Failure, retryMs: number) => void;
  /** Reports an internal error. */
  readonly bug: (error: unknown, zone: string) => void;
}

/**
 * The zones that the service lists. A listing takes minutes where the service is in trouble: nothing waits for it, and the
 * zones known from the listing before stay known.
 */
export class ZoneDirectory {
  readonly #ports: DirectoryPorts;
  readonly #arrived: () => void;
  readonly #backOff: BackOff<"listing">;
  #known: KnownZones | undefined;
  #failure: Failure | undefined;
  #isListing = false;
  /** By the monotonic clock: when the service allows the next attempt, and when the back-off ends. */
  #allowedAt = -Infinity;
  #retryAt = -Infinity;
  /** Ends the wait before the next attempt. */
  #wait = new AbortController();

  /** @param arrived is called after each attempt, failed or not, and where the back-off allows none now. */
  constructor(ports: DirectoryPorts, arrived: () => void) {
    this.#ports = ports;
    this.#backOff = new BackOff(ports.random);
    this.#arrived = arrived;
  }

  /** The zones of the last listing; `undefined` before the first. */
  get known(): KnownZones | undefined {
    return this.#known;
  }

  /** Why the last attempt failed. */
  get failure(): Failure | undefined {
    return this.#failure;
  }

  get isListing(): boolean {
    return this.#isListing;
  }

  /**
   * Lists the zones, with retries until the service answers; joins a listing in progress. In the back-off after a failure
   * the known zones are the answer.
   *
   * @param isUrgent shortens the back-off to the moment that the service named.
   */
  list(isUrgent: boolean, stop: AbortSignal): void {
    if (this.#isListing) return;
    if (isUrgent) this.#retryAt = Math.min(this.#retryAt, this.#allowedAt);
    if (this.#waitMs() <= 0) {
      this.#listNow(stop);
      return;
    }
    if (isUrgent) void this.#listAfterWait(stop);
    this.#arrived();
  }

  #waitMs(): number {
    return this.#retryAt - this.#ports.clock.monotonicMs();
  }

  #listNow(stop: AbortSignal): void {
    this.#wait.abort();
    this.#isListing = true;
    void this.#attempt(stop);
  }

  /** Replaces a wait in progress. */
  async #listAfterWait(stop: AbortSignal): Promise<void> {
    this.#wait.abort();
    const wait = new AbortController();
    this.#wait = wait;
    using either = joinSignals(stop, wait.signal);
    try {
      await this.#ports.clock.sleep(this.#waitMs(), either.signal);
    } catch {
      // Aborted. The signal is checked below, since it may also abort just after the wait.
    }
    if (!either.signal.aborted) this.#listNow(stop);
  }

  async #attempt(stop: AbortSignal): Promise<void> {
    const failures = await this.#listOnce(stop);
    this.#isListing = false;
    if (stop.aborted) return;
    [this.#failure] = failures;
    if (failures.length === 0) this.#backOff.forget("listing");
    else {
      const leastMs = Math.max(...failures.map(({ retryAfterMs }) => retryAfterMs));
      const retryMs = this.#backOff.add("listing", leastMs);
      const now = this.#ports.clock.monotonicMs();
      this.#allowedAt = now + leastMs;
      this.#retryAt = now + retryMs;
      for (const failure of failures) this.#ports.unlisted(failure, retryMs);
    }
    this.#arrived();
    if (this.#failure !== undefined) await this.#listAfterWait(stop);
  }

  /** Takes in a listing, and gives what failed in it. */
  async #listOnce(stop: AbortSignal): Promise<readonly Failure[]> {
    try {
      const listing = await this.#ports.listZones(stop);
      this.#known = joinListings(this.#known, listing);
      return listing.failed.map(failureOfCredential);
    } catch (error) {
      if (!stop.aborted && !(error instanceof ServiceError)) this.#ports.bug(error, "");
      return [failureOf(error)];
    }
  }
}

function failureOfCredential({ credential, error }: ZoneListing["failed"][number]): Failure {
  const failure = failureOf(error);
  return { ...failure, message: `credential ${credential}: ${failure.message}` };
}

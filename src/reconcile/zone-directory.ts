import { failureOf, isServiceError } from "../report/failure.ts";
import type { Failure } from "../report/run-report.ts";
import type { KnownZones } from "../zone/zone.ts";
import { Failures } from "./backoff.ts";
import type { Listing } from "./declared-fleet.ts";
import { joinListings } from "./declared-fleet.ts";
import { joinSignals } from "./join-signals.ts";
import type { Clock } from "./ports.ts";

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
  readonly #failures: Failures<"listing">;
  #asking = false;
  /** Cuts the wait before the next try short. */
  #wait = new AbortController();

  /** @param answered is called after each try, whatever it came to. */
  constructor(ports: DirectoryPorts, answered: () => void) {
    this.#ports = ports;
    this.#failures = new Failures(ports.random);
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

  /** Asks the service, and again after a wait until it answers; joins a try that is under way. */
  ask(stop: AbortSignal): void {
    if (this.#asking) return;
    this.#wait.abort();
    this.#asking = true;
    void this.#try(stop);
  }

  async #try(stop: AbortSignal): Promise<void> {
    const retryMs = await this.#list(stop);
    this.#asking = false;
    if (stop.aborted) return;
    this.#answered();
    if (retryMs === undefined) return;
    const wait = new AbortController();
    this.#wait = wait;
    using either = joinSignals(stop, wait.signal);
    if (await this.#slept(retryMs, either.signal)) this.ask(stop);
  }

  /** Gives the wait before the next try; `undefined` where this one succeeded. */
  async #list(stop: AbortSignal): Promise<number | undefined> {
    try {
      const listing = await this.#ports.listZones(stop);
      this.#known = joinListings(this.#known, listing);
      const [first, ...others] = listing.failed.map(failureOfCredential);
      if (first !== undefined) return this.#fail([first, ...others]);
      this.#failure = undefined;
      this.#failures.forget("listing");
      return undefined;
    } catch (error) {
      if (stop.aborted) return undefined;
      if (!isServiceError(error)) this.#ports.bug(error, "");
      return this.#fail([failureOf(error)]);
    }
  }

  #fail(failures: readonly [Failure, ...Failure[]]): number {
    [this.#failure] = failures;
    const asked = Math.max(...failures.map(({ retryAfterMs }) => retryAfterMs));
    const retryMs = this.#failures.waitAfter("listing", asked);
    for (const failure of failures) this.#ports.unlisted(failure, retryMs);
    return retryMs;
  }

  async #slept(ms: number, signal: AbortSignal): Promise<boolean> {
    try {
      await this.#ports.clock.sleep(ms, signal);
      return true;
    } catch {
      return false;
    }
  }
}

function failureOfCredential({ credential, error }: Listing["failed"][number]): Failure {
  const failure = failureOf(error);
  return { ...failure, message: `credential ${credential}: ${failure.message}` };
}

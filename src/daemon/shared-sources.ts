import type { Config } from "../desired/config/config.ts";
import { type DesiredState, ZoneFileLoader } from "../desired/load/zone-file-loader.ts";
import type { ServiceClient } from "../host/connect.ts";
import type { Host } from "../host/host.ts";
import type { StoredState } from "../reconcile/fleet/desired-fleet.ts";
import { logInternalError } from "../telemetry/log/log-reports.ts";
import type { Logger } from "../telemetry/log/log.ts";
import type { Zone } from "../zone/zone.ts";
import type { StoredFiles } from "./stored-revision.ts";

/** What the sources are read with. */
export interface SourceParts {
  readonly config: Config;
  readonly service: Pick<ServiceClient, "reader">;
  readonly logger: Logger;
}

type Listing = Awaited<ReturnType<ServiceClient["reader"]["listZones"]>>;

/**
 * The zone files and the zone listing, read once for all terms of a process: what several ask for at one time is one
 * reading.
 */
export class SharedSources {
  readonly #parts: SourceParts;
  readonly #host: Host;
  readonly #stop: AbortSignal;
  #terms = 0;
  #loader: ZoneFileLoader | undefined;
  /** What the loader gave last. */
  #latest: DesiredState | undefined;
  /** The last reading of the files, and one that has not begun. */
  #reading: Promise<unknown> = Promise.resolve();
  #next: Promise<DesiredState> | undefined;
  #listing: Promise<Listing> | undefined;
  #isVerifying = false;

  /** @param stop ends what is read for all. */
  constructor(parts: SourceParts, host: Host, stop: AbortSignal) {
    this.#parts = parts;
    this.#host = host;
    this.#stop = stop;
  }

  /** Reads the files from now on, until the result is disposed. The first term after a pause forgets what was read before. */
  use(): Disposable {
    if (this.#terms === 0) {
      this.#loader = this.#createLoader();
      this.#latest = undefined;
    }
    this.#terms += 1;
    return {
      [Symbol.dispose]: () => {
        this.#terms -= 1;
      },
    };
  }

  /** Loads the zone files as they are after the call. */
  load(signal: AbortSignal): Promise<DesiredState> {
    this.#next ??= this.#inTurn((loader) => {
      this.#next = undefined;
      return this.#note(loader.load(this.#stop));
    });
    return until(signal, this.#next);
  }

  /** The revision that was in force, from the files that were stored of it. */
  async restore(stored: StoredFiles, signal: AbortSignal): Promise<StoredState> {
    const { revision, commit, hash, round, files } = stored;
    const loaded = this.#inTurn((loader) => {
      const known = this.#latest;
      if (known === undefined) return this.#note(loader.loadFrom(files, this.#stop));
      if (known.hash === hash && known.usable) return Promise.resolve(known);
      // The loader of the process follows the files: older ones must not replace what it has read.
      return this.#createLoader().loadFrom(files, this.#stop);
    });
    return { state: { ...(await until(signal, loaded)), revision, commit, hash }, round };
  }

  /** Lists the zones of all credentials. */
  listZones(signal: AbortSignal): Promise<Listing> {
    this.#listing ??= this.#list().finally(() => {
      this.#listing = undefined;
    });
    return until(signal, this.#listing);
  }

  async #list(): Promise<Listing> {
    const listing = await this.#parts.service.reader.listZones(this.#stop);
    void this.#verifyTokens(listing.zones);
    return listing;
  }

  async #inTurn(read: (loader: ZoneFileLoader) => Promise<DesiredState>): Promise<DesiredState> {
    const before = this.#reading;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#reading = promise;
    try {
      await before;
      const loader = (this.#loader ??= this.#createLoader());
      return await read(loader);
    } finally {
      resolve();
    }
  }

  async #note(loading: Promise<DesiredState>): Promise<DesiredState> {
    this.#latest = await loading;
    return this.#latest;
  }

  #createLoader(): ZoneFileLoader {
    const { config, logger } = this.#parts;
    const { files, clock } = this.#host;
    const bug = (error: unknown): void => logInternalError(logger, error, "");
    const { desired, lint } = config;
    return new ZoneFileLoader({ path: desired.path, files, clock, lint, bug });
  }

  /** Asks the service when the tokens expire, one check at a time; the answers are in the state of the credentials. */
  async #verifyTokens(zones: readonly Zone[]): Promise<void> {
    const { service, logger } = this.#parts;
    if (this.#isVerifying) return;
    this.#isVerifying = true;
    try {
      await service.reader.verifyTokens(zones, this.#stop);
    } catch (error) {
      if (!this.#stop.aborted) logger.debug({ err: error }, "tokens cannot be verified");
    } finally {
      this.#isVerifying = false;
    }
  }
}

/** Waits for work that others wait for too: one who stops waiting does not end it. */
async function until<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  // Where everybody has stopped waiting, nobody hears of its failure.
  work.catch(() => undefined);
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = (): void => {
    const reason: unknown = signal.reason;
    reject(reason instanceof Error ? reason : new Error("aborted"));
  };
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

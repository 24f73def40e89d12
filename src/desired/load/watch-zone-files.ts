import path from "node:path";
import { isDeepStrictEqual } from "node:util";

import { watch } from "chokidar";
import type { FSWatcher } from "chokidar";

import type { Clock } from "../../zone/ports.ts";
import type { FilePort } from "../file-system.ts";

/** How {@link watchDesired} waits, and what it asks. */
export interface WatchOptions {
  /** Quiet time after the last event before `onChange` is called; at most ten times as long in all. */
  readonly debounceMs: number;
  readonly clock: Pick<Clock, "uptime" | "sleep">;
  readonly files: Pick<FilePort, "realpath" | "facts">;
}

/**
 * Calls `onChange` after something below `directory` changed, or below the one that its link leads to now; it may
 * also be one file. The call carries no facts: who wants them loads again.
 */
export async function watchDesired(
  directory: string,
  onChange: () => void,
  options: WatchOptions,
): Promise<AsyncDisposable> {
  const watcher = new Watcher(directory, onChange, options);
  await watcher.start();
  return watcher;
}

/** How often the path is asked whether it still leads to the same place: events of a place that was left say nothing. */
const identityMs = 1000;

/** Events come without end in a large checkout; after this many quiet times it is time to look anyway. */
const maxQuietTimes = 10;

/**
 * Staging names of a ConfigMap volume, and Git's own files. Not "..data": the swap of that link is the only
 * event that is never lost when volumes change in bursts.
 */
const staging = /(?:^|\/)(?:\.\.\d{4}_[^/]*|\.\.data_tmp|\.git)(?:\/|$)/;

/** Where the path leads, and what stands there: something else under the same name is another one. */
interface Standing {
  readonly real: string;
  readonly place: string;
}

class Watcher implements AsyncDisposable {
  readonly #directory: string;
  readonly #onChange: () => void;
  readonly #options: WatchOptions;
  readonly #stop = new AbortController();
  #chokidar: FSWatcher | undefined;
  #standsAt: Standing | undefined;
  #polling: Promise<void> = Promise.resolve();
  /** When the oldest event came that has not been told yet. */
  #since: number | undefined;
  #wait = new AbortController();

  constructor(directory: string, onChange: () => void, options: WatchOptions) {
    this.#directory = directory;
    this.#onChange = onChange;
    this.#options = options;
  }

  async start(): Promise<void> {
    this.#standsAt = await this.#look();
    await this.#arm();
    this.#polling = this.#poll();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    this.#wait.abort();
    await this.#polling;
    await this.#chokidar?.close();
  }

  async #poll(): Promise<void> {
    while (await this.#slept(identityMs, this.#stop.signal)) {
      const now = await this.#look();
      if (isDeepStrictEqual(now, this.#standsAt)) continue;
      this.#standsAt = now;
      await this.#arm();
      this.#poke();
    }
  }

  async #look(): Promise<Standing | undefined> {
    const { files } = this.#options;
    try {
      const real = await files.realpath(this.#directory);
      return { real, place: (await files.facts(real)).place };
    } catch {
      return undefined;
    }
  }

  /** While nothing stands at the path, only the poll can see it come back. */
  async #arm(): Promise<void> {
    await this.#chokidar?.close();
    this.#chokidar = undefined;
    const root = this.#standsAt?.real;
    if (root === undefined) return;
    const watcher = watch(root, {
      ignoreInitial: true,
      followSymlinks: false,
      // Relative, since the root itself may lie below such a name.
      ignored: (file) => staging.test(path.relative(root, file)),
    });
    this.#chokidar = watcher;
    watcher.on("all", () => this.#poke()).on("error", () => this.#poke());
    await new Promise<void>((resolve) => {
      watcher.once("ready", resolve).once("error", () => resolve());
    });
  }

  #poke(): void {
    const { clock, debounceMs } = this.#options;
    const now = clock.uptime();
    this.#since ??= now;
    const most = this.#since + maxQuietTimes * debounceMs - now;
    this.#wait.abort();
    this.#wait = new AbortController();
    void this.#tellAfter(Math.max(0, Math.min(debounceMs, most)), this.#wait.signal);
  }

  async #tellAfter(ms: number, signal: AbortSignal): Promise<void> {
    if (!(await this.#slept(ms, signal)) || this.#stop.signal.aborted) return;
    this.#since = undefined;
    this.#onChange();
  }

  async #slept(ms: number, signal: AbortSignal): Promise<boolean> {
    try {
      await this.#options.clock.sleep(ms, signal);
      return !signal.aborted;
    } catch {
      return false;
    }
  }
}

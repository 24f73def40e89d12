import path from "node:path";
import { isDeepStrictEqual } from "node:util";

import { type FSWatcher, watch } from "chokidar";

import type { Clock } from "../../zone/ports.ts";
import type { FilePort } from "../file-system.ts";

export interface WatchOptions {
  /**
   * `onChange` is called this long after the last event, and at most ten times as long after the
   * first one.
   */
  readonly debounceMs: number;
  readonly clock: Pick<Clock, "monotonicMs" | "sleep">;
  readonly files: Pick<FilePort, "realpath" | "facts">;
}

/**
 * Calls `onChange` after something changed below `directory`, which may be a link or one file. The
 * call does not tell what changed: load the files again.
 */
export async function watchZoneFiles(
  directory: string,
  onChange: () => void,
  options: WatchOptions,
): Promise<AsyncDisposable> {
  const watcher = new Watcher(directory, onChange, options);
  await watcher.start();
  return watcher;
}

/**
 * How often to check that the path still resolves to the watched directory: a watcher does not
 * notice another target.
 */
const pollMs = 1000;

/** How long the first read of a directory may take before the watch counts as begun. */
const maxStartMs = 5000;

/**
 * A large checkout emits events without a pause; after this many times the debounce, call
 * `onChange` anyway.
 */
const maxDebounces = 10;

/**
 * Staging names of a ConfigMap volume, and Git's own files. Not "..data": the swap of that link is
 * the only event that is never lost when volumes change in bursts.
 */
const staging = /(?:^|\/)(?:\.\.\d{4}_[^/]*|\.\.data_tmp|\.git)(?:\/|$)/;

/** What the watched path resolves to. */
interface WatchTarget {
  readonly real: string;
  readonly inode: string;
}

class Watcher implements AsyncDisposable {
  readonly #directory: string;
  readonly #onChange: () => void;
  readonly #options: WatchOptions;
  readonly #stop = new AbortController();
  #chokidar: FSWatcher | undefined;
  #target: WatchTarget | undefined;
  #polling: Promise<void> = Promise.resolve();
  /** Time of the first event since the last call of `onChange`. */
  #since: number | undefined;
  #wait = new AbortController();

  constructor(directory: string, onChange: () => void, options: WatchOptions) {
    this.#directory = directory;
    this.#onChange = onChange;
    this.#options = options;
  }

  async start(): Promise<void> {
    this.#target = await this.#resolve();
    await this.#watch();
    this.#polling = this.#poll();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    this.#wait.abort();
    await this.#polling;
    await this.#chokidar?.close();
  }

  async #poll(): Promise<void> {
    while (await this.#slept(pollMs, this.#stop.signal)) {
      const now = await this.#resolve();
      if (isDeepStrictEqual(now, this.#target)) continue;
      this.#target = now;
      await this.#watch();
      this.#onEvent();
    }
  }

  async #resolve(): Promise<WatchTarget | undefined> {
    const { files } = this.#options;
    try {
      const real = await files.realpath(this.#directory);
      return { real, inode: (await files.facts(real)).inode };
    } catch {
      return undefined;
    }
  }

  /** While the path does not exist, only the poll notices that it is back. */
  async #watch(): Promise<void> {
    await this.#chokidar?.close();
    this.#chokidar = undefined;
    const root = this.#target?.real;
    if (root === undefined) return;
    const watcher = watch(root, {
      ignoreInitial: true,
      followSymlinks: false,
      // Relative: the root itself may be below such a name.
      ignored: (file) => staging.test(path.relative(root, file)),
    });
    this.#chokidar = watcher;
    watcher.on("all", () => this.#onEvent()).on("error", () => this.#onEvent());
    await this.#waitUntilReady(watcher);
  }

  /**
   * Waits until the watcher is ready, at most {@link maxStartMs}. If it is ready later, `onChange`
   * is called then.
   */
  async #waitUntilReady(watcher: FSWatcher): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<true>();
    watcher.once("ready", () => resolve(true)).once("error", () => resolve(true));
    const limit = new AbortController();
    const isReady = await Promise.race([
      promise,
      this.#slept(maxStartMs, limit.signal).then(() => false),
    ]);
    limit.abort();
    if (!isReady) void promise.then(() => this.#onEvent());
  }

  #onEvent(): void {
    const { clock, debounceMs } = this.#options;
    const now = clock.monotonicMs();
    this.#since ??= now;
    const maxWait = this.#since + maxDebounces * debounceMs - now;
    this.#wait.abort();
    this.#wait = new AbortController();
    void this.#callAfter(Math.max(0, Math.min(debounceMs, maxWait)), this.#wait.signal);
  }

  async #callAfter(ms: number, signal: AbortSignal): Promise<void> {
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

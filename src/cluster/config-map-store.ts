import type { OpenResult, StateStore, StoreStatus } from "../store/state-store.ts";
import type { Clock } from "../zone/ports.ts";
import type { ConfigMaps } from "./config-maps.ts";
import { StateMaps, type StateWriter } from "./state-maps.ts";

/** What a store in the cluster needs from outside. */
export interface ConfigMapStorePorts {
  readonly maps: ConfigMaps;
  readonly clock: Clock;
  readonly writer: StateWriter;
  /** Writing began to fail. What could not be written stays in memory and is tried again. */
  readonly onFailure: (error: Error) => void;
  readonly onRecovery: () => void;
}

/** So long changes are gathered before they are written. */
const gatherMs = 1_000;
/** After a failure it is tried again so often. */
const retryMs = 5_000;
/** The API server keeps each version for minutes: a large state is written less often. */
const bytesPerSecond = 100_000;

/**
 * Opens the state in the ConfigMap `name` and its chunks. Only the holder of the Lease may. Rejects where the state cannot
 * be read now: what is not known must not be taken for empty.
 */
export async function openConfigMapStore(
  name: string,
  ports: ConfigMapStorePorts,
): Promise<StateStore> {
  const objects = new StateMaps(name, ports.maps, ports.writer);
  const { opened, entries } = await objects.open();
  return new ConfigMapStore(objects, opened, entries, ports);
}

class ConfigMapStore implements StateStore {
  readonly isDurable = true;
  readonly opened: OpenResult;
  readonly #objects: StateMaps;
  readonly #entries: Map<string, string>;
  readonly #ports: ConfigMapStorePorts;
  /** Counts changes, and those that are stored. */
  #changes = 0;
  #stored = 0;
  #work: Promise<boolean> | undefined;
  #cancelTimer: (() => void) | undefined;
  #waitMs = gatherMs;
  #status: StoreStatus = { status: "ok" };

  constructor(
    objects: StateMaps,
    opened: OpenResult,
    entries: Map<string, string>,
    ports: ConfigMapStorePorts,
  ) {
    this.#objects = objects;
    this.opened = opened;
    this.#entries = entries;
    this.#ports = ports;
  }

  get status(): StoreStatus {
    return this.#status;
  }

  get(key: string): string | undefined {
    return this.#entries.get(key);
  }

  keys(prefix: string): readonly string[] {
    return [...this.#entries.keys()].filter((key) => key.startsWith(prefix));
  }

  set(key: string, text: string | undefined): void {
    if (this.#entries.get(key) === text) return;
    if (text === undefined) this.#entries.delete(key);
    else this.#entries.set(key, text);
    this.#changes += 1;
    this.#writeLater();
  }

  async flush(): Promise<boolean> {
    // What is being written now may not hold what was set last.
    await this.#work;
    this.#cancel();
    return this.#write();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.flush();
    this.#cancel();
  }

  #writeLater(): void {
    this.#cancelTimer ??= this.#ports.clock.alarm(this.#waitMs, () => {
      this.#cancelTimer = undefined;
      void this.#write();
    });
  }

  #cancel(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }

  #write(): Promise<boolean> {
    this.#work ??= this.#writeChanges().finally(() => {
      this.#work = undefined;
      if (this.#stored < this.#changes) this.#writeLater();
    });
    return this.#work;
  }

  async #writeChanges(): Promise<boolean> {
    const changes = this.#changes;
    if (changes === this.#stored) return true;
    try {
      const bytes = await this.#objects.store(this.#entries);
      this.#stored = changes;
      this.#waitMs = Math.max(gatherMs, (bytes / bytesPerSecond) * 1_000);
      if (this.#status.status === "failing") this.#ports.onRecovery();
      this.#status = { status: "ok" };
      return true;
    } catch (error) {
      this.#waitMs = retryMs;
      this.#fail(error instanceof Error ? error : new Error(String(error)));
      return false;
    }
  }

  #fail(error: Error): void {
    if (this.#status.status === "failing") return;
    this.#status = { status: "failing", since: this.#ports.clock.now(), error };
    this.#ports.onFailure(error);
  }
}

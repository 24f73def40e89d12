import type { Clock } from "../../zone/ports.ts";
import { type BatchPorts, BatchedStore, type StateMedium } from "../batched-store.ts";
import type { StateStore } from "../state-store.ts";
import { StateMaps, type StateWriter } from "./state-maps.ts";
import type { ConfigMaps } from "./stored-map.ts";

/** What a store in the cluster needs from outside. */
export interface ConfigMapStorePorts extends BatchPorts {
  readonly maps: ConfigMaps;
  readonly clock: Clock;
  readonly writer: StateWriter;
}

/** How long changes are gathered before they are written. */
const gatherMs = 1_000;
/** The API server keeps each version for minutes: a large state is written less often. */
const bytesPerSecond = 100_000;
/** What part of that wait a run has to wait before its first write: at most 5 s, for the largest state. */
const flushShare = 0.1;

/**
 * Opens the state in the ConfigMap `name` and its chunks. Only the holder of the Lease may. Rejects if the state cannot
 * be read now: what is not known must not be taken for empty.
 */
export async function openConfigMapStore(
  name: string,
  ports: ConfigMapStorePorts,
): Promise<StateStore> {
  const objects = new StateMaps(name, ports.maps, ports.writer);
  const { clock } = ports;
  let notBefore = 0;
  const medium: StateMedium = {
    store: async (_changes, entries) => {
      // A run waits for what it stores before its first write. Those that wait meanwhile are stored together.
      const waitMs = notBefore - clock.monotonicMs();
      if (waitMs > 0) await clock.sleep(waitMs, new AbortController().signal);
      const bytes = await objects.store(entries);
      const nextMs = Math.max(gatherMs, (bytes / bytesPerSecond) * 1_000);
      notBefore = clock.monotonicMs() + (nextMs - gatherMs) * flushShare;
      return nextMs;
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  return new BatchedStore(medium, await objects.open(), gatherMs, ports);
}

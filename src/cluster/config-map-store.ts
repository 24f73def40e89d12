import { type BatchPorts, BatchedStore, type StateMedium } from "../store/batched-store.ts";
import type { StateStore } from "../store/state-store.ts";
import type { Clock } from "../zone/ports.ts";
import type { ConfigMaps } from "./config-maps.ts";
import { StateMaps, type StateWriter } from "./state-maps.ts";

/** What a store in the cluster needs from outside. */
export interface ConfigMapStorePorts extends BatchPorts {
  readonly maps: ConfigMaps;
  readonly clock: Clock;
  readonly writer: StateWriter;
}

/** So long changes are gathered before they are written. */
const gatherMs = 1_000;
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
  const medium: StateMedium = {
    store: async (_changes, entries) => {
      const bytes = await objects.store(entries);
      return Math.max(gatherMs, (bytes / bytesPerSecond) * 1_000);
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  return new BatchedStore(medium, await objects.open(), gatherMs, ports);
}

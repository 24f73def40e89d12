import type { HistoryStore } from "../history/file/history-store.ts";
import type { MeasurementStore } from "../measure/measurement-store.ts";
import { MemoryStore } from "./memory-store.ts";
import type { StateStore } from "./state-store.ts";

/** What an installation keeps across restarts: its state, and the lines of its history. */
export interface KeptStore extends AsyncDisposable {
  readonly state: StateStore;
  /** `undefined`: the history ends with the process. */
  readonly history: HistoryStore | undefined;
  /** `undefined`: nothing is measured. */
  readonly measurements: MeasurementStore | undefined;
  /** Whether the place has lost what this process had stored there. */
  readonly isRestored: boolean;
}

/** A store that ends with the process. */
export function memoryOnly(state: StateStore = new MemoryStore()): KeptStore {
  return {
    state,
    history: undefined,
    measurements: undefined,
    isRestored: false,
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

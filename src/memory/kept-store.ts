import type { HistoryStore } from "../history/file/history-store.ts";
import type { MeasurementStore } from "../measure/measurement-store.ts";
import { MemoryStore } from "./memory-store.ts";
import type { StateStore } from "./state-store.ts";

/** What an installation keeps across restarts: its state, and the lines of its history. */
export interface KeptStore extends AsyncDisposable {
  readonly state: StateStore;
  /** `undefined`: the history ends with the process. */
  readonly history: HistoryStore | undefined;
  readonly measurements: MeasurementStore;
  /** Whether the place has lost what this process had stored there. */
  readonly isRestored: boolean;
  /** With what is set until then, all that follows from the loss is stored: the next process finds none. */
  settleLoss(): void;
}

function keepNothing(): Promise<never> {
  return Promise.reject(new Error("there is no store"));
}

/** Counts that end with the process are not worth their queries. */
const noMeasurements: MeasurementStore = {
  read: keepNothing,
  readAll: () => ({ [Symbol.asyncIterator]: () => ({ next: keepNothing }) }),
  days: keepNothing,
  write: keepNothing,
  dropBefore: keepNothing,
};

/** A store that ends with the process. */
export function memoryOnly(): KeptStore {
  return {
    state: new MemoryStore(),
    history: undefined,
    measurements: noMeasurements,
    isRestored: false,
    settleLoss: () => undefined,
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

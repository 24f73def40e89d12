import type { RunStore } from "../../src/reconcile/run/run-store.ts";

/** Remembers nothing. */
export const noRunStore: RunStore = {
  isWritable: true,
  zone: () => undefined,
  setZone: () => undefined,
  usedReleases: () => [],
  setUsedReleases: () => undefined,
};

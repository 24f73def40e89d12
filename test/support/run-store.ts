import type { RunStore } from "../../src/reconcile/run/run-store.ts";

/** Remembers nothing. */
export const noRunStore: RunStore = {
  zone: () => undefined,
  setZone: () => undefined,
  usedReleases: () => [],
  setUsedReleases: () => undefined,
};

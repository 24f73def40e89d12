import { damagedKeys } from "../../src/memory/damaged-keys.ts";
import type { MemoryStore } from "../../src/memory/memory-store.ts";
import { memoryFiles } from "./memory-files.ts";

/** The damaged keys of the state in a store, whose files are in `/zones`. */
export function damagedIn(store: MemoryStore): readonly string[] {
  const entries = store.keys("").map((key) => [key, store.get(key) ?? ""] as const);
  return damagedKeys(new Map(entries), "/zones", memoryFiles({}).port);
}

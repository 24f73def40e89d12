import type { Change } from "../plan/change.ts";
import type { Outcome } from "./run-report.ts";

/** What became of a change, from the worst to the best. */
export const changeResults = ["failed", "unknown", "skipped", "done"] as const;

/** One of {@link changeResults}. */
export type ChangeResult = (typeof changeResults)[number];

/** What became of a change: the worst that became of a write which carries it; `skipped` where none does. */
export function changeResultOf(
  { key }: Change,
  writes: readonly {
    readonly status: Outcome["status"];
    readonly changes: readonly Change["key"][];
  }[],
): ChangeResult {
  const found = new Set(
    writes.filter(({ changes }) => changes.includes(key)).map(({ status }) => status),
  );
  return changeResults.find((result) => found.has(result)) ?? "skipped";
}

import type { ZoneReport } from "./run-report.ts";

/** How long a run worked on its zone, in whole milliseconds, whatever the dates of its beginning and its end say. */
export function durationOf({ phases }: Pick<ZoneReport, "phases">): number {
  return Math.round(phases.fetch + phases.plan + phases.apply);
}

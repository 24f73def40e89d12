import { durationText } from "./duration.ts";
import { plural } from "./plural.ts";

/** What a look at all of some zones takes. */
export interface SweepForecast {
  readonly requests: number;
  /** Within the budgets. */
  readonly ms: number;
}

/** What is over sooner than this is not worth a word on its time: the budget lets so much through at once. */
const shortestTold = 60_000;

/** A forecast in a sentence. */
export function sweepWords({ requests, ms }: SweepForecast): string {
  const time = ms < shortestTold ? "" : `: about ${durationText(ms)} within the budget`;
  return `A sweep of these zones costs ${plural(requests, "request")}${time}.`;
}

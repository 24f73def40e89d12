import type { CountSum } from "./measured-series.ts";

/** A count; an estimate begins with `~`. */
export function numberText(count: number, { isEstimate }: CountSum): string {
  return `${isEstimate ? "~" : ""}${count.toLocaleString("en")}`;
}

/** Which part of all requests a sum is: `0.02 %`. */
export function shareText({ requests, countOfRequests }: CountSum): string {
  if (requests === undefined) return "unknown";
  if (requests === 0) return "no traffic";
  const percent = (100 * countOfRequests) / requests;
  return percent > 0 && percent < 0.01 ? "< 0.01 %" : `${percent.toFixed(2)} %`;
}

/** How many hours were measured, and what the others are: `20 measured, 4 missing`. */
export function hoursText({ hours }: CountSum): string {
  return Object.entries(hours)
    .filter(([state, count]) => count > 0 || state === "measured")
    .map(([state, count]) => `${count} ${state}`)
    .join(", ");
}

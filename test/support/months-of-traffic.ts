import { seededRandom } from "../../src/emulator/control/faults.ts";
import type { CountedHour } from "../../src/measure/usual-share.ts";

/** Counts of a rule hour by hour, from the hour 0 on, which is a Thursday. */
export interface MonthsOfTraffic {
  readonly hours: readonly CountedHour[];
  /** For how many requests one stands in the sample of an hour. */
  readonly sampleIntervals: readonly number[];
}

/**
 * Traffic of a zone and a rule, with a daily and a weekly shape, days of much traffic, shares that wander from hour to hour,
 * and counts that are random. What the rule finds comes with the visitors or, for half of the seeds, regardless of them.
 *
 * @param wander standard deviation of the logarithm of the share.
 */
export function monthsOfTraffic(seed: number, days: number, wander: number): MonthsOfTraffic {
  const random = seededRandom(seed);
  const normal = (): number =>
    Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const between = (low: number, high: number): number => low + random() * (high - low);
  const perHour = 10 ** between(2.3, 4.6);
  const share = 10 ** between(-4, -1.3);
  const amplitude = between(0.3, 0.8);
  const weekend = between(0.6, 1.2);
  const isOfVisitors = random() < 0.5;
  let wandered = 0;
  let ofDay = 1;
  const sampleIntervals: number[] = [];
  const hours = Array.from({ length: days * 24 }, (_, hour): CountedHour => {
    if (hour % 24 === 0) ofDay = random() < 0.04 ? between(2, 4) : 1;
    const shape = 1 + amplitude * Math.cos((2 * Math.PI * ((hour % 24) - 14)) / 24);
    const ofWeek = [2, 3].includes(Math.floor(hour / 24) % 7) ? weekend : 1;
    const visitors = perHour * shape * ofWeek * ofDay * Math.exp(0.1 * normal());
    wandered = 0.7 * wandered + Math.sqrt(0.51) * wander * normal();
    const sampleInterval = visitors > 20_000 ? 10 : 1;
    sampleIntervals.push(sampleInterval);
    const events = (isOfVisitors ? visitors : perHour) * share * Math.exp(wandered);
    const sampled = (expected: number): number =>
      sampleInterval * poisson(expected / sampleInterval, random, normal);
    return { count: sampled(events), requests: sampled(visitors) };
  });
  return { hours, sampleIntervals };
}

/** A count of independent events. */
function poisson(expected: number, random: () => number, normal: () => number): number {
  if (expected > 50) return Math.max(0, Math.round(expected + Math.sqrt(expected) * normal()));
  let count = 0;
  for (let left = random(); left > Math.exp(-expected); left *= random()) count += 1;
  return count;
}

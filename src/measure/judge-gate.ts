import type { GateJudgement } from "../state/rollout-gate.ts";
import { sum } from "../syntax/sum.ts";
import { hourMs } from "../syntax/time-units.ts";
import type { ResourceKey } from "../zone/resource.ts";
import type { Gate } from "../zone/wave.ts";
import { stoppingActions, whyUncounted } from "./measured-effects.ts";
import { hoursOf, type ObjectHour, type ZoneSeries } from "./measured-series.ts";
import { datasetOf, type HourCount } from "./measurement.ts";

/**
 * How many hours have to be measured for a soak: as many whole ones as it has in any case. It is measured hours that count, no
 * clock.
 */
export function hoursOfSoak(soakMs: number): number {
  return Math.max(1, Math.ceil(soakMs / hourMs) - 1);
}

/**
 * Judges what was counted of the changed objects of a zone, each by itself, in the latest hours in which both it and the
 * requests of the zone were measured. What was not measured neither keeps the gate nor passes a limit.
 *
 * @param series whole hours since the zone is as declared.
 * @param changed settings are not counted.
 * @param hours how many have to be measured.
 */
export function judgeGate(
  series: Pick<ZoneSeries, "requests" | "countsOf">,
  changed: readonly ResourceKey[],
  limits: Gate,
  hours: number,
): GateJudgement {
  const judgements = changed.map((key) => judgeObject(series, key, limits, hours));
  const found = (wanted: GateJudgement["state"]): GateJudgement | undefined =>
    judgements.find(({ state }) => state === wanted);
  return found("over") ?? found("unknown") ?? { state: "kept" };
}

type MeasuredHour = Readonly<
  Record<keyof ObjectHour, Extract<HourCount, { readonly state: "measured" }>>
>;

function isMeasured(hour: ObjectHour): hour is MeasuredHour {
  return hour.requests.state === "measured" && hour.count.state === "measured";
}

function judgeObject(
  series: Pick<ZoneSeries, "requests" | "countsOf">,
  key: ResourceKey,
  limits: Gate,
  hours: number,
): GateJudgement {
  const isPolicy = datasetOf(key) === "violations";
  const limit = isPolicy ? limits.violationsPer10k : limits.blockedPer10k;
  if (limit === undefined) return { state: "kept" };
  const all = hoursOf(series, key);
  const measured = all.filter(isMeasured).slice(-hours);
  // A sample of a few requests says as little as a few requests.
  const sampled = Math.floor(sum(measured.map(sampledIn)));
  const isEnough = sampled >= limits.requestsAtLeast;
  const per10k = rateIn(measured, isPolicy);
  if (isEnough && per10k > limit) {
    const what = isPolicy ? "violations of" : "requests blocked or challenged by";
    return {
      state: "over",
      why: `${rateText(per10k)} ${what} ${key} in 10,000 requests, the limit is ${limit}`,
    };
  }
  if (measured.length < hours) {
    const why = `${key} is measured in ${measured.length} of ${hours} hours${becauseOf(all)}`;
    return { state: "unknown", why };
  }
  if (isEnough) return { state: "kept" };
  const time = hours === 1 ? "1 hour" : `${hours} hours`;
  const why = `${sampled} requests were counted in ${time}, fewer than ${limits.requestsAtLeast}`;
  return { state: "unknown", why };
}

/** Violations, or requests that did not pass, in 10,000 requests. */
function rateIn(measured: readonly MeasuredHour[], isPolicy: boolean): number {
  const requests = sum(measured.map((hour) => hour.requests.count));
  const counted = sum(measured.map(({ count }) => (isPolicy ? count.count : stoppedIn(count))));
  return requests === 0 ? 0 : (counted * 10_000) / requests;
}

/** Why the latest hour that was not measured was not; "" if there is none. */
function becauseOf(all: readonly ObjectHour[]): string {
  const latest = all.findLast((hour) => !isMeasured(hour));
  if (latest === undefined) return "";
  return `: ${whyUncounted(latest.count) || `of the requests, ${whyUncounted(latest.requests)}`}`;
}

function sampledIn({ requests, count }: MeasuredHour): number {
  return requests.count / Math.max(1, requests.sampleInterval, count.sampleInterval);
}

function stoppedIn({ actions }: MeasuredHour["count"]): number {
  return sum(stoppingActions.map((action) => actions[action] ?? 0));
}

/** Never rounded down to a limit that it passes. */
function rateText(per10k: number): string {
  return per10k >= 100 ? `${Math.ceil(per10k)}` : `${Math.ceil(per10k * 100) / 100}`;
}

import { hoursOfDay } from "../../src/measure/hours.ts";
import type { ZoneSeries } from "../../src/measure/measured-series.ts";
import type { HourCount } from "../../src/measure/measurement.ts";
import { hourMs } from "../../src/syntax/time-units.ts";
import type { ResourceKey } from "../../src/zone/resource.ts";
import { zoneName } from "../../src/zone/zone.ts";
import { shop } from "./fleets.ts";

/** An hour that was measured. */
export function measured(
  count: number,
  actions: Readonly<Record<string, number>> = {},
  sampleInterval = 1,
): HourCount {
  return { state: "measured", count, actions, sampleInterval };
}

/** Hours of the shop until a moment. */
export function seriesUntil(
  until: Date,
  requests: readonly HourCount[],
  counts: readonly (readonly [ResourceKey, readonly HourCount[]])[],
): ZoneSeries {
  const zone = zoneName(shop);
  if (zone === undefined) throw new Error(`${shop} is no zone`);
  const since = new Date(until.getTime() - requests.length * hourMs);
  const objects = new Map(counts);
  const countsOf = (key: ResourceKey): readonly HourCount[] => objects.get(key) ?? [];
  return { zone, since, until, requests, objects, countsOf, formsOf: () => [] };
}

function dayShape(nth: number): number {
  return 1.1 + Math.sin(((nth % hoursOfDay) / 12) * Math.PI);
}

/** Without traffic. */
function isOutage(nth: number): boolean {
  return nth >= 70 && nth < 77;
}

function gap(nth: number, otherwise: HourCount): HourCount {
  if (nth >= 100 && nth < 121) return { state: "missing" };
  return nth >= 140 && nth < 143 ? { state: "failed" } : otherwise;
}

function blocked(nth: number): HourCount {
  const count = isOutage(nth) ? 0 : Math.round(12 * dayShape(nth) + (nth === 52 ? 480 : 0));
  return measured(count, { block: count });
}

function logged(nth: number): HourCount {
  const count = isOutage(nth) ? 0 : 10 * Math.round(40 * dayShape(nth));
  return measured(count, { log: count }, nth > 120 ? 10 : 1);
}

function each(of: (nth: number) => HourCount): readonly HourCount[] {
  return Array.from({ length: 7 * hoursOfDay }, (_, nth) => of(nth));
}

/** A week of the shop with every state that an hour can have. */
export function measuredWeek(until: Date): ZoneSeries {
  const requests = each((nth) => measured(isOutage(nth) ? 0 : Math.round(9_000 * dayShape(nth))));
  return seriesUntil(until, requests, [
    ["custom_rule/block-bad-bots", each((nth) => gap(nth, blocked(nth)))],
    ["managed_rule/owasp", each((nth) => gap(nth, logged(nth)))],
    [
      "rate_limiting_rule/login",
      each((nth) => {
        if (nth < 60) return { state: "undeclared" };
        return measured(isOutage(nth) || nth % 9 > 0 ? 0 : 3);
      }),
    ],
    [
      "policy/checkout",
      each((nth) => (nth < 130 ? { state: "missing" } : measured(nth % 5, { log: nth % 5 }))),
    ],
    ["policy/site", each(() => ({ state: "refused", reason: "unavailable" }))],
  ]);
}

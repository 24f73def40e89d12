import type { Change } from "../plan/change.ts";
import type { CountedEffect, MeasuredEffect, Uncounted } from "../plan/measured-effect.ts";
import { errorText } from "../syntax/error-code.ts";
import { sum } from "../syntax/sum.ts";
import { hourMs } from "../syntax/time-units.ts";
import type { ResourceKey } from "../zone/resource.ts";
import type { ZoneName } from "../zone/zone.ts";
import { hoursCompleteAt } from "./hours.ts";
import { hoursOf, type ObjectHour, readSeries, type ZoneSeries } from "./measured-series.ts";
import type { MeasurementReader } from "./measurement-store.ts";
import type { HourCount } from "./measurement.ts";

/** How many hours back the effect of a change is measured. */
const windowHours = 7 * 24;

/**
 * The changes of a zone with what was counted of their effects in the last seven days. The store is read only if counts could
 * say something of one of them. Never rejects.
 *
 * @param reader a text: why the measurements cannot be read.
 */
export async function withStoredEffects(
  changes: readonly Change[],
  zone: ZoneName,
  reader: Pick<MeasurementReader, "read"> | string,
  now: Date,
): Promise<readonly Change[]> {
  if (typeof reader === "string") return withEffects(changes, { why: reader });
  if (!changes.some(isCountable)) return withEffects(changes, { why: "" });
  const since = new Date((hoursCompleteAt(now) - windowHours) * hourMs);
  try {
    return withEffects(changes, await readSeries(reader, zone, since, now));
  } catch (error) {
    return withEffects(changes, unread(errorText(error)));
  }
}

/** Whether counts could say something of a change. */
export function isCountable({ counted }: Change): boolean {
  return counted !== undefined && !("why" in counted);
}

/** @param reason why the store of measurements cannot be read. */
export function unread(reason: string): Uncounted {
  return { why: `the measurements could not be read: ${reason}` };
}

/** The changes of a zone with what was counted of their effects, or with why that is not known. */
export function withEffects(
  changes: readonly Change[],
  series: ZoneSeries | Uncounted,
): readonly Change[] {
  return changes.map((change) => {
    const { counted, key } = change;
    if (counted === undefined) return change;
    if ("why" in counted) return { ...change, measured: counted };
    return { ...change, measured: "why" in series ? series : effectIn(series, key, counted) };
  });
}

function effectIn(
  series: ZoneSeries,
  key: ResourceKey,
  { since, ...effect }: CountedEffect,
): MeasuredEffect {
  const forms = "form" in since ? series.formsOf(key) : [];
  const all = hoursOf(series, key);
  const first = Number(series.since);
  const asLive = all.filter((_, nth) =>
    "form" in since ? forms[nth] === since.form : first + nth * hourMs >= Number(since.at),
  );
  const measured = asLive.filter(({ count }) => count.state === "measured");
  if (measured.length === 0) return { why: whyUnknown(asLive, all) };
  const both = measured.filter(({ requests }) => requests.state === "measured");
  const used = both.length > 0 ? both : measured;
  return {
    ...effect,
    count: sum(used.map(({ count }) => countOf(count, effect.before))),
    requests:
      both.length > 0 ? sum(both.map(({ requests }) => countOf(requests, "all"))) : undefined,
    isEstimate: used.some((hour) => isSampled(hour.count) || isSampled(hour.requests)),
    hours: used.length,
    ofHours: all.length,
  };
}

/** Events of these actions are of requests that did not pass as they came. */
export const stoppingActions: readonly string[] = [
  "block",
  "managed_challenge",
  "js_challenge",
  "jschallenge",
  "challenge",
];

/** The actions in which the events of rules and the violations of policies are counted (SERVICE.md C.8). */
const actions: Readonly<Record<CountedEffect["before"], readonly string[]>> = {
  log: ["log"],
  challenge: ["managed_challenge", "js_challenge", "jschallenge", "challenge"],
  block: ["block", "allow"],
  mixed: stoppingActions,
};

function countOf(hour: HourCount, what: CountedEffect["before"] | "all"): number {
  if (hour.state !== "measured") return 0;
  if (what === "all") return hour.count;
  return sum(actions[what].map((action) => hour.actions[action] ?? 0));
}

function isSampled(hour: HourCount): boolean {
  return hour.state === "measured" && hour.sampleInterval > 1;
}

function whyUnknown(asLive: readonly ObjectHour[], all: readonly ObjectHour[]): string {
  const states = new Set(
    (asLive.length > 0 ? asLive : all).map(({ count }) => whyUncounted(count)),
  );
  const [only] = states;
  if (asLive.length === 0 && states.has("")) {
    return "no whole hour was measured since it is as it is live";
  }
  return only !== undefined && states.size === 1 && only !== ""
    ? only
    : "no hour of it was measured";
}

/** Why an hour has no count; "" if it has one. */
export function whyUncounted(hour: HourCount): string {
  switch (hour.state) {
    case "measured":
      return "";
    case "refused":
      return hour.reason === "denied"
        ? "the token may not read the counts"
        : "the plan of the zone does not include the counts";
    case "failed":
      return "its counts could not be read from the service";
    case "missing":
      return "the store has no measurements of it";
    case "undeclared":
      return "it is not known to have been live when the zone was measured";
  }
}

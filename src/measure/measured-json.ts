import { type JsonObject, jsonOf } from "../syntax/json.ts";
import { hourMs } from "../syntax/time-units.ts";
import type { ZoneSeries } from "./measured-series.ts";
import { type HourCount, shownState } from "./measurement.ts";

/** Each hour of a zone in JSON, for the command and the API. */
export function seriesJson({ zone, since, until, requests, objects }: ZoneSeries): JsonObject {
  const hourAt = (count: HourCount, nth: number): object => ({
    hour: new Date(since.getTime() + nth * hourMs),
    ...count,
    state: shownState(count, requests[nth]),
  });
  return jsonOf({
    format: 1,
    zone,
    since,
    until,
    requests: requests.map(hourAt),
    objects: [...objects].map(([key, counts]) => ({ key, hours: counts.map(hourAt) })),
  });
}

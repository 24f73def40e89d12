import { parseDuration } from "../../syntax/duration.ts";
import type { JsonObject } from "../../syntax/json.ts";
import { minuteMs } from "../../syntax/time-units.ts";
import { unpublishedCodes } from "../http/api-error.ts";
import { FieldReader } from "../http/fields.ts";
import { isTime } from "../http/time.ts";
import { afterLoad, loadMembers, scriptLoadIn } from "../page-shield/loaded-scripts.ts";
import { updatedSettings } from "../page-shield/settings-endpoints.ts";
import type { ZoneEvent, EmulatedZone } from "../state.ts";

/** An event of a seed that starts now; throws if it is wrong. */
export function seededEvent(seed: JsonObject, now: Date): ZoneEvent {
  const fields = new FieldReader(seed, "", unpublishedCodes.body);
  const at = now.getTime() + durationIn(fields, "after");
  if (!isTime(at)) throw fields.error("after", "after ends beyond the year 9999");
  const monitoring = fields.boolean("monitoring");
  if (monitoring !== undefined) return { at, monitoring };
  const script = fields.required("script", fields.object("script"));
  script.only(loadMembers);
  const everyMs = fields.body["every"] === undefined ? undefined : durationIn(fields, "every");
  // A clock that is moved by years makes up for all repetitions at once.
  if (everyMs !== undefined && everyMs < minuteMs) {
    throw fields.error("every", "every is at least 1m");
  }
  const load = scriptLoadIn(script);
  return { at, script: load, ...(everyMs === undefined ? {} : { everyMs }) };
}

function durationIn(fields: FieldReader, name: string): number {
  const duration = parseDuration(fields.required(name, fields.text(name)));
  if (duration !== undefined) return duration;
  throw fields.error(name, `${name} is no duration; write 90s, 12h or 2d`);
}

/** Events in the order in which they happen; of those at one moment, in the order of the seed. */
export function inOrder(events: readonly ZoneEvent[]): readonly ZoneEvent[] {
  return events.toSorted((a, b) => a.at - b.at);
}

/** The zone after all that happened up to a time. */
export function afterEvents(before: EmulatedZone, now: number): EmulatedZone {
  let zone = before;
  for (;;) {
    const [first, ...others] = zone.events ?? [];
    if (first === undefined || first.at > now) return zone;
    zone = { ...afterEvent(zone, first), events: inOrder(eventsAfter(first, others)) };
  }
}

/** Another event of a script ends its repetitions. */
function eventsAfter(
  { at, script, everyMs }: ZoneEvent,
  others: readonly ZoneEvent[],
): readonly ZoneEvent[] {
  const left = others.filter((each) => !each.isRepeat || each.script?.url !== script?.url);
  if (script === undefined || everyMs === undefined) return left;
  return [...left, { at: at + everyMs, script, everyMs, isRepeat: true }];
}

function afterEvent(
  zone: EmulatedZone,
  { at, script, monitoring = true }: ZoneEvent,
): EmulatedZone {
  const moment = new Date(at);
  if (script !== undefined) return afterLoad(zone, script, moment);
  return { ...zone, settings: updatedSettings(zone, { enabled: monitoring }, moment) };
}

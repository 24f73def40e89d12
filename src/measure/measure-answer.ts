import {
  coerceDate,
  coerceObject,
  coerceObjects,
  coerceText,
  isJsonObject,
  isObjectList,
  type JsonObject,
} from "../syntax/json.ts";
import type { ZoneId } from "../zone/zone.ts";
import type { CountRow } from "./day-record.ts";
import type { CountUnit, ReadLimits } from "./hours.ts";
import { type CountSource, sources } from "./measure-query.ts";
import type { RefusedReason } from "./measurement.ts";

/** What the service answered to a query of several zones. */
export type QueryAnswer<T> =
  /** By zone; a zone without a value is not in the answer, or not as documented. */
  | { readonly result: "answered"; readonly zones: ReadonlyMap<ZoneId, T> }
  /** Nothing was answered. `zones`: those that the service names; none: it does not say which. */
  | {
      readonly result: "refused";
      readonly reason: RefusedReason;
      readonly zones: readonly ZoneId[];
      readonly why: string;
    }
  /** The limit of queries is used up: a later query may succeed. */
  | { readonly result: "rate_limited"; readonly why: string }
  /** There are more rows than one query may give. */
  | { readonly result: "too_much" }
  | { readonly result: "failed"; readonly why: string };

/**
 * Reads the answer to a query: a 200 can be an error, and an error has another status at times (SERVICE.md C.8).
 *
 * @param read a zone of the answer; `undefined`: it is not as documented.
 */
export function answerIn<T>(
  body: unknown,
  asked: readonly ZoneId[],
  read: (zone: JsonObject) => T | undefined,
): QueryAnswer<T> {
  if (!isJsonObject(body)) return { result: "failed", why: "the answer is no object" };
  const errors = coerceObjects(body["errors"]);
  const { data } = body;
  const isVoid = !isJsonObject(data) || !isJsonObject(data["viewer"]);
  if (isVoid) return errorIn(errors, asked);
  // An error beside data voids only a part: the zones that are whole count.
  const zones = coerceObjects(coerceObject(data["viewer"])["zones"]);
  const found = zones.flatMap((zone): readonly (readonly [ZoneId, T])[] => {
    const id = asked.find((each) => each === zone["zoneTag"]);
    const value = id === undefined ? undefined : read(zone);
    return id === undefined || value === undefined ? [] : [[id, value]];
  });
  if (found.length === 0 && errors.length > 0) return errorIn(errors, asked);
  return { result: "answered", zones: new Map(found) };
}

function errorIn(errors: readonly JsonObject[], asked: readonly ZoneId[]): QueryAnswer<never> {
  const messages = errors.map(({ message }) => coerceText(message));
  const codes = errors.map(({ extensions }) => coerceText(coerceObject(extensions)["code"]));
  const why = messages.join("; ").slice(0, 300) || "the answer has no data";
  const has = (pattern: RegExp): boolean => messages.some((message) => pattern.test(message));
  // The code `quota` also comes with a time that is too far back (SERVICE.md C.8).
  if (codes.includes("budget") || has(rateLimited)) {
    return { result: "rate_limited", why };
  }
  if (has(/limit reached/i)) return { result: "too_much" };
  const zones = asked.filter((id) => messages.some((message) => message.includes(id)));
  if (has(/\bnot authorized\b|\bunauthorized\b/i)) {
    return { result: "refused", reason: "denied", zones, why };
  }
  if (has(/does not have access/i)) return { result: "refused", reason: "unavailable", zones, why };
  return { result: "failed", why };
}

const rateLimited =
  /rate limiter budget|quota exceeded|exceeded its rate limit|too many (queries|nodes)|excessive resources/i;

/**
 * The counts of a zone in an answer; `undefined` if a row is not as documented, or lies outside of what was asked: then the
 * answer counts nothing.
 *
 * @param from in milliseconds since 1970; rows before it or from `to` on were not asked for.
 */
export function rowsIn(
  zone: JsonObject,
  { source, unit }: { readonly source: CountSource; readonly unit: CountUnit },
  from: number,
  to: number,
): readonly CountRow[] | undefined {
  const groups = zone[source];
  if (!isObjectList(groups)) return undefined;
  const rows = groups.map((group) =>
    source === "firewallEventsAdaptive" ? eventIn(group, unit) : groupIn(group, unit),
  );
  const [first, end] = [Math.floor(from / unit.ms), Math.ceil(to / unit.ms)];
  const known = rows
    .filter((row) => row !== undefined)
    .filter(({ nth }) => nth >= first && nth < end);
  const sum = known.reduce((all, { count }) => all + count, 0);
  return known.length === rows.length && sum <= largestSum ? known : undefined;
}

function groupIn({ count, avg, dimensions }: JsonObject, unit: CountUnit): CountRow | undefined {
  const facts = coerceObject(dimensions);
  const nth = nthIn(facts[unit.dimension], unit);
  const interval = coerceObject(avg)["sampleInterval"];
  if (nth === undefined || !isCount(count) || !isInterval(interval)) return undefined;
  return { nth, count, sampleInterval: interval, ...namesIn(facts) };
}

/** A single event stands for as many as its sample interval says. */
function eventIn(event: JsonObject, unit: CountUnit): CountRow | undefined {
  const nth = nthIn(event["datetime"], unit);
  const interval = event["sampleInterval"];
  if (nth === undefined || !isInterval(interval)) return undefined;
  return { nth, count: Math.round(interval), sampleInterval: interval, ...namesIn(event) };
}

function namesIn(facts: JsonObject): Pick<CountRow, "ids" | "action"> {
  const ids = [facts["ruleId"], facts["rulesetId"], facts["policyID"]].map(coerceText);
  const action = coerceText(facts["action"]);
  return {
    ids: ids.filter((id) => id !== ""),
    action: /^[a-z][a-z_]{0,39}$/.test(action) ? action : "unknown",
  };
}

function nthIn(value: unknown, { ms }: CountUnit): number | undefined {
  const moment = coerceDate(value);
  return moment && Math.floor(moment.getTime() / ms);
}

/** A sample is not rougher, and all rows of an answer count no more: a record could not store what is. */
const largestInterval = 1e9;
const largestSum = 1e13;

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

function isInterval(value: unknown): value is number {
  return typeof value === "number" && value >= 1 && value <= largestInterval;
}

/** What the plan of a zone lets one read; a source that is missing is not included. */
export type ZoneLimits = Readonly<Partial<Record<CountSource, ReadLimits>>>;

/** Rows of a page at most, whatever a plan says (SERVICE.md C.8). */
const largestPage = 10_000;

/** Reads the settings of a zone; `undefined` if they are not as documented. */
export function limitsIn(zone: JsonObject): ZoneLimits | undefined {
  const { settings } = zone;
  if (!isJsonObject(settings)) return undefined;
  const limits: Partial<Record<CountSource, ReadLimits>> = {};
  for (const source of sources) {
    const { enabled, notOlderThan, maxDuration, maxPageSize } = coerceObject(settings[source]);
    if (enabled !== true) continue;
    if (!isCount(notOlderThan) || !isCount(maxDuration) || !isCount(maxPageSize)) return undefined;
    const pageSize = Math.min(maxPageSize, largestPage);
    if (pageSize < 1) return undefined;
    limits[source] = {
      notOlderThanMs: notOlderThan * 1_000,
      windowMs: maxDuration * 1_000,
      pageSize,
    };
  }
  return limits;
}

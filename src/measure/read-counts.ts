import type { AskAnalytics } from "../zone/ports.ts";
import { ServiceError } from "../zone/service-error.ts";
import type { Zone, ZoneId } from "../zone/zone.ts";
import type { CountRow, HoursRead } from "./day-record.ts";
import type { CountUnit, UnitRange } from "./hours.ts";
import { answerIn, limitsIn, type QueryAnswer, rowsIn, type ZoneLimits } from "./measure-answer.ts";
import { countQuery, type CountSource, settingsQuery } from "./measure-query.ts";
import type { RefusedReason } from "./measurement.ts";

/** What to read of zones that have one credential. */
export interface CountRequest {
  readonly source: CountSource;
  readonly unit: CountUnit;
  readonly range: UnitRange;
  /** Rows of a zone in one answer at most. */
  readonly pageSize: number;
}

/** No time is split below this. */
const shortestMs = 60_000;

/** How long a used up limit of queries lasts, where the service does not say it (SERVICE.md C.8). */
const limitMs = 300_000;

/**
 * Reads the counts of a time. A zone that the service refuses does not affect the others, and a time with more rows than an
 * answer may have is read in parts.
 *
 * @throws {ServiceError} if the service cannot be reached, or its limit of queries is used up.
 */
export async function readCounts(
  ask: AskAnalytics,
  zones: readonly Zone[],
  { source, unit, range, pageSize }: CountRequest,
  signal: AbortSignal,
): Promise<ReadonlyMap<ZoneId, HoursRead>> {
  const rowsOf = async (
    asked: readonly Zone[],
    from: number,
    to: number,
  ): Promise<ReadonlyMap<ZoneId, HoursRead>> => {
    const found = await eachZone(asked, async (some) => {
      const query = countQuery({ source, unit, zones: idsOf(some), from, to, limit: pageSize });
      const { body } = await ask(some, query, signal);
      return answerIn(body, idsOf(some), (zone) => rowsIn(zone, { source, unit }, from, to));
    });
    const reads = new Map<ZoneId, HoursRead>();
    for (const zone of asked) {
      const read = found.get(zone.id);
      if (read === undefined) continue;
      if (read.result === "refused" || read.result === "failed") reads.set(zone.id, read);
      else if (read.result === "read" && read.value.length < pageSize) {
        reads.set(zone.id, { result: "measured", rows: read.value });
      } else reads.set(zone.id, await inParts(zone, from, to));
    }
    return reads;
  };
  const inParts = async (zone: Zone, from: number, to: number): Promise<HoursRead> => {
    if (to - from <= shortestMs) return { result: "failed", why: "a minute has too many rows" };
    const middle = from + Math.ceil((to - from) / 2 / shortestMs) * shortestMs;
    const rows: CountRow[] = [];
    for (const [start, end] of [
      [from, middle],
      [middle, to],
    ] as const) {
      const read = (await rowsOf([zone], start, end)).get(zone.id);
      if (read?.result !== "measured") return read ?? { result: "failed", why: "no answer" };
      rows.push(...read.rows);
    }
    return { result: "measured", rows };
  };
  return rowsOf(zones, range.from * unit.ms, range.to * unit.ms);
}

/** What the plan of a zone lets one read, or why that is not known. */
export type LimitsRead = Exclude<ZoneRead<ZoneLimits>, { readonly result: "too_much" }>;

/**
 * Reads what the plans of zones let one read.
 *
 * @throws {ServiceError} as {@link readCounts}.
 */
export async function readLimits(
  ask: AskAnalytics,
  zones: readonly Zone[],
  signal: AbortSignal,
): Promise<ReadonlyMap<ZoneId, LimitsRead>> {
  const found = await eachZone(zones, async (some) => {
    const { body } = await ask(some, settingsQuery(idsOf(some)), signal);
    return answerIn(body, idsOf(some), limitsIn);
  });
  return new Map(
    [...found].map(([id, read]): readonly [ZoneId, LimitsRead] => [
      id,
      read.result === "too_much" ? { result: "failed", why: "too many rows" } : read,
    ]),
  );
}

/**
 * Checks that the counts of a zone can be read.
 *
 * @throws {ServiceError} if they cannot.
 */
export async function checkLimits(
  ask: AskAnalytics,
  zone: Zone,
  signal: AbortSignal,
): Promise<void> {
  const read = (await readLimits(ask, [zone], signal)).get(zone.id);
  if (read?.result === "read") return;
  const why = read?.why ?? "the answer has no settings of the zone";
  if (read?.result !== "refused") throw new ServiceError("API_MALFORMED", why);
  const remedy = "give the token the permission Analytics: Read";
  throw new ServiceError("API_FORBIDDEN", `the analytics answer: ${why}; ${remedy}`);
}

function idsOf(zones: readonly Zone[]): readonly ZoneId[] {
  return zones.map(({ id }) => id);
}

/** What a query gave for one zone. */
type ZoneRead<T> =
  | { readonly result: "read"; readonly value: T }
  | { readonly result: "refused"; readonly reason: RefusedReason; readonly why: string }
  | { readonly result: "too_much" }
  | { readonly result: "failed"; readonly why: string };

/** Asks for several zones at once; where that gives nothing for some, for fewer, down to each alone. */
async function eachZone<T>(
  zones: readonly Zone[],
  ask: (zones: readonly Zone[]) => Promise<QueryAnswer<T>>,
): Promise<ReadonlyMap<ZoneId, ZoneRead<T>>> {
  const found = new Map<ZoneId, ZoneRead<T>>();
  const read = async (some: readonly Zone[]): Promise<void> => {
    if (some.length === 0) return;
    const answer = await ask(some);
    if (answer.result === "rate_limited") throw limitUsedUp(answer.why);
    const known = knownFrom(answer, some);
    for (const [id, value] of known) found.set(id, value);
    const left = some.filter(({ id }) => !known.has(id));
    const half = Math.ceil(left.length / 2);
    // Where the service named those that it refuses, the others are asked for together.
    const parts = known.size > 0 ? [left] : [left.slice(0, half), left.slice(half)];
    for (const part of parts) await read(part);
  };
  await read(zones);
  return found;
}

/** What an answer says of each zone. Of a zone alone it always says something; of several, at times nothing. */
function knownFrom<T>(
  answer: Exclude<QueryAnswer<T>, { readonly result: "rate_limited" }>,
  some: readonly Zone[],
): ReadonlyMap<ZoneId, ZoneRead<T>> {
  const [first] = some;
  const isAlone = first !== undefined && some.length === 1;
  if (answer.result !== "answered") {
    if (isAlone) return new Map([[first.id, answer]]);
    return new Map((answer.result === "refused" ? answer.zones : []).map((id) => [id, answer]));
  }
  const reads = [...answer.zones].map(([id, value]) => [id, { result: "read", value }] as const);
  const why = "the answer has no counts of the zone, or is not as documented";
  if (isAlone && reads.length === 0) return new Map([[first.id, { result: "failed", why }]]);
  return new Map(reads);
}

function limitUsedUp(why: string): ServiceError {
  const message = `the limit of GraphQL queries is used up: ${why}; zonewarden goes on later`;
  return new ServiceError("API_RATE_LIMITED", message, { transient: true, retryAfterMs: limitMs });
}

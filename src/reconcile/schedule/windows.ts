import { createTask, parse } from "node-cron";

import type { Freeze } from "../../plan/guard/guard.ts";

/** A time in which writes are allowed (`allow`: only then) or not (`freeze`). */
export interface Window {
  readonly name: string;
  readonly type: "allow" | "freeze";
  /** A valid cron expression of the moments at which the window opens. */
  readonly start: string;
  readonly durationMs: number;
  readonly timezone: string;
  /** Whether plans that only strengthen the protection are applied nevertheless. */
  readonly letStrengtheningPass: boolean;
}

export interface Windows {
  /** The freeze at a moment; `undefined` if writes are allowed. */
  readonly freezeAt: (now: Date) => Freeze | undefined;
  /**
   * When the freeze of a moment ends or becomes less strict; `now` itself without a freeze; `undefined`: not within years.
   * Where windows open again before they close, a moment before the end.
   */
  readonly endOfFreeze: (now: Date) => Date | undefined;
}

/** Compiles windows. A freeze takes precedence; if there are `allow` windows, one of them must be open. */
export function windowsOf(windows: readonly Window[]): Windows {
  const compiled = windows.map((window) => ({ window, ...occurrencesOf(window) }));
  const freezeAt = (now: Date): Freeze | undefined => {
    const open = new Set(
      compiled.filter(({ openSince }) => openSince(now) !== undefined).map(({ window }) => window),
    );
    const freezes = windows.filter((window) => window.type === "freeze" && open.has(window));
    if (freezes.length > 0) return freezeBy(freezes, "is open");
    const allowances = windows.filter(({ type }) => type === "allow");
    if (allowances.length === 0 || allowances.some((window) => open.has(window))) return undefined;
    return freezeBy(allowances, "is closed");
  };
  /** The next moment at which a window opens or closes. An open one has closed by then, or has opened again. */
  const nextEdge = (now: Date): Date | undefined => {
    const edges = compiled.flatMap(({ window, openSince, nextAfter }) => {
      const since = openSince(now);
      const edge = since === undefined ? nextAfter(now) : Number(since) + window.durationMs;
      return edge === undefined ? [] : Number(edge);
    });
    return edges.length === 0 ? undefined : new Date(Math.min(...edges));
  };
  return { freezeAt, endOfFreeze: endOfFreezeBy(freezeAt, nextEdge) };
}

function freezeBy(windows: readonly Window[], state: string): Freeze {
  return {
    reason: windows.map(({ type, name }) => `the ${type} window "${name}" ${state}`).join(", "),
    letStrengtheningPass: windows.every((window) => window.letStrengtheningPass),
  };
}

/** Windows that open again before they close have edges without end: the search stops after this many. */
const maxEdges = 100;

/** Searches the first edge after which less is held than at `now`. */
function endOfFreezeBy(
  freezeAt: Windows["freezeAt"],
  nextEdge: (now: Date) => Date | undefined,
): Windows["endOfFreeze"] {
  const search = (now: Date, lets: boolean): Date | undefined => {
    let edge = nextEdge(now);
    for (let count = 1; edge !== undefined && count < maxEdges; count += 1) {
      const then = freezeAt(edge);
      if (then === undefined || (then.letStrengtheningPass && !lets)) return edge;
      edge = nextEdge(edge);
    }
    return edge;
  };
  // A fleet asks thousands of times for the end of one freeze.
  let last: { readonly from: Date; readonly to: Date; readonly lets: boolean } | undefined;
  return (now) => {
    const freeze = freezeAt(now);
    if (freeze === undefined) return now;
    const lets = freeze.letStrengtheningPass;
    if (last?.lets === lets && last.from <= now && now < last.to) return last.to;
    const to = search(now, lets);
    last = to === undefined ? undefined : { from: now, to, lets };
    return to;
  };
}

const dayMs = 86_400_000;

/** How far ahead an occurrence is searched: a leap day is at most eight years away. */
const farthestMs = 8 * 366 * dayMs;

interface WindowOccurrences {
  /** When the window opened; `undefined` if it is closed at `now`. */
  readonly openSince: (now: Date) => Date | undefined;
  /** When it opens next after `now`. */
  readonly nextAfter: (now: Date) => Date | undefined;
}

function occurrencesOf({ start, durationMs, timezone }: Window): WindowOccurrences {
  const offsetAt = offsetsIn(timezone);
  const occurrencesOn = occurrencesOnDays(start, offsetAt);
  const dayOf = (now: number): number => Math.floor((now + offsetAt(now)) / dayMs) * dayMs;
  // One more day at both ends: a change of the time zone's offset moves a moment across midnight.
  return {
    openSince: (date) => {
      const now = Number(date);
      for (let day = dayOf(now) + dayMs; day > now - durationMs - 3 * dayMs; day -= dayMs) {
        const moment = occurrencesOn(day).findLast((occurrence) => occurrence <= now);
        if (moment !== undefined) return moment > now - durationMs ? new Date(moment) : undefined;
      }
      return undefined;
    },
    nextAfter: (date) => {
      const now = Number(date);
      for (let day = dayOf(now) - dayMs; day < now + farthestMs; day += dayMs) {
        const moment = occurrencesOn(day).find((occurrence) => occurrence > now);
        if (moment !== undefined) return new Date(moment);
      }
      return undefined;
    },
  };
}

/**
 * Gives the moments of a day (its midnight as if it were UTC) at which a cron expression is due, in ascending order.
 * node-cron gives future moments only: the times of the day come from its parser, the days from its matcher.
 */
function occurrencesOnDays(
  expression: string,
  offsetAt: (moment: number) => number,
): (day: number) => readonly number[] {
  // The task matches days in UTC, which has no changes of the offset; `momentOf` applies those of the time zone.
  const calendar = createTask(expression, () => undefined, { timezone: "Etc/UTC" });
  const times = timesOfDay(expression);
  return (day) => {
    if (!calendar.match(new Date(day + (times[0] ?? 0)))) return [];
    const offset = offsetAt(day - dayMs);
    if (offset === offsetAt(day + 2 * dayMs)) return times.map((time) => day + time - offset);
    return times.map((time) => momentOf(day + time, offsetAt)).toSorted((a, b) => a - b);
  };
}

/** The times of the day in a cron expression, as milliseconds since midnight, in ascending order. */
function timesOfDay(expression: string): readonly number[] {
  const { hour, minute, second } = parse(expression);
  const times = hour.flatMap((h) =>
    minute.flatMap((m) => second.map((s) => ((h * 60 + m) * 60 + s) * 1_000)),
  );
  return times.toSorted((a, b) => a - b);
}

/**
 * The moment at which local clocks show `wall` (as if it were UTC). Of a time that occurs twice, the first; a time that is
 * skipped comes as long after the change as it would without it.
 */
function momentOf(wall: number, offsetAt: (moment: number) => number): number {
  const before = offsetAt(wall - dayMs);
  const first = wall - before;
  const after = offsetAt(first);
  if (after === before) return first;
  const second = wall - after;
  return offsetAt(second) === after ? second : first;
}

/** The offset of a time zone from UTC at a moment, in milliseconds. */
function offsetsIn(timeZone: string): (moment: number) => number {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone,
    timeZoneName: "longOffset",
    year: "numeric",
  });
  return (moment) => {
    const name = format.formatToParts(moment).find(({ type }) => type === "timeZoneName")?.value;
    const [, sign, hours, minutes, seconds] =
      /^GMT([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(name ?? "") ?? [];
    const ms =
      ((Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * 60 + Number(seconds ?? 0)) * 1_000;
    return sign === "-" ? -ms : ms;
  };
}

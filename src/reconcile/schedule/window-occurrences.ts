import { createTask, parse } from "node-cron";

const dayMs = 86_400_000;

/** So far ahead an opening is looked for: one on a leap day is at most eight years off. */
const farthestMs = 8 * 366 * dayMs;

/** When a window opens. */
export interface WindowOccurrences {
  /** The moment at which it opened, where it is open at `now`. */
  readonly openSince: (now: Date) => Date | undefined;
  /** The first moment after `now` at which it opens. */
  readonly nextAfter: (now: Date) => Date | undefined;
}

/**
 * When a window opens.
 *
 * @param start cron expression; it has been checked before.
 */
export function occurrencesOf(
  start: string,
  durationMs: number,
  timezone: string,
): WindowOccurrences {
  const offsetAt = offsetsIn(timezone);
  const openingsOn = openingsOnDays(start, offsetAt);
  const dayOf = (now: number): number => Math.floor((now + offsetAt(now)) / dayMs) * dayMs;
  // A day more at both ends: a change of the clock moves a moment to the other side of midnight.
  return {
    openSince: (date) => {
      const now = Number(date);
      for (let day = dayOf(now) + dayMs; day > now - durationMs - 3 * dayMs; day -= dayMs) {
        const moment = openingsOn(day).findLast((opening) => opening <= now);
        if (moment !== undefined) return moment > now - durationMs ? new Date(moment) : undefined;
      }
      return undefined;
    },
    nextAfter: (date) => {
      const now = Number(date);
      for (let day = dayOf(now) - dayMs; day < now + farthestMs; day += dayMs) {
        const moment = openingsOn(day).find((opening) => opening > now);
        if (moment !== undefined) return new Date(moment);
      }
      return undefined;
    },
  };
}

/**
 * Gives the moments of a day (its midnight as if it were UTC) at which a cron expression is due, the earliest first.
 * The scheduler knows only the moments to come: here the times of the day that the expression names are taken, and the
 * days asked of the scheduler's own matcher.
 */
function openingsOnDays(
  expression: string,
  offsetAt: (moment: number) => number,
): (day: number) => readonly number[] {
  // The times of a calendar without changes of the clock; what they are on this world's clocks, `momentOf` says.
  const calendar = createTask(expression, () => undefined, { timezone: "Etc/UTC" });
  const times = timesOfDay(expression);
  return (day) => {
    if (!calendar.match(new Date(day + (times[0] ?? 0)))) return [];
    const offset = offsetAt(day - dayMs);
    if (offset === offsetAt(day + 2 * dayMs)) return times.map((time) => day + time - offset);
    return times.map((time) => momentOf(day + time, offsetAt)).toSorted((a, b) => a - b);
  };
}

/** The times of the day that an expression names, as milliseconds since midnight, the earliest first. */
function timesOfDay(expression: string): readonly number[] {
  const { hour, minute, second } = parse(expression);
  const times = hour.flatMap((h) =>
    minute.flatMap((m) => second.map((s) => ((h * 60 + m) * 60 + s) * 1_000)),
  );
  return times.toSorted((a, b) => a - b);
}

/**
 * The moment at which clocks show `wall` (as if it were UTC). Of two, where clocks are set back, it is the first; a
 * time that clocks skip is as long after the change as it would have been without it.
 */
function momentOf(wall: number, offsetAt: (moment: number) => number): number {
  const before = offsetAt(wall - dayMs);
  const first = wall - before;
  const after = offsetAt(first);
  if (after === before) return first;
  const second = wall - after;
  return offsetAt(second) === after ? second : first;
}

/** How far the clocks of a time zone are ahead of UTC at a moment, in milliseconds. */
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

import { createTask, parse } from "node-cron";

import type { Freeze } from "../plan/guard.ts";

/** A time in which writing is allowed (`allow`: only then), or not (`freeze`). */
export interface Window {
  readonly name: string;
  readonly type: "allow" | "freeze";
  /** Cron expression of the moments at which it opens; it has been checked before. */
  readonly start: string;
  readonly durationMs: number;
  readonly timezone: string;
  /** Whether changes that only strengthen protection pass nevertheless. */
  readonly letStrengtheningPass: boolean;
}

/** Says of any moment why nothing may be written then; `undefined`: no window speaks against it. */
export type Windows = (now: Date) => Freeze | undefined;

/** Understands windows. A freeze outweighs an allowance; where there are allowances, one of them must be open. */
export function windowsOf(windows: readonly Window[]): Windows {
  const clocked = windows.map((window) => ({ window, openedAt: openingsOf(window) }));
  return (now) => {
    const isOpen = clocked.map(({ window, openedAt }) => ({
      window,
      isOpen: openedAt(now) !== undefined,
    }));
    const freezes = isOpen
      .filter((each) => each.isOpen && each.window.type === "freeze")
      .map(({ window }) => window);
    if (freezes.length > 0) return freezeBy(freezes, "is open");
    const allowances = isOpen.filter(({ window }) => window.type === "allow");
    if (allowances.length === 0 || allowances.some((each) => each.isOpen)) return undefined;
    return freezeBy(
      allowances.map(({ window }) => window),
      "is closed",
    );
  };
}

function freezeBy(windows: readonly Window[], how: string): Freeze {
  return {
    reason: windows.map(({ type, name }) => `the ${type} window "${name}" ${how}`).join(", "),
    letStrengtheningPass: windows.every((window) => window.letStrengtheningPass),
  };
}

const dayMs = 86_400_000;

/**
 * Gives the moment at which a window opened that is open at `now`. Cron knows only the moments to come: here the times
 * of the day that the expression names are gone through backwards, and the days asked of the scheduler's own matcher.
 */
function openingsOf({ start, durationMs, timezone }: Window): (now: Date) => Date | undefined {
  // The times of a calendar without changes of the clock; what they are on this world's clocks, `momentOf` says.
  const calendar = createTask(start, () => undefined, { timezone: "Etc/UTC" });
  const times = timesOfDay(start);
  const offsetAt = offsetsIn(timezone);
  return (now) => {
    const local = Number(now) + offsetAt(Number(now));
    const today = Math.floor(local / dayMs) * dayMs;
    const first = Number(now) - durationMs;
    // A day more at both ends: a change of the clock moves a moment to the other side of midnight.
    for (let day = today + dayMs; day > first - 2 * dayMs; day -= dayMs) {
      for (const time of times) {
        const wall = day + time;
        const moment = momentOf(wall, offsetAt);
        if (moment > Number(now) || !calendar.match(new Date(wall))) continue;
        return moment > first ? new Date(moment) : undefined;
      }
    }
    return undefined;
  };
}

/** The times of the day that an expression names, as milliseconds since midnight, the latest first. */
function timesOfDay(expression: string): readonly number[] {
  const { hour, minute, second } = parse(expression);
  const times = hour.flatMap((h) =>
    minute.flatMap((m) => second.map((s) => ((h * 60 + m) * 60 + s) * 1_000)),
  );
  return times.toSorted((a, b) => b - a);
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

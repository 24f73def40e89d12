import { createTask, parse } from "node-cron";

import type { Freeze } from "../../plan/guard/guard.ts";
import { dayMs } from "../../syntax/time-units.ts";
import type { Window } from "../../zone/window.ts";

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

/** How far ahead an occurrence is searched: a leap day is at most eight years away. */
const farthestMs = 8 * 366 * dayMs;

interface WindowOccurrences {
  /** When the window opened; `undefined` if it is closed at `now`. */
  readonly openSince: (now: Date) => Date | undefined;
  /** When it opens next after `now`. */
  readonly nextAfter: (now: Date) => Date | undefined;
}

/** The midnight before a moment, in UTC. */
function dayOf(moment: Date): number {
  return Math.floor(Number(moment) / dayMs) * dayMs;
}

function occurrencesOf({ start, durationMs, timezone }: Window): WindowOccurrences {
  const occurrencesOn = occurrencesOnDays(start, timezone);
  // Two more days at both ends: the day of the time zone is another one, and a skipped time may come on the next.
  return {
    openSince: (now) => {
      const earliest = Number(now) - durationMs;
      for (let day = dayOf(now) + 2 * dayMs; day > earliest - 3 * dayMs; day -= dayMs) {
        const moment = occurrencesOn(day).findLast((occurrence) => occurrence <= Number(now));
        if (moment !== undefined) return moment > earliest ? new Date(moment) : undefined;
      }
      return undefined;
    },
    nextAfter: (now) => {
      for (let day = dayOf(now) - 2 * dayMs; day < Number(now) + farthestMs; day += dayMs) {
        const moment = occurrencesOn(day).find((occurrence) => occurrence > Number(now));
        if (moment !== undefined) return new Date(moment);
      }
      return undefined;
    },
  };
}

/**
 * Gives the moments of a day (its midnight as if it were UTC) at which a cron expression is due, in ascending order. Of a
 * time that occurs twice, the first; a time that is skipped comes as long after the change as it would without it.
 *
 * node-cron gives runs after now only: the times of the day come from its parser, the days from its matcher.
 */
function occurrencesOnDays(
  expression: string,
  timezone: string,
): (day: number) => readonly number[] {
  // The task matches days in UTC, which has no changes of the offset.
  const calendar = createTask(expression, () => undefined, { timezone: "Etc/UTC" });
  const { hour, minute, second } = parse(expression);
  const times = hour.flatMap((h) =>
    minute.flatMap((m) => second.map((s) => ((h * 60 + m) * 60 + s) * 1_000)),
  );
  const format = new Intl.DateTimeFormat("sv", { ...wallFormat, timeZone: timezone });
  /** What local clocks show at a moment, as if it were UTC. */
  const wallAt = (moment: number): number => Date.parse(`${format.format(moment)}Z`);
  const offsetAt = (moment: number): number => wallAt(moment) - moment;
  return (day) => {
    if (!calendar.match(new Date(day + (times[0] ?? 0)))) return [];
    const [before, after] = [offsetAt(day - dayMs), offsetAt(day + 2 * dayMs)];
    const moments = times.map((time) => {
      const [wall, early, late] = [day + time, day + time - before, day + time - after];
      const isLate = before !== after && wallAt(early) !== wall && wallAt(late) === wall;
      return isLate ? late : early;
    });
    return moments.toSorted((a, b) => a - b);
  };
}

/** Swedes write dates as ISO 8601 does. */
const wallFormat = { dateStyle: "short", timeStyle: "medium" } as const;

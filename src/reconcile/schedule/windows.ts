import type { Freeze } from "../../plan/guard/guard.ts";
import { type WindowOccurrences, occurrencesOf } from "./window-occurrences.ts";

/** A time in which writing is allowed (`allow`: only then), or not (`freeze`). */
export interface Window {
  readonly name: string;
  readonly type: "allow" | "freeze";
  /** Cron expression of the moments at which it opens; it has been checked before. */
  readonly start: string;
  readonly durationMs: number;
  readonly timezone: string;
  /** Whether plans that only strengthen protection pass nevertheless. */
  readonly letStrengtheningPass: boolean;
}

/** What windows say of any moment. */
export interface Windows {
  /** Why nothing may be written then; `undefined`: no window speaks against it. */
  readonly freezeAt: (now: Date) => Freeze | undefined;
  /**
   * From when on more may be written than at `now`, or `now` itself where everything may; `undefined`: not within years.
   * Where windows open again and again before they close, a moment on the way.
   */
  readonly endOfFreeze: (now: Date) => Date | undefined;
}

/** Understands windows. A freeze outweighs an allowance; where there are allowances, one of them must be open. */
export function windowsOf(windows: readonly Window[]): Windows {
  const clocked = windows.map((window) => ({
    window,
    openings: occurrencesOf(window.start, window.durationMs, window.timezone),
  }));
  const freezeAt = (now: Date): Freeze | undefined => {
    const isOpen = clocked.map(({ window, openings }) => ({
      window,
      isOpen: openings.openSince(now) !== undefined,
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
  const edgeAfter = (now: Date): Date | undefined =>
    earliest(clocked.flatMap(({ window, openings }) => nextEdge(window, openings, now) ?? []));
  return { freezeAt, endOfFreeze: endOfFreezeBy(freezeAt, edgeAfter) };
}

/** Windows that open again before they close have edges without end: after so many it is time to look again. */
const mostEdges = 100;

/** Goes from edge to edge, up to the first after which less is held than at `now`. */
function endOfFreezeBy(
  freezeAt: Windows["freezeAt"],
  edgeAfter: (now: Date) => Date | undefined,
): Windows["endOfFreeze"] {
  const search = (now: Date, lets: boolean): Date | undefined => {
    let edge = edgeAfter(now);
    for (let count = 1; edge !== undefined && count < mostEdges; count += 1) {
      const then = freezeAt(edge);
      if (then === undefined || (then.letStrengtheningPass && !lets)) return edge;
      edge = edgeAfter(edge);
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

/** The next moment at which a window opens or closes; one that is open has closed by then, or has opened anew meanwhile. */
function nextEdge(
  { durationMs }: Window,
  openings: WindowOccurrences,
  now: Date,
): Date | undefined {
  const openedAt = openings.openSince(now);
  return openedAt === undefined ? openings.nextAfter(now) : new Date(Number(openedAt) + durationMs);
}

function earliest(moments: readonly Date[]): Date | undefined {
  return moments.toSorted((a, b) => Number(a) - Number(b))[0];
}

function freezeBy(windows: readonly Window[], how: string): Freeze {
  return {
    reason: windows.map(({ type, name }) => `the ${type} window "${name}" ${how}`).join(", "),
    letStrengtheningPass: windows.every((window) => window.letStrengtheningPass),
  };
}

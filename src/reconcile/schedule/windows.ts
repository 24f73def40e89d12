import type { Freeze } from "../../plan/guard/guard.ts";
import { cronOf } from "./schedule.ts";

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
   * When the freeze of a moment ends or becomes less strict; `now` itself without a freeze; `undefined`: it does not end.
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

interface WindowOccurrences {
  /** When the window opened; `undefined` if it is closed at `now`. */
  readonly openSince: (now: Date) => Date | undefined;
  /** When it opens next after `now`. */
  readonly nextAfter: (now: Date) => Date | undefined;
}

function occurrencesOf({ start, durationMs, timezone }: Window): WindowOccurrences {
  const cron = cronOf(start, timezone);
  return {
    openSince: (now) => {
      // Of runs before a whole second: the second that has begun counts.
      const [since] = cron.previousRuns(1, new Date(Number(now) + 1_000));
      return since !== undefined && Number(now) - Number(since) < durationMs ? since : undefined;
    },
    nextAfter: (now) => cron.nextRun(now) ?? undefined,
  };
}

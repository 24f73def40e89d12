import type { HistoryEntry } from "./history.ts";
import type { ZoneState, ZoneStatus } from "./zone-state.ts";

/** A stretch of time. */
export interface Period {
  readonly since: Date;
  readonly until: Date;
}

/** One time that a zone was not as declared. */
export interface DriftEpisode {
  /** The last look that did not see it: it cannot have begun before. */
  readonly earliest: Date;
  /** The look that saw it first. */
  readonly seen: Date;
  /** The look that saw it gone, or undid it; `undefined` while it lasts. */
  readonly gone: Date | undefined;
}

/** How long a zone was not as declared. */
export interface DriftTime {
  readonly zone: string;
  readonly episodes: number;
  /** From the look that saw drift to the one that saw it gone. */
  readonly seenMs: number;
  /** As if each drift had begun right after the last look that did not see it. */
  readonly atMostMs: number;
  readonly isDrifting: boolean;
}

/** The drift of one zone, from its entries, oldest first. */
export function driftEpisodes(entries: readonly HistoryEntry[]): readonly DriftEpisode[] {
  const episodes: DriftEpisode[] = [];
  let open: Omit<DriftEpisode, "gone"> | undefined;
  let previous: HistoryEntry | undefined;
  for (const entry of entries) {
    if (hasLooked(entry)) {
      const seen = entry.driftedSince ?? entry.at;
      if (entry.cause === "drift") {
        open ??= { earliest: entry.clearAt ?? previous?.at ?? seen, seen };
      }
      if (open !== undefined && entry.driftedSince === undefined) {
        episodes.push({ ...open, gone: entry.at });
        open = undefined;
      }
    }
    previous = entry;
  }
  return open === undefined ? episodes : [...episodes, { ...open, gone: undefined }];
}

/** How long a zone drifted within a period; its entries from before the period are needed too. */
export function driftTimeIn(
  zone: string,
  entries: readonly HistoryEntry[],
  period: Period,
): DriftTime {
  const { since, until } = period;
  const touching = driftEpisodes(entries).filter(
    ({ earliest, gone }) => earliest <= until && (gone === undefined || gone >= since),
  );
  const total = (begin: (episode: DriftEpisode) => Date): number =>
    touching.reduce((sum, episode) => {
      const from = Math.max(Number(begin(episode)), Number(since));
      const to = Math.min(Number(episode.gone ?? until), Number(until));
      return sum + Math.max(0, to - from);
    }, 0);
  return {
    zone,
    episodes: touching.length,
    seenMs: total(({ seen }) => seen),
    atMostMs: total(({ earliest }) => earliest),
    isDrifting: touching.some(({ gone }) => gone === undefined),
  };
}

/** A failed read sees nothing: neither that drift is there, nor that it is gone. */
function hasLooked({ failure, changes }: HistoryEntry): boolean {
  return failure === undefined || changes.length > 0;
}

/** A time in which a zone was the same; `undefined`: nobody knows what. */
export interface StatusSpan extends Period {
  readonly status: ZoneStatus | undefined;
}

/** What a zone was throughout a period, without gaps, from its entries (oldest first) and its state now. */
export function statusSpans(
  entries: readonly HistoryEntry[],
  { status, statusSince }: Pick<ZoneState, "status" | "statusSince">,
  { since, until }: Period,
): readonly StatusSpan[] {
  const last = entries.at(-1);
  const isTold = last !== undefined && last.status === status;
  const turns: readonly { readonly at: Date; readonly status: ZoneStatus | undefined }[] = [
    { at: since, status: undefined },
    ...entries,
    ...(isTold ? [] : [{ at: statusSince, status }]),
  ];
  const spans = turns.map((turn, index) => ({
    status: turn.status,
    since: later(turn.at, since),
    until: earlier(turns[index + 1]?.at ?? until, until),
  }));
  return joined(spans.filter((span) => span.since < span.until));
}

/** Neighbours with the same status as one. */
function joined(spans: readonly StatusSpan[]): readonly StatusSpan[] {
  const result: StatusSpan[] = [];
  for (const span of spans) {
    const before = result.at(-1);
    if (before?.status === span.status && before !== undefined) {
      result[result.length - 1] = { ...before, until: span.until };
    } else result.push(span);
  }
  return result;
}

function later(a: Date, b: Date): Date {
  return a > b ? a : b;
}

function earlier(a: Date, b: Date): Date {
  return a < b ? a : b;
}

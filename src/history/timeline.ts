import type { ZoneState, ZoneStatus } from "../state/zone-state.ts";
import type { HistoryEntry } from "./history.ts";

export interface Period {
  readonly since: Date;
  readonly until: Date;
}

/** One period of drift. */
export interface DriftEpisode {
  /** The last run without it: the drift cannot have started before. */
  readonly earliest: Date;
  /** The run that detected it. */
  readonly detected: Date;
  /** The run that corrected it or found it gone; `undefined` while it lasts. */
  readonly gone: Date | undefined;
}

export interface DriftTime {
  readonly zone: string;
  readonly episodes: number;
  /** From the detection of each drift to its end. */
  readonly seenMs: number;
  /** As if each drift had started right after the last run without it. */
  readonly atMostMs: number;
  readonly isDrifting: boolean;
}

/** The drift of one zone, from its entries, oldest first. */
export function driftEpisodes(entries: readonly HistoryEntry[]): readonly DriftEpisode[] {
  const episodes: DriftEpisode[] = [];
  let open: Omit<DriftEpisode, "gone"> | undefined;
  let previous: HistoryEntry | undefined;
  for (const entry of entries) {
    if (isRead(entry)) {
      const detected = entry.driftedSince ?? entry.at;
      if (entry.causes.includes("drift")) {
        open ??= { earliest: entry.clearAt ?? previous?.at ?? detected, detected };
      }
      if (open !== undefined && isOver(entry)) {
        episodes.push({ ...open, gone: entry.at });
        open = undefined;
      }
    }
    previous = entry;
  }
  return open === undefined ? episodes : [...episodes, { ...open, gone: undefined }];
}

/** How long a zone drifted within a period. `entries` must include those before the period. */
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
    seenMs: total(({ detected }) => detected),
    atMostMs: total(({ earliest }) => earliest),
    isDrifting: touching.some(({ gone }) => gone === undefined),
  };
}

/** A difference of unknown cause may be the drift from before: that the cause is forgotten does not end drift. */
function isOver({ driftedSince, causes, status }: HistoryEntry): boolean {
  const isUnsure = causes.includes("unknown") && status !== "in_sync";
  return driftedSince === undefined && !isUnsure;
}

/** A failed read tells nothing about drift. */
function isRead({ failure, changes }: HistoryEntry): boolean {
  return failure === undefined || changes.length > 0;
}

/** A period with one status; `undefined`: there is no record. */
export interface StatusSpan extends Period {
  readonly status: ZoneStatus | undefined;
}

/** The status of a zone over a period, without gaps, from its entries (oldest first) and its current status. */
export function statusSpans(
  entries: readonly HistoryEntry[],
  { status, statusSince }: Pick<ZoneState, "status" | "statusSince">,
  { since, until }: Period,
): readonly StatusSpan[] {
  const steps: readonly { readonly at: Date; readonly status: ZoneStatus | undefined }[] = [
    { at: since, status: undefined },
    ...entries,
    { at: statusSince, status },
  ];
  const spans = steps.map(({ at, status: then }, index) => {
    const next = steps[index + 1]?.at ?? until;
    return { status: then, since: at > since ? at : since, until: next < until ? next : until };
  });
  return merged(spans.filter((span) => span.since < span.until));
}

function merged(spans: readonly StatusSpan[]): readonly StatusSpan[] {
  const result: StatusSpan[] = [];
  for (const span of spans) {
    const before = result.at(-1);
    if (before !== undefined && before.status === span.status) {
      result[result.length - 1] = { ...before, until: span.until };
    } else result.push(span);
  }
  return result;
}

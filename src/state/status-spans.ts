import type { Period } from "./drift-time.ts";
import type { HistoryEntry } from "./history.ts";
import type { ZoneState, ZoneStatus } from "./zone-state.ts";

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

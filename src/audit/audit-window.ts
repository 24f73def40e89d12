import type { AuditEntry, AuditWindow } from "../zone/audit-entry.ts";

/** Entries may be stamped by a clock that is ahead of ours. */
const aheadMs = 3_600_000;

/** After a longer gap, sweeps have read every zone several times. */
const longestMs = 24 * 3_600_000;

/** Up to where the log of an account was read. */
export interface ReadUpTo {
  /** When the last read began. */
  readonly readAt: Date;
  /** Time of the newest entry seen; `undefined` before the first. */
  readonly newest: Date | undefined;
}

/**
 * The window of the next read: since the last read or the newest entry, whichever is earlier, less the overlap for
 * entries that come late or out of order.
 */
export function nextWindow(
  now: Date,
  { readAt, newest = readAt }: ReadUpTo,
  overlapMs: number,
): AuditWindow {
  const from = Math.min(Number(readAt), Number(newest), Number(now));
  const earliest = Number(now) - Math.max(longestMs, overlapMs);
  return windowSince(new Date(Math.max(from - overlapMs, earliest)), now);
}

/** The window from a moment until now. */
export function windowSince(since: Date, now: Date): AuditWindow {
  return { since, before: new Date(Number(now) + aheadMs) };
}

/** Up to where the log was read after one more read. Times in the future say nothing. */
export function afterRead(
  { newest: known }: ReadUpTo,
  readAt: Date,
  entries: readonly AuditEntry[],
): ReadUpTo {
  let newest = known;
  for (const { at } of entries) {
    if (at <= readAt && (newest === undefined || at > newest)) newest = at;
  }
  return { readAt, newest };
}

import { dayMs, hourMs, minuteMs } from "./time-units.ts";
import { startOf } from "./written-date.ts";

const unitMs: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: minuteMs,
  h: hourMs,
  d: dayMs,
};

/** Milliseconds of `500ms`, `30s`, `15m`, `24h` or `7d`; `undefined` if `text` is no duration. */
export function parseDuration(text: string): number | undefined {
  const [, count, unit = ""] = /^(\d{1,9})(ms|[smhd])$/.exec(text) ?? [];
  const length = unitMs[unit];
  return length === undefined ? undefined : Number(count) * length;
}

/** Milliseconds of a duration in a file: the schemas allow no other text. */
export function millisecondsOf(duration: string): number {
  return parseDuration(duration) ?? Number.NaN;
}

/** What `--since` and `--until` take. */
export const momentHelp =
  "--since and --until take a moment (2026-03-01, 2026-03-01T08:00:00Z) or a time before now (90m, 24h, 30d)";

/** The moment that a flag names, by a date or by a time before now; `undefined` if it names none. */
export function momentIn(text: string, now: Date): Date | undefined {
  const ago = /^\d{1,6}[smhd]$/.test(text) ? parseDuration(text) : undefined;
  if (ago !== undefined) return new Date(Number(now) - ago);
  const isDate = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d))?$/.test(text);
  return isDate ? startOf(text) : undefined;
}

import { coerceDate } from "./json.ts";

/** What `--since` and `--until` take. */
export const momentHelp =
  "--since and --until take a moment (2026-03-01, 2026-03-01T08:00:00Z) or a time before now (90m, 24h, 30d)";

const agoUnits: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** The moment that a flag names, by a date or by a time before now; `undefined` if it names none. */
export function momentIn(text: string, now: Date): Date | undefined {
  const [, count, unit = ""] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const length = agoUnits[unit];
  if (length !== undefined) return new Date(Number(now) - Number(count) * length);
  const isDate = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d))?$/.test(text);
  return isDate ? coerceDate(text) : undefined;
}

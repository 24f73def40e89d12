import { dayMs } from "./time-units.ts";

/**
 * The moment of a date or timestamp as it is written, of a date its end (UTC); `undefined` for any
 * other text.
 */
export function endOf(text: string): Date | undefined {
  const start = startOf(text);
  const isDate = text.length === 10;
  return start && isDate ? new Date(start.getTime() + dayMs) : start;
}

/**
 * The moment of a date or timestamp as it is written, of a date its start (UTC); `undefined` for
 * any other text.
 */
export function startOf(text: string): Date | undefined {
  const moment = new Date(text);
  return isRealDay(text) && !Number.isNaN(moment.getTime()) ? moment : undefined;
}

/** The day of a moment (UTC): `2026-11-20`. */
export function dayOf(moment: Date): string {
  return moment.toISOString().slice(0, 10);
}

/** `Date` reads the 30th of February as the 2nd of March. */
function isRealDay(text: string): boolean {
  const day = text.slice(0, 10);
  const moment = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(moment.getTime()) && moment.toISOString().startsWith(day);
}

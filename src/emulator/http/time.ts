/** A time as the service writes it, with microseconds (SERVICE.md B.3). */
export function timestamp(time: Date): string {
  return time.toISOString().replace("Z", "000Z");
}

/** Milliseconds since 1970 of a date, which begins at midnight UTC, or of an RFC 3339 time; NaN for any other text. */
export function momentOf(text: string): number {
  const isMoment = /^\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d))?$/.test(text);
  return isMoment ? Date.parse(text) : Number.NaN;
}

/** Whether milliseconds since 1970 are a time whose year has four digits. */
export function isTime(milliseconds: number): boolean {
  return milliseconds >= 0 && milliseconds < Date.UTC(10_000, 0);
}

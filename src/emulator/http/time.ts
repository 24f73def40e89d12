/** A time as the service writes it, with microseconds (SERVICE.md B.3). */
export function timestamp(time: Date): string {
  return time.toISOString().replace("Z", "000Z");
}

/** Whether milliseconds since 1970 are a time whose year has four digits. */
export function isTime(milliseconds: number): boolean {
  return milliseconds >= 0 && milliseconds < Date.UTC(10_000, 0);
}

const unitMs: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** A time as the service writes it, with microseconds (SERVICE.md B.3). */
export function timestamp(time: Date): string {
  return time.toISOString().replace("Z", "000Z");
}

/** Whether milliseconds since 1970 are a time whose year has four digits. */
export function isTime(milliseconds: number): boolean {
  return milliseconds >= 0 && milliseconds < Date.UTC(10_000, 0);
}

/** Milliseconds of a duration such as `90s`, `5m` or `8d`; `undefined` if `text` is none. */
export function parseDuration(text: string): number | undefined {
  const { count, unit } = /^(?<count>\d{1,9})(?<unit>ms|s|m|h|d)$/.exec(text)?.groups ?? {};
  const milliseconds = unitMs[unit ?? ""];
  return milliseconds === undefined ? undefined : Number(count) * milliseconds;
}
